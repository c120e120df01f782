"""How far the rows of a problem lie apart in feature space: the radius of radius/margin bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.slack import Slack
from svsieve.kernels import PairWeights
from svsieve.machines import EnclosingSphere, solve

_MEMORY = "enclosing sphere"


@dataclass(frozen=True, eq=False)
class Spread:
    """A squared radius R^2 = <Diag(b) - bb', K> + what the ridge adds.

    Attributes
    ----------
    value : float
        R^2, of K plus the ridge.
    b : ndarray of shape (n_rows,)
        Weights of the rows, summing to one: their weighted mean is the centre. While b is the
        smallest sphere's, R^2 depends on K as if b did not (envelope theorem).
    """

    value: float
    b: FloatArray

    def pair_weights(self) -> PairWeights:
        """Return M with d(R^2) = <M, dK>."""
        return PairWeights.covariance(self.b)


def smallest_sphere(
    K: FloatArray,
    slack: Slack,
    tol: float,
    memory: dict[str, Any] | None = None,
    start: FloatArray | None = None,
) -> Spread:
    """Return the smallest sphere that holds all rows, of K plus the ridge of squared slack.

    Parameters
    ----------
    K : ndarray of shape (n_rows, n_rows)
    slack : Slack
    tol : float
    memory : dict, optional
        Where the sphere of the step before is found, to start from, and this one is left.
    start : ndarray of shape (n_rows,), optional
        Where to begin otherwise.
    """
    machine = EnclosingSphere(ridge=slack.ridge)
    problem = machine.problem(np.diagonal(K), row_weights=slack.weights)
    if memory is not None:
        start = memory.get(_MEMORY, start)
    solution = solve(problem, K, start=start, tol=tol)
    if memory is not None:
        memory[_MEMORY] = solution.coefficients
    return Spread(machine.value(solution, problem), solution.coefficients)


def variance(K: FloatArray, slack: Slack) -> Spread:
    """Return the mean squared distance of the rows from their mean, of K plus the ridge."""
    b = slack.weights / slack.n_rows
    own = float(b @ np.diagonal(K)) - float(b @ (K @ b))
    return Spread(own + slack.ridge * (1.0 - 1.0 / slack.n_rows), b)
