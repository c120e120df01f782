"""Which candidate, machine and size: the choice that `Sieve` makes from the folds it may see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.estimators.sieving.candidates import Candidate, Setting
from svsieve.estimators.sieving.clock import OutOfTimeError
from svsieve.estimators.sieving.trials import Problem, Trials, View

# Candidates that go on to all folds, and one of the other kind if none of these is.
MOST_IN_RACE = 3
# Machines compared at several sizes, how many of these, and how far from the best size.
FINALISTS = 4
TUNED_SIZES = 4
REACH = 3.0
# Shares of the time left, where it is limited, for the race and then for ranking all folds.
RACE_ENDS, RANKING_ENDS = 0.6, 0.5
# With up to so many rows all candidates run on all folds: part of them says too little.
FEW_ROWS = 200
# A candidate is given up when it is worse than the leader by so many standard errors, and one with
# a kernel is preferred to a linear one when it is better by so many.
CLEARLY = 2.0
# Rankings and machines are compared by their best sizes, this share of all: a single size may have
# been lucky.
PLATEAU = 0.15
# Sizes are judged together with those that differ from them by about this factor.
ALIKE = 1.2
# What may be lost for fewer columns, for every 0.2 that the trade-off is below 1. It is the loss
# and its standard error together that must be within it: few rows have large errors, which hide
# large losses.
LOST = 0.005
# A column too many hardly harms a machine, one too few does, and the best of many sizes was lucky.
# The size to compare with is therefore the largest within so many standard errors of the best.
NEAR = 0.5


@dataclass(frozen=True, eq=False)
class Chosen:
    """A candidate, a machine and a size, with what they score.

    Attributes
    ----------
    candidate : Candidate
    setting : Setting
    size : int
    score : float
        Mean over the folds it was chosen from: the best of many, and too good for that reason.
    best_size : int
        The size that others are compared with: the largest about as good as the best.
    sizes, scores, errors : ndarray
        The curve of the machine: mean scores and their standard errors.
    folds : tuple of int
        Those that were judged.
    untried : tuple of str
        What there was no time for.
    """

    candidate: Candidate
    setting: Setting
    size: int
    score: float
    best_size: int
    sizes: IndexArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    folds: tuple[int, ...] = ()
    untried: tuple[str, ...] = ()


def choose(
    trials: Trials, candidates: Sequence[Candidate], view: View, tradeoff: float
) -> Chosen | None:
    """Choose by what can be seen.

    First all candidates rank the columns of some folds, and those that are clearly behind go. The
    others rank those of all folds. Of the best linear one and the best with a kernel, machines are
    compared around the size at which the ranking did best; a kernel has to be better by two
    standard errors. Of the best machine a whole curve is made. The size to compare with is the
    largest that is about as good as the best. The smallest size is taken at which no more is lost
    than the trade-off allows, even if the loss is larger than it seems by a standard error, that of
    the difference on the same rows.

    Parameters
    ----------
    trials : Trials
    candidates : sequence of Candidate
        Cheap ones first.
    view : View
    tradeoff : float
        1: nothing is given for fewer columns; 0.8: 0.005, 0.6: 0.01.

    Returns
    -------
    Chosen or None
        The best that was found in the time there was; None where that was too short for anything.
    """
    first = view.folds[: _first_folds(trials, view)]
    with trials.clock.part(RACE_ENDS if len(candidates) > 1 else 1.0):
        tried, untried = _ranked_on(trials, candidates, view, first)
    if not tried:
        return None
    racing = _not_behind(trials, tried, view, first)
    try:
        with trials.clock.part(RANKING_ENDS):
            trials.rank(racing, view, view.folds)
    except OutOfTimeError:
        untried.append("some folds")
    judged = [fold for fold in view.folds if all(trials.has(one, view, fold) for one in racing)]
    best = _of_ranking(trials, racing, view, judged, tradeoff)
    try:
        if trials.clock.limited:  # an answer first, a better one if there is time
            best = _tuned(trials, racing, view, judged[:1], tradeoff)
        best = _tuned(trials, racing, view, judged, tradeoff)
    except OutOfTimeError:
        untried.append("machines other than that of the ranking on all folds")
    return replace(best, folds=tuple(judged), untried=tuple(untried))


def _first_folds(trials: Trials, view: View) -> int:
    """How many folds all candidates run on."""
    if trials.clock.limited:
        return 1
    once = len(view.folds) <= trials.problem.n_folds
    if once and len(trials.problem.y) <= FEW_ROWS:
        return len(view.folds)
    return max(1, len(view.folds) // 2)


def _ranked_on(
    trials: Trials, candidates: Sequence[Candidate], view: View, folds: Sequence[int]
) -> tuple[list[Candidate], list[str]]:
    """Rank on some folds; return the candidates for which there was time, and the other names."""
    tried: list[Candidate] = []
    try:
        if not trials.clock.limited:
            trials.rank(candidates, view, folds)
        for candidate in candidates:
            trials.rank([candidate], view, folds)
            tried.append(candidate)
    except OutOfTimeError:
        pass
    return tried, [one.name for one in candidates if one not in tried]


def _not_behind(
    trials: Trials, tried: Sequence[Candidate], view: View, folds: Sequence[int]
) -> list[Candidate]:
    """Return the best few, without those clearly worse than the leader."""
    sizes = trials.problem.sizes
    plateaus = {one.name: _plateau(sizes, trials.own_gains(one, view, folds)) for one in tried}
    order = sorted(tried, key=lambda one: -plateaus[one.name].mean())
    leader = plateaus[order[0].name]
    near = [one for one in order if _lead(leader, plateaus[one.name]) <= CLEARLY]
    racing = near[:MOST_IN_RACE]
    others = [one for one in near if one.is_linear != racing[0].is_linear]
    if not any(one in racing for one in others):
        racing += others[:1]
    return [one for one in tried if one in racing]


def _of_ranking(
    trials: Trials,
    racing: Sequence[Candidate],
    view: View,
    folds: Sequence[int],
    tradeoff: float,
) -> Chosen:
    """Choose among the machines of the rankings themselves."""
    tables = [trials.own_gains(one, view, folds) for one in racing]
    sizes = trials.problem.sizes
    at = _preferred(racing, [_plateau(sizes, table) for table in tables])
    candidate = racing[at]
    return _sized(candidate, candidate.ranking, sizes, tables[at], tradeoff)


def _tuned(
    trials: Trials,
    racing: Sequence[Candidate],
    view: View,
    folds: Sequence[int],
    tradeoff: float,
) -> Chosen:
    """Compare machines around the best size of the best candidates, then sizes with the best."""
    own = {one.name: trials.own_gains(one, view, folds) for one in racing}
    all_sizes = trials.problem.sizes
    tuned = _best_of_both(racing, [_plateau(all_sizes, own[one.name]) for one in racing])
    found, plateaus = [], []
    for candidate in tuned:
        smooth = _smoothed(all_sizes, own[candidate.name].mean(axis=1))
        centre = all_sizes[int(np.argmax(smooth))]
        setting = _best_setting(trials, candidate, view, folds, centre)
        sizes = _below(all_sizes, REACH * centre)
        curve = trials.gains(candidate, [setting], view, folds, sizes)[0]
        found.append(_sized(candidate, setting, sizes, curve, tradeoff))
        plateaus.append(_plateau(sizes, curve))
    return found[_preferred(tuned, plateaus)]


def _best_setting(
    trials: Trials, candidate: Candidate, view: View, folds: Sequence[int], centre: int
) -> Setting:
    """Compare all machines at one size, and the best few at the sizes around it."""
    settings = candidate.settings
    first = trials.gains(candidate, settings, view, folds, [centre])[:, 0].mean(axis=1)
    # In the order of the settings: machines of the same kernel share its matrices.
    order = np.argsort(-first, kind="stable").tolist()
    best: list[Setting] = [settings[k] for k in sorted(order[:FINALISTS])]
    sizes = _around(trials.problem.sizes, centre, TUNED_SIZES)
    scores = np.sort(trials.gains(candidate, best, view, folds, sizes).mean(axis=2), axis=1)
    return best[int(np.argmax(scores[:, len(sizes) // 2 :].mean(axis=1)))]


def _sized(
    candidate: Candidate,
    setting: Setting,
    sizes: Sequence[int],
    gains: FloatArray,
    tradeoff: float,
) -> Chosen:
    """The smallest size at which no more is lost than the trade-off allows."""
    root = np.sqrt(max(1, gains.shape[1] - 1))
    scores = gains.mean(axis=1)
    smooth = _smoothed(sizes, scores)
    best = int(len(scores) - 1 - np.argmax(smooth[::-1]))
    errors = (gains[best] - gains).std(axis=1) / root
    best = int(np.argmax(smooth[best] - smooth <= NEAR * errors + 1e-12))
    errors = (gains[best] - gains).std(axis=1) / root
    within = smooth[best] - smooth + errors <= (1.0 - tradeoff) / 0.2 * LOST + 1e-12
    at = int(np.flatnonzero(within)[-1])
    return Chosen(
        candidate,
        setting,
        int(sizes[at]),
        float(scores[at]),
        int(sizes[best]),
        np.asarray(sizes),
        scores,
        gains.std(axis=1) / root,
    )


def _plateau(sizes: Sequence[int], gains: FloatArray) -> FloatArray:
    """Gains at the best sizes, averaged."""
    smooth = _smoothed(sizes, gains.mean(axis=1))
    count = max(1, round(PLATEAU * len(smooth)))
    return np.asarray(gains[np.argsort(-smooth, kind="stable")[:count]].mean(axis=0))


def _smoothed(sizes: Sequence[int], scores: FloatArray) -> FloatArray:
    """Mean over a size and those like it: a lone peak among many sizes is luck.

    What counts is the ratio of two sizes: 40 columns and 38 are much the same, two and one are not.
    """
    ratios = np.subtract.outer(np.log(sizes), np.log(sizes)) / math.log(ALIKE)
    weights = np.exp(-0.5 * ratios**2)
    return np.asarray(weights @ scores / weights.sum(axis=1))


def _lead(one: FloatArray, other: FloatArray) -> float:
    """By how many standard errors one is better than another on the same units."""
    gap = one - other
    error = float(gap.std()) / math.sqrt(max(1, len(gap) - 1))
    mean = float(gap.mean())
    if error > 0:
        return mean / error
    return 0.0 if mean == 0.0 else math.copysign(math.inf, mean)


def _best_of_both(
    candidates: Sequence[Candidate], plateaus: Sequence[FloatArray]
) -> list[Candidate]:
    """The best linear candidate and the best with a kernel; where one kind is missing, two."""
    order = np.argsort([-one.mean() for one in plateaus], kind="stable").tolist()
    kinds = [candidates[k].is_linear for k in order]
    other = kinds.index(not kinds[0]) if (not kinds[0]) in kinds else 1
    return [candidates[k] for k in sorted({order[0], *order[other : other + 1]})]


def _preferred(candidates: Sequence[Candidate], plateaus: Sequence[FloatArray]) -> int:
    """The best linear candidate, unless one with a kernel is better beyond doubt enough."""
    order = np.argsort([-one.mean() for one in plateaus], kind="stable").tolist()
    linear = [k for k in order if candidates[k].is_linear]
    if linear and _lead(plateaus[order[0]], plateaus[linear[0]]) <= CLEARLY:
        return int(linear[0])
    return int(order[0])


def _around(sizes: Sequence[int], centre: int, count: int) -> list[int]:
    """Some sizes around one, evenly in their logarithm."""
    near = [one for one in sizes if centre / REACH <= one <= centre * REACH]
    if len(near) <= count:
        return near
    at = np.unique(np.linspace(0, len(near) - 1, count).round().astype(int))
    return [near[k] for k in at]


def _below(sizes: Sequence[int], limit: float, most: int = 24) -> list[int]:
    """Sizes up to a limit, thinned out where there are many."""
    near = [one for one in sizes if one <= limit]
    if len(near) <= most:
        return near
    wanted = np.geomspace(near[0], near[-1], most)
    return sorted({min(near, key=lambda one: abs(one - w)) for w in wanted}, reverse=True)


def unjudged(problem: Problem, candidates: Sequence[Candidate]) -> Chosen:
    """Return the answer where there was no time to judge any: half of the columns, by a filter."""
    candidate = next(one for one in candidates if one.filter is not None)
    size = min(problem.sizes, key=lambda one: abs(one - 0.5 * problem.sizes[0]))
    nan = np.full(1, np.nan)
    names = tuple(one.name for one in candidates)
    return Chosen(
        candidate, candidate.ranking, size, np.nan, size, np.array([size]), nan, nan, (), names
    )
