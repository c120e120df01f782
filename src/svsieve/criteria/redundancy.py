"""A criterion that also asks whether the columns left say the same already.

Relevance and redundancy are mutual informations of columns cut into three levels: below, about and
above their mean. Entropies are sums of c ln c over counts c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.context import Context, Criterion, resolution_of, share_of_largest
from svsieve.criteria.weight_norm import WeightNorm
from svsieve.errors import IncompatiblePartsError

LEVELS = 3
# A mutual information below this share of the largest possible entropy, ln n, is rounding.
ROUNDING = 1e-13
# Mutual informations held at a time, and columns up to which all of them are remembered.
BLOCK_ENTRIES = 2**21
MOST_REMEMBERED = 2048


@dataclass(frozen=True)
class RedundancyAware:
    """Another criterion, weighed against what a column adds to the others (SVM-RFE with MRMR).

    The score of Mundra and Rajapakse (2007, 2010) is

        ``share * |w_j| + (1 - share) * relevance_j / redundancy_j``

    with ``|w_j|`` the square root of the other criterion's score (below zero, minus the root of its
    magnitude), the relevance ``I(x_j; y)`` and the redundancy ``mean_k I(x_j; x_k)`` over the
    columns left, column j included. I is the mutual information of columns cut into three levels,
    on the rows of the problem; one of weight 2 counts as two.

    Parameters
    ----------
    criterion : Criterion, default=WeightNorm()
    share : float, default=0.5
        From 0 to 1: what the other criterion counts. 1 gives its order.
    scaled : bool, default=True
        Divide both terms by the largest of them among the columns left, so that `share` means the
        same at every size and for every C. False: the sum as published.
    band : float, default=0.5
        The middle level reaches so many standard deviations to each side of the mean.

    Notes
    -----
    A column that falls into one level only has relevance over redundancy 0. A step takes time that
    grows with the square of the columns left; from 2048 columns on down, mutual informations are
    computed once and remembered, 8 bytes for each pair of columns.

    Examples
    --------
    All three columns tell the classes apart equally well, and the first two are the same.

    >>> import numpy as np
    >>> from svsieve import svm_score
    >>> from svsieve.criteria import RedundancyAware
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> one, other = np.array([1, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 0])
    >>> X = np.column_stack([one, one, other])
    >>> svm_score(X, y).round(3)
    array([0.444, 0.444, 0.444])
    >>> svm_score(X, y, criterion=RedundancyAware(share=0.5)).round(3)
    array([0.866, 0.866, 1.   ])
    """

    criterion: Criterion = field(default_factory=WeightNorm)
    share: float = 0.5
    scaled: bool = True
    band: float = 0.5

    def __post_init__(self) -> None:
        for name, least, most in (("share", 0.0, 1.0), ("band", 0.0, np.inf)):
            value = getattr(self, name)
            number = isinstance(value, (int, float, np.integer, np.floating))
            if not number or isinstance(value, bool) or not least <= value <= most:
                raise ValueError(
                    f"{name} of RedundancyAware must lie in [{least:g}, {most:g}]. Got {value!r}."
                )

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column.

        Parameters
        ----------
        context : Context
            With labels.

        Returns
        -------
        ndarray of shape (n_kept,)
        """
        own = _root(self.criterion.scores(context))
        context.memory[self._key("own")] = context.state.kept, own
        new = self._news(context)
        return np.asarray(
            self.share * own / self._unit(own) + (1.0 - self.share) * new / self._unit(new)
        )

    def resolution(self, context: Context, scores: FloatArray) -> FloatArray | float:
        """Return the difference below which two scores are a tie: that of the other criterion.

        Parameters
        ----------
        context : Context
        scores : ndarray of shape (n_kept,)
            What `scores` returned.

        Returns
        -------
        ndarray of shape (n_kept,)
        """
        kept, own = context.memory.get(self._key("own"), (None, None))
        if kept is not context.state.kept or own is None:
            own = _root(self.criterion.scores(context))
        width = resolution_of(self.criterion, context, own * np.abs(own))
        known_to = np.sqrt(own**2 + width) - np.abs(own)
        return np.asarray(self.share * known_to / self._unit(own) + share_of_largest(scores))

    def _unit(self, terms: FloatArray) -> float:
        finite = np.abs(terms[np.isfinite(terms)])
        largest = float(finite.max(initial=0.0)) if self.scaled else 1.0
        return largest if largest > 0.0 else 1.0

    def _news(self, context: Context) -> FloatArray:
        """Relevance over redundancy."""
        if context.labels is None:
            raise IncompatiblePartsError(
                f"RedundancyAware needs labels to measure relevance; {context.machine!r} has none."
            )
        judged = context.labels != 0.0  # the row that stands for a penalised bias has none
        rows = np.arange(context.state.n_rows) if context.rows is None else context.rows
        counts = None if context.counts is None else context.counts[judged]
        counts = None if counts is None or (counts == 1.0).all() else counts
        levels = _levels(context.state.kept_columns(rows[judged]), self.band, counts)
        sides = (context.labels[judged] > 0.0).astype(np.int64)[:, None]
        relevance = _informations(levels, sides, counts)[:, 0]
        redundancy = self._redundancy(context, levels, counts)
        out = np.zeros(len(relevance))
        return np.divide(relevance, redundancy, out=out, where=redundancy > 0.0)

    def _redundancy(
        self, context: Context, levels: IndexArray, counts: FloatArray | None
    ) -> FloatArray:
        """Mean mutual information of each column with the columns left."""
        kept, key = context.state.kept, self._key("information")
        if key not in context.memory and len(kept) <= MOST_REMEMBERED:
            context.memory[key] = kept, np.concatenate(list(_blocks(levels, counts)))
        if key in context.memory:
            columns, table = context.memory[key]
            at = np.searchsorted(columns, kept)
            return np.asarray(table[np.ix_(at, at)].mean(axis=1))
        return np.concatenate([block.mean(axis=1) for block in _blocks(levels, counts)])

    def _key(self, what: str) -> str:
        return f"{what} of RedundancyAware {id(self)}"


