"""Short names become parts: the one place that knows which string means which kernel or machine.

Every refusal names the option, what is allowed and what was given, so that estimators and
commands can call these functions first and compute afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from svsieve.kernels import Kernel, Laplace, Linear, PerFeature, Polynomial, Rbf
from svsieve.kernels.gamma import Gamma
from svsieve.machines import CSvm, L2Svm

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
        raise _refusal(
            owner,
            "kernel",
            f"{_listed(KERNELS)}, or a kernel object such as svsieve.kernels.Rbf(gamma=0.5)",
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
        Strength of the penalty. ``slack="l2"`` with ``C=inf`` is the hard margin.
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
    C = check_real(owner, "C", C, above=0.0, infinite=slack == "l2")
    return MACHINES[slack](C)


def check_real(
    owner: str,
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    infinite: bool = False,
) -> float:
    """Return `value` as a float within the limits, finite unless `infinite` is allowed."""
    number = _number(value)
    if not (number > above and number >= at_least and (infinite or number < math.inf)):
        opening = f"({above:g}" if above >= at_least else f"[{at_least:g}"
        raise _refusal(owner, name, f"a float in {opening}, inf{']' if infinite else ')'}", value)
    return number


def check_integer(owner: str, name: str, value: Any, *, at_least: int) -> int:
    """Return `value` as an int that is not below `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
        raise _refusal(owner, name, f"an int in [{at_least}, inf)", value)
    return int(value)


def check_option(owner: str, name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value`, one of the strings in `allowed`."""
    options = list(allowed)
    if not isinstance(value, str) or value not in options:
        raise _refusal(owner, name, _listed(options), value)
    return value


def check_flag(owner: str, name: str, value: Any) -> bool:
    """Return `value`, true or false."""
    if not isinstance(value, bool | np.bool_):
        raise _refusal(owner, name, "True or False", value)
    return bool(value)


def _gamma(gamma: Any, owner: str) -> Gamma:
    if isinstance(gamma, PerFeature):
        return gamma
    if isinstance(gamma, str):
        if gamma == "scale":
            return "scale"
        if gamma == "auto":
            return PerFeature(1.0)
    elif 0 < _number(gamma) < math.inf:
        return _number(gamma)
    raise _refusal(
        owner,
        "gamma",
        "'scale', 'auto', a svsieve.kernels.PerFeature or a float in (0, inf)",
        gamma,
    )


def _number(value: Any) -> float:
    """Return `value` as a float; NaN, which lies in no interval, if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    return float(value)


def _listed(options: Iterable[str]) -> str:
    return "one of " + ", ".join(repr(option) for option in options)


def _refusal(owner: str, name: str, allowed: str, value: Any, hint: str = "") -> ValueError:
    message = f"The {name!r} parameter of {owner} must be {allowed}. Got {value!r} instead."
    return ValueError(f"{message} {hint}".rstrip())
