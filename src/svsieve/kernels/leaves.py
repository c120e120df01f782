"""The kernels that come with the library, each a profile over a pairing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.kernels.gamma import Gamma
from svsieve.kernels.kernel import PairingKernel
from svsieve.native import core


@dataclass(frozen=True)
class Linear(PairingKernel):
    """k(x, z) = sum_j w_j x_j z_j.

    Parameters
    ----------
    weights : array-like of shape (n_columns,), optional
        Non-negative weight of each column; ones by default.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> Linear().gram(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([[5., 6.],
           [6., 9.]])
    """

    pairing: ClassVar[str] = "product"
    weights: Any = None

    def value(self, s: FloatArray) -> FloatArray:
        """Return s."""
        return s

    def slope(self, s: FloatArray) -> FloatArray:
        """Return 1."""
        return np.ones_like(s)

    def param_slopes(self, s: FloatArray) -> dict[str, FloatArray]:
        """Return nothing: there are no parameters."""
        return {}

    def native(self) -> core.Profile:
        """Return the identity."""
        return core.Profile(core.ProfileKind.IDENTITY)


@dataclass(frozen=True)
class Polynomial(PairingKernel):
    """k(x, z) = (gamma s + coef0)^degree with s = sum_j w_j x_j z_j.

    Parameters
    ----------
    degree : int, default=3
        At least 1.
    gamma : float, PerFeature or "scale", default=1.0
    coef0 : float, default=0.0
        The kernel is positive semi-definite, and its machines have one solution, if this is not
        negative.
    weights : array-like of shape (n_columns,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Polynomial
    >>> Polynomial(degree=2, coef0=1.0).gram(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    pairing: ClassVar[str] = "product"
    degree: int = 3
    gamma: Gamma = 1.0
    coef0: float = 0.0
    weights: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        is_number = isinstance(self.degree, (int, float, np.integer, np.floating))
        if not is_number or isinstance(self.degree, bool) or self.degree % 1 or self.degree < 1:
            raise ValueError(
                f"degree of Polynomial must be a whole number of at least 1. Got {self.degree!r}."
            )
        object.__setattr__(self, "degree", int(self.degree))
        if not np.isfinite(self.coef0):
            raise ValueError(f"coef0 of Polynomial must be finite. Got {self.coef0!r}.")

    def value(self, s: FloatArray) -> FloatArray:
        """Return (gamma s + coef0)^degree."""
        return np.power(self.gamma_number() * s + self.coef0, self.degree)

    def slope(self, s: FloatArray) -> FloatArray:
        """Return gamma degree (gamma s + coef0)^(degree - 1)."""
        return self.gamma_number() * self.param_slopes(s)["coef0"]

    def param_slopes(self, s: FloatArray) -> dict[str, FloatArray]:
        """Return the derivatives in ln gamma and in coef0."""
        base = self.gamma_number() * s + self.coef0
        by_coef0 = self.degree * np.power(base, self.degree - 1)
        return {"log_gamma": by_coef0 * (base - self.coef0), "coef0": by_coef0}

    def native(self) -> core.Profile:
        """Return the power profile."""
        return core.Profile(core.ProfileKind.POWER, self.gamma_number(), self.coef0, self.degree)


class _Exponential(PairingKernel):
    """phi(s) = exp(-gamma s), shared by the kernels on differences."""

    gamma: Gamma

    def value(self, s: FloatArray) -> FloatArray:
        """Return exp(-gamma s)."""
        return np.exp(-self.gamma_number() * s)

    def slope(self, s: FloatArray) -> FloatArray:
        """Return -gamma exp(-gamma s)."""
        return -self.gamma_number() * self.value(s)

    def param_slopes(self, s: FloatArray) -> dict[str, FloatArray]:
        """Return the derivative in ln gamma."""
        return {"log_gamma": s * self.slope(s)}

    def native(self) -> core.Profile:
        """Return the exponential profile."""
        return core.Profile(core.ProfileKind.EXPONENTIAL, self.gamma_number())


@dataclass(frozen=True)
class Rbf(_Exponential):
    """k(x, z) = exp(-gamma sum_j w_j (x_j - z_j)^2), the Gaussian kernel.

    Parameters
    ----------
    gamma : float, PerFeature or "scale", default=1.0
        1 / (2 sigma^2).
    weights : array-like of shape (n_columns,), optional
        With ``gamma=1`` they are a gamma per column.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Rbf
    >>> Rbf(gamma=0.5).gram(np.array([[0.0], [2.0]]))
    array([[1.        , 0.13533528],
           [0.13533528, 1.        ]])
    """

    pairing: ClassVar[str] = "squared-difference"
    gamma: Gamma = 1.0
    weights: Any = None


@dataclass(frozen=True)
class Laplace(_Exponential):
    """``k(x, z) = exp(-gamma sum_j w_j |x_j - z_j|)``.

    Parameters
    ----------
    gamma : float, PerFeature or "scale", default=1.0
    weights : array-like of shape (n_columns,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Laplace
    >>> Laplace(gamma=0.5).gram(np.array([[0.0], [2.0]]))
    array([[1.        , 0.36787944],
           [0.36787944, 1.        ]])
    """

    pairing: ClassVar[str] = "absolute-difference"
    gamma: Gamma = 1.0
    weights: Any = None
