"""One ranking out of many: of few rows each ranking is a draw, and the median of many is not.

A ranking on all rows and those that the choice has made anyway, without one fold each, are joined
by the median rank of every column; a fold that went astray does not matter to it. The ranking on
all rows has as many votes as the folds of one cut, which hold all rows between them.

This is for columns that count by themselves, as they do to a linear machine. With a kernel columns
may tell only together, and they are found together or lost together. The more rows, the better the
odds of finding them: there the ranking on all rows stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from svsieve.elimination import Path
from svsieve.estimators.sieving.candidates import Candidate


def agreed(candidate: Candidate, whole: Path | None, parts: Sequence[Path], votes: int) -> Path:
    """Return the ranking to go by: the consensus of linear ones, with a kernel that on all rows.

    The parameters are those of `consensus`.
    """
    if whole is None or candidate.is_linear:
        return consensus(whole, parts, votes)
    return whole


def consensus(whole: Path | None, parts: Sequence[Path], votes: int) -> Path:
    """Return the ranking by median ranks.

    Parameters
    ----------
    whole : Path or None
        The ranking on all rows; None where there was no time for it.
    parts : sequence of Path
        Rankings on part of the rows. Without any, `whole` is the answer.
    votes : int
        How often `whole` counts, but no more than all parts do.

    Returns
    -------
    Path
        Its scores are one over the median rank. The mean rank decides between equals.

    Examples
    --------
    >>> from svsieve.elimination import Path
    >>> from svsieve.estimators.sieving.consensus import consensus
    >>> whole, other = Path.from_scores([3, 2, 1]), Path.from_scores([1, 3, 2])
    >>> consensus(whole, [other, other], votes=1).order
    array([1, 2, 0])
    """
    if whole is not None and not parts:
        return whole
    voters = [*([] if whole is None else [whole] * min(votes, len(parts))), *parts]
    ranks = np.argsort([one.order for one in voters], axis=1) + 1.0
    median = np.median(ranks, axis=0)
    # Medians differ by a half at least, if at all.
    decided = median + ranks.mean(axis=0) / (4.0 * len(median))
    path = Path.from_scores(-decided, voters[0].column_names)
    scores = 1.0 / median[path.order[::-1]]
    return replace(
        path,
        scores=scores[:-1],
        following=scores[1:],
        survivor_scores=scores[-1:],
        notes={**voters[0].notes, **path.notes, "rankings": len(parts) + (whole is not None)},
    )
