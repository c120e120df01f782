"""The parameters of a kernel by name: reading them, and the same kernel with others.

Names are those of `KernelState.contract_params`: "log_gamma", "coef0"; in a composed kernel with
the position of the part before them, "0.log_gamma", and "0.log_coefficient" for the terms of a sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from svsieve.kernels.composite import Sum
from svsieve.kernels.kernel import Kernel, PairingKernel

LOG = "log_"


def parameters_of(kernel: Kernel, prefix: str = "") -> dict[str, float]:
    """Return the parameters of a kernel by name; those named "log_..." as logarithms.

    Parameters
    ----------
    kernel : Kernel
        Its gammas as numbers.
    prefix : str, default=""
        What names begin with.

    Examples
    --------
    >>> from svsieve.kernels import Linear, Rbf
    >>> from svsieve.kernels.parameters import parameters_of
    >>> parameters_of(Rbf(gamma=1.0) + Linear())
    {'0.log_coefficient': 0.0, '0.log_gamma': 0.0, '1.log_coefficient': 0.0}
    """
    if isinstance(kernel, PairingKernel):
        names = kernel.param_slopes(np.zeros(1))
        return {prefix + name: _value(kernel, name) for name in names}
    found: dict[str, float] = {}
    for position, child in enumerate(kernel.children):
        place = f"{prefix}{position}."
        if isinstance(kernel, Sum):
            found[f"{place}{LOG}coefficient"] = _log(kernel.factors[position])
        found |= parameters_of(child, place)
    return found


def with_parameters(kernel: Kernel, values: Mapping[str, float], prefix: str = "") -> Kernel:
    """Return the kernel with the parameters named; the others stay.

    Examples
    --------
    >>> from svsieve.kernels import Polynomial
    >>> from svsieve.kernels.parameters import with_parameters
    >>> with_parameters(Polynomial(degree=2, gamma=3.0), {"log_gamma": 0.0, "coef0": 0.5})
    Polynomial(degree=2, gamma=1.0, coef0=0.5, weights=None)
    """
    if isinstance(kernel, PairingKernel):
        own = {
            name.removeprefix(LOG): math.exp(values[prefix + name])
            if name.startswith(LOG)
            else float(values[prefix + name])
            for name in kernel.param_slopes(np.zeros(1))
            if prefix + name in values
        }
        leaf: Any = kernel
        changed: Kernel = replace(leaf, **own) if own else kernel
        return changed
    places = [f"{prefix}{position}." for position in range(len(kernel.children))]
    children = [
        with_parameters(child, values, place)
        for child, place in zip(kernel.children, places, strict=True)
    ]
    if not isinstance(kernel, Sum):
        return kernel.with_children(children)
    coefficients = [
        math.exp(values[f"{place}{LOG}coefficient"])
        if f"{place}{LOG}coefficient" in values
        else factor
        for place, factor in zip(places, kernel.factors, strict=True)
    ]
    return Sum(tuple(children), tuple(coefficients))


def _value(kernel: PairingKernel, name: str) -> float:
    if name == f"{LOG}gamma":
        return math.log(kernel.gamma_number())
    value = float(getattr(kernel, name.removeprefix(LOG)))
    return _log(value) if name.startswith(LOG) else value


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
