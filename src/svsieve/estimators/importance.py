"""The criteria for scikit-learn's own selectors: importances of the columns of a fitted machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC as PeerSVC
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray
from svsieve.criteria import Combine, Context, Criterion
from svsieve.estimators.pairs import class_slices
from svsieve.estimators.specification import take_apart
from svsieve.estimators.svc import SVC
from svsieve.kernels import Kernel, KernelState, PairingKernel
from svsieve.machines import DualSolution
from svsieve.resolve import resolve_combination, resolve_criterion


@dataclass(frozen=True)
class Importance:
    """Scores of the columns of a fitted machine; made by :func:`importance`."""

    criterion: Criterion
    combine: Combine

    def __call__(self, estimator: Any) -> FloatArray:
        """Return one number per column that the machine was fitted on.

        Parameters
        ----------
        estimator : svsieve.SVC, sklearn.svm.SVC or Pipeline
            Fitted.

        Returns
        -------
        ndarray of shape (n_features_in_,)
        """
        while isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        if not isinstance(estimator, SVC | PeerSVC):
            raise TypeError(
                "importance() takes a fitted svsieve.SVC or scikit-learn SVC, or a Pipeline that "
                f"ends in one. Got {type(estimator).__name__} instead."
            )
        check_is_fitted(estimator, "support_vectors_")
        tables = [self.criterion.scores(context) for context in _contexts(estimator)]
        return self.combine(np.array(tables))


def importance(criterion: Any = "weight", combine: Any = "sum") -> Importance:
    """Return a function of a fitted SVC, of any kernel, that says what its columns are worth.

    It serves as the `importance_getter` of scikit-learn's RFE, RFECV and SelectFromModel, or alone.

    Parameters
    ----------
    criterion : {"weight", "weight-first-order"} or object, default="weight"
        As in :class:`svsieve.SVMRFE`. An object sees the support vectors only.
    combine : {"sum", "max", "cv", "mean-rank"} or Combine, default="sum"
        How the scores of several pairs of classes become one.

    Returns
    -------
    callable
        It takes the fitted estimator and returns one number per column.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import RFE
    >>> from sklearn.svm import SVC
    >>> import svsieve
    >>> X, y = load_iris(return_X_y=True)
    >>> RFE(SVC(kernel="rbf"), importance_getter=svsieve.importance("weight")).fit(X, y).support_
    array([False, False,  True,  True])
    """
    return Importance(
        resolve_criterion(criterion, owner="importance"),
        resolve_combination(combine, owner="importance"),
    )


def _contexts(model: Any) -> list[Context]:
    """Return the solved problem of each pair of classes, on the support vectors alone."""
    machine = take_apart(model, "importance").specification.machine
    state = KernelState(_fitted_kernel(model), model.support_vectors_)
    table = model.dual_coef_
    dual = table.toarray() if sparse.issparse(table) else np.asarray(table)
    groups = class_slices(model.n_support_)
    diagonal, gram = state.diagonal(), state.gram()
    contexts = []
    for pair, (i, j) in enumerate(combinations(range(len(groups)), 2)):
        rows = np.r_[groups[i], groups[j]]
        u = np.concatenate([dual[j - 1, groups[i]], dual[i, groups[j]]])
        labels = np.repeat([1.0, -1.0], [model.n_support_[i], model.n_support_[j]])
        sign = -1.0 if len(groups) == 2 else 1.0  # of two classes the second is the positive one
        problem = machine.problem(diagonal[rows], labels)
        gradient = gram[np.ix_(rows, rows)] @ (sign * u) + problem.ridge * sign * u + problem.linear
        solution = DualSolution(
            coefficients=sign * u,
            gradient=gradient,
            offset=float(sign * model.intercept_[pair]),
            objective=float(0.5 * sign * u @ (gradient + problem.linear)),
            kkt_gap=float(getattr(model, "kkt_gap_", model.tol)),
            iterations=0,
            stopped="iteration-limit",  # the model as it is, not its optimum
        )
        contexts.append(Context(machine, problem, solution, rows, labels, state))
    return contexts


def _fitted_kernel(model: Any) -> Kernel:
    """Return the kernel with the gamma that the machine was fitted with."""
    if isinstance(model, SVC):
        return model.kernel_
    kernel = take_apart(model, "importance").specification.kernel
    if isinstance(kernel, PairingKernel) and not kernel.has_numeric_gamma():
        # "scale" depends on all rows, of which the machine keeps the support vectors only.
        return replace(kernel, gamma=float(model._gamma))  # type: ignore[type-var]
    return kernel
