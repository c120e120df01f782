"""One objective on fixed rows, called with one machine and kernel after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from svsieve.arrays import FloatArray, Table, float_table
from svsieve.kernels import Kernel, KernelState
from svsieve.machines import CSvm, L2Svm
from svsieve.machines.classifiers import signs, weights_per_row
from svsieve.selection.objectives.trial import HeldOut, Judgement, NoValueError, Objective, Trial


class Judge:
    """Values of one objective on fixed rows: keeps warm starts between calls, counts trainings.

    Parameters
    ----------
    objective : Objective
        Such as `RadiusMargin()`.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    labels : array-like of +1 and -1, one per row
    weights : array-like of shape (n_rows,), optional
        Factors of C; a row of weight 2 counts as two rows.
    held_out : tuple (X, labels) or (X, labels, weights), optional
        Rows to judge on, for objectives that need them. By default such an objective holds out a
        share of the rows of `X`.
    counts : ndarray of shape (n_rows,), optional
        How many rows each row stands for, the rows of a class at one place being one (see
        `left_out.merged`). Judgements then carry the margin of each row with one of them left out.
        For objectives that tell.
    tol : float, default=1e-8
        KKT gap of all solutions. Slopes of less precise ones are those of the solver.

    Attributes
    ----------
    n_trainings : int
        Support vector machines solved so far; smallest spheres are not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Rbf
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import Judge, RadiusMargin
    >>> X, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, -1, 1, 1]
    >>> judge = Judge(RadiusMargin(), X, labels)
    >>> found = judge(L2Svm(C=10.0), Rbf(gamma=0.5))
    >>> round(found.value, 6), round(found.log_C, 6), round(found.params["log_gamma"], 6)
    (0.604382, 0.04337, -0.202299)
    """

    def __init__(
        self,
        objective: Objective,
        X: Table,
        labels: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        held_out: tuple[Any, ...] | None = None,
        counts: FloatArray | None = None,
        tol: float = 1e-8,
    ) -> None:
        self.objective, self.counts, self.tol = objective, counts, tol
        self.n_trainings = 0
        table = float_table(X)
        y = signs(labels, table.shape[0], type(self).__name__)
        given = None if weights is None else weights_per_row(weights, len(y))
        self._memory: dict[Any, dict[str, Any]] = {}
        self._held_out: HeldOut | None = None
        if getattr(objective, "needs_held_out", False):
            table, y, given = self._set_aside(table, y, given, held_out)
        self._X, self._labels, self._weights = table, y, given

    @property
    def weights(self) -> FloatArray:
        """How much each row counts that machines are trained on."""
        return weights_per_row(self._weights, len(self._labels))

    def __call__(self, machine: CSvm | L2Svm, kernel: Kernel, *, slopes: bool = False) -> Judgement:
        """Return the objective's value and slopes.

        Parameters
        ----------
        machine : CSvm or L2Svm
            It carries C.
        kernel : Kernel
            Its gammas as numbers (see `Kernel.bind`).
        slopes : bool, default=False
            Whether to compute the slopes in the scales of the columns.

        Returns
        -------
        Judgement
            Infinite, without slopes, where the objective has no value: a hard margin on rows that
            cannot be separated, a kernel that overflows.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            state = KernelState(kernel, self._X)
            trial = Trial(
                machine,
                state,
                self._labels,
                self._weights,
                held_out=self._held_out,
                slopes=slopes,
                counts=self.counts,
                tol=self.tol,
                memory=self._memory,
            )
            try:
                return self.objective.judge(trial)
            except NoValueError:
                return Judgement(np.inf)
            finally:
                self.n_trainings += trial.n_trainings

    def _set_aside(
        self,
        X: Table,
        labels: FloatArray,
        weights: FloatArray | None,
        held_out: tuple[Any, ...] | None,
    ) -> tuple[Table, FloatArray, FloatArray | None]:
        """Stack the rows held out below the others; return the table, and what is trained on."""
        if held_out is None:
            train, rest = self.objective.split(labels)  # type: ignore[attr-defined]
            other, other_labels = X[rest], labels[rest]
            other_weights = None if weights is None else weights[rest]
            X, labels = X[train], labels[train]
            weights = None if weights is None else weights[train]
        else:
            other = float_table(held_out[0], "X of held_out")
            if other.shape[1] != X.shape[1]:
                raise ValueError(
                    f"X of held_out must have {X.shape[1]} columns, as X has. "
                    f"Got {other.shape[1]} instead."
                )
            other_labels = signs(held_out[1], other.shape[0], "held_out")
            other_weights = held_out[2] if len(held_out) > 2 else None
        rows = np.arange(len(labels), len(labels) + other.shape[0])
        counted = weights_per_row(other_weights, len(rows))
        self._held_out = HeldOut(rows, np.asarray(other_labels), counted)
        if not counted.sum() > 0:
            raise ValueError("The rows held out must have a weight; all of theirs are 0.")
        stack = sparse.vstack if sparse.issparse(X) or sparse.issparse(other) else np.vstack
        return float_table(stack([X, other])), labels, weights
