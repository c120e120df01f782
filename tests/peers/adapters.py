"""Classes of svsieve under the names and parameters of the classes of scikit-learn.

An adapter renames parameters and nothing else; what svsieve does otherwise stays visible and is
explained in the table. Two things stand in for what scikit-learn's tests bring along: `linear_svc`
for their classifiers that are no support vector machine, so that the selector around them is tried
all the same, and `StepSelector` for the selector that `test_base.py` makes up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import OneClassSVM as PeerOneClassSVM

import svsieve
from svsieve import SVMRFE, SVMRFECV, OneClassSVC, schedules


class Adapter:
    """Counts the objects made, which tells what a test has to do with svsieve."""

    made = 0

    def __new__(cls, *_: Any, **__: Any) -> Any:
        Adapter.made += 1
        return super().__new__(cls)


class SVC(Adapter, svsieve.SVC):
    pass


class OneClassSVM(Adapter, OneClassSVC):
    pass


class RFE(Adapter, SVMRFE):
    def __init__(
        self,
        estimator: Any,
        *,
        n_features_to_select: Any = None,
        step: Any = 1,
        verbose: int = 0,
        importance_getter: Any = "auto",
    ) -> None:
        refuse_getter(importance_getter)
        progress = bool(verbose)
        size = n_features_to_select
        super().__init__(estimator, n_features_to_select=size, step=drop(step), progress=progress)
        self.verbose, self.importance_getter = verbose, importance_getter


class RFECV(Adapter, SVMRFECV):
    def __init__(
        self,
        estimator: Any,
        *,
        step: Any = 1,
        min_features_to_select: int = 1,
        cv: Any = None,
        scoring: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        importance_getter: Any = "auto",
    ) -> None:
        refuse_getter(importance_getter)
        super().__init__(
            estimator,
            step=drop(step),
            min_features_to_select=min_features_to_select,
            cv=5 if cv is None else cv,
            scoring="accuracy" if scoring is None else scoring,
            n_jobs=n_jobs,
            progress=bool(verbose),
        )
        self.verbose, self.importance_getter = verbose, importance_getter


class StepSelector(Adapter, SVMRFE):
    """Keeps every `step`-th column, whatever the elimination says."""

    def __init__(self, step: int = 2) -> None:
        super().__init__(OneClassSVC("linear"))
        self.step = step

    def fit(self, X: Any, y: Any = None) -> StepSelector:
        self.keep = np.arange(0, np.shape(X)[1], self.step)
        self.n_features_to_select = len(self.keep)
        return super().fit(X, y)


def linear_svc(**_: Any) -> SVC:
    """Stand in for a classifier that is no support vector machine."""
    return SVC(kernel="linear")


def drop(step: Any) -> Any:
    """Return a step of scikit-learn, whose float is a share of the columns at first."""
    return schedules.FractionOfOriginal(step) if isinstance(step, float) else step


def refuse_getter(importance_getter: Any) -> None:
    if importance_getter != "auto":
        raise TypeError("importance_getter has no counterpart in svsieve.")


__all__ = ["IN_MODULES", "IN_TESTS", "Adapter", "PeerOneClassSVM", "PeerSVC"]

# In a module of scikit-learn, before it is imported by tests: name and adapter.
IN_MODULES = {
    "sklearn.svm": {"SVC": SVC, "OneClassSVM": OneClassSVM},
    "sklearn.feature_selection": {"RFE": RFE, "RFECV": RFECV},
}
# In the tests themselves, by file.
IN_TESTS = {
    "test_base.py": {"StepSelector": StepSelector},
    "test_rfe.py": dict.fromkeys(
        ("LogisticRegression", "MockClassifier", "RandomForestClassifier"), linear_svc
    ),
}
