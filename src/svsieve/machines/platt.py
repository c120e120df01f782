"""Probabilities from decision values: a sigmoid fitted by maximum likelihood.

p(f) = 1 / (1 + exp(slope f + offset)) is the probability of the class +1 at decision value f. Slope
and offset minimise the cross-entropy

    - sum_k w_k [ t_k ln p_k + (1 - t_k) ln(1 - p_k) ],

t_k = (m+ + 1) / (m+ + 2) for a row of the class +1 and 1 / (m- + 2) for one of the class -1, m+ and
m- being the weights of the two classes. Targets short of 0 and 1 keep the optimum finite where the
values separate the classes. The problem is convex; its gradient is sum_k w_k (t_k - p_k) (f_k, 1),
its Hessian sum_k w_k p_k (1 - p_k) (f_k, 1)(f_k, 1)'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from svsieve.arrays import FloatArray, float_vector
from svsieve.machines.classifiers import signs, weights_per_row

MAX_STEPS = 200
# Where the largest entry of the gradient is below this share of the weight, rounding has the rest.
SMALL_GRADIENT = 1e-13
SUFFICIENT_DECREASE = 1e-4
# What the loss may seem to rise by near its optimum, where the gradient still has digits to give.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Sigmoid:
    """The map p = 1 / (1 + exp(slope f + offset)) from decision values to probabilities.

    Parameters
    ----------
    slope, offset : float
        The slope is negative where larger values speak for the class +1.

    Examples
    --------
    >>> from svsieve.machines import Sigmoid
    >>> Sigmoid(slope=-2.0, offset=0.0).probability([-1.0, 0.0, 1.0]).round(3)
    array([0.119, 0.5  , 0.881])
    """

    slope: float
    offset: float

    def probability(self, values: npt.ArrayLike) -> FloatArray:
        """Return the probability of the class +1 at each decision value."""
        given = np.asarray(values, dtype=np.float64)
        return np.asarray(expit(-(self.slope * given + self.offset)))


def smoothed_targets(labels: FloatArray, weights: FloatArray) -> FloatArray:
    """Return (m+ + 1) / (m+ + 2) for rows of the class +1 and 1 / (m- + 2) for the others."""
    positive = labels > 0
    n_positive, n_negative = weights[positive].sum(), weights[~positive].sum()
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    return np.asarray(np.where(positive, high, low))


def fit_sigmoid(
    values: npt.ArrayLike,
    labels: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    rising: bool = False,
) -> Sigmoid:
    """Fit the sigmoid that turns decision values into probabilities of the class +1.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Finite decision values, best of rows that the machine was not trained on.
    labels : array-like of +1 and -1, of shape (n_rows,)
        Their classes.
    weights : array-like of shape (n_rows,), optional
        How often each row counts; once by default.
    rising : bool, default=False
        Let no probability fall where the value rises: slope <= 0. Where the data say otherwise,
        as values of held-out rows may, the optimum is the best constant.

    Returns
    -------
    Sigmoid

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", 1999. H.-T. Lin, C.-J. Lin and R. C. Weng, "A note on Platt's
    probabilistic outputs for support vector machines", Machine Learning 68, 2007.

    Examples
    --------
    >>> from svsieve.machines import fit_sigmoid
    >>> sigmoid = fit_sigmoid([-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], [-1, -1, -1, 1, 1, 1])
    >>> sigmoid.probability([-2.0, 2.0]).round(2)
    array([0.22, 0.78])
    """
    f = float_vector(values, "values")
    y = signs(labels, len(f), "fit_sigmoid")
    w = weights_per_row(weights, len(f))
    wrong = np.flatnonzero(~np.isfinite(f))
    if len(wrong):
        raise ValueError(f"values must be finite. Row {wrong[0]} has {f[wrong[0]]}.")
    used = w > 0
    if not used.any():
        raise ValueError("fit_sigmoid needs a row with weight. Got none.")
    f, targets, w = f[used], smoothed_targets(y[used], w[used]), w[used]
    # The fit does not depend on unit and origin of the values: centred and of size one they give
    # a Hessian that can be inverted.
    centre = float(f.min() / 2 + f.max() / 2)
    size = float(np.abs(f - centre).max())
    constant = Sigmoid(0.0, -float(logit(np.average(targets, weights=w))))
    if size == 0.0:
        return constant
    slope, offset = _newton((f - centre) / size, targets, w)
    if rising and slope > 0:
        return constant
    return Sigmoid(slope / size, offset - slope * (centre / size))


def _newton(f: FloatArray, targets: FloatArray, w: FloatArray) -> tuple[float, float]:
    """Minimise the cross-entropy over (slope, offset) by Newton steps, halved until they descend.

    The descent starts at the best constant probability.
    """
    line = np.column_stack([f, np.ones_like(f)])
    theta = np.array([0.0, -logit(np.average(targets, weights=w))])
    loss = _cross_entropy(line @ theta, targets, w)
    for _ in range(MAX_STEPS):
        p = expit(-(line @ theta))
        gradient = (w * (targets - p)) @ line
        if np.abs(gradient).max() <= SMALL_GRADIENT * w.sum():
            break
        hessian = (line * (w * p * (1 - p))[:, None]).T @ line
        hessian[np.diag_indices(2)] *= 1 + 1e-12
        direction = np.linalg.solve(hessian, -gradient)
        descent = float(gradient @ direction)
        share = 1.0
        while True:
            trial = theta + share * direction
            trial_loss = _cross_entropy(line @ trial, targets, w)
            if trial_loss <= loss + SUFFICIENT_DECREASE * share * descent + ROUNDING * abs(loss):
                break
            share /= 2
            if share < 1e-10:  # the loss is flat to its last digit
                return float(theta[0]), float(theta[1])
        theta, loss = trial, trial_loss
    return float(theta[0]), float(theta[1])


def _cross_entropy(z: FloatArray, targets: FloatArray, w: FloatArray) -> float:
    """Return the loss at z = slope f + offset: sum_k w_k [ t_k z_k + ln(1 + exp(-z_k)) ].

    ln(1 + e^u) is max(u, 0) + ln(1 + e^-|u|), which neither overflows nor loses small terms.
    """
    return float(w @ (targets * z + np.logaddexp(0.0, -z)))
