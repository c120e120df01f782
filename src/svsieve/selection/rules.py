"""Rules that choose a number of columns from a curve.

Scores follow scikit-learn's convention: greater is better, and losses are negative. Sizes whose
scores are equal up to rounding are a tie, and a tie always goes to the smaller size.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.resolve import check_integer, check_real, refusal
from svsieve.selection.curve import Curve

# Scores that differ by less than this share of the largest are a tie: the mean of the same
# numbers in another order of the folds.
TIE = 1e-12


@dataclass(frozen=True)
class Choice:
    """A number of columns and one sentence why.

    Attributes
    ----------
    size : int
    reason : str
    """

    size: int
    reason: str


class Rule(ABC):
    """A rule that chooses one of the sizes of a curve."""

    def choose(self, curve: Curve, metric: str | None = None) -> Choice:
        """Return the size to take.

        Parameters
        ----------
        curve : Curve
        metric : str, optional
            Whose scores are judged; the first of the curve by default.

        Returns
        -------
        Choice
            Size and reason. Sizes whose mean score is not a number are never chosen.
        """
        name = curve.metric(metric)
        mean = curve.mean(name)
        known = np.flatnonzero(np.isfinite(mean))
        if not len(known):
            raise ValueError(f"no size can be chosen: the mean of {name} is finite at none.")
        usable = Curve(
            curve.sizes[known], {name: curve.scores(name)[:, known]}, None, curve.n_columns
        )
        return self._choose(usable, name)

    @abstractmethod
    def _choose(self, curve: Curve, metric: str) -> Choice:
        """Choose among sizes that all have a finite mean score."""


@dataclass(frozen=True)
class Best(Rule):
    """The size with the best mean score.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 3], {"accuracy": [[0.7, 0.9, 0.9]]}, n_columns=3)
    >>> rules.Best().choose(curve)
    Choice(size=2, reason='2 columns have the best mean accuracy, 0.9.')
    """

    def _choose(self, curve: Curve, metric: str) -> Choice:
        at = best_at(curve.mean(metric))
        size = int(curve.sizes[at])
        best = f"the best mean {metric}, {_shown(curve.mean(metric)[at])}"
        return Choice(size, f"{_columns(size)} {_have(size)} {best}.")


@dataclass(frozen=True)
class OneStandardError(Rule):
    """The smallest size whose mean score is within one standard error of the best.

    The standard error is that of the best size, over the folds; there must be two of them.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.8, 0.8], [0.5, 0.8, 1.0]]}, n_columns=4)
    >>> rules.OneStandardError().choose(curve).size
    2
    """

    def _choose(self, curve: Curve, metric: str) -> Choice:
        if curve.n_folds < 2:
            raise ValueError(
                "OneStandardError needs the scores of at least two folds to have a standard "
                "error. Got one fold."
            )
        mean = curve.mean(metric)
        best = best_at(mean)
        error = float(curve.standard_error(metric)[best])
        within = f"within one standard error ({_shown(error)}) of"
        return _smallest(curve, metric, float(mean[best]) - error, within)


@dataclass(frozen=True)
class Tolerance(Rule):
    """The smallest size whose mean score is at most a tolerance below the best.

    Parameters
    ----------
    tolerance : float, default=0.01
        Not negative.
    relative : bool, default=False
        The tolerance is a share of the magnitude of the best score.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.88, 0.9]]}, n_columns=4)
    >>> rules.Tolerance(0.03).choose(curve).size
    2
    >>> losses = Curve([1, 2, 4], {"neg_log_loss": [[-0.5, -0.22, -0.2]]}, n_columns=4)
    >>> rules.Tolerance(0.2, relative=True).choose(losses).size
    2
    """

    tolerance: float = 0.01
    relative: bool = False

    def __post_init__(self) -> None:
        check_real("Tolerance", "tolerance", self.tolerance, at_least=0.0)

    def _choose(self, curve: Curve, metric: str) -> Choice:
        best = float(curve.mean(metric).max())
        allowed = self.tolerance * abs(best) if self.relative else float(self.tolerance)
        within = f"at most {_shown(allowed)} below"
        return _smallest(curve, metric, best - allowed, within)


@dataclass(frozen=True)
class Knee(Rule):
    """The size where the curve bends: beyond it, a column brings less than on average.

    Seen from the line between the smallest size and the best, the knee is the size whose mean score
    lies highest above it. A curve that lies nowhere above the line has no knee; the best size is
    then taken.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 3, 9], {"accuracy": [[0.5, 0.7, 0.85, 0.9]]}, n_columns=9)
    >>> rules.Knee().choose(curve).size
    3
    """

    def _choose(self, curve: Curve, metric: str) -> Choice:
        mean = curve.mean(metric)
        best = best_at(mean)
        sizes, means = curve.sizes[: best + 1], mean[: best + 1]
        if best > 0:
            gained = (means - means[0]) / (means[-1] - means[0])
            paid = (sizes - sizes[0]) / (sizes[-1] - sizes[0])
            above = gained - paid
            at = int(np.flatnonzero(above >= above.max() - TIE)[0])
            if above[at] > TIE:
                size = int(sizes[at])
                bend = f"the mean {metric}, {_shown(means[at])} there, rises less from there on"
                return Choice(
                    size, f"The curve bends at {_columns(size)}: {bend} than on average before."
                )
        size = int(sizes[-1])
        best_score = f"the best mean {metric}, {_shown(means[-1])}"
        return Choice(
            size, f"The curve has no knee below {_columns(size)}, which {_have(size)} {best_score}."
        )


@dataclass(frozen=True)
class Scalarised(Rule):
    """The size of least cost ``w_accuracy * (1 - score) + w_size * size / n_columns``.

    Parameters
    ----------
    w_accuracy, w_size : float, default=0.8 and 0.2
        Not negative, and not both zero.

    Notes
    -----
    What one column is worth depends on the unit of the metric: the defaults are meant for shares
    such as the accuracy. A constant added to the metric changes nothing, so the negative error rate
    gives the same choice. Only sizes on the convex hull of the Pareto front can be chosen.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.85, 0.9]]}, n_columns=4)
    >>> rules.Scalarised(0.8, 0.2).choose(curve).size
    2
    """

    w_accuracy: float = 0.8
    w_size: float = 0.2

    def __post_init__(self) -> None:
        check_real("Scalarised", "w_accuracy", self.w_accuracy, at_least=0.0)
        check_real("Scalarised", "w_size", self.w_size, at_least=0.0)
        if self.w_accuracy == 0.0 and self.w_size == 0.0:
            raise ValueError("w_accuracy and w_size of Scalarised must not both be zero.")

    def cost(self, curve: Curve, metric: str | None = None) -> FloatArray:
        """Return the cost of every size."""
        shares = curve.sizes / curve.n_columns
        return self.w_accuracy * (1.0 - curve.mean(metric)) + self.w_size * shares

    def _choose(self, curve: Curve, metric: str) -> Choice:
        cost = self.cost(curve, metric)
        at = best_at(-cost)
        size = int(curve.sizes[at])
        formula = f"{self.w_accuracy:g} (1 - {metric}) + {self.w_size:g} size / {curve.n_columns}"
        return Choice(
            size, f"{_columns(size)} {_have(size)} the least cost {_shown(cost[at])} of {formula}."
        )


@dataclass(frozen=True)
class AtMost(Rule):
    """What another rule chooses among the sizes up to a limit.

    Parameters
    ----------
    size : int
        The most columns to keep.
    rule : Rule, default=Best()
        It sees the part of the curve up to the limit.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.85, 0.9]]}, n_columns=4)
    >>> rules.AtMost(3).choose(curve).size
    2
    """

    size: int
    rule: Rule = field(default_factory=Best)

    def __post_init__(self) -> None:
        check_integer("AtMost", "size", self.size, at_least=1)
        if not isinstance(self.rule, Rule):
            raise refusal("AtMost", "rule", "a rule such as svsieve.rules.Best()", self.rule)

    def _choose(self, curve: Curve, metric: str) -> Choice:
        choice = self.rule.choose(curve.up_to(self.size), metric)
        return Choice(choice.size, f"Of sizes up to {self.size}: {choice.reason}")


RULES: Mapping[str, Callable[[], Rule]] = {
    "best": Best,
    "one-se": OneStandardError,
    "tolerance": Tolerance,
    "knee": Knee,
    "scalarised": Scalarised,
}


def resolve_rule(rule: Any, *, owner: str = "SVMRFECV") -> Rule:
    """Return the rule that a short name stands for; an object is taken as it is.

    Parameters
    ----------
    rule : {"best", "one-se", "tolerance", "knee", "scalarised"} or Rule
    owner : str, default="SVMRFECV"
        Whose parameter this is, for the messages.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from svsieve.selection.rules import resolve_rule
    >>> resolve_rule("tolerance")
    Tolerance(tolerance=0.01, relative=False)
    """
    if isinstance(rule, str) and rule in RULES:
        return RULES[rule]()
    if isinstance(rule, Rule):
        return rule
    names = ", ".join(repr(name) for name in RULES)
    raise refusal(
        owner, "rule", f"one of {names}, or a rule such as svsieve.rules.Tolerance(0.02)", rule
    )


def merit(rule: Rule, curve: Curve, metric: str | None = None) -> tuple[float, int]:
    """Return how good a curve is at the size that a rule chooses, and that size.

    The merit is the mean score there, or less the cost for a rule that weighs score against size:
    what the rule compares sizes by compares curves too.
    """
    size = rule.choose(curve, metric).size
    while isinstance(rule, AtMost):
        rule = rule.rule
    table = -rule.cost(curve, metric) if isinstance(rule, Scalarised) else curve.mean(metric)
    return float(table[np.searchsorted(curve.sizes, size)]), size


def best_curve(rule: Rule, curves: Sequence[Curve], metric: str | None = None) -> int:
    """Return the position of the curve of greatest merit.

    Of equal ones that of smallest size is taken, then the first.

    Examples
    --------
    >>> from svsieve.selection import Curve, rules
    >>> curves = [Curve([1, 2], {"accuracy": [scores]}) for scores in ([0.7, 0.9], [0.9, 0.8])]
    >>> rules.best_curve(rules.Best(), curves)
    1
    """
    merits, sizes = zip(*(merit(rule, curve, metric) for curve in curves), strict=True)
    order = np.argsort(sizes, kind="stable")
    return int(order[best_at(np.asarray(merits)[order])])


def best_at(scores: FloatArray) -> int:
    """Return the position of the greatest score, the first of those equal to it."""
    return int(np.flatnonzero(_reaches(scores, float(scores.max())))[0])


def _reaches(scores: FloatArray, threshold: float) -> Any:
    """Tell which scores are no smaller than a threshold, up to rounding."""
    return scores >= threshold - TIE * float(np.abs(scores).max())


def _smallest(curve: Curve, metric: str, threshold: float, within: str) -> Choice:
    """The smallest size that reaches a threshold, which some size does."""
    mean = curve.mean(metric)
    at = int(np.flatnonzero(_reaches(mean, threshold))[0])
    best = best_at(mean)
    size = int(curve.sizes[at])
    if at == best:
        score = f"the best mean {metric}, {_shown(mean[at])}, and no smaller size is {within} it"
        return Choice(size, f"{_columns(size)} {_have(size)} {score}.")
    best_one = f"{within} the best, {_shown(mean[best])} with {int(curve.sizes[best])}"
    mine = f"the smallest size with a mean {metric} ({_shown(mean[at])}) {best_one}"
    return Choice(size, f"{_columns(size)} {'is' if size == 1 else 'are'} {mine}.")


def _columns(size: int) -> str:
    return "1 column" if size == 1 else f"{size} columns"


def _have(size: int) -> str:
    return "has" if size == 1 else "have"


def _shown(number: float) -> str:
    """A score with four digits, without an exponent where it can be."""
    value = float(number)
    if value != 0.0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    digits = 4 if value == 0.0 else max(0, 3 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
