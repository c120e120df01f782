"""Kernels on scaled columns: K(v) = k(v * x, v * z) as a kernel on the columns as they are."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector
from svsieve.kernels.kernel import Kernel, PairingKernel


def scaled_kernel(kernel: Kernel, factors: npt.ArrayLike) -> Kernel:
    """Return the kernel that sees each column multiplied by a factor.

    Parameters
    ----------
    kernel : Kernel
        Composed kernels scale the columns of all their parts.
    factors : array-like of shape (n_columns,)
        Not negative; zero leaves a column out. What the kernel's own weights do comes on top.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from svsieve.kernels import Rbf, scaled_kernel
    >>> scaled_kernel(Rbf(gamma=0.5), [1.0, 3.0, 0.0])
    Rbf(gamma=0.5, weights=(1.0, 9.0, 0.0))
    """
    v = float_vector(factors, "factors")
    if not isinstance(kernel, PairingKernel):
        return kernel.with_children([scaled_kernel(child, v) for child in kernel.children])
    part: Any = kernel
    if "weights" not in {field.name for field in fields(part)}:
        raise ValueError(
            f"{type(kernel).__name__} cannot scale columns: a kernel that does has a field "
            "'weights', one number per column."
        )
    weights = _as_weights(kernel, v)
    if kernel.weights is not None:
        weights = weights * float_vector(kernel.weights, "weights", len(v))
    scaled: Kernel = replace(part, weights=tuple(weights.tolist()))
    return scaled


def _as_weights(kernel: PairingKernel, v: FloatArray) -> FloatArray:
    """Weights multiply the pairing: products and squares of columns take factors squared."""
    return v if kernel.pairing == "absolute-difference" else np.square(v)
