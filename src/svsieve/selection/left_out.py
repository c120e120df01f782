"""What a machine says of each row when that row is left out, told without training again.

Leaving out support vector p lowers y_p f(x_p) by alpha_p S_p^2 as long as no other row meets or
leaves a bound, S_p its distance from the affine hull of the other free support vectors (see
`criteria.span_geometry`). All other rows keep their decision value.

A row may stand for k rows at the same place, one of which is left out. With linear slack what goes
is alpha_p less the (k - 1) / k of its bound that the others may have. With squared slack the ridge
r_p of the row becomes k / (k - 1) r_p, and y_p f(x_p) = 1 - alpha_p r_p k / (k - 1 + r_p / S_p^2).

A bound that is easy to descend may be smallest where the machine is poor: that of linear slack
often is for one that takes all rows for one class. What is said of rows left out tells such
machines apart from the good ones that the descent has passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from svsieve.arrays import FloatArray, Table
from svsieve.criteria import Context
from svsieve.criteria.span_geometry import NoSpanError, SpanGeometry, Supports

# A loss has to be smaller by this many standard errors of the difference.
CLEARLY = 0.5
# Decision values count as log-odds once they are multiplied by a slope, the logarithm of which is
# looked for here.
LOG_SLOPES = (-4.0, 5.0)


def margins_left_out(context: Context, counts: FloatArray) -> FloatArray | None:
    """Return y_p f(x_p) of every row p of a two-class machine, with p left out.

    Where no other support vector is free there is no hull; the distance from the mean of all rows
    stands for S_p then. None where rounding leaves no distances.

    Parameters
    ----------
    context : Context
    counts : ndarray of shape (n_rows,)
        How many rows each row stands for; one of them is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import CSvm, solve
    >>> from svsieve.selection.left_out import margins_left_out
    >>> X, y = np.array([[-1.0], [1.0], [4.0]]), np.array([-1.0, 1.0, 1.0])
    >>> state, machine = KernelState(Linear(), X), CSvm(C=10.0)
    >>> problem = machine.problem(state.diagonal(), y)
    >>> solution = solve(problem, state.gram())
    >>> margins_left_out(Context(machine, problem, solution, None, y, state), np.ones(3))
    array([-1., -1.,  4.])
    """
    problem, solution, labels = context.problem, context.solution, context.labels
    assert labels is not None
    # With the ridge: exactly y where squared slack has a support vector.
    margins = np.asarray(labels * (solution.gradient - problem.linear + solution.offset))
    supports, K = Supports.of(problem, solution), context.gram()
    rows, alpha, ridge = supports.rows, np.abs(supports.u), supports.ridge
    squares = _from_the_mean(K, counts)[rows] + ridge
    if len(supports.free):
        try:
            found = SpanGeometry.of(K, supports).squares()
        except NoSpanError:
            return None
        only = supports.free if len(supports.free) == 1 else supports.free[:0]
        found[only] = squares[only]
        squares = found
    width = (problem.upper - problem.lower)[rows]
    others = np.maximum(counts[rows] - 1.0, 0.0)
    if np.isfinite(width).all():
        gone = np.maximum(alpha - width * others / (others + 1.0), 0.0)
        margins[rows] -= gone * squares
    else:
        stay = others * squares + ridge
        share = np.divide(ridge * (others + 1.0), stay, out=np.zeros(len(rows)), where=stay > 0)
        margins[rows] -= alpha * squares * np.where(others > 0.0, share, 1.0)
    return margins


def _from_the_mean(K: FloatArray, counts: FloatArray) -> FloatArray:
    """Squared distances of all rows from their mean, in feature space."""
    shares = counts / counts.sum()
    across = K @ shares
    return np.asarray(np.maximum(np.diagonal(K) - 2.0 * across + shares @ across, 0.0))


def merged(
    X: Table, labels: FloatArray, weights: FloatArray, counts: FloatArray
) -> tuple[Table, FloatArray, FloatArray, FloatArray]:
    """Return the rows with those of one class at the same place made one.

    Two rows at one place share a coefficient in no particular way, and the span of either holds the
    other. One row that weighs as much has the same machine and says how far it is from the rest.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.left_out import merged
    >>> X, y = np.array([[1.0], [2.0], [1.0], [1.0]]), np.array([1.0, 1.0, 1.0, -1.0])
    >>> merged(X, y, np.ones(4), np.ones(4))[3]
    array([2., 1., 1.])
    """
    first: dict[tuple[float, bytes], int] = {}
    places = np.array([first.setdefault(key, k) for k, key in enumerate(_keys(X, labels))])
    kept, groups = np.unique(places, return_inverse=True)
    if len(kept) == len(labels):
        return X, labels, weights, counts

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(groups, values, len(kept)).astype(np.float64)

    return X[kept], labels[kept], summed(weights), summed(counts)


def _keys(X: Table, labels: FloatArray) -> Iterator[tuple[float, bytes]]:
    """What rows of one class at the same place share."""
    if isinstance(X, np.ndarray):
        plain = X + 0.0  # no negative zeros
        yield from ((float(y), row.tobytes()) for y, row in zip(labels, plain, strict=True))
        return
    table = X.copy()
    table.eliminate_zeros()
    table.sort_indices()
    for k, y in enumerate(labels):
        row = slice(table.indptr[k], table.indptr[k + 1])
        yield float(y), table.indices[row].tobytes() + b"|" + table.data[row].tobytes()


def confirmed(
    values: Sequence[float],
    margins: Sequence[FloatArray | None],
    weights: FloatArray,
    counts: FloatArray,
) -> int:
    """Return which of some points to take: that of the smallest value, if its loss bears it out.

    The loss on a row of margin m is ln(1 + exp(-slope m)), with the slope that makes the mean loss
    of a point smallest: margins of different machines have different units.

    Parameters
    ----------
    values : sequence of float
        At each point; infinite where there is none.
    margins : sequence of ndarray of shape (n_rows,), or None
        Of each row, left out, at each point. None where they are not known.
    weights : ndarray of shape (n_rows,)
        How much each row counts.
    counts : ndarray of shape (n_rows,)
        How many rows each row stands for.

    Returns
    -------
    int
        The point of smallest value; instead of it that of the smallest loss, if the difference is
        more than half its standard error.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.left_out import confirmed
    >>> good, poor = np.array([0.9, 0.3, 1.2, 0.2]), np.array([-0.7, 0.6, 0.1, -0.8])
    >>> confirmed([0.9, 0.8], [good, poor], np.ones(4), np.ones(4))
    0
    """
    best = int(np.argmin(values))
    shares = weights / weights.sum()
    losses = {
        k: _losses(m, shares)
        for k, m in enumerate(margins)
        if m is not None and np.isfinite(m).all() and np.isfinite(values[k])
    }
    if best not in losses:
        return best
    least = min(losses, key=lambda k: float(shares @ losses[k]))
    difference = losses[best] - losses[least]
    mean = float(shares @ difference)
    # That of a weighted mean: a row that stands for k rows is k of them with a k-th of its share.
    variance = float(shares**2 / np.maximum(counts, 1.0) @ (difference - mean) ** 2)
    return least if mean > CLEARLY * np.sqrt(variance) else best


def _losses(margins: FloatArray, shares: FloatArray) -> FloatArray:
    """The loss on each row, at the slope that makes their mean smallest."""

    def losses(log_slope: float) -> FloatArray:
        return np.asarray(np.logaddexp(0.0, -np.exp(log_slope) * margins))

    found = minimize_scalar(
        lambda log_slope: float(shares @ losses(log_slope)), bounds=LOG_SLOPES, method="bounded"
    )
    return losses(float(found.x))
