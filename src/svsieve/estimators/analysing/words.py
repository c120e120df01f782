"""An analysis in words: what was done, ready to be pasted into a paper, and whom to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from svsieve.estimators.analysing.settings import LABELS, Settings
from svsieve.resolve import resolve_schedule
from svsieve.selection.rules import (
    AtMost,
    Best,
    Knee,
    OneStandardError,
    Rule,
    Scalarised,
    Tolerance,
)

GUYON = (
    "Guyon I, Weston J, Barnhill S, Vapnik V (2002). Gene selection for cancer classification "
    "using support vector machines. Machine Learning 46, 389-422."
)
RAKOTOMAMONJY = (
    "Rakotomamonjy A (2003). Variable selection using SVM-based criteria. Journal of Machine "
    "Learning Research 3, 1357-1370."
)
AMBROISE = (
    "Ambroise C, McLachlan GJ (2002). Selection bias in gene extraction on the basis of microarray "
    "gene-expression data. PNAS 99, 6562-6566."
)
NADEAU = (
    "Nadeau C, Bengio Y (2003). Inference for the generalization error. Machine Learning 52, "
    "239-281."
)
NOGUEIRA = (
    "Nogueira S, Sechidis K, Brown G (2018). On the stability of feature selection algorithms. "
    "Journal of Machine Learning Research 18 (174), 1-54."
)
BREIMAN = (
    "Breiman L, Friedman JH, Olshen RA, Stone CJ (1984). Classification and regression trees. "
    "Wadsworth."
)
CHAPELLE = (
    "Chapelle O, Vapnik V, Bousquet O, Mukherjee S (2002). Choosing multiple parameters for "
    "support vector machines. Machine Learning 46, 131-159."
)


def methods(
    settings: Settings,
    n_rows: int,
    n_columns: int,
    counts: dict[str, int],
    *,
    sparse: bool = False,
) -> tuple[str, ...]:
    """Return what an analysis does, one sentence after another.

    Parameters
    ----------
    settings : Settings
        With the folds that were used.
    n_rows, n_columns : int
    counts : dict of str to int
        Rows of every class.
    sparse : bool, default=False

    Examples
    --------
    >>> from svsieve.estimators.analysing.settings import Settings
    >>> from svsieve.estimators.analysing.words import methods
    >>> print(methods(Settings(kernels=("linear",)), 10, 3, {"a": 5, "b": 5})[2])
    Columns were ranked by recursive elimination with support vector machines (a linear SVM, one
    column dropped at a time), dropping those whose removal changes the squared norm of the weight
    vector least; every machine was solved to a gap in the optimality conditions of at most 1e-8.
    """
    from svsieve import __version__

    classes = ", ".join(f"{label}: {count}" for label, count in counts.items())
    centre = (
        "variance 1 (not centred, as the table is sparse)" if sparse else "mean 0 and variance 1"
    )
    slope = (
        ""
        if settings.kernels == ("linear",)
        else " (with a kernel: those in whose scale it has the least slope)"
    )
    machines = "; ".join(
        f"a {LABELS[kernel]}, {_step(settings, kernel, n_columns, sparse=sparse)}"
        for kernel in settings.kernels
    )
    return (
        f"A table of {n_rows} rows and {n_columns} columns ({classes}) was analysed with svsieve "
        f"{__version__}.",
        f"Columns were scaled to {centre} as measured on the training rows of each fold.",
        f"Columns were ranked by recursive elimination with support vector machines ({machines}), "
        f"dropping those whose removal changes the squared norm of the weight vector least{slope}; "
        "every machine was solved to a gap in the optimality conditions of at most 1e-8.",
        _parameters(settings),
        f"The number of columns was chosen by {settings.inner_folds}-fold stratified "
        f"cross-validation of the {_metric(settings)}: {rule_words(settings.resolved_rule)}."
        + (
            " Of the machines the one that does best at its size was taken."
            if len(settings.kernels) > 1
            else ""
        ),
        f"How well this does on new rows was estimated by nested cross-validation: in each of "
        f"{settings.folds} stratified outer folds everything (scaling, ranking, "
        f"{'C, gamma, ' if settings.tune else ''}machine, number of columns) was done anew on the "
        "training rows and judged on the rows held out; the 95% interval of the mean has Nadeau "
        "and Bengio's correction for shared training rows.",
        "The selection frequency of a column is the share of outer folds that selected it; the "
        "stability is Nogueira's measure over those sets.",
        f"Folds were drawn with the seed {settings.seed}.",
    )


def citations(settings: Settings) -> tuple[str, ...]:
    """Return the works to cite for what was done."""
    rule = settings.resolved_rule
    while isinstance(rule, AtMost):
        rule = rule.rule
    wanted = {
        GUYON: True,
        RAKOTOMAMONJY: settings.kernels != ("linear",),
        CHAPELLE: settings.tune,
        BREIMAN: isinstance(rule, OneStandardError),
        AMBROISE: True,
        NADEAU: True,
        NOGUEIRA: True,
    }
    return tuple(work for work, used in wanted.items() if used)


def rule_words(rule: Rule) -> str:
    """Return what a rule does, as the end of a sentence.

    Examples
    --------
    >>> from svsieve import rules
    >>> from svsieve.estimators.analysing.words import rule_words
    >>> rule_words(rules.AtMost(10))
    'of sizes up to 10, the size with the best mean score'
    """
    if isinstance(rule, AtMost):
        return f"of sizes up to {rule.size}, {rule_words(rule.rule)}"
    if isinstance(rule, Scalarised):
        return (
            f"the size of least cost {rule.w_accuracy:g} (1 - score) + {rule.w_size:g} size / "
            "columns"
        )
    if isinstance(rule, Tolerance):
        unit = " of it" if rule.relative else ""
        return (
            f"the smallest size whose mean score is at most {rule.tolerance:g}{unit} below the best"
        )
    known: Sequence[tuple[type[Rule], str]] = (
        (Best, "the size with the best mean score"),
        (
            OneStandardError,
            "the smallest size whose mean score is within one standard error of the best",
        ),
        (Knee, "the size where the curve of mean scores bends"),
    )
    return next((words for kind, words in known if isinstance(rule, kind)), f"the rule {rule!r}")


def settings_shown(settings: Settings, names: Sequence[str]) -> dict[str, Any]:
    """Return settings as plain values."""
    return {
        "machines": [LABELS[kernel] for kernel in settings.kernels],
        "C": settings.C,
        "gamma": settings.gamma,
        "tune": settings.tune,
        "step": settings.step
        if isinstance(settings.step, int | float | str)
        else repr(settings.step),
        "rule": repr(settings.resolved_rule),
        "scoring": settings.scoring,
        "outer folds": settings.folds,
        "inner folds": settings.inner_folds,
        "columns never dropped": [names[column] for column in settings.keep],
        "seed": settings.seed,
    }


def _metric(settings: Settings) -> str:
    return settings.scoring.removeprefix("neg_").replace("_", " ")


def _parameters(settings: Settings) -> str:
    if settings.tune:
        return (
            "C and, where there is one, the gamma of the kernel were set by gradient descent on "
            "the radius/margin bound of machines with squared slacks, on the training rows of each "
            "outer fold; gamma was kept in proportion to one over the number of columns left."
        )
    gamma = settings.gamma
    kernels = [kernel for kernel in settings.kernels if kernel != "linear"]
    if not kernels:
        return f"C was {settings.C:g}."
    shown = (
        "one over the number of columns left times their mean variance"
        if gamma == "scale"
        else f"{gamma}"
    )
    return f"C was {settings.C:g}; gamma was {shown}."


def _step(settings: Settings, kernel: str, n_columns: int, *, sparse: bool) -> str:
    step = settings.steps(kernel, n_columns, sparse=sparse)
    schedule = resolve_schedule(step, owner="analyse")
    share = getattr(schedule, "share", None)
    if type(schedule).__name__ == "Fraction" and share is not None:
        return f"{100 * share:g}% of the remaining columns dropped at a time"
    if type(schedule).__name__ == "Constant":
        count = int(schedule.columns)  # type: ignore[attr-defined]
        return (
            "one column dropped at a time" if count == 1 else f"{count} columns dropped at a time"
        )
    return f"columns dropped by the schedule {schedule!r}"
