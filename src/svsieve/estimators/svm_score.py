"""The filter among the rankings of support vector machines: one training, no elimination."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from svsieve.arrays import FloatArray
from svsieve.elimination import Data, Parts
from svsieve.elimination.engines import Turn, choose_engine
from svsieve.estimators.convergence import remedy
from svsieve.estimators.specification import take_apart, transformed, two_class_problems
from svsieve.estimators.svc import SVC
from svsieve.estimators.svmrfe import RANKING_TOL, SVMRFE
from svsieve.estimators.validation import class_codes, training_rows
from svsieve.resolve import resolve_combination, resolve_criterion


def svm_score(
    X: Any,
    y: ArrayLike,
    estimator: Any = None,
    *,
    criterion: Any = "weight",
    combine: Any = "sum",
) -> FloatArray:
    """Return what each column is worth to a support vector machine trained once on all of them.

    The scores of the first iteration of :class:`svsieve.SVMRFE`, as a score function for
    scikit-learn's `SelectKBest`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their classes.
    estimator : svsieve.SVC, sklearn.svm.SVC, sklearn.svm.LinearSVC or Pipeline, default=None
        As in :class:`svsieve.SVMRFE`: ``SVC(kernel="linear")`` by default.
    criterion : str or object, default="weight"
        As in :class:`svsieve.SVMRFE`.
    combine : str or Combine, default="sum"
        As in :class:`svsieve.SVMRFE`.

    Returns
    -------
    ndarray of shape (n_features,)
        The larger the better.

    Examples
    --------
    >>> from functools import partial
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from svsieve import SVC, svm_score
    >>> X, y = load_iris(return_X_y=True)
    >>> score = partial(svm_score, estimator=SVC(kernel="rbf", gamma=0.5))
    >>> SelectKBest(score, k=2).fit(X, y).get_support()
    array([False, False,  True,  True])
    """
    owner = "svm_score"
    model = SVC(kernel="linear") if estimator is None else estimator
    chain = take_apart(model, owner)
    rule = resolve_criterion(criterion, owner=owner)
    joined = resolve_combination(combine, owner=owner)
    ranking = SVMRFE(model)
    X, y = training_rows(ranking, X, y)
    classes, codes = class_codes(ranking, y)
    specification = chain.specification
    tasks = two_class_problems(specification, chain.machine, classes, codes, np.ones(len(codes)))
    parts = Parts(
        kernel=specification.kernel,
        machine=specification.machine,
        bias=specification.bias,
        tol=min(specification.tol, RANKING_TOL),
        max_iter=specification.max_iter,
        least=X.shape[1],
        criterion=rule,
        combine=joined,
    )
    data = Data(transformed(chain.transformers, X, y, None), tasks, codes)
    columns = np.arange(X.shape[1])
    turn = Turn(1, columns, len(columns), parts, len(columns))
    fit = choose_engine(data, parts, columns).fit(turn)
    allowed = max(specification.tol if parts.max_iter == -1 else RANKING_TOL, RANKING_TOL)
    if fit.kkt_gap > allowed:
        warnings.warn(
            f"svm_score: the machine did not converge; its KKT gap is {fit.kkt_gap:.3g} "
            f"(tol={parts.tol:g}). The scores may depend on the solver. "
            f"{remedy(data.X, columns, None)}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return fit.scores
