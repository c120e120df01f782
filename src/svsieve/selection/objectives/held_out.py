"""What the objectives that judge on held-out rows share.

A value T(f) of the decision values f on held-out rows, e = dT/df, depends on the kernel K among the
training rows through the trained coefficients u, and on the kernel K_v between held-out and
training rows directly:

    dT = <e u', dK_v> + what training again does,

the latter with the slopes K_v' e in u and sum(e) in the bias. Both terms together are one pair
weight over the training rows followed by those held out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.model_selection import train_test_split

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.span_geometry import Supports
from svsieve.kernels import PairWeights
from svsieve.selection.objectives.sensitivity import response
from svsieve.selection.objectives.trial import HeldOut, Judgement, Trial

# From decision values to a value and its slopes in them.
ErrorOfValues = Callable[[FloatArray, HeldOut], tuple[float, FloatArray]]


def judge_held_out(trial: Trial, error: ErrorOfValues) -> Judgement:
    """Return an error on the held-out rows and its slopes, the machine trained again."""
    held_out = trial.held_out
    if held_out is None:
        raise ValueError("this objective needs rows held out. Got none.")
    context = trial.trained()
    supports = Supports.of(context.problem, context.solution)
    K = trial.state.gram()[np.ix_(held_out.rows, supports.rows)]
    value, by_values = error(K @ supports.u + context.solution.offset, held_out)

    through = response(context, supports, K.T @ by_values, float(by_values.sum()))
    n = len(supports.rows)
    full = np.zeros((n + len(by_values), n + len(by_values)))
    full[:n, :n] = through.pair_weights()
    full[n:, :n] = 0.5 * np.multiply.outer(by_values, supports.u)
    full[:n, n:] = full[n:, :n].T
    M = PairWeights(np.concatenate([supports.rows, held_out.rows]), None, full)
    return trial.judgement(value, through.log_C, M)


def stratified_split(
    labels: FloatArray, share: float, seed: int, owner: str
) -> tuple[IndexArray, IndexArray]:
    """Return ascending rows to train on and rows to judge on, with the classes in proportion."""
    fewest = int(min((labels > 0).sum(), (labels < 0).sum()))
    if fewest < 2:
        raise ValueError(
            f"{owner} holds out rows of both classes and needs at least two of each. "
            f"Got a class of {fewest} instead."
        )
    n = len(labels)
    count = min(max(round(share * n), 2), n - 2)
    train, rest = train_test_split(
        np.arange(n), test_size=count, random_state=seed, stratify=labels
    )
    return np.sort(train), np.sort(rest)


def check_share(share: float, owner: str) -> None:
    """Refuse shares of rows that are not between 0 and 1."""
    if not 0.0 < share < 1.0:
        raise ValueError(f"share of {owner} must lie in (0, 1). Got {share!r} instead.")
