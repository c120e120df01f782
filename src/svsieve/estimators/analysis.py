"""One call from a table to an answer: which columns, how many, how good, how sure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import check_scoring, confusion_matrix

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import Path
from svsieve.estimators.analysing.settings import LABELS, Settings
from svsieve.estimators.analysing.units import Split, Unit, Watch, fit_all, outer_splits, units_of
from svsieve.estimators.analysing.words import citations, methods, settings_shown
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.estimators.validation import class_codes, training_rows
from svsieve.reports import Candidate, Report
from svsieve.resolve import resolve_columns
from svsieve.selection.data_warnings import data_warnings, fold_warnings
from svsieve.selection.evaluation import Evaluation, Outcome, chance_of, evaluation_of


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """What :func:`analyse` has found; everything that is shown or written is asked of it.

    Attributes
    ----------
    settings : Settings
        What was done.
    names : tuple of str
        Of the columns.
    target : str
        What is predicted.
    classes : tuple of str
    codes : ndarray of int
        For each row, the position of its class.
    selectors : dict of str to SVMRFECV
        The candidates by their kernels, fitted on all rows; the one taken is the first.
    nested : Evaluation
        How good the whole procedure is on rows that took no part in it.
    predictions : ndarray of int
        For each row, the class it was given while it was held out.
    warnings : tuple of str
        What is odd about the data.
    title : str
    provenance : dict
    """

    settings: Settings
    names: tuple[str, ...]
    target: str
    classes: tuple[str, ...]
    codes: IndexArray
    selectors: dict[str, SVMRFECV]
    nested: Evaluation
    predictions: IndexArray
    warnings: tuple[str, ...] = ()
    title: str = "Which columns matter"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    sparse: bool = False

    def __repr__(self) -> str:
        return (
            f"Analysis({len(self.selected)} of {len(self.names)} columns, {self.machine}, nested "
            f"{self.nested.metric} {self.nested.mean:.4g})"
        )

    @property
    def selector(self) -> SVMRFECV:
        """The candidate taken, fitted on all rows: it predicts."""
        return next(iter(self.selectors.values()))

    @property
    def machine(self) -> str:
        """What it is called."""
        return LABELS[next(iter(self.selectors))]

    @property
    def path(self) -> Path:
        """Its elimination on all rows."""
        return self.selector.path_

    @property
    def selected(self) -> IndexArray:
        """The columns to keep, best first."""
        return self.path.top(self.selector.n_features_)

    @property
    def frequencies(self) -> FloatArray:
        """For each column, the share of outer folds that selected it."""
        return np.asarray(self.nested.supports.mean(axis=0))

    @property
    def confusion(self) -> IndexArray:
        """Rows of each class (down) by the class that they were given while held out (across)."""
        counts = confusion_matrix(self.codes, self.predictions, labels=range(len(self.classes)))
        return np.asarray(counts, dtype=np.int64)

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of every class."""
        counts = np.bincount(self.codes, minlength=len(self.classes)).tolist()
        return dict(zip(self.classes, counts, strict=True))

    def ranking(self) -> list[dict[str, Any]]:
        """Return the columns, best first: rank, name, kept, score when dropped, frequency."""
        return self.report.ranking()

    def facts(self) -> dict[str, Any]:
        """Return the answer as plain values, for JSON."""
        return self.report.facts()

    @cached_property
    def report(self) -> Report:
        """All of it as a :class:`svsieve.reports.Report`: a page, Markdown, figures."""
        shape = (len(self.codes), len(self.names))
        return Report(
            title=self.title,
            target=self.target,
            classes=self.classes,
            class_counts=tuple(self.class_counts.values()),
            n_rows=len(self.codes),
            names=self.names,
            candidates=tuple(
                Candidate(LABELS[kernel], one.path_, one.curve_, one.choice_)
                for kernel, one in self.selectors.items()
            ),
            rule=self.settings.resolved_rule,
            chosen=self.selector.n_features_,
            selected=self.selected,
            nested=self.nested,
            confusion=self.confusion,
            frequencies=self.frequencies,
            data_warnings=self.warnings,
            methods=methods(self.settings, *shape, self.class_counts, sparse=self.sparse),
            settings=settings_shown(self.settings, self.names),
            citations=citations(self.settings),
            provenance=dict(self.provenance),
        )


