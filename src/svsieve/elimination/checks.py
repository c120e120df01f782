"""Checks that the parts of an elimination share."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_whole(value: Any, name: str, owner: str, smallest: int) -> None:
    """Refuse anything but a whole number of at least `smallest`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < smallest:
        raise ValueError(
            f"{name} of {owner} must be a whole number of at least {smallest}. Got {value!r}."
        )


def check_share(share: Any, owner: str, *, whole: bool = False) -> None:
    """Refuse anything but a number between 0 and 1, 1 itself only where `whole`."""
    number = isinstance(share, (int, float, np.integer, np.floating))
    if not number or isinstance(share, bool) or not (0.0 < share < 1.0 or (whole and share == 1.0)):
        allowed = "in (0, 1]" if whole else "between 0 and 1"
        raise ValueError(f"share of {owner} must lie {allowed}. Got {share!r}.")


def check_not_negative(value: Any, name: str, owner: str) -> None:
    """Refuse anything but a number of at least zero."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    if not number or isinstance(value, bool) or not value >= 0:
        raise ValueError(f"{name} of {owner} must be a number, not negative. Got {value!r}.")
