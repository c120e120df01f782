"""The criterion that the code of the thesis computes in place of its equation 4.37."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria import Context, Criterion, WeightNorm
from svsieve.kernels import PairWeights

CODE, EQUATION = "thesis's code", "equation 4.37"


@dataclass(frozen=True)
class LabelsTwice:
    """Constant less 1/2 sum_ij u_i u_j l_i l_j K(t)_ij, u = alpha y, K(t) without column t.

    Equation 4.37 is 1/2 sum_ij u_i u_j (K_ij - K(t)_ij). The code multiplies once more by the
    labels l as they are stored. Labels -1 and 1 cancel those in u: what is left, alpha'K(t)alpha,
    does not see the classes. With labels 0 and 1 the support vectors of class 0 are left out.

    Parameters
    ----------
    zero_one : bool
        Labels are stored as 0 and 1, else as -1 and 1.
    """

    zero_one: bool

    def scores(self, context: Context) -> FloatArray:
        """Return the criterion up to a constant: half of what the double sum loses."""
        assert context.labels is not None
        stored = (context.labels > 0).astype(np.float64) if self.zero_one else context.labels
        M = context.lift(PairWeights.outer(context.solution.coefficients * stored))
        return -0.5 * context.state.contract_without(M, change=True)


@dataclass(frozen=True)
class OneByOne:
    """The values of `LabelsTwice`, from one kernel matrix per column: the slow way."""

    zero_one: bool

    def scores(self, context: Context) -> FloatArray:
        """Return the criterion up to a constant."""
        assert context.labels is not None
        stored = (context.labels > 0).astype(np.float64) if self.zero_one else context.labels
        c = context.solution.coefficients * stored
        found = []
        for position in range(context.state.n_kept):
            K = context.state.gram_without(position, context.rows)
            found.append(-0.5 * float(c @ K @ c))
        return np.array(found)


def criterion(name: str, *, zero_one: bool) -> Criterion:
    """Return a criterion by the name that cells have."""
    return LabelsTwice(zero_one) if name == CODE else WeightNorm(signed=True)
