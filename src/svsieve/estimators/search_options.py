"""What a search may be told: limits of parameters, and degrees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from svsieve.kernels import Kernel, Polynomial
from svsieve.resolve import refusal
from svsieve.resolve.options import is_integer, number


def check_bounds(owner: str, bounds: Any) -> None:
    """Refuse limits that are not a dict from names to pairs of positive numbers in order."""
    if bounds is None:
        return
    if not isinstance(bounds, Mapping):
        allowed = "None or a dict from names to (lowest, highest)"
        raise refusal(owner, "bounds", allowed, bounds)
    for name, sides in bounds.items():
        if not (isinstance(sides, Sequence | np.ndarray) and len(sides) == 2):
            raise refusal(owner, f"bounds[{name!r}]", "a pair (lowest, highest)", sides)
        low, high = (number(side) for side in sides)
        least = 0.0 if str(name).rpartition(".")[2] == "coef0" else math.ulp(0.0)
        if not least <= low <= high < math.inf:
            what = "not negative" if least == 0.0 else "positive"
            raise refusal(owner, f"bounds[{name!r}]", f"{what}, finite and in order", sides)


def check_degrees(owner: str, degrees: Any, kernel: Kernel) -> None:
    """Refuse degrees that are no whole numbers, or of a kernel that has none."""
    if degrees is None:
        return
    given = list(degrees) if isinstance(degrees, Sequence | np.ndarray) else []
    if not given or not all(is_integer(degree) and degree >= 1 for degree in given):
        raise refusal(owner, "degrees", "None or a list of ints in [1, inf)", degrees)
    if not isinstance(kernel, Polynomial):
        raise ValueError(
            f"degrees of {owner} needs an estimator with a polynomial kernel. "
            f"Got {kernel!r} instead."
        )
