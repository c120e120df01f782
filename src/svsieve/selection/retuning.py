"""Tuning C and the parameters of the kernel inside an elimination, by a bound that is cheap."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.parts import Retune as RetunePart
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Kernel
from svsieve.kernels.gamma import ColumnMoments
from svsieve.machines import CSvm, L2Svm, Machine
from svsieve.resolve import refusal
from svsieve.resolve.fitting import on_columns
from svsieve.resolve.options import has_method, is_integer
from svsieve.selection.objectives import Judge, Objective, RadiusMargin, Span
from svsieve.selection.optimise import descend
from svsieve.selection.search_function import SearchFunction
from svsieve.selection.search_space import SearchSpace


@dataclass(frozen=True)
class Retune:
    """Tune C and the parameters of the kernel every few steps of an elimination.

    Every tuning begins with the machine and the kernel that the elimination was given, a gamma rule
    evaluated on the columns left, and descends the objective on these columns: about ten trainings.

    Parameters
    ----------
    every : int, default=10
        Steps from one tuning to the next; the first is before the first step.
    objective : Objective, default=Span()
        What descends, an object of :mod:`svsieve.selection.objectives` that has slopes. The
        radius/margin bound is a poor choice while most columns are noise: it is then smallest for
        machines that tell nothing apart. With it, C stays what it is if slack is linear.
    max_evaluations : int, default=20
        Of the objective, in one tuning.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVC, SVMRFE, Retune
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 12))
    >>> y = X[:, 3] * X[:, 7] > 0
    >>> SVMRFE(
    ...     SVC(slack="l2"), n_features_to_select=2, retune=Retune(every=4)
    ... ).fit(X, y).get_support(indices=True)
    array([3, 7])
    """

    every: int = 10
    objective: Objective = field(default_factory=Span)
    max_evaluations: int = 20

    def __post_init__(self) -> None:
        for name in ("every", "max_evaluations"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise ValueError(
                    f"{name} of Retune must be a whole number of at least 1. Got {value!r} instead."
                )
        if not getattr(self.objective, "has_slopes", False):
            raise ValueError(
                "objective of Retune must have slopes, as Span() does. "
                f"Got {self.objective!r} instead."
            )

    def tune(self, data: Data, parts: Parts, kept: IndexArray) -> tuple[Machine, Kernel]:
        """Return the machine and the kernel for some columns.

        Parameters
        ----------
        data : Data
        parts : Parts
            Its machine and kernel are where the descent begins.
        kept : ndarray of int
            The columns.

        Returns
        -------
        tuple of machine and kernel
        """
        machine = parts.machine
        if not isinstance(machine, CSvm | L2Svm) or parts.bias is not None:
            raise IncompatiblePartsError(
                f"{self!r} tunes CSvm and L2Svm without a penalised bias, not {machine!r} with "
                f"bias={parts.bias!r}."
            )
        moments = ColumnMoments(data.X, data.row_weights)
        space = self._space(machine, parts.kernel.bind_to(moments, kept), len(kept))
        if not len(space.start) or (space.lower == space.upper).all():
            raise IncompatiblePartsError(
                f"{self!r} finds nothing to tune: {parts.kernel!r} has no parameter, and the C of "
                f"{machine!r} stays. Use slack='l2' with a finite C, or another kernel."
            )
        judges = [
            Judge(
                self.objective,
                (data.X if task.rows is None else data.X[task.rows])[:, kept],
                task.labels,  # type: ignore[arg-type]
                weights=task.weights,
            )
            for task in data.tasks
        ]

        # A kernel may have weights of all columns; the judges see those kept.
        seen = replace(space, kernel=on_columns(space.kernel, kept))
        best = descend(
            SearchFunction(seen, judges, self.objective),
            [space.start],
            space.lower,
            space.upper,
            max_evaluations=self.max_evaluations,
        ).best
        return space.parts(best.point)

    def _space(self, machine: CSvm | L2Svm, kernel: Kernel, n_columns: int) -> SearchSpace:
        stays = isinstance(machine, CSvm) and isinstance(self.objective, RadiusMargin)
        # The C of a hard margin is not varied, whatever the slack.
        bounds = {"C": (machine.C, machine.C)} if stays and math.isfinite(machine.C) else None
        return SearchSpace.around(machine, kernel, n_columns, bounds=bounds)


def resolve_retune(retune: Any, *, owner: str = "SVMRFE") -> RetunePart | None:
    """Return what tunes machine and kernel inside an elimination; None: nothing does.

    Parameters
    ----------
    retune : None, int or object
        A number of steps stands for ``Retune(every=...)``.
    owner : str, default="SVMRFE"
        Whose parameter this is, for the messages.

    Examples
    --------
    >>> from svsieve.selection.retuning import resolve_retune
    >>> resolve_retune(5)
    Retune(every=5, objective=Span(), max_evaluations=20)
    """
    if retune is None:
        return None
    if is_integer(retune) and int(retune) >= 1:
        return Retune(every=int(retune))
    if has_method(retune, "tune") and hasattr(retune, "every"):
        return retune  # type: ignore[no-any-return]
    raise refusal(
        owner,
        "retune",
        "None, a positive number of steps, or an object with every and tune(data, parts, kept), "
        "such as svsieve.Retune(every=10)",
        retune,
    )
