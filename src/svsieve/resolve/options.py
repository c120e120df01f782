"""Checks of single options. A refusal names the option, what is allowed and what was given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_real(
    owner: str,
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    infinite: bool = False,
) -> float:
    """Return `value` as a float within the limits, finite unless `infinite` is allowed."""
    found = number(value)
    if not (found > above and found >= at_least and (infinite or found < math.inf)):
        opening = f"({above:g}" if above >= at_least else f"[{at_least:g}"
        raise refusal(owner, name, f"a float in {opening}, inf{']' if infinite else ')'}", value)
    return found


def check_share(owner: str, name: str, value: Any) -> float:
    """Return `value` as a float above 0 and at most 1."""
    found = number(value)
    if not 0.0 < found <= 1.0:
        raise refusal(owner, name, "a float in (0, 1]", value)
    return found


def check_integer(owner: str, name: str, value: Any, *, at_least: int) -> int:
    """Return `value` as an int that is not below `at_least`."""
    if not is_integer(value) or int(value) < at_least:
        raise refusal(owner, name, f"an int in [{at_least}, inf)", value)
    return int(value)


def check_iterations(owner: str, value: Any) -> int:
    """Return the `max_iter` parameter: -1 for no limit, or a positive int."""
    limit = check_integer(owner, "max_iter", value, at_least=-1)
    if limit == 0:
        raise refusal(owner, "max_iter", "-1 (no limit) or a positive int", value)
    return limit


def check_option(owner: str, name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value`, one of the strings in `allowed`."""
    options = list(allowed)
    if not isinstance(value, str) or value not in options:
        raise refusal(owner, name, listed(options), value)
    return value


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return `value`, true or false."""
    if not isinstance(value, bool | np.bool_):
        raise refusal(owner, name, "True or False", value)
    return bool(value)


def is_integer(value: Any) -> bool:
    """Tell whether `value` is a whole number by its type; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def number(value: Any) -> float:
    """Return `value` as a float; NaN, which lies in no interval, if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)


def has_method(value: Any, name: str) -> bool:
    """Tell whether `value` is an object (not a class) with a method of that name."""
    return not isinstance(value, type) and callable(getattr(value, name, None))


def listed(options: Iterable[str]) -> str:
    """Return "one of 'a', 'b'"."""
    return "one of " + ", ".join(repr(option) for option in options)


def refusal(owner: str, name: str, allowed: str, value: Any, hint: str = "") -> ValueError:
    """Return the error that says which option of whom is wrong, what is allowed, what was got."""
    message = f"The {name!r} parameter of {owner} must be {allowed}. Got {value!r} instead."
    return ValueError(f"{message} {hint}".rstrip())
