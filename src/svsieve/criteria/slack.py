"""What the bounds on the error of a two-class machine need to know about its slack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context
from svsieve.errors import IncompatiblePartsError


@dataclass(frozen=True, eq=False)
class Slack:
    """The penalty of a two-class machine, read off its program.

    Attributes
    ----------
    C : float
        Penalty of a row of weight one; infinite for the hard margin.
    squared : bool
        True for squared slack and the hard margin: a ridge 1 / C_k and no upper bound. False for
        linear slack: upper bounds C_k and no ridge.
    weights : ndarray of shape (n_rows,)
        C_k / C: a row of weight k counts as k rows, one of weight 0 is absent.
    """

    C: float
    squared: bool
    weights: FloatArray

    @classmethod
    def of(cls, context: Context, criterion: Any) -> Slack:
        """Return the penalty of the machine, refusing machines that `criterion` does not fit."""
        problem, labels, C = context.problem, context.labels, getattr(context.machine, "C", None)
        if (
            labels is None
            or C is None
            or problem.total != 0.0
            or not np.array_equal(problem.linear, -labels)
        ):
            raise IncompatiblePartsError(
                f"{criterion!r} needs a machine that separates two classes with a bias that is not "
                f"penalised, such as CSvm or L2Svm, and cannot be used with {context.machine!r}."
            )
        width = problem.upper - problem.lower
        used = width > 0
        if not np.isinf(width[used]).any():
            return cls(float(C), False, width / C)
        ridge = problem.ridge
        weights = np.where(used, 1.0, 0.0)
        np.divide(1.0 / C, ridge, out=weights, where=used & (ridge > 0))
        return cls(float(C), True, weights)

    @property
    def ridge(self) -> float:
        """What squared slack adds to k(x, x) of a row of weight one."""
        return 1.0 / self.C if self.squared else 0.0

    @property
    def n_rows(self) -> float:
        """Number of rows, each as often as it weighs."""
        return float(self.weights.sum())


def check_order(order: int, retrain: bool, owner: str) -> None:
    """Refuse orders other than 0 and 1, and retraining for order 1."""
    if order not in (0, 1):
        raise ValueError(f"order of {owner} must be 0 or 1. Got {order!r}.")
    if retrain and order == 1:
        raise ValueError(
            f"retrain of {owner} needs order=0: the slope of a trained machine takes its training "
            "into account already. Got order=1."
        )
