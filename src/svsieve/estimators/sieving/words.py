"""What `Sieve` chose and why, in words, and as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.elimination import Path
from svsieve.estimators.analysing.words import AMBROISE, GUYON, NOGUEIRA, RAKOTOMAMONJY
from svsieve.estimators.sieving.candidates import Candidate, Setting
from svsieve.estimators.sieving.choosing import LOST, Chosen
from svsieve.estimators.sieving.nested import Estimate, Nested
from svsieve.estimators.sieving.planning import SHARE, SINGLE_STEPS
from svsieve.estimators.sieving.trials import Trials, View
from svsieve.kernels import Linear, PerFeature, Rbf
from svsieve.reports import Candidate as Reported
from svsieve.reports import Report
from svsieve.selection import Choice, Curve
from svsieve.selection.rules import Tolerance


@dataclass(frozen=True)
class SieveChoice:
    """What was chosen, and one sentence why each.

    Attributes
    ----------
    kernel : {"linear", "rbf", "poly"}
    C : float
    gamma : float or None
        Of the machine on the columns kept; None for the linear kernel.
    criterion : str
        How columns were ranked.
    schedule : str
    size : int
    reasons : dict of str to str
        By the names above.
    untried : tuple of str
        What there was no time for.
    """

    kernel: str
    C: float
    gamma: float | None
    criterion: str
    schedule: str
    size: int
    reasons: dict[str, str]
    untried: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        if self.untried:
            lines.append(f"There was no time for: {'; '.join(self.untried)}.")
        return "\n".join(lines)


def choice_in_words(chosen: Chosen, nested: Nested, n_columns: int, folds: str) -> SieveChoice:
    """Return the choice with its reasons."""
    setting, candidate = chosen.setting, chosen.candidate
    gamma = _gamma(setting, chosen.size)
    score = f"{nested.estimate.metric} {chosen.score:.3g} in {folds}"
    width = "" if gamma is None else f", gamma = {gamma:.3g}"
    schedule = f"{100 * SHARE:g} % at a time down to {SINGLE_STEPS} columns, then one at a time"
    reasons = {
        "kernel": f"{candidate.name}: {candidate.why}; {score}.",
        "C": f"C = {setting.C:g}{width}: the best of {len(candidate.settings)} machines around the "
        "best size.",
        "criterion": f"{criterion_words(candidate)}.",
        "schedule": f"{schedule}: single steps where the answer lies.",
        "size": _size_words(chosen, nested, n_columns),
    }
    if gamma is not None:
        reasons["gamma"] = f"{gamma:.3g}, chosen together with C."
    return SieveChoice(
        _kernel_name(setting),
        setting.C,
        gamma,
        criterion_words(candidate),
        schedule,
        chosen.size,
        reasons,
        chosen.untried + _not_estimated(nested),
    )


def criterion_words(candidate: Candidate) -> str:
    """Return how a candidate ranks, as a phrase."""
    if candidate.criterion is None:
        return "Fisher score of each column by itself"
    if isinstance(candidate.ranking.kernel, Linear):
        return "recursive elimination by the squared weights of a linear machine"
    return "recursive elimination by the slope of the weight norm in the scale of each column"


def report_of(
    trials: Trials,
    view: View,
    chosen: Chosen,
    nested: Nested,
    path: Path,
    full_path: Path,
    choice: SieveChoice,
    *,
    names: Sequence[str],
    classes: Sequence[str],
    counts: Sequence[int],
    found: Sequence[str],
) -> Report | None:
    """Return all of it as a report; None where no fold could be judged."""
    if nested.evaluation is None or not np.isfinite(chosen.score):
        return None
    problem = trials.problem
    metric, (n_rows, n_columns) = problem.metric.name, problem.X.shape
    order = np.argsort(chosen.sizes)
    scores = np.array([_fold_scores(trials, view, chosen, fold) for fold in chosen.folds])
    curve = Curve(
        chosen.sizes[order],
        {metric: scores[:, order]},
        n_columns=n_columns,
        chance=nested.estimate.chance,
    )
    return Report(
        title="Which columns matter",
        target="target",
        classes=tuple(classes),
        class_counts=tuple(counts),
        n_rows=n_rows,
        names=tuple(names),
        candidates=(
            Reported(
                f"{chosen.candidate.name} SVM",
                path,
                curve,
                Choice(chosen.size, choice.reasons["size"]),
                full_path,
            ),
        ),
        rule=Tolerance(LOST),
        chosen=chosen.size,
        selected=path.top(chosen.size),
        nested=nested.evaluation,
        confusion=nested.confusion,
        frequencies=nested.evaluation.supports.mean(axis=0),
        data_warnings=(*found, *_to_be_said(nested, choice)),
        methods=_methods(trials, view, choice, nested, path.notes.get("rankings")),
        settings={"kernel": choice.kernel, "C": choice.C, "gamma": choice.gamma},
        citations=(GUYON, RAKOTOMAMONJY, AMBROISE, NOGUEIRA),
        provenance={},
    )


def _fold_scores(trials: Trials, view: View, chosen: Chosen, fold: int) -> Any:
    candidate, setting = chosen.candidate, chosen.setting
    if setting == candidate.ranking and len(chosen.sizes) == len(trials.problem.sizes):
        return trials.own_gains(candidate, view, [fold]).mean(axis=1)
    sizes = chosen.sizes.tolist()
    return trials.gains(candidate, [setting], view, [fold], sizes)[0].mean(axis=1)


def _methods(
    trials: Trials, view: View, choice: SieveChoice, nested: Nested, rankings: int | None
) -> tuple[str, ...]:
    from svsieve import __version__

    n_rows, n_columns = trials.problem.X.shape
    times = -(-nested.planned // trials.problem.n_folds)
    often = (
        "" if times == 1 else f" The rows were cut into folds {times} times: each counts as often."
    )
    joined = f"Columns are in the order of their median rank in {rankings} rankings made this way."
    ordered = () if rankings is None else (joined,)
    return (
        f"A table of {n_rows} rows and {n_columns} columns was analysed with svsieve "
        f"{__version__}; columns were standardised with what the training rows of each fold say.",
        "Several ways to rank columns (recursive elimination with linear, Gaussian and quadratic "
        "support vector machines, and the Fisher score) raced on "
        f"{len(view.folds)} stratified folds; those clearly behind were given up.",
        f"Taken was: {choice.criterion}; the machine on the columns kept has a {choice.kernel} "
        f"kernel with C = {choice.C:g}"
        + ("." if choice.gamma is None else f" and gamma = {choice.gamma:.3g}."),
        *ordered,
        f"The number of columns: {choice.reasons['size']}",
        "How well this does on new rows was estimated by nested cross-validation: the whole choice "
        f"was repeated without each of {nested.done} folds and judged on the rows of that fold."
        + often,
    )


def doubts(estimate: Estimate) -> str:
    """Return what is to be said where little or nothing was found, after the one who looked."""
    if estimate.is_noise:
        return (
            f"found nothing that tells the classes apart: on rows held out it reaches {estimate}. "
            "As few columns as possible are kept; do not read anything into which ones."
        )
    return (
        f"found little that tells the classes apart: on rows held out it reaches {estimate}, which "
        "may still be luck. More rows would tell."
    )


def _to_be_said(nested: Nested, choice: SieveChoice) -> tuple[str, ...]:
    said = []
    if not nested.estimate.found:
        said.append(f"The analysis {doubts(nested.estimate)}")
    if choice.untried:
        said.append(f"There was no time for: {'; '.join(choice.untried)}.")
    return tuple(said)


def _size_words(chosen: Chosen, nested: Nested, n_columns: int) -> str:
    columns = "1 column" if chosen.size == 1 else f"{chosen.size} of {n_columns} columns"
    if nested.estimate.is_noise:
        return f"{columns}: no more than chance was found, so as few as possible are kept."
    if chosen.size == chosen.best_size:
        return f"{columns}: about the best size, and fewer would be worse beyond the trade-off."
    return (
        f"{columns}: the fewest with which it is likely that no more is lost against "
        f"{chosen.best_size} columns than the trade-off allows."
    )


def _not_estimated(nested: Nested) -> tuple[str, ...]:
    if nested.done == nested.planned:
        return ()
    return (f"{nested.planned - nested.done} of {nested.planned} folds of the nested estimate",)


def _gamma(setting: Setting, size: int) -> float | None:
    gamma = getattr(setting.kernel, "gamma", None)
    if isinstance(gamma, PerFeature):
        return gamma.share / size
    return None if gamma is None else float(gamma)


def _kernel_name(setting: Setting) -> str:
    if isinstance(setting.kernel, Linear):
        return "linear"
    return "rbf" if isinstance(setting.kernel, Rbf) else "poly"
