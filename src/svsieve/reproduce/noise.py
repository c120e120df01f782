"""How much a cell differs from run to run, when each was run a few times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from svsieve.arrays import FloatArray

# Variances below this share of the median are raised to it before their logarithms are taken.
LEAST_SHARE = 1e-5
# Degrees of freedom of the prior; beyond, the cells are taken to have one variance.
FEWEST, MOST = 1e-2, 1e6


@dataclass(frozen=True)
class Prior:
    """What the cells of a table say about the variance of any one of them.

    Attributes
    ----------
    variance : float
        Around which those of the cells lie.
    freedom : float
        How close: so many degrees of freedom it counts for. Infinite: all are equal.
    """

    variance: float
    freedom: float

    @classmethod
    def of(cls, variances: FloatArray, freedoms: FloatArray) -> Prior:
        """Fit a prior to sample variances with some degrees of freedom each.

        Runs of cell g are normal with variance v_g, and v0 d0 / v_g is chi-squared with d0 degrees
        of freedom. Then e_g = log s_g^2 - digamma(d_g / 2) + log(d_g / 2) has the mean
        log v0 - digamma(d0 / 2) + log(d0 / 2) and the variance trigamma(d_g / 2) +
        trigamma(d0 / 2), both of which are matched (Smyth, 2004).
        """
        pooled = float(variances @ freedoms / freedoms.sum())
        least = LEAST_SHARE * float(np.median(variances))
        if len(variances) < 2 or least == 0.0:
            return cls(pooled, math.inf)
        half = freedoms / 2.0
        logs = np.log(np.maximum(variances, least)) - digamma(half) + np.log(half)
        beyond_sampling = float(logs.var(ddof=1) - polygamma(1, half).mean())
        if beyond_sampling <= float(polygamma(1, MOST / 2.0)):
            return cls(pooled, math.inf)

        def excess(log_half: float) -> float:
            return float(polygamma(1, math.exp(log_half))) - beyond_sampling

        within = math.log(FEWEST / 2.0), math.log(MOST / 2.0)
        half_freedom = math.exp(brentq(excess, *within) if excess(within[0]) > 0 else within[0])
        centre = float(logs.mean() + digamma(half_freedom) - math.log(half_freedom))
        return cls(math.exp(centre), 2.0 * half_freedom)

    def moderated(self, variance: float, freedom: float) -> float:
        """Return the variance of a cell: its own and that of the prior, by degrees of freedom."""
        if math.isinf(self.freedom):
            return self.variance
        total = self.freedom + freedom
        return (self.freedom * self.variance + freedom * variance) / total


def deviations(cells: Sequence[FloatArray]) -> FloatArray:
    """Return the standard deviation of one run of each cell; nan if no cell was run twice.

    Three runs say little about the deviation of their cell, but those of all cells say what is
    usual. Pooled, a table of quiet cells would deny the noise of a few unquiet ones. So each own
    variance is drawn towards the usual one: the more, the fewer runs it comes from and the more
    alike the cells are.

    Parameters
    ----------
    cells : sequence of ndarray
        The values of the runs of each cell.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.reproduce.noise import deviations
    >>> quiet, loud = [np.array([0.0, 1.0, 2.0])] * 9, [np.array([0.0, 50.0, 100.0])]
    >>> deviations([*quiet, *loud]).round(1)[[0, -1]]
    array([ 1. , 40.4])
    """
    several = [values for values in cells if len(values) > 1]
    if not several:
        return np.full(len(cells), math.nan)
    own = np.array([values.var(ddof=1) for values in several])
    prior = Prior.of(own, np.array([len(values) - 1.0 for values in several]))
    return np.sqrt(
        [
            prior.moderated(float(values.var(ddof=1)), len(values) - 1.0)
            if len(values) > 1
            else prior.variance
            for values in cells
        ]
    )
