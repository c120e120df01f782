"""What a choice is worth on rows that took no part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata
from sklearn.metrics import confusion_matrix

from svsieve.arrays import FloatArray, IndexArray
from svsieve.estimators.sieving.candidates import Candidate, plain_machine
from svsieve.estimators.sieving.choosing import Chosen, choose
from svsieve.estimators.sieving.clock import Clock, OutOfTimeError
from svsieve.estimators.sieving.consensus import agreed
from svsieve.estimators.sieving.trials import Problem, Trials, View, predicted
from svsieve.selection.evaluation import Evaluation, Outcome, chance_of, evaluation_of

LEVEL = 0.95
# Evidence, in standard errors, below which the answer comes with a warning (of a hundred sets of
# noise one gets past it by either of two tests), and below which it is taken for noise (ten do).
FOUND, NOISE = 2.58, 1.64
# Repetitions of the folds that the estimate is made of, with up to so many rows. With more of them
# one will do: what is to be found is found.
REPEATS, FEW_ROWS = 3, 100
# Share of the time left for the choice without a fold where there is too little for all of them.
HURRIED = 0.6


@dataclass(frozen=True, eq=False)
class Estimate:
    """The score to expect on new rows.

    Attributes
    ----------
    value : float
        Mean over held-out rows, by nested cross-validation; nan where there was no time for it.
    interval : tuple of two floats
        95% confidence interval.
    chance : float or None
        Score of always saying the largest class, where that is known.
    metric : str
    evidence : float
        That the classes can be told apart at all: how far the order of held-out rows is from one
        that has nothing to do with the classes, in standard errors. Where the choice leaves doubt,
        a machine with all columns is asked too, and the larger counts.

    Examples
    --------
    >>> from svsieve.estimators.sieving.nested import Estimate
    >>> estimate = Estimate(0.8, (0.7, 0.87), 0.5, "accuracy", 5.5)
    >>> float(estimate), estimate.found
    (0.8, True)
    >>> print(estimate)
    accuracy 0.8 (95% interval 0.7 to 0.87, chance 0.5)
    """

    value: float
    interval: tuple[float, float]
    chance: float | None
    metric: str
    evidence: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        low, high = self.interval
        chance = "" if self.chance is None else f", chance {self.chance:.3g}"
        return f"{self.metric} {self.value:.3g} (95% interval {low:.3g} to {high:.3g}{chance})"

    @property
    def found(self) -> bool:
        """Whether the classes can be told apart beyond doubt, or nothing is known of it."""
        return not self.evidence <= FOUND

    @property
    def is_noise(self) -> bool:
        """Whether what was found is no more than noise would give."""
        return self.evidence <= NOISE


@dataclass(frozen=True, eq=False)
class Nested:
    """A nested cross-validation.

    Attributes
    ----------
    estimate : Estimate
    evaluation : Evaluation or None
        Scores and columns fold by fold; None where no fold was finished.
    confusion : ndarray of int, shape (n_classes, n_classes)
    done, planned : int
        Outer folds.
    """

    estimate: Estimate
    evaluation: Evaluation | None
    confusion: IndexArray
    done: int
    planned: int


@dataclass(frozen=True, eq=False)
class _Judged:
    """What became of the rows of a fold."""

    fold: int
    labels: NDArray[Any]
    decisions: FloatArray
    gains: FloatArray


@dataclass(frozen=True, eq=False)
class _Fold(_Judged):
    """What was chosen without a fold, too."""

    chosen: Chosen
    columns: IndexArray


def nested(
    trials: Trials,
    candidates: Sequence[Candidate],
    tradeoff: float,
    n_folds: int,
    until: float = 1.0,
) -> Nested:
    """Repeat the whole choice without each fold, and judge it there.

    Parameters
    ----------
    trials : Trials
    candidates : sequence of Candidate
        One where there is no time to repeat the race: the way of ranking is then taken as given.
    tradeoff : float
    n_folds : int
        Folds of a repetition.
    until : float, default=1.0
        Share of the time, where it is limited, at which to end.
    """
    problem, clock = trials.problem, trials.clock
    repeats = min(REPEATS if len(problem.y) <= FEW_ROWS else 1, problem.n_repeats)
    planned = [] if n_folds < 3 else list(range(n_folds * repeats))
    outcomes: list[_Fold] = []
    clock.allow(until)
    for fold in planned:
        # Where time is limited it is for the first repetition; the others have what is left of it.
        # One that is too short for all folds is for the first of them.
        share = 1.0 / max(1, n_folds - fold) if len(candidates) > 1 else HURRIED
        first = fold - fold % n_folds
        others = tuple(one for one in range(first, first + n_folds) if one != fold)
        view = View(others, fold)
        with clock.part(share):
            chosen = choose(trials, candidates, view, tradeoff)
        if chosen is None:
            continue
        try:
            whole = trials.ranking(chosen.candidate, View((fold,)), fold)
        except OutOfTimeError:
            continue
        parts = [trials.ranking(chosen.candidate, view, one) for one in chosen.folds]
        columns = agreed(chosen.candidate, whole, parts, n_folds).top(chosen.size)
        judged = predicted(problem, columns, chosen.setting, fold)
        outcomes.append(_Fold(fold, *judged, chosen, columns))
    return _summed(problem, outcomes, len(planned), clock)


def _summed(problem: Problem, outcomes: Sequence[_Fold], planned: int, clock: Clock) -> Nested:
    classes = np.unique(problem.y)
    metric = problem.metric.name
    chance = chance_of(metric, problem.y)
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    if not outcomes:
        nothing = Estimate(np.nan, (np.nan, np.nan), chance, metric, np.nan)
        return Nested(nothing, None, confusion, 0, planned)
    results, splits = [], []
    judged = np.zeros(len(problem.y), dtype=bool)
    for one in outcomes:
        support = np.zeros(problem.X.shape[1], dtype=bool)
        support[one.columns] = True
        rows = problem.rows_of(one.fold)
        judged[rows] = True
        confusion += confusion_matrix(problem.y[rows], one.labels, labels=classes)
        results.append(Outcome(float(one.gains.mean()), support, one.chosen.score))
        splits.append((np.setdiff1d(np.arange(len(problem.y)), rows), rows))
    evaluation = evaluation_of(results, splits, metric, chance)
    if all(len(one.gains) == len(one.labels) for one in outcomes):
        interval = _wilson(evaluation.mean, int(judged.sum()))
        evaluation = replace(evaluation, interval=interval)
    evidence = _evidence(problem, outcomes)
    if evidence <= FOUND:
        plain = _with_all_columns(problem, [one.fold for one in outcomes], clock)
        evidence = max(evidence, _evidence(problem, plain) if plain else evidence)
    estimate = Estimate(evaluation.mean, evaluation.interval, chance, metric, evidence)
    return Nested(estimate, evaluation, confusion, len(outcomes), planned)


def _with_all_columns(problem: Problem, folds: Sequence[int], clock: Clock) -> list[_Judged]:
    """What a machine says to which nothing was chosen; nothing where there is no time.

    With few rows much is lost by a choice that has gone wrong, and classes that many columns tell
    apart a little would pass for noise.
    """
    columns, setting = np.arange(problem.X.shape[1]), plain_machine(problem.X.shape[1])
    found: list[_Judged] = []
    for fold in folds:
        if clock.left() <= 0.0:
            return []
        found.append(_Judged(fold, *predicted(problem, columns, setting, fold)))
    return found


def _evidence(problem: Problem, outcomes: Sequence[_Judged]) -> float:
    """How far the judgement of held-out rows is from one that knows nothing of the classes.

    In standard errors; the mean of those of the repetitions. With labels that say nothing each of
    them has the mean 0 at most (what is chosen by chance on some rows is worse on the others) and
    the variance 1, their mean has less.
    """
    classes = np.unique(problem.y)
    by_repetition: dict[int, list[_Judged]] = {}
    for one in outcomes:
        by_repetition.setdefault(problem.repetition_of(one.fold), []).append(one)
    complete = max(len(some) for some in by_repetition.values())
    measure = _pairs_in_order if len(classes) == 2 else _more_right_than_by_accident
    found = [
        measure(problem, some, classes)
        for some in by_repetition.values()
        if len(some) == complete  # a repetition that time has cut short has a larger error
    ]
    return float(np.mean(found))


def _pairs_in_order(problem: Problem, outcomes: Sequence[_Judged], classes: NDArray[Any]) -> float:
    """Evidence from the order of the rows of two classes.

    In each fold the pairs of rows of both classes that are in the right order are counted (Mann and
    Whitney's U), and the folds added up (van Elteren). It sees more than the share of rows judged
    right, above all where a class is rare.
    """
    excess = variance = 0.0
    for one in outcomes:
        positive = problem.y[problem.rows_of(one.fold)] == classes[1]
        n, m = int(positive.sum()), int((~positive).sum())
        ranks = rankdata(one.decisions[0])
        excess += ranks[positive].sum() - 0.5 * n * (n + m + 1)
        variance += n * m * (n + m + 1) / 12.0
    return float(excess / np.sqrt(variance)) if variance > 0 else 0.0


def _more_right_than_by_accident(
    problem: Problem, outcomes: Sequence[_Judged], classes: NDArray[Any]
) -> float:
    """Evidence from rows judged right beyond those that the same answers in random order have."""
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for one in outcomes:
        truth = problem.y[problem.rows_of(one.fold)]
        confusion += confusion_matrix(truth, one.labels, labels=classes)
    total = float(confusion.sum())
    said, true = (confusion.sum(axis=k).astype(np.float64) for k in (0, 1))
    each = said * true
    excess = confusion.trace() - each.sum() / total
    own = (each * (total - said) * (total - true)).sum()
    between = each.sum() ** 2 - (each**2).sum()
    variance = float(own + between) / float(total**2 * max(total - 1, 1))
    return float(excess / np.sqrt(variance)) if variance > 0 else 0.0


def _wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's interval of a share of rows; a row judged in several repetitions counts once."""
    z = float(norm.ppf(0.5 + 0.5 * LEVEL))
    share = min(max(mean, 0.0), 1.0)
    centre = share + z * z / (2 * n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    shrink = 1.0 + z * z / n
    return max(0.0, float((centre - half) / shrink)), min(1.0, float((centre + half) / shrink))