def analyse(
    X: Any,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    target: str = "target",
    positive: Any = None,
    keep: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    title: str = "Which columns matter",
    provenance: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Analysis:
    """Rank the columns of a table, choose how many to keep, and say how good that is.

    Columns are standardised on the training rows of each fold and ranked by every candidate; a rule
    chooses size and machine by inner cross-validation; outer folds judge the whole procedure on
    rows it has not seen.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    names : sequence of str, optional
        Of the columns; those of a data frame by default, else their numbers.
    target : str, default="target"
        What y is called.
    positive : label, optional
        The class that metrics such as "f1" look for. Where there are more than two, it is told
        apart from all others taken together.
    keep : list of str, list of int or boolean mask, optional
        Columns that are never dropped.
    n_jobs : int, optional
        Eliminations that run side by side, by joblib.
    checkpoint : str or path, optional
        File of a :class:`RunStore`; an analysis that was killed goes on from it.
    watch : callable, optional
        Called with the number of eliminations done and the number of all.
    title : str, optional
    provenance : dict, optional
        Where the data comes from, for the report.
    **settings
        ``kernels=("linear", "rbf")``, ``C=1.0``, ``gamma="scale"``, ``tune=False``,
        ``step="auto"``, ``rule="one-se"``, ``scoring="accuracy"``, ``folds=5``, ``inner_folds=5``,
        ``seed=0``.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import analyse
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = analyse(X, y, folds=3, inner_folds=3, kernels=("linear",))
    >>> [found.names[j] for j in found.selected]
    ['petal width (cm)']
    >>> found.nested.mean > 0.9
    True
    """
    asked = Settings(**_checked(settings))
    owner = SVMRFECV()
    rows, labels = training_rows(owner, X, y, names)
    named = getattr(owner, "feature_names_in_", None)
    columns = tuple(str(one) for one in (range(rows.shape[1]) if named is None else named))
    kept = resolve_columns(keep, rows.shape[1], named, owner="analyse")
    classes, codes = _classes(owner, labels, positive)
    used, sentences = _possible(replace(asked, keep=tuple(kept.tolist())), classes, codes)
    splits = outer_splits(used, rows, codes)
    units = units_of(used, rows, codes, splits)
    fit_all(units, used, checkpoint=checkpoint, n_jobs=n_jobs, watch=watch)
    nested, predictions = _judged(used, rows, codes, units[1:], splits)
    best = units[0].best(used)
    order = [best, *(kernel for kernel in used.kernels if kernel != best)]
    return Analysis(
        settings=used,
        names=columns,
        target=target,
        classes=classes,
        codes=codes,
        selectors={kernel: _with_names(units[0].selectors[kernel], columns) for kernel in order},
        nested=nested,
        predictions=predictions,
        warnings=(*data_warnings(rows, codes, columns, classes), *sentences),
        title=title,
        provenance=dict(provenance or {}),
        sparse=bool(sp.issparse(rows)),
    )


def _checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    known = [name for name in Settings.__dataclass_fields__ if name != "keep"]
    for name in settings:
        if name not in known:
            raise TypeError(f"analyse has no setting {name!r}; it has {', '.join(known)}.")
    given = dict(settings)
    if isinstance(given.get("kernels"), str | list):
        kernels = given["kernels"]
        given["kernels"] = (kernels,) if isinstance(kernels, str) else tuple(kernels)
    return given


def _classes(owner: Any, labels: NDArray[Any], positive: Any) -> tuple[tuple[str, ...], IndexArray]:
    """Names of the classes, the positive one last, and the position of that of each row."""
    classes, codes = class_codes(owner, labels)
    names = tuple(str(label) for label in classes.tolist())
    if positive is None:
        return names, codes.astype(np.int64)
    if str(positive) not in names:
        raise ValueError(
            f"The 'positive' parameter of analyse must be one of the classes, {', '.join(names)}. "
            f"Got {positive!r} instead."
        )
    at = names.index(str(positive))
    others = [name for name in names if name != names[at]]
    rest = others[0] if len(others) == 1 else f"not {names[at]}"
    return (rest, names[at]), (codes == at).astype(np.int64)


def _possible(
    asked: Settings, classes: tuple[str, ...], codes: IndexArray
) -> tuple[Settings, tuple[str, ...]]:
    """The settings with as many folds as there are rows for, and what is to be said about it."""
    counts = np.bincount(codes, minlength=len(classes))
    least = int(np.argmin(counts))
    folds, sentences = fold_warnings(
        int(counts[least]), classes[least], (asked.folds, asked.inner_folds)
    )
    return replace(asked, folds=folds[0], inner_folds=folds[1]), sentences


def _judged(
    settings: Settings,
    X: Table,
    codes: IndexArray,
    units: Sequence[Unit],
    splits: Sequence[Split],
) -> tuple[Evaluation, IndexArray]:
    """What the choice made on each outer fold is worth on the rows held out."""
    predictions = np.empty(len(codes), dtype=np.int64)
    outcomes = []
    for unit, (_, test) in zip(units, splits, strict=True):
        selector = unit.selectors[unit.best(settings)]
        predictions[test] = selector.predict(X[test])
        curve = selector.curve_
        claimed = float(curve.mean()[np.searchsorted(curve.sizes, selector.n_features_)])
        score = check_scoring(selector, scoring=settings.scoring)(selector, X[test], codes[test])
        outcomes.append(Outcome(float(score), selector.support_, claimed))
    chance = chance_of(settings.scoring, codes)
    return evaluation_of(outcomes, splits, settings.scoring, chance), predictions


def _with_names(selector: SVMRFECV, names: tuple[str, ...]) -> SVMRFECV:
    """Let the paths of a selector bear the names of the columns."""
    selector.path_ = replace(selector.path_, column_names=names)
    selector.paths_ = [replace(path, column_names=names) for path in selector.paths_]
    return selector
