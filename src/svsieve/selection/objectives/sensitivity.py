"""How the coefficients of a trained machine follow its kernel and its C.

On the free rows F (those strictly between their bounds; with squared slack all support vectors) the
coefficients u and the bias solve

    A (u_F; bias) = (y_F - K_FB u_B; -sum(u_B)),   A = [[K_FF + Diag(ridge), 1], [1', 0]],

and those at a bound, B, move with C only. So a value T(u, bias) with the slopes r in u and t in the
bias changes, as the machine is trained again, by

    dT = -<(zu' + uz') / 2, dK>,                                      (z; zeta) = A^-1 (r_F; t),
    dT / d ln C = sum_k ridge_k z_k u_k                               (squared slack),
    dT / d ln C = r_B' u_B - z' K_FB u_B - zeta sum(u_B)              (linear slack):

one linear solve, whatever the number of parameters. It holds while no row meets or leaves a bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, lstsq

from svsieve.arrays import FloatArray
from svsieve.criteria import Context
from svsieve.criteria.span_geometry import Supports
from svsieve.native import one_blas_thread

# Below this reciprocal condition number a system has no solution of its own; of all that there
# are the smallest is taken. They differ by what changes no decision value.
SINGULAR = 1e-13


@dataclass(frozen=True, eq=False)
class Response:
    """What training again does to a value of coefficients and bias.

    Attributes
    ----------
    supports : Supports
        The support vectors.
    z : ndarray, one per support vector
        Zero at a bound. The value changes by -<(zu' + uz') / 2, dK>.
    log_C : float
        Its derivative in ln C.
    """

    supports: Supports
    z: FloatArray
    log_C: float

    def pair_weights(self) -> FloatArray:
        """Return M with dT = <M, dK>, over the support vectors."""
        cross = np.multiply.outer(self.z, self.supports.u)
        return -0.5 * (cross + cross.T)


def response(
    context: Context, supports: Supports, by_coefficients: FloatArray, by_bias: float
) -> Response:
    """Return how a value follows a machine that is trained again.

    Parameters
    ----------
    context : Context
        The trained machine.
    supports : Supports
        Its support vectors.
    by_coefficients : ndarray, one per support vector
        Slopes of the value in the coefficients.
    by_bias : float
        Its slope in the bias. Where no row is free the bias is taken to stay.
    """
    free, bounded = supports.free, supports.bounded
    K = context.gram()[np.ix_(supports.rows, supports.rows)]
    z, zeta = np.zeros(len(supports.rows)), 0.0
    if len(free):
        inner = K[np.ix_(free, free)] + np.diag(supports.ridge[free])
        z[free], zeta = _bordered(inner, by_coefficients[free], by_bias)
    u = supports.u
    at_bound = u[bounded]
    log_C = float((supports.ridge * z) @ u)
    log_C += float(by_coefficients[bounded] @ at_bound)
    log_C -= float(z[free] @ (K[np.ix_(free, bounded)] @ at_bound)) + zeta * float(at_bound.sum())
    return Response(supports, z, log_C)


def _bordered(K: FloatArray, r: FloatArray, t: float) -> tuple[FloatArray, float]:
    """Solve K z + zeta 1 = r, 1'z = t.

    A constant added to all of K changes zeta only and makes K positive definite wherever the
    system is regular.
    """
    n, constant = len(K), max(float(np.diagonal(K).mean()), 1e-300)
    sides = np.stack([r, np.ones(n)], axis=1)
    with one_blas_thread():
        *_, solved, condition, _, _, info = lapack.dposvx(K + constant, sides)
        if info == 0 and condition > SINGULAR:
            by_r, by_one = solved.T
            zeta = (float(by_r.sum()) - t) / float(by_one.sum())
            return by_r - zeta * by_one, zeta + constant * t
        A = np.ones((n + 1, n + 1))
        A[:n, :n] = K
        A[n, n] = 0.0
        found = lstsq(A, np.append(r, t))[0]
    return found[:n], float(found[n])
