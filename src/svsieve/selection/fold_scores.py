"""Scores of held-out rows from the decision values of a machine's two-class problems.

A scorer of scikit-learn costs more than a step of a linear elimination. The metrics asked for most
are therefore computed for many steps at once; any other asks about one step at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn import get_config
from sklearn.metrics import accuracy_score, balanced_accuracy_score, get_scorer, roc_auc_score
from sklearn.utils.metadata_routing import get_routing_for_object

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.resolve import Specification, refusal
from svsieve.selection.judged import Judged


@dataclass(frozen=True, eq=False)
class Metric:
    """A scorer by name, and whether it is given the weights of rows."""

    name: str
    scorer: Any
    weighted: bool


def resolve_metrics(scoring: Any, *, owner: str = "SVMRFECV") -> tuple[Metric, ...]:
    """Return the metrics that a `scoring` parameter stands for, the first to choose by.

    Parameters
    ----------
    scoring : str, callable, None, or several as list, tuple or dict
        Names of scikit-learn's scorers, or callables ``scorer(estimator, X, y)``. None: accuracy.
    owner : str, default="SVMRFECV"
        Whose parameter this is, for the messages.

    Returns
    -------
    tuple of Metric
    """
    if scoring is None:
        scoring = "accuracy"
    named: Iterable[tuple[Any, Any]]
    if isinstance(scoring, str) or callable(scoring):
        named = [(scoring if isinstance(scoring, str) else "score", scoring)]
    elif isinstance(scoring, Mapping):
        named = scoring.items()
    elif isinstance(scoring, list | tuple):
        named = [(one, one) for one in scoring]
    else:
        named = []
    metrics = tuple(_metric(name, one, owner) for name, one in named)
    if not metrics or len({metric.name for metric in metrics}) < len(metrics):
        raise _refused(owner, scoring)
    return metrics


def _metric(name: Any, scoring: Any, owner: str) -> Metric:
    if not isinstance(name, str) or isinstance(scoring, type):
        raise _refused(owner, scoring)
    try:
        scorer = get_scorer(scoring)
    except (TypeError, ValueError, KeyError) as error:
        raise _refused(owner, scoring) from error
    if not callable(scorer):
        raise _refused(owner, scoring)
    response = getattr(scorer, "_response_method", "predict")
    if response == "predict_proba":
        raise refusal(
            owner,
            "scoring",
            "a metric of predicted classes or decision values",
            scoring,
            "It needs probabilities, which the machines of an elimination do not have.",
        )
    return Metric(name, scorer, _takes_weights(scorer))


def _refused(owner: str, scoring: Any) -> ValueError:
    allowed = (
        "the name of a scorer of scikit-learn, a callable scorer(estimator, X, y), or several of "
        "them as a list of names or a dict"
    )
    return refusal(owner, "scoring", allowed, scoring)


def _takes_weights(scorer: Any) -> bool:
    """Tell whether a scorer takes weights of rows and, with routing, asks for them."""
    if get_config()["enable_metadata_routing"]:
        if not hasattr(scorer, "_get_metadata_request"):
            return False
        return get_routing_for_object(scorer).score.requests.get("sample_weight") is True
    function = getattr(scorer, "_score_func", None)
    return function is not None and "sample_weight" in signature(function).parameters


class Answers(Judged):
    """Decision values in the shape of a classifier, for the held-out rows themselves."""

    @classmethod
    def of(
        cls,
        machine: Any,
        specification: Specification,
        classes: NDArray[Any],
        decisions: FloatArray,
    ) -> Answers:
        """Answer as the user's machine would."""
        return cls(
            classes,
            decisions,
            one_vs_rest=specification.one_vs_rest,
            shape=getattr(machine, "decision_function_shape", "ovr"),
            break_ties=bool(getattr(machine, "break_ties", False)),
        )

    def _check(self, X: Any) -> None:
        if X.shape[0] != len(self.decisions):
            raise ValueError(
                "A scorer may only ask about the rows that it is given: the machine of a step has "
                f"judged {len(self.decisions)} held-out rows. Got {X.shape[0]} rows."
            )


