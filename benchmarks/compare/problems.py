"""The classification problems that the fits are timed on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchmarks.compare.data import DataSet, load, wide


@dataclass(frozen=True)
class Problem:
    """A data set with the settings given to both sides, and the ratio to reach."""

    what: str
    data: DataSet
    target: float
    settings: dict[str, Any] = field(default_factory=dict)


def problems() -> list[Problem]:
    """Return the problems, the two dense ones of 500 columns first."""
    madelon, banana, german = load("madelon"), load("banana"), load("german")
    return [
        _problem("RBF, C=1", madelon, 6.0, C=1.0, kernel="rbf", gamma=1 / 500),
        _problem(
            "poly 7, C=0.6", madelon, 6.0, C=0.6, kernel="poly", degree=7, coef0=1.0, gamma=1 / 500
        ),
        _problem("RBF, C=1", banana, 1.0, C=1.0, kernel="rbf", gamma=1.0),
        _problem("RBF, C=100", banana, 1.0, C=100.0, kernel="rbf", gamma=1.0),
        _problem("RBF, C=1", german, 1.0, C=1.0, kernel="rbf", gamma=1 / 20),
        _problem("linear, C=1", german, 1.0, C=1.0, kernel="linear"),
        _problem("linear, C=1", wide(), 1.0, C=1.0, kernel="linear"),
    ]


def _problem(setting: str, data: DataSet, target: float, **settings: Any) -> Problem:
    return Problem(f"{data.label}, {setting}", data, target, settings)
