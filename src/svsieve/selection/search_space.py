"""The numbers that a search varies, and the machine and kernel that they stand for.

A point holds ln C, the parameters of the kernel (gammas and the coefficients of sums as logarithms,
coef0 as it is) and, where columns are scaled, the logarithm of a factor for every column. What only
repeats another number is left out: one coefficient of every sum, which C stands for, and the gamma
of a kernel whose columns are all scaled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.kernels import Kernel, PairingKernel, scaled_kernel
from svsieve.kernels.parameters import LOG, parameters_of, with_parameters
from svsieve.machines import CSvm, L2Svm
from svsieve.selection.objectives import Judgement

# How far numbers may go, in natural logarithms: C from one, the others from where they start.
MOST_LOG_C = 12.0
MOST_LOG_PARAMETER = 9.0
MOST_LOG_SCALE = 7.0
# coef0, which may be zero, up to this or as many times its start.
MOST_COEF0 = 10.0

SCALE = "scale"
_PENALTY = f"{LOG}C"


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """A machine and a kernel, some numbers of which are varied.

    Attributes
    ----------
    machine : CSvm or L2Svm
    kernel : Kernel
        Both as they are at the start; gammas as numbers.
    names : tuple of str
        The numbers of a point that are not scales; those that begin with "log_" are logarithms.
    n_scales : int
        How many columns have a scale; 0 for none.
    start, lower, upper : ndarray
    """

    machine: CSvm | L2Svm
    kernel: Kernel
    names: tuple[str, ...]
    n_scales: int
    start: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def around(
        cls,
        machine: CSvm | L2Svm,
        kernel: Kernel,
        n_columns: int,
        *,
        scales: bool = False,
        bounds: Mapping[str, tuple[float, float]] | None = None,
    ) -> SearchSpace:
        """Return the space whose start is a machine and a kernel.

        Parameters
        ----------
        machine : CSvm or L2Svm
            The C of a hard margin is not varied.
        kernel : Kernel
            Its gammas as numbers.
        n_columns : int
        scales : bool, default=False
            Whether every column has a factor of its own.
        bounds : dict of str to (float, float), optional
            Lowest and highest value by name: "C", "gamma", "coef0", "0.gamma", "1.coefficient",
            and "scale" for the factors of the columns. Equal ones hold a number fixed.

        Examples
        --------
        >>> from svsieve.kernels import Rbf
        >>> from svsieve.machines import L2Svm
        >>> from svsieve.selection.search_space import SearchSpace
        >>> space = SearchSpace.around(L2Svm(C=1.0), Rbf(gamma=1.0), 3, bounds={"C": (0.1, 10.0)})
        >>> space.names, space.start
        (('log_C', 'log_gamma'), array([0., 0.]))
        >>> space.parts(space.start)
        (L2Svm(C=1.0), Rbf(gamma=1.0, weights=None))
        """
        given = {} if bounds is None else dict(bounds)
        values: dict[str, float] = {}
        if math.isfinite(machine.C):
            values[_PENALTY] = math.log(machine.C)
        values |= _varied(kernel, scales)
        sides = {name: _sides(name, value, given) for name, value in values.items()}
        n_scales = n_columns if scales else 0
        reach = given.pop(SCALE, None) if scales else None
        low, high = (-MOST_LOG_SCALE, MOST_LOG_SCALE) if reach is None else map(math.log, reach)
        if given:
            known = [public_name(name) for name in values] + [SCALE] * scales
            raise ValueError(
                f"bounds name {sorted(given)[0]!r}, which is not varied. "
                f"What is varied: {', '.join(known) or 'nothing'}."
            )
        return cls(
            machine,
            kernel,
            tuple(values),
            n_scales,
            np.array([*values.values(), *[min(max(0.0, low), high)] * n_scales]),
            np.array([*(side[0] for side in sides.values()), *[low] * n_scales]),
            np.array([*(side[1] for side in sides.values()), *[high] * n_scales]),
        )

    def parts(self, point: FloatArray) -> tuple[CSvm | L2Svm, Kernel]:
        """Return the machine and the kernel that a point stands for."""
        values = dict(zip(self.names, point.tolist(), strict=False))
        machine = self.machine
        if _PENALTY in values:
            machine = replace(machine, C=math.exp(values.pop(_PENALTY)))
        kernel = with_parameters(self.kernel, values)
        return machine, scaled_kernel(kernel, self.scales(point)) if self.n_scales else kernel

    def scales(self, point: FloatArray) -> FloatArray:
        """Return the factor of every column at a point."""
        return np.exp(point[len(self.names) :])

    def values(self, point: FloatArray) -> dict[str, float]:
        """Return the numbers of a point that are not scales, by their public names."""
        return {
            public_name(name): math.exp(value) if _is_log(name) else value
            for name, value in zip(self.names, point.tolist(), strict=False)
        }

    def slopes(self, judgement: Judgement) -> FloatArray | None:
        """Return the slopes of a judgement in the numbers of a point; None where it has none."""
        if not judgement.params and self.names != (_PENALTY,) and not self.n_scales:
            return None
        known = {_PENALTY: judgement.log_C, **judgement.params}
        found = np.array([known.get(name, math.nan) for name in self.names])
        if self.n_scales:
            if judgement.log_v is None:
                return None
            found = np.append(found, judgement.log_v)
        return found

    def unevenness(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the variance of the logarithms of the scales, and its slopes; 0 without scales."""
        slopes = np.zeros(len(point))
        if not self.n_scales:
            return 0.0, slopes
        scales = point[len(self.names) :]
        away = scales - scales.mean()
        slopes[len(self.names) :] = 2.0 / self.n_scales * away
        return float(away @ away) / self.n_scales, slopes

    def spread_starts(self, count: int, rng: np.random.RandomState) -> list[FloatArray]:
        """Return the start and others around it, drawn evenly up to a factor of 20 away."""
        reach = math.log(20.0)
        drawn = [self.start + rng.uniform(-reach, reach, len(self.start)) for _ in range(1, count)]
        return [self.start, *(np.clip(point, self.lower, self.upper) for point in drawn)]


