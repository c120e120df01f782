"""Cross-validated eliminations over a grid of settings, kept so that none is computed twice."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.estimators.fold_run import rows_of
from svsieve.estimators.grid_cell import GridCell, best_cell, cell_from, configured, parameter_name
from svsieve.estimators.grid_run import GridRun
from svsieve.estimators.svc import SVC
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.estimators.validation import class_codes, sample_weights, training_rows
from svsieve.resolve import check_flag, check_integer, refusal
from svsieve.selection import Rule
from svsieve.selection.fold_scores import resolve_metrics
from svsieve.selection.rules import resolve_rule
from svsieve.store import RunStore, settings_key
from svsieve.store.digests import described, digest, table_bytes
from svsieve.store.settings import settings_of

Split = tuple[IndexArray, IndexArray]


class Grid(BaseEstimator):
    """Try all combinations of settings: in each cell a ranking, and a curve from cross-validation.

    Every cell is an :class:`SVMRFECV` on the same folds. Its paths and its curve are kept, so that
    the number of columns can be chosen by any rule afterwards. With a store a grid that was killed
    goes on where it was, and several processes may work on the same grid: each fits a `Grid` with
    the same arguments, and all of them return the whole table.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC, sklearn.svm.LinearSVC or Pipeline, default=None
        What to rank with, as in :class:`SVMRFECV`.
    grid : dict of str to list, list of such dicts, or None, default=None
        The values of each setting, in the form of scikit-learn's ParameterGrid. Settings are
        parameters of the machine ("C", "gamma", "degree", ...), parts of the elimination ("step",
        "criterion", "sampler", "stop", "combine", "keep", "spare", "min_features_to_select"),
        "estimator", or what is inside the estimator ("standardscaler__with_mean"). None is one
        cell, the estimator as it is.
    cv : int, splitter or iterable of splits, default=5
        Folds, the same in all cells.
    scoring : str, callable, list or dict, default="accuracy"
        Metric of held-out rows, or several of them, of which the first chooses.
    rule : {"best", "one-se", "tolerance", "knee", "scalarised"} or Rule, default="best"
        How a size is chosen from a curve. `best` and `to_frame` may use another one.
    store : str or path, default=None
        File of a :class:`RunStore`, on a disk of this machine. Every finished cell is in it. It
        belongs to the data, the folds, the options and the version of svsieve that it was made
        with, and is refused with others; a grid may get more values later. None keeps everything in
        memory.
    n_jobs : int, default=None
        Cells that are computed side by side, by joblib.
    progress : bool, default=False
        Say on stderr how many cells are done and how long the others may take.
    seed_size : bool, default=False
        The size chosen in one cell becomes the centre of the next cell's
        :class:`svsieve.schedules.Reflective`, in the order of the grid: steps are small where the
        choice is likely to fall. Cells then wait for one another, and `n_jobs` is used for folds.
    random_state : int, default=0
        Seed of the samplers, the same in all cells: they differ by settings, not by luck.

    Attributes
    ----------
    cells_ : list of GridCell
        Settings, curve, paths and facts of every cell, in the order of the grid.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    The score of the best cell helped to choose it and is too good on average, the more so the
    larger the grid. :func:`svsieve.evaluate` gives an estimate for new rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from svsieve import SVC, Grid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    >>> grid = Grid(machine, {"C": [0.01, 1.0], "step": [3]}, cv=4).fit(X, y)
    >>> grid.best()
    GridCell(C=1.0, step=3)
    >>> grid.to_frame(rule="one-se")[["C", "size"]].values.tolist()
    [[0.01, 6], [1.0, 21]]
    """

    cells_: list[GridCell]
    n_features_in_: int

    def __init__(
        self,
        estimator: Any = None,
        grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
        *,
        cv: Any = 5,
        scoring: Any = "accuracy",
        rule: Any = "best",
        store: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
        seed_size: bool = False,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.store = store
        self.n_jobs = n_jobs
        self.progress = progress
        self.seed_size = seed_size
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Compute the cells that are not in the store yet.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row, as in :class:`SVMRFECV`.
        groups : array-like of shape (n_samples,), optional
            Groups of rows, for a splitter such as GroupKFold.

        Returns
        -------
        Grid
            The fitted grid.
        """
        settings = self._cells()
        selectors = {key: self._selector(values) for key, values in settings.items()}
        for selector in selectors.values():
            selector._check_parameters()
        rows, labels = training_rows(self, X, y)
        classes, codes = class_codes(self, labels)
        weights = None
        if sample_weight is not None:
            weights = sample_weights(sample_weight, classes, codes)
        splits = self._splits(rows, labels, groups)
        for selector in selectors.values():
            selector.cv = splits
        fingerprint = self._fingerprint(rows, (classes.tolist(), codes, weights), splits, settings)
        # Paths bear the names of the columns, so rows that have names keep them.
        given = X if hasattr(self, "feature_names_in_") else rows
        with RunStore(self.store, fingerprint) as store:
            run = GridRun(
                store,
                selectors,
                (given, labels, weights),
                seeding=self._rule(None, "") if self.seed_size else None,
                n_jobs=self.n_jobs,
                progress=self.progress,
            )
            run.complete()
            failures = store.failures()
            cells = [cell_from(store, key, settings[key], failures.get(key)) for key in selectors]
        self._judge(cells)
        self.cells_ = cells
        return self

    def best(self, rule: str | Rule | None = None, metric: str | None = None) -> GridCell:
        """Return the best cell.

        A rule chooses a size in each cell. The cell with the best mean score there is taken, for
        the rule "scalarised" that of least cost; of equal ones that of smallest size.

        Parameters
        ----------
        rule : str or Rule, optional
            That of the grid by default.
        metric : str, optional
            The first by default.

        Returns
        -------
        GridCell
        """
        check_is_fitted(self, "cells_")
        return best_cell(self.cells_, self._rule(rule, "best"), metric)

    def to_frame(self, rule: str | Rule | None = None, metric: str | None = None) -> Any:
        """Return a pandas data frame with one row per cell, in the order of the grid.

        Columns: one per setting, then size (chosen by the rule), score, std and standard_error (of
        the held-out rows there, over the folds), kkt_gap (the largest), seconds, and failure (a
        sentence, missing where there was none).

        Parameters
        ----------
        rule, metric
            As in `best`.
        """
        check_is_fitted(self, "cells_")
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("Grid.to_frame needs pandas: pip install pandas.") from error
        chosen = self._rule(rule, "to_frame")
        rows = []
        for cell in self.cells_:
            row = settings_of(settings_key(cell.settings)) | {
                "size": None,
                "score": None,
                "std": None,
            }
            row["standard_error"] = None
            if cell.curve is not None:
                size = cell.choice(chosen, metric).size
                at, curve = np.searchsorted(cell.curve.sizes, size), cell.curve
                row |= {"size": size, "score": curve.mean(metric)[at]}
                row |= {"std": curve.std(metric)[at]}
                row |= {"standard_error": curve.standard_error(metric)[at]}
            row |= {name: cell.facts.get(name) for name in ("kkt_gap", "seconds")}
            rows.append(row | {"failure": cell.failure})
        return pd.DataFrame(rows).astype({"size": "Int64"})

    def selector(self, cell: GridCell) -> SVMRFECV:
        """Return an unfitted :class:`SVMRFECV` with the settings of a cell."""
        check_is_fitted(self, "cells_")
        selector = self._selector(cell.settings)
        selector.cv, selector.rule = self.cv, self.rule
        return selector

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = get_tags(self._base().estimator).input_tags.sparse
        return tags

    # ---- parameters

    def _cells(self) -> dict[str, dict[str, Any]]:
        """The settings of all cells by their keys, in order; bad options are refused."""
        owner = type(self).__name__
        for name in ("progress", "seed_size"):
            check_flag(owner, name, getattr(self, name))
        check_integer(owner, "random_state", self.random_state, at_least=0)
        resolve_metrics(self.scoring, owner=owner)
        self._rule(None, "")
        cells: dict[str, dict[str, Any]] = {}
        for settings in ParameterGrid({} if self.grid is None else self.grid):
            key = settings_key(settings)
            if key in cells:
                raise ValueError(f"The 'grid' parameter of {owner} has the cell {key} twice.")
            cells[key] = settings
        return cells

    def _rule(self, rule: Any, method: str) -> Rule:
        owner = type(self).__name__
        if rule is None:
            return resolve_rule(self.rule, owner=owner)
        return resolve_rule(rule, owner=f"{owner}.{method}")

    def _base(self) -> SVMRFECV:
        return SVMRFECV(
            SVC(kernel="linear") if self.estimator is None else self.estimator,
            scoring=self.scoring,
            random_state=self.random_state,
            n_jobs=self.n_jobs if self.seed_size else None,
        )

    def _selector(self, settings: Mapping[str, Any]) -> SVMRFECV:
        return configured(self._base(), settings)

    def _splits(self, X: Table, y: NDArray[Any], groups: ArrayLike | None) -> list[Split]:
        splitter = check_cv(self.cv, y, classifier=True)
        splits = [(rows_of(a), rows_of(b)) for a, b in splitter.split(X, y, groups)]
        if not splits:
            raise refusal(type(self).__name__, "cv", "a way to make at least one fold", self.cv)
        return splits

    def _fingerprint(
        self,
        X: Table,
        labels: tuple[list[Any], IndexArray, FloatArray | None],
        splits: list[Split],
        settings: dict[str, dict[str, Any]],
    ) -> dict[str, str]:
        """What the cells depend on besides their settings."""
        from svsieve import __version__

        fixed: list[Any] = [self._fixed(list(settings.values())), self.scoring]
        if self.seed_size:  # then on the other cells too
            fixed += [self._rule(None, ""), list(settings)]
        return {
            "the data (X)": digest(table_bytes(X)),
            "the labels or weights of the rows (y, sample_weight)": digest(described(labels)),
            "the folds (cv)": digest(described(splits)),
            "the options": digest(described(fixed)),
            "the seed (random_state)": str(self.random_state),
            "the version of svsieve": __version__,
        }

    def _fixed(self, cells: list[dict[str, Any]]) -> Any:
        """The estimator without the parameters that every cell sets."""
        always = set(cells[0]).intersection(*cells)
        if "estimator" in always:
            return None
        base: SVMRFECV = clone(self._base())
        names = {parameter_name(base, name) for name in always}
        return base.set_params(**dict.fromkeys(names)).estimator

    def _judge(self, cells: list[GridCell]) -> None:
        failed = [cell for cell in cells if cell.failure is not None]
        if not failed:
            return
        first = f"{failed[0].key} with {failed[0].failure}"
        if len(failed) == len(cells):
            raise ValueError(f"All {len(cells)} cells of the grid failed; {first}")
        warnings.warn(
            f"{len(failed)} of {len(cells)} cells of the grid failed; {first}",
            UserWarning,
            stacklevel=3,
        )
