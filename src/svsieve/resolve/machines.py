"""Short names of kernels and machines."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from svsieve.kernels import Kernel, Laplace, Linear, PerFeature, Polynomial, Rbf
from svsieve.kernels.gamma import Gamma
from svsieve.machines import CSvm, L2Svm
from svsieve.resolve.options import (
    check_integer,
    check_option,
    check_real,
    listed,
    number,
    refusal,
)

KERNELS: Mapping[str, Callable[[Gamma, int, float], Kernel]] = {
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree=degree, gamma=gamma, coef0=coef0),
    "rbf": lambda gamma, degree, coef0: Rbf(gamma=gamma),
    "laplace": lambda gamma, degree, coef0: Laplace(gamma=gamma),
}

MACHINES: Mapping[str, Callable[[float], CSvm | L2Svm]] = {"l1": CSvm, "l2": L2Svm}


def resolve_kernel(
    kernel: Any,
    *,
    gamma: float | str | PerFeature = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    owner: str = "SVC",
) -> Kernel:
    """Return the kernel object that a short name stands for; an object is taken as it is.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "laplace"} or Kernel
        A short name, or an object of :mod:`svsieve.kernels`. An object carries its own
        parameters: `gamma`, `degree` and `coef0` are then not used.
    gamma : float, PerFeature, "scale" or "auto", default="scale"
        Factor of the pairing; "auto" is ``PerFeature(1.0)``, one over the number of columns.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly", not negative.
    owner : str, default="SVC"
        Whose parameters these are, for the messages.

    Returns
    -------
    Kernel
        The kernel object, its gamma not yet bound to data.

    Examples
    --------
    >>> from svsieve.resolve import resolve_kernel
    >>> resolve_kernel("rbf", gamma=0.5).gamma
    0.5
    """
    bound = _gamma(gamma, owner)
    degree = check_integer(owner, "degree", degree, at_least=1)
    coef0 = check_real(owner, "coef0", coef0, at_least=0.0)
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise refusal(
            owner,
            "kernel",
            f"{listed(KERNELS)}, or a kernel object such as svsieve.kernels.Rbf(gamma=0.5)",
            kernel,
            "Precomputed matrices and callables are not taken; a kernel of your own is a "
            "subclass of svsieve.kernels.PairingKernel.",
        )
    return KERNELS[kernel](bound, degree, coef0)


def resolve_machine(slack: str, C: float, *, owner: str = "SVC") -> CSvm | L2Svm:
    """Return the support vector machine with the given penalty of the slacks.

    Parameters
    ----------
    slack : {"l1", "l2"}
        Penalty ``C * sum(xi)`` or ``C / 2 * sum(xi ** 2)``.
    C : float
        Strength of the penalty; ``C=inf`` is the hard margin.
    owner : str, default="SVC"
        Whose parameters these are, for the messages.

    Returns
    -------
    CSvm or L2Svm
        The machine.

    Examples
    --------
    >>> from svsieve.resolve import resolve_machine
    >>> resolve_machine("l2", 10.0)
    L2Svm(C=10.0)
    """
    check_option(owner, "slack", slack, MACHINES)
    C = check_real(owner, "C", C, above=0.0, infinite=True)
    return MACHINES[slack](C)


def _gamma(gamma: Any, owner: str) -> Gamma:
    if isinstance(gamma, PerFeature):
        return gamma
    if isinstance(gamma, str):
        if gamma == "scale":
            return "scale"
        if gamma == "auto":
            return PerFeature(1.0)
    elif 0 < number(gamma) < math.inf:
        return number(gamma)
    raise refusal(
        owner,
        "gamma",
        "'scale', 'auto', a svsieve.kernels.PerFeature or a float in (0, inf)",
        gamma,
    )