class FoldScores:
    """Scores of the held-out rows of one fold; call it with decision values.

    Parameters
    ----------
    metrics : sequence of Metric
    machine : estimator
        The user's, whose rules turn decision values into classes.
    specification : Specification
    classes : ndarray
        Labels of the training rows, sorted.
    Z : table
        The held-out rows as the user gave them.
    y : ndarray
        Their labels.
    weights : ndarray of float or None
        Their weights, all positive; None: ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from svsieve.resolve import resolve_estimator
    >>> from svsieve.selection.fold_scores import FoldScores, resolve_metrics
    >>> machine, y = SVC(kernel="linear"), np.array([0, 1, 1])
    >>> scores = FoldScores(
    ...     resolve_metrics(["accuracy", "roc_auc"]), machine, resolve_estimator(machine),
    ...     np.array([0, 1]), np.zeros((3, 1)), y)
    >>> scores(np.array([[[-1.0, 2.0, 3.0]], [[-1.0, -0.5, 3.0]]])).round(2)
    array([[1.  , 1.  ],
           [0.67, 1.  ]])
    """

    def __init__(
        self,
        metrics: Iterable[Metric],
        machine: Any,
        specification: Specification,
        classes: NDArray[Any],
        Z: Table,
        y: NDArray[Any],
        weights: FloatArray | None = None,
    ) -> None:
        self._metrics = tuple(metrics)
        self._rules = (machine, specification, classes)
        self._classes, self._Z, self._y, self._weights = classes, Z, y, weights

    def __call__(self, decisions: FloatArray) -> FloatArray:
        """Return the scores, of shape (steps, metrics), of decisions (steps, problems, rows)."""
        return np.array([self._scores(metric, decisions) for metric in self._metrics]).T

    def part(self, rows: IndexArray) -> FoldScores:
        """Return the scores of some of the rows, by their positions."""
        weights = None if self._weights is None else self._weights[rows]
        return FoldScores(self._metrics, *self._rules, self._Z[rows], self._y[rows], weights)

    @property
    def n_units(self) -> int:
        """How many numbers `gains` gives for a step."""
        return len(self._y) if self._per_row() is not None else 1

    def gains(self, decisions: FloatArray) -> FloatArray:
        """Return what the score by the first metric is the mean of, of shape (steps, units).

        A unit is a row where the metric is a mean over rows, so that two machines can be compared
        row by row. Other metrics have one unit, the score itself.
        """
        shares = self._per_row()
        if shares is None:
            return self(decisions)[:, :1]
        return np.asarray(self._right(decisions) * shares)

    def _per_row(self) -> FloatArray | None:
        """What each row counts when it is classified right, one on average; None: no such thing."""
        metric = self._metrics[0]
        function = _plain_function(metric.scorer)
        rows = np.ones(len(self._y)) if self._weights is None else self._weights
        if not metric.weighted:
            rows = np.ones(len(self._y))
        if function is accuracy_score:
            return np.asarray(rows / rows.mean())
        if function is balanced_accuracy_score:
            _, codes = np.unique(self._y, return_inverse=True)
            totals = np.bincount(codes, weights=rows)
            return np.asarray(len(rows) * rows / (len(totals) * totals[codes]))
        return None

    def _scores(self, metric: Metric, decisions: FloatArray) -> FloatArray:
        weights = self._weights if metric.weighted else None
        at_once = _AT_ONCE.get(_plain_function(metric.scorer))
        if at_once is not None:
            found = at_once(self, decisions, weights)
            if found is not None:
                return found
        given = {} if weights is None else {"sample_weight": weights}
        scores = []
        for step in decisions:
            answers = Answers.of(*self._rules, np.ascontiguousarray(step.T))
            scores.append(float(metric.scorer(answers, self._Z, self._y, **given)))
        return np.array(scores)

    def labels(self, decisions: FloatArray) -> NDArray[Any]:
        """Return the classes that rows are taken for, of shape (steps, rows)."""
        steps, problems, rows = decisions.shape
        table = decisions.transpose(0, 2, 1).reshape(-1, problems)
        answers = Answers.of(*self._rules, table)
        return answers.predict(answers.rows).reshape(steps, rows)

    def _right(self, decisions: FloatArray) -> NDArray[np.bool_]:
        """Tell which rows are classified right, of shape (steps, rows)."""
        return np.asarray(self.labels(decisions) == self._y)

    def _accuracy(self, decisions: FloatArray, weights: FloatArray | None) -> FloatArray:
        return np.asarray(np.average(self._right(decisions), axis=1, weights=weights))

    def _balanced_accuracy(self, decisions: FloatArray, weights: FloatArray | None) -> FloatArray:
        right = self._right(decisions)
        _, codes = np.unique(self._y, return_inverse=True)
        recalls = [
            np.average(right[:, mine], axis=1, weights=None if weights is None else weights[mine])
            for mine in (codes == code for code in range(codes.max() + 1))
        ]
        return np.asarray(np.mean(recalls, axis=0))

    def _roc_auc(self, decisions: FloatArray, weights: FloatArray | None) -> FloatArray | None:
        """The share of pairs of rows of both classes that are in the right order (a tie: half)."""
        labels = self._classes
        positive = self._y == labels[-1]
        n_positive, n = int(positive.sum()), len(positive)
        two_classes = len(labels) == 2 and bool(np.isin(self._y, labels).all())
        if not two_classes or weights is not None or n_positive in (0, n):
            return None  # scikit-learn's own answer, or its refusal
        ranks = rankdata(decisions[:, 0], axis=1)[:, positive].sum(axis=1)
        lowest = n_positive * (n_positive + 1) / 2.0
        return np.asarray((ranks - lowest) / (n_positive * (n - n_positive)))


_AT_ONCE: Mapping[Any, Callable[..., FloatArray | None]] = {
    accuracy_score: FoldScores._accuracy,
    balanced_accuracy_score: FoldScores._balanced_accuracy,
    roc_auc_score: FoldScores._roc_auc,
}


def _plain_function(scorer: Any) -> Any:
    """Return the function behind a scorer that has no options and is not a loss, else None."""
    plain = not getattr(scorer, "_kwargs", True) and getattr(scorer, "_sign", 0) == 1
    return getattr(scorer, "_score_func", None) if plain else None
