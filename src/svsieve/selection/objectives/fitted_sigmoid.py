"""The error on held-out rows, smoothed by a sigmoid that is fitted to their decision values.

A and B of p(f) = 1 / (1 + exp(A f + B)) are fitted by Newton's method (`machines.platt`), for every
machine anew. With weights w_i of sum N the value is

    T = sum_i w_i s_i / N,    s_i = 1 / (1 + exp(-y_i z_i)),    z_i = A f_i + B, or A f_i,

the probability of the wrong class: the label turns the offset too. Let q_i = w_i y_i s_i (1 - s_i)
/ N. With A and B as they are, dT/df_i = A q_i. They follow f, though, and T is not what they make
small (that is the cross-entropy), so that no envelope theorem lets them stand still. The fit has
the gradient

    sum_i w_i (t_i - p_i) (f_i, 1) = 0,    t_i its targets,

and the Hessian G = sum_i o_i (f_i, 1)(f_i, 1)', o_i = w_i p_i (1 - p_i). Differentiating that
equation gives, with l = G^-1 d, d = (dT/dA, dT/dB) = sum_i q_i (f_i, 1), or sum_i q_i (f_i, 0),

    dT/df_i = A q_i - [w_i (t_i - p_i) + A o_i f_i] l_1 - A o_i l_2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from svsieve.arrays import FloatArray
from svsieve.machines.platt import fit_sigmoid, smoothed_targets
from svsieve.selection.objectives.trial import HeldOut


def fitted_error(
    values: FloatArray, held_out: HeldOut, *, offset: bool = True, rising: bool = False
) -> tuple[float, FloatArray]:
    """Return T and its slopes in the decision values.

    Parameters
    ----------
    values : ndarray of shape (n_held_out,)
    held_out : HeldOut
    offset : bool, default=True
        Whether B counts. Without it the step is where the machine decides, at f = 0.
    rising : bool, default=False
        Let no probability fall where the value rises, A <= 0: otherwise a machine that is wrong
        more often than right would have a small T. Where the optimum is A = 0, all slopes are zero.
    """
    y, w, total = held_out.labels, held_out.weights, held_out.total
    sigmoid = fit_sigmoid(values, y, w, rising=rising)
    A = sigmoid.slope
    s = expit(y * (A * values + (sigmoid.offset if offset else 0.0)))
    value = float(w @ s) / total
    if rising and A == 0.0:
        return value, np.zeros_like(values)
    q = w * y * s * (1.0 - s) / total

    p = sigmoid.probability(values)
    o = w * p * (1.0 - p)
    line = np.stack([values, np.ones_like(values)], axis=1)
    hessian = (line * o[:, None]).T @ line
    by_fit = np.array([values @ q, q.sum() if offset else 0.0])
    through = np.linalg.lstsq(hessian, by_fit, rcond=None)[0]
    moved = w * (smoothed_targets(y, w) - p) * through[0] + A * o * (line @ through)
    return value, A * q - moved
