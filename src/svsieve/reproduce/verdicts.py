"""When a measured number agrees with a published one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from svsieve.reproduce.experiment import Quantity

# Two numbers agree if they are no further apart than this many standard errors of their difference.
WITHIN = 3.0


class Word(StrEnum):
    """What a comparison comes to."""

    WITHIN = "within noise"
    BETTER = "better"
    WORSE = "worse"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error, nan where that is not known."""

    value: float
    error: float = math.nan


@dataclass(frozen=True)
class Verdict:
    """A word, how far apart the numbers are in standard errors of the difference, and why."""

    word: Word
    apart: float = math.nan
    why: str = ""


def judged(
    quantity: Quantity,
    published: Estimate | None,
    measured: Estimate,
    why_not: str = "",
    *,
    explained: str = "",
) -> Verdict:
    """Return what a measured number says about a published one.

    Parameters
    ----------
    quantity : Quantity
    published : Estimate or None
        None where nothing was published.
    measured : Estimate
    why_not : str, optional
        Why the two cannot be compared, where that is so.
    explained : str, optional
        Why the measured number is worse, should it be so.

    Examples
    --------
    >>> from svsieve.reproduce.experiment import Quantity
    >>> from svsieve.reproduce.verdicts import Estimate, judged
    >>> error = Quantity("error", better="lower")
    >>> print(judged(error, Estimate(0.30, 0.01), Estimate(0.33, 0.01)).word)
    within noise
    >>> print(judged(error, Estimate(0.30, 0.01), Estimate(0.35, 0.01)).word)
    worse
    """
    if published is None:
        return Verdict(Word.NOT_COMPARABLE, why="nothing was published")
    difference = measured.value - published.value
    if quantity.exact:
        if difference == 0:
            return Verdict(Word.WITHIN, why=why_not)
        return Verdict(Word.WORSE, why=why_not or explained)
    both = math.hypot(published.error, measured.error)
    apart = difference / both if both > 0 else math.nan
    if why_not:
        return Verdict(Word.NOT_COMPARABLE, apart, why_not)
    if quantity.relative_to is not None:
        return Verdict(Word.NOT_COMPARABLE, why="times depend on the machine and on the program")
    if math.isnan(apart):
        return Verdict(Word.NOT_COMPARABLE, why="no standard error: run it more than once")
    if abs(apart) <= WITHIN:
        return Verdict(Word.WITHIN, apart)
    if quantity.better is None:
        return Verdict(Word.NOT_COMPARABLE, apart, "no direction is the better one")
    good = {"lower": difference < 0, "higher": difference > 0, "equal": False}
    if good[quantity.better]:
        return Verdict(Word.BETTER, apart)
    return Verdict(Word.WORSE, apart, explained)
