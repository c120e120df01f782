"""What can be asked of an analysis, checked before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve.elimination import Fraction
from svsieve.estimators.svc import SVC
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.resolve import check_flag, check_integer, check_option, resolve_schedule
from svsieve.selection import Rule
from svsieve.selection.fold_scores import resolve_metrics
from svsieve.selection.rules import resolve_rule

LABELS = {
    "linear": "linear SVM",
    "rbf": "Gaussian SVM",
    "poly": "polynomial SVM",
    "laplace": "Laplace SVM",
}
# Up to so many columns a machine with a kernel drops them one at a time, beyond that a share of
# those that remain: the scores of a step cost rows x rows x columns. So does any machine on sparse
# rows, where a step costs some passes over the table.
ONE_AT_A_TIME = 200
SHARE = 0.1


@dataclass(frozen=True)
class Settings:
    """What is asked of an analysis.

    Attributes
    ----------
    kernels : tuple of str
        One candidate each: "linear", "rbf", "poly", "laplace".
    C : float
    gamma : float or "scale"
    tune : bool
        C and gamma by the radius/margin bound, on the training rows of each outer fold.
    step : "auto", or as in :class:`SVMRFECV`
    rule : str or Rule
        What chooses the size, and between candidates.
    scoring : str
        Name of a metric.
    folds, inner_folds : int
        Folds to judge, and folds to choose by.
    keep : tuple of int
        Columns that are never dropped.
    seed : int
        Of the folds.

    Examples
    --------
    >>> from svsieve.estimators.analysing.settings import Settings
    >>> Settings(folds=1)
    Traceback (most recent call last):
    ValueError: The 'folds' parameter of analyse must be an int in [2, inf). Got 1 instead.
    """

    kernels: tuple[str, ...] = ("linear", "rbf")
    C: float = 1.0
    gamma: Any = "scale"
    tune: bool = False
    step: Any = "auto"
    rule: Any = "one-se"
    scoring: str = "accuracy"
    folds: int = 5
    inner_folds: int = 5
    keep: tuple[int, ...] = field(default=())
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "analyse"
        for kernel in self.kernels:
            check_option(owner, "kernels", kernel, LABELS)
        if not self.kernels or len(set(self.kernels)) < len(self.kernels):
            raise ValueError(
                "The 'kernels' parameter of analyse must name at least one kernel, and none twice. "
                f"Got {self.kernels!r} instead."
            )
        check_flag(owner, "tune", self.tune)
        for name in ("folds", "inner_folds"):
            check_integer(owner, name, getattr(self, name), at_least=2)
        check_integer(owner, "seed", self.seed, at_least=0)
        resolve_metrics(self.scoring, SVC(), owner=owner)
        resolve_rule(self.rule, owner=owner)
        if self.step != "auto":
            resolve_schedule(self.step, owner=owner)
        for kernel in self.kernels:
            self.selector(kernel, 1)._check_parameters()

    @property
    def resolved_rule(self) -> Rule:
        """The rule as an object."""
        return resolve_rule(self.rule, owner="analyse")

    def machine(self, kernel: str, *, sparse: bool = False) -> Pipeline:
        """Return a scaler and a machine; zeros of sparse tables stay zeros."""
        scaler = StandardScaler(with_mean=not sparse)
        slack = "l2" if self.tune else "l1"  # the bound is made for squared slacks
        return make_pipeline(scaler, SVC(kernel=kernel, C=self.C, gamma=self.gamma, slack=slack))

    def selector(
        self, kernel: str, n_columns: int, *, cv: Any = None, sparse: bool = False
    ) -> SVMRFECV:
        """Return the selector of one candidate, not fitted."""
        return SVMRFECV(
            self.machine(kernel, sparse=sparse),
            step=self.steps(kernel, n_columns, sparse=sparse),
            # With a kernel, leaving a column out whole says little once few are left.
            criterion="weight" if kernel == "linear" else "weight-first-order",
            cv=self.inner_folds if cv is None else cv,
            scoring=self.scoring,
            rule=self.rule,
            keep=list(self.keep) or None,
        )

    def steps(self, kernel: str, n_columns: int, *, sparse: bool = False) -> Any:
        """Return how many columns go at a time."""
        if self.step != "auto":
            return self.step
        quick = kernel == "linear" and not sparse
        return 1 if quick or n_columns <= ONE_AT_A_TIME else Fraction(SHARE)
