"""Machines whose bias is penalised, or absent: their coefficients need not sum to zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import float_vector
from svsieve.kernels import PairWeights
from svsieve.machines.problem import DualProblem, DualSolution, Machine


@dataclass(frozen=True)
class FreeSum:
    """A machine without the constraint on the sum of its coefficients.

    The constraint belongs to a bias that is not penalised. Without it, the program is that of a
    machine whose constant, if any, is the weight of a constant column. It needs no solver of its
    own: one more row, all zero, whose coefficient is free, takes up whatever the others sum to and
    changes nothing else.

    Parameters
    ----------
    machine : Machine
        With total 0. The last row of the table must be the row of zeros; its label is not used.

    Examples
    --------
    >>> from svsieve.machines import CSvm, FreeSum
    >>> problem = FreeSum(CSvm(C=2.0)).problem([1.0, 1.0, 0.0], labels=[1, -1, 0])
    >>> problem.upper
    array([ 2.,  0., inf])
    """

    machine: Machine

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the program of the machine with a free coefficient for the last row."""
        own = float_vector(diagonal, "diagonal")
        inner = self.machine.problem(
            own[:-1],
            None if labels is None else float_vector(labels, "labels", len(own))[:-1],
            None
            if row_weights is None
            else float_vector(row_weights, "row_weights", len(own))[:-1],
        )
        if inner.total != 0.0:
            raise ValueError(f"FreeSum needs a machine with total 0. Got {inner.total:g}.")
        return DualProblem(
            np.append(inner.linear, 0.0),
            np.append(inner.lower, -np.inf),
            np.append(inner.upper, np.inf),
            0.0,
            np.append(inner.ridge, 0.0),
        )

    def value(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return the value of the machine."""
        return self.machine.value(solution, problem)

    def pair_weights(self, solution: DualSolution) -> PairWeights:
        """Return the pair weights of the machine."""
        return self.machine.pair_weights(solution)
