"""When a measured number agrees with a published one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from scipy.stats import fisher_exact, norm

from svsieve.reproduce.experiment import Quantity

# Two numbers agree if they are no further apart than this many standard errors of their difference.
WITHIN = 3.0
NOT_KNOWN = "reason not known"


class Word(StrEnum):
    """What a comparison comes to."""

    AGREES = "agrees"
    LEVEL = "level only"  # agrees, on a page that hardly tells its cells apart
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Estimate:
    """A number and what is known of its noise.

    Attributes
    ----------
    value : float
    error : float
        Its standard error; nan where that is not known.
    trials : int
        A share of so many trials; 0: something else.
    tolerance : float
        How far another number may be; 0: as far as the errors say.
    """

    value: float
    error: float = math.nan
    trials: int = 0
    tolerance: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """A word, how far apart the numbers are in standard errors of the difference, and why."""

    word: Word
    apart: float = math.nan
    why: str = ""


def distance(published: Estimate, measured: Estimate) -> float:
    """Return how far apart two numbers are, in standard errors of their difference.

    Shares of trials are compared by Fisher's exact test, whose p-value is told as the distance that
    has the same one under a normal distribution. A third of a tolerance counts as a standard error.

    Examples
    --------
    >>> from svsieve.reproduce.verdicts import Estimate, distance
    >>> round(distance(Estimate(0.30, 0.03), Estimate(0.35, 0.04)), 6)
    1.0
    >>> round(distance(Estimate(0.5, trials=10), Estimate(0.95, trials=100)), 1)
    3.5
    """
    difference = measured.value - published.value
    if published.trials and measured.trials:
        counts = [(round(one.value * one.trials), one.trials) for one in (published, measured)]
        return math.copysign(_exact(*counts[0], *counts[1]), difference)
    if published.tolerance:
        return WITHIN * difference / published.tolerance
    both = math.hypot(published.error, measured.error)
    return difference / both if both > 0 else math.nan


@cache
def _exact(hits: int, trials: int, other_hits: int, other_trials: int) -> float:
    table = [[hits, trials - hits], [other_hits, other_trials - other_hits]]
    return float(norm.isf(min(1.0, fisher_exact(table).pvalue) / 2.0))


def is_apart(quantity: Quantity, published: Estimate, measured: Estimate) -> bool:
    """Tell whether two numbers are further apart than noise; unequal, where there is none."""
    if quantity.exact:
        return measured.value != published.value
    return abs(distance(published, measured)) > WITHIN * (1.0 + 1e-9)


def judged(
    quantity: Quantity,
    published: Estimate | None,
    measured: Estimate,
    why_not: str = "",
    *,
    reason: str = "",
) -> Verdict:
    """Return what a measured number says about a published one, whatever else is on the page.

    Parameters
    ----------
    quantity : Quantity
    published : Estimate or None
        None where nothing was published.
    measured : Estimate
    why_not : str, optional
        Why the two cannot be compared, where that is so.
    reason : str, optional
        Why the measured number differs, should it do so.

    Examples
    --------
    >>> from svsieve.reproduce.experiment import Quantity
    >>> from svsieve.reproduce.verdicts import Estimate, judged
    >>> error = Quantity("error", judged=True)
    >>> print(judged(error, Estimate(0.30, 0.01), Estimate(0.33, 0.01)).word)
    agrees
    >>> verdict = judged(error, Estimate(0.30, 0.01), Estimate(0.25, 0.01))
    >>> print(verdict.word, verdict.why, sep=": ")
    differs: reason not known
    """
    if published is None:
        return Verdict(Word.NOT_COMPARABLE, why="nothing was published")
    apart = math.nan if quantity.exact else distance(published, measured)
    if why_not:
        return Verdict(Word.NOT_COMPARABLE, apart, why_not)
    if quantity.relative_to is not None:
        return Verdict(Word.NOT_COMPARABLE, why="times depend on the machine and on the program")
    if math.isnan(apart) and not quantity.exact:
        return Verdict(Word.NOT_COMPARABLE, why="no standard error: run it more than once")
    if is_apart(quantity, published, measured):
        return Verdict(Word.DIFFERS, apart, reason or NOT_KNOWN)
    return Verdict(Word.AGREES, apart)
