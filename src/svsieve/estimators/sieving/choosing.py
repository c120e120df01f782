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

# Candidates that go on to all folds, and to the search for a machine.
MOST_IN_RACE = 3
MOST_TUNED = 2
# Machines compared at several sizes, how many of these, and how far from the best size.
FINALISTS = 4
TUNED_SIZES = 4
REACH = 3.0
# With fewer rows than this a loss of accuracy may well go unseen, and less of it is given for fewer
# columns: in proportion to the rows.
ENOUGH_ROWS = 200
# A candidate is given up when it is worse than the leader by so many standard errors.
GIVEN_UP = 2.0


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
        The size with the best score of all.
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
    others rank those of all folds. Of the best two, machines are compared around the size at which
    the ranking did best. Of the best machine a whole curve is made, and the smallest size is taken
    that is not worse than the best by more than a number of standard errors, that of the
    difference between the two on the same rows.

    Parameters
    ----------
    trials : Trials
    candidates : sequence of Candidate
        Simple ones first: a later one has to be better by a standard error.
    view : View
    tradeoff : float
        1: the best score whatever it takes; 0.8: one standard error is given for fewer columns,
        0.6: two.

    Returns
    -------
    Chosen or None
        The best that was found in the time there was; None where that was too short for anything.
    """
    half = 1 if trials.clock.limited else max(1, len(view.folds) // 2)
    tried, untried = _ranked_on(trials, candidates, view, view.folds[:half])
    if not tried:
        return None
    racing = _not_behind(trials, tried, view, view.folds[:half])
    try:
        trials.rank(racing, view, view.folds)
    except OutOfTimeError:
        untried.append("some folds")
    judged = [fold for fold in view.folds if all(trials.has(one, view, fold) for one in racing)]
    best = _of_ranking(trials, racing, view, judged, tradeoff)
    try:
        best = _tuned(trials, racing, view, judged, tradeoff)
    except OutOfTimeError:
        untried.append("machines other than that of the ranking")
    return replace(best, folds=tuple(judged), untried=tuple(untried))


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
    peaks = {one.name: _peak(trials.own_gains(one, view, folds)) for one in tried}
    order = sorted(tried, key=lambda one: -peaks[one.name].mean())
    leader = peaks[order[0].name]
    near = [one for one in order if _lead(leader, peaks[one.name]) <= GIVEN_UP][:MOST_IN_RACE]
    return [one for one in tried if one in near]


def _of_ranking(
    trials: Trials,
    racing: Sequence[Candidate],
    view: View,
    folds: Sequence[int],
    tradeoff: float,
) -> Chosen:
    """Choose among the machines of the rankings themselves."""
    n_rows = len(trials.problem.y)
    tables = [trials.own_gains(one, view, folds) for one in racing]
    at = _first_not_beaten([_peak(table) for table in tables])
    candidate = racing[at]
    return _sized(candidate, candidate.ranking, trials.problem.sizes, tables[at], tradeoff, n_rows)


def _tuned(
    trials: Trials,
    racing: Sequence[Candidate],
    view: View,
    folds: Sequence[int],
    tradeoff: float,
) -> Chosen:
    """Compare machines around the best size of the best candidates, then sizes with the best."""
    own = {one.name: trials.own_gains(one, view, folds) for one in racing}
    order = sorted(racing, key=lambda one: -_peak(own[one.name]).mean())
    all_sizes, n_rows = trials.problem.sizes, len(trials.problem.y)
    found: list[Chosen] = []
    for candidate in [one for one in racing if one in order[:MOST_TUNED]]:
        centre = all_sizes[int(np.argmax(_smoothed(own[candidate.name].mean(axis=1))))]
        setting = _best_setting(trials, candidate, view, folds, centre)
        sizes = _below(all_sizes, REACH * centre)
        curve = trials.gains(candidate, [setting], view, folds, sizes)[0]
        found.append(_sized(candidate, setting, sizes, curve, tradeoff, n_rows))
    peaks = [
        trials.gains(one.candidate, [one.setting], view, folds, [one.best_size])[0][0]
        for one in found
    ]
    return found[_first_not_beaten(peaks)]


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
    score = trials.gains(candidate, best, view, folds, sizes).mean(axis=2)
    # Of machines that are as good at their best size, the one that is good at all of them.
    return best[int(np.argmax(score.max(axis=1) + 1e-3 * score.mean(axis=1)))]


def _sized(
    candidate: Candidate,
    setting: Setting,
    sizes: Sequence[int],
    gains: FloatArray,
    tradeoff: float,
    n_rows: int,
) -> Chosen:
    """The smallest size that is not worse than the best by more than the trade-off allows."""
    n_units = gains.shape[1]
    scores = gains.mean(axis=1)
    errors = gains.std(axis=1) / np.sqrt(max(1, n_units - 1))
    best = int(len(scores) - 1 - np.argmax(_smoothed(scores)[::-1]))
    allowed = (1.0 - tradeoff) / 0.2 * min(1.0, n_rows / ENOUGH_ROWS)
    at = best
    for k in range(len(sizes) - 1, best, -1):  # the smallest first
        loss = gains[best] - gains[k]
        error = loss.std() / np.sqrt(max(1, n_units - 1))
        if loss.mean() <= allowed * error + 1e-12:
            at = k
            break
    return Chosen(
        candidate,
        setting,
        int(sizes[at]),
        float(scores[at]),
        int(sizes[best]),
        np.asarray(sizes),
        scores,
        errors,
    )


def _peak(gains: FloatArray) -> FloatArray:
    """Gains at the size where their mean, smoothed over neighbouring sizes, is largest."""
    smooth = _smoothed(gains.mean(axis=1))
    return np.asarray(gains[len(smooth) - 1 - int(np.argmax(smooth[::-1]))])


def _smoothed(scores: FloatArray) -> FloatArray:
    """Mean over a size and its neighbours: a lone peak among many sizes is luck."""
    padded = np.concatenate([scores[:1], scores, scores[-1:]])
    return np.asarray(0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:])


def _lead(one: FloatArray, other: FloatArray) -> float:
    """By how many standard errors one is better than another on the same units."""
    gap = one - other
    error = float(gap.std()) / math.sqrt(max(1, len(gap) - 1))
    mean = float(gap.mean())
    if error > 0:
        return mean / error
    return 0.0 if mean == 0.0 else math.copysign(math.inf, mean)


def _first_not_beaten(peaks: Sequence[FloatArray]) -> int:
    """The first that no other one beats by a standard error."""
    for at, peak in enumerate(peaks):
        if all(_lead(other, peak) <= 1.0 for other in peaks):
            return at
    return int(np.argmax([peak.mean() for peak in peaks]))


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