def _levels(X: FloatArray, band: float, counts: FloatArray | None = None) -> IndexArray:
    """Entries as 0, 1 or 2: below, within or above the band about the mean of their column."""
    from_first = X - X[0]  # rounding must not part the entries of a constant column
    centred = from_first - np.average(from_first, axis=0, weights=counts)
    reach = band * np.sqrt(np.average(centred**2, axis=0, weights=counts))
    varies = from_first.any(axis=0)
    above, below = varies & (centred > reach), varies & (centred < -reach)
    return np.asarray(1 + above.astype(np.int64) - below)


def _blocks(levels: IndexArray, counts: FloatArray | None) -> Iterator[FloatArray]:
    """Mutual informations of all pairs of columns, a few rows of the matrix at a time."""
    width = max(1, BLOCK_ENTRIES // levels.shape[1])
    for start in range(0, levels.shape[1], width):
        yield _informations(levels[:, start : start + width], levels, counts)


def _informations(
    one: IndexArray, other: IndexArray, counts: FloatArray | None = None
) -> FloatArray:
    """Mutual information, in nats, of each column of one table with each of the other."""
    times = np.ones(len(one)) if counts is None else counts
    c_ln_c = _whole_c_ln_c(len(one)) if counts is None else (lambda c: xlogy(c, c))
    ours, theirs = _indicators(one), _indicators(other)
    joint = np.zeros((one.shape[1], other.shape[1]))
    for a in ours:
        weighed = (a * times[:, None]).T
        for b in theirs:
            joint += c_ln_c(weighed @ b)
    single = [np.sum([c_ln_c(times @ level) for level in side], axis=0) for side in (ours, theirs)]
    # H(x) + H(z) - H(x, z), each of the form ln n - (sum of c ln c) / n.
    n = float(times.sum())
    whole = float(c_ln_c(np.array(n)))
    total = whole - single[0][:, None] - single[1] + joint
    # A level that all rows share tells nothing: what is left then is rounding.
    return np.asarray(np.where(total > ROUNDING * abs(whole), total, 0.0) / n)


def _whole_c_ln_c(n: int) -> Callable[[FloatArray], FloatArray]:
    """Return c ln c of whole numbers up to n, looked up."""
    counts = np.arange(1.0, n + 1.0)
    table = np.append(0.0, counts * np.log(counts))
    return lambda c: np.asarray(table[c.astype(np.int64)])


def _indicators(levels: IndexArray) -> list[npt.NDArray[np.float64]]:
    return [(levels == level).astype(np.float64) for level in range(LEVELS)]


def _root(scores: FloatArray) -> FloatArray:
    """Square roots of the magnitudes, with the signs of the scores."""
    return np.asarray(np.sign(scores) * np.sqrt(np.abs(scores)))
