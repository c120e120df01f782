"""Many dual problems, each on some rows of one Gram matrix, solved by one call into the core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector, index_vector
from svsieve.machines.problem import DualProblem, DualSolution, check_effort, check_finite
from svsieve.native import core, one_blas_thread


def solve_each(
    problem: DualProblem,
    gram: FloatArray,
    rows: npt.ArrayLike,
    counts: Sequence[int],
    *,
    tol: float | npt.ArrayLike = 1e-8,
    max_iter: int = -1,
) -> list[DualSolution]:
    """Solve problems that stand one after the other, as `solve` would each of them.

    No part of the matrix is copied but the rows that the solver looks at.

    Parameters
    ----------
    problem : DualProblem
        The problems joined; `total` and `gap_unit` are those of each.
    gram : ndarray of shape (n_rows, n_rows)
    rows : array-like of int
        The row of the matrix that each coefficient is about.
    counts : sequence of int
        Coefficients of each problem.
    tol : float or array-like of float, one per problem, default=1e-8
    max_iter : int, default=-1
        As in `solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm, solve_each
    >>> gram = Linear().gram(np.array([[-1.0], [1.0], [3.0]]))
    >>> rows = [0, 1, 0, 2]  # the first row against the second, and against the third
    >>> problem = CSvm().problem(gram.diagonal()[rows], labels=[-1, 1, -1, 1])
    >>> [each.coefficients.tolist() for each in solve_each(problem, gram, rows, [2, 2])]
    [[-0.5, 0.5], [-0.125, 0.125]]
    """
    check_effort(tol, max_iter)
    picked = index_vector(rows, "rows", len(gram))
    if len(picked) != problem.n_rows or sum(counts) != problem.n_rows:
        raise ValueError(
            f"rows and counts must be those of the {problem.n_rows} coefficients. "
            f"Got {len(picked)} rows and {sum(counts)} coefficients."
        )
    tolerances = float_vector(np.broadcast_to(tol, len(counts)), "tol")
    check_finite(gram.diagonal())
    with one_blas_thread():
        coefficients, gradients, told = core.solve_each(
            np.ascontiguousarray(gram, dtype=np.float64),
            picked,
            np.array(counts, dtype=np.int64),
            problem.linear,
            problem.lower,
            problem.upper,
            problem.ridge,
            float(problem.total),
            float(problem.gap_unit),
            tolerances,
            int(max_iter),
        )
    ends = np.cumsum(counts).tolist()
    return [
        DualSolution(coefficients[end - count : end], gradients[end - count : end], *one)  # type: ignore[arg-type]
        for count, end, one in zip(counts, ends, told, strict=True)
    ]