def public_name(name: str) -> str:
    """Return a name without the mark of a logarithm: "0.log_gamma" is the logarithm of "0.gamma".

    Examples
    --------
    >>> from svsieve.selection.search_space import public_name
    >>> public_name("0.log_gamma")
    '0.gamma'
    """
    path, dot, last = name.rpartition(".")
    return f"{path}{dot}{last.removeprefix(LOG)}"


def _is_log(name: str) -> bool:
    return public_name(name) != name


def _varied(kernel: Kernel, scales: bool) -> dict[str, float]:
    """The parameters of a kernel that are varied, with their values."""
    found = {}
    fixed_sums = set()
    for name, value in parameters_of(kernel).items():
        path, _, last = name.rpartition(".")
        if last == f"{LOG}coefficient":
            owner = path.rpartition(".")[0]
            if not math.isfinite(value):
                continue  # a term without part in the sum
            if owner not in fixed_sums:
                fixed_sums.add(owner)
                continue
        elif last == f"{LOG}gamma" and scales and isinstance(kernel, PairingKernel):
            continue
        elif last != "coef0" and not last.startswith(LOG):
            continue  # a parameter of unknown range
        found[name] = value
    return found


def _sides(name: str, start: float, given: dict[str, tuple[float, float]]) -> tuple[float, float]:
    """The bounds of one number; those used are taken out of `given`."""
    sides = given.pop(public_name(name), None)
    if sides is not None:
        return (math.log(sides[0]), math.log(sides[1])) if _is_log(name) else sides
    if name == _PENALTY:
        return min(-MOST_LOG_C, start), max(MOST_LOG_C, start)
    if _is_log(name):
        return start - MOST_LOG_PARAMETER, start + MOST_LOG_PARAMETER
    return 0.0, MOST_COEF0 * max(1.0, start)
