"""Rankings and machines tried on folds, each once, whoever asks for it.

The rows are cut into folds. A ranking that is to be judged on fold f is made without the rows of f;
one that serves an honest estimate on fold a, and is judged on f meanwhile, is made without the rows
of both. That second ranking, judged on a instead, serves the estimate on f: with K folds a nested
cross-validation takes K (K - 1) / 2 + K rankings of each kind, and the K of them are those that the
final choice is made from.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import AfterSeconds, Data, Parts, Path, Sizes, Subsample, trace
from svsieve.estimators.fold_run import Fold, Plan, prepared
from svsieve.estimators.side_by_side import Job, run_all
from svsieve.estimators.sieving.candidates import Candidate, Setting
from svsieve.estimators.sieving.clock import Clock, OutOfTimeError
from svsieve.estimators.sieving.planning import MOST_ROWS
from svsieve.estimators.specification import Chain, take_apart
from svsieve.estimators.svc import SVC
from svsieve.selection.fold_scores import FoldScores, Metric
from svsieve.selection.folds import follow
from svsieve.selection.settings import decisions_at


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be learned, and how it is judged.

    Attributes
    ----------
    X, y
        Training rows and their labels.
    fold_of : ndarray of int, shape (n_repeats, n_rows)
        The fold of each row, each repetition with numbers of its own.
    metric : Metric
    class_weight : dict, "balanced" or None
    sizes : tuple of int
        Numbers of columns that a ranking visits, descending.
    keep : ndarray of int
        Columns that are never dropped.
    seed : int
    most_rows : int, default=3000
        Rows that a step of a ranking with a kernel draws at most.
    """

    X: Table
    y: NDArray[Any]
    fold_of: IndexArray
    metric: Metric
    class_weight: Any
    sizes: tuple[int, ...]
    keep: IndexArray
    seed: int
    most_rows: int = MOST_ROWS

    @property
    def n_repeats(self) -> int:
        """How many times the rows are cut into folds."""
        return len(self.fold_of)

    @property
    def n_folds(self) -> int:
        """How many folds a repetition has."""
        return len(np.unique(self.fold_of[0]))

    def repetition_of(self, fold: int) -> int:
        """Return the cut into folds that a fold belongs to."""
        return int(np.flatnonzero((self.fold_of == fold).any(axis=1))[0])

    def held_out(self, folds: Sequence[int]) -> NDArray[np.bool_]:
        """Tell which rows are in any of some folds."""
        apart = np.zeros(len(self.y), dtype=bool)
        for fold in folds:
            apart |= (self.fold_of == fold).any(axis=0)
        return apart

    def rows_of(self, fold: int) -> IndexArray:
        """Return the rows of a fold."""
        return np.flatnonzero(self.held_out([fold]))

    def pipeline(self, setting: Setting) -> Any:
        """Return what is fitted in the end: columns standardised, then the machine."""
        machine = SVC(C=setting.C, kernel=setting.kernel, class_weight=self.class_weight)
        return make_pipeline(StandardScaler(with_mean=isinstance(self.X, np.ndarray)), machine)

    def chain(self, setting: Setting) -> Chain:
        """Return the same, taken apart."""
        return take_apart(self.pipeline(setting), "Sieve")

    def parts(self, candidate: Candidate, n_rows: int, seconds: float = np.inf) -> Parts:
        """Return the elimination of a candidate."""
        setting = candidate.ranking
        specification = self.chain(setting).specification
        parts = Parts(
            setting.kernel,
            specification.machine,
            schedule=Sizes(self.sizes),
            keep=self.keep,
            least=max(1, len(self.keep)),
            seed=self.seed,
            stops=(AfterSeconds(seconds),) if np.isfinite(seconds) else (),
        )
        if candidate.criterion is not None:
            parts = replace(parts, criterion=candidate.criterion)
        if not candidate.is_linear and n_rows > self.most_rows:
            parts = replace(parts, sampler=Subsample(self.most_rows / n_rows))
        return parts


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking, and the gains of its own machines on each fold left out."""

    path: Path
    gains: dict[int, FloatArray]


@dataclass(frozen=True)
class View:
    """The folds that a choice may look at.

    Attributes
    ----------
    folds : tuple of int
        Those it is judged on.
    aside : int or None
        The fold that must have no influence on it.
    """

    folds: tuple[int, ...]
    aside: int | None = None

    def left_out(self, fold: int) -> tuple[int, ...]:
        """Return the folds whose rows a ranking judged on `fold` is not made from."""
        return (fold,) if self.aside is None else tuple(sorted((fold, self.aside)))


@dataclass(eq=False)
class Trials:
    """All that has been tried.

    Parameters
    ----------
    problem : Problem
    n_jobs : int or None
    clock : Clock
    shown : bool, default=False
        Whether progress is shown on stderr.
    """

    problem: Problem
    n_jobs: int | None
    clock: Clock
    shown: bool = False
    _ranked: dict[tuple[str, tuple[int, ...]], Ranked] = field(default_factory=dict)
    _gains: dict[tuple[Any, ...], FloatArray] = field(default_factory=dict)

    def rank(self, candidates: Sequence[Candidate], view: View, folds: Iterable[int]) -> None:
        """Make the rankings that will be asked for, several at a time."""
        wanted = [
            (candidate, view.left_out(fold))
            for fold in folds
            for candidate in candidates
            if (candidate.name, view.left_out(fold)) not in self._ranked
        ]
        for batch in self._batches(wanted):
            self.clock.check()
            jobs: list[Job] = [
                (ranked, (self.problem, candidate, left_out, self.clock.left()))
                for candidate, left_out in batch
            ]
            for (candidate, left_out), found in zip(batch, run_all(jobs, self.n_jobs), strict=True):
                if found is None:
                    raise OutOfTimeError
                self._ranked[candidate.name, left_out] = found

    def has(self, candidate: Candidate, view: View, fold: int) -> bool:
        """Tell whether a ranking has been made."""
        return (candidate.name, view.left_out(fold)) in self._ranked

    def ranking(self, candidate: Candidate, view: View, fold: int) -> Path:
        """Return the ranking that is judged on a fold."""
        self.rank([candidate], view, [fold])
        return self._ranked[candidate.name, view.left_out(fold)].path

    def own_gains(self, candidate: Candidate, view: View, folds: Sequence[int]) -> FloatArray:
        """Return gains of the machines of the rankings, a line for each size."""
        self.rank([candidate], view, folds)
        return self._joined(
            [self._ranked[candidate.name, view.left_out(fold)].gains[fold] for fold in folds], folds
        )

    def gains(
        self,
        candidate: Candidate,
        settings: Sequence[Setting],
        view: View,
        folds: Sequence[int],
        sizes: Sequence[int],
    ) -> FloatArray:
        """Return gains of settings trained on the columns that a ranking keeps.

        Returns
        -------
        ndarray of shape (n_settings, n_sizes, n_units)
            The units of all folds side by side.
        """
        self.rank([candidate], view, folds)
        self._train(candidate, settings, view, folds, sizes)
        return np.stack(
            [
                self._joined(
                    [
                        np.stack(
                            [
                                self._gains[self._key(candidate, one, view, fold, size)]
                                for size in sizes
                            ]
                        )
                        for fold in folds
                    ],
                    folds,
                )
                for one in settings
            ]
        )

    def _joined(self, parts: Sequence[FloatArray], folds: Sequence[int]) -> FloatArray:
        """Put the units of folds side by side; a row that several repetitions judged is one."""
        rows = [self.problem.rows_of(fold) for fold in folds]
        if any(part.shape[1] != len(own) for part, own in zip(parts, rows, strict=True)):
            return np.concatenate(parts, axis=1)
        total = np.zeros((len(parts[0]), len(self.problem.y)))
        times = np.zeros(len(self.problem.y))
        for part, own in zip(parts, rows, strict=True):
            total[:, own] += part
            times[own] += 1.0
        seen = times > 0
        return total[:, seen] / times[seen]

    def _train(
        self,
        candidate: Candidate,
        settings: Sequence[Setting],
        view: View,
        folds: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        wanted: dict[tuple[int, ...], dict[int, tuple[Setting, ...]]] = {}
        for fold in folds:
            for size in sizes:
                missing = tuple(
                    one
                    for one in settings
                    if self._key(candidate, one, view, fold, size) not in self._gains
                )
                if missing:
                    wanted.setdefault(view.left_out(fold), {})[size] = missing
        for batch in self._batches(list(wanted.items())):
            self.clock.check()
            jobs: list[Job] = []
            for left_out, by_size in batch:
                path = self._ranked[candidate.name, left_out].path
                tops = [(np.sort(path.top(size)), few) for size, few in by_size.items()]
                jobs.append((trained, (self.problem, tops, left_out, self.clock.left())))
            results = run_all(jobs, self.n_jobs)
            for (left_out, by_size), found in zip(batch, results, strict=True):
                if found is None:
                    raise OutOfTimeError
                for (size, few), by_setting in zip(by_size.items(), found, strict=True):
                    for setting, gains in zip(few, by_setting, strict=True):
                        for fold, part in gains.items():
                            self._gains[candidate.name, setting, left_out, fold, size] = part

    def _key(
        self, candidate: Candidate, setting: Setting, view: View, fold: int, size: int
    ) -> tuple[Any, ...]:
        return candidate.name, setting, view.left_out(fold), fold, size

    def _batches(self, wanted: list[Any]) -> Iterable[list[Any]]:
        """One at a time, or as many as there are workers: the clock is looked at in between."""
        from joblib import effective_n_jobs

        each = max(1, effective_n_jobs(self.n_jobs)) * (1 if self.clock.limited else 8)
        each = 1 if effective_n_jobs(self.n_jobs) == 1 else each
        return (wanted[at : at + each] for at in range(0, len(wanted), each))


def ranked(
    problem: Problem, candidate: Candidate, left_out: tuple[int, ...], seconds: float
) -> Ranked | None:
    """Rank columns without the rows of some folds, judging those; None: not done in time."""
    rows = ~problem.held_out(left_out)
    parts = problem.parts(candidate, int(rows.sum()), seconds)
    data, parts, held_out, scores = _prepared(problem, candidate.ranking, parts, left_out)
    if candidate.filter is not None or problem.metric.refits:
        clock = Clock(seconds)
        if candidate.filter is None:
            path = trace(data, parts)
        else:
            values = candidate.filter(data.X, problem.y[rows])
            path = Path.from_scores(kept_last(values, problem.keep))
        if path.stopped == "time":
            return None
        found: list[dict[int, FloatArray]] = []
        for size in problem.sizes:
            settings, columns = [candidate.ranking], path.top(size)
            found += _judged(problem, data, settings, held_out, columns, scores)
            if clock.left() <= 0.0:
                return None
        gains = {fold: np.stack([one[fold] for one in found]) for fold in left_out}
        return Ranked(path, gains)

    def score(decisions: FloatArray) -> FloatArray:
        return np.concatenate(
            [one.gains(decisions[:, :, part]) for part, one in scores.values()], axis=1
        )

    done = follow(data, parts, held_out, score)
    if done.path.stopped == "time":
        return None
    widths = np.cumsum([one.n_units for _, one in scores.values()])[:-1]
    return Ranked(done.path, dict(zip(scores, np.split(done.scores, widths, axis=1), strict=True)))


def trained(
    problem: Problem,
    wanted: Sequence[tuple[IndexArray, Sequence[Setting]]],
    left_out: tuple[int, ...],
    seconds: float,
) -> list[list[dict[int, FloatArray]]] | None:
    """Train settings on sets of columns without the rows of some folds.

    Returns gains for each set, setting and fold left out; None: not done in time.
    """
    clock = Clock(seconds)
    data, _, held_out, scores = _prepared(problem, wanted[0][1][0], None, left_out)
    found = []
    for columns, settings in wanted:
        by_setting = []
        for gains in _judged(problem, data, settings, held_out, columns, scores):
            by_setting.append(gains)
            if clock.left() <= 0.0:
                return None
        found.append(by_setting)
    return found


def predicted(
    problem: Problem, columns: IndexArray, setting: Setting, fold: int
) -> tuple[NDArray[Any], FloatArray, FloatArray]:
    """Train a setting on some columns without a fold; return its labels, decisions and gains."""
    data, _, held_out, scores = _prepared(problem, setting, None, (fold,))
    machines = [(setting.kernel, setting.C)]
    (decisions,) = decisions_at(data, machines, held_out, np.sort(columns))
    _, one = scores[fold]
    if problem.metric.refits:
        gains = _refitted(problem, setting, columns, scores)[fold]
    else:
        gains = one.gains(decisions[None])[0]
    return one.labels(decisions[None])[0], decisions, gains


def _judged(
    problem: Problem,
    data: Data,
    settings: Sequence[Setting],
    Z: Table,
    columns: IndexArray,
    scores: dict[int, tuple[IndexArray, FoldScores]],
) -> Iterable[dict[int, FloatArray]]:
    """Yield the gains of each setting on some columns, by the folds left out."""
    if problem.metric.refits:
        yield from (_refitted(problem, setting, columns, scores) for setting in settings)
        return
    machines = [(setting.kernel, setting.C) for setting in settings]
    for decisions in decisions_at(data, machines, Z, np.sort(columns)):
        yield {
            fold: one.gains(decisions[None][:, :, part])[0] for fold, (part, one) in scores.items()
        }


def _refitted(
    problem: Problem,
    setting: Setting,
    columns: IndexArray,
    scores: dict[int, tuple[IndexArray, FoldScores]],
) -> dict[int, FloatArray]:
    """The score of an estimator fitted on some columns, for a metric that looks at that."""
    folds = [one for _, one in scores.values()]
    own = folds[0].refit
    assert own is not None
    refit = replace(own, estimator=problem.pipeline(setting))
    with warnings.catch_warnings():
        # Penalties are tried that are too large to be solved to the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = refit.scores(columns, [one.rows for one in folds], folds[0].judged)
    return dict(zip(scores, found, strict=True))


def _prepared(
    problem: Problem, setting: Setting, parts: Parts | None, left_out: tuple[int, ...]
) -> tuple[Data, Parts, Table, dict[int, tuple[IndexArray, FoldScores]]]:
    """Rows scaled alike, and for each fold left out its rows among them and how to score them."""
    apart = problem.held_out(left_out)
    test, train = np.flatnonzero(apart), np.flatnonzero(~apart)
    chain = problem.chain(setting)
    if parts is None:
        parts = Parts(setting.kernel, chain.specification.machine)
    plan = Plan(chain, parts, (problem.metric,), problem.pipeline(setting))
    fold = Fold(1, train, test, problem.seed)
    data, parts, held_out, scores = prepared(plan, problem.X, problem.y, None, fold)
    by_fold = {}
    for one in left_out:
        part = np.flatnonzero(np.isin(test, problem.rows_of(one)))
        by_fold[one] = (part, scores.part(part))
    return data, parts, held_out, by_fold


def kept_last(scores: FloatArray, keep: IndexArray) -> FloatArray:
    """Let the columns that must stay have the best scores."""
    raised = np.array(scores)
    raised[keep] = np.inf
    return raised
