"""One cell of a grid: a cross-validated elimination with settings of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from svsieve.elimination import Path
from svsieve.errors import with_notes
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.resolve import resolve_estimator
from svsieve.resolve.options import has_method
from svsieve.selection import Choice, Curve, Rule, Stability, stability
from svsieve.selection.rules import best_curve, resolve_rule
from svsieve.store import Result, RunStore
from svsieve.store.run_store import packed, unpacked

# What a grid may vary besides the parameters of the estimator.
PARTS = (
    "step",
    "criterion",
    "sampler",
    "stop",
    "combine",
    "keep",
    "spare",
    "min_features_to_select",
    "estimator",
)


@dataclass(frozen=True, eq=False, repr=False)
class GridCell:
    """What came of one cell of a grid.

    Attributes
    ----------
    settings : dict
        As they were given; a schedule that was seeded has the centre it really had.
    key : str
        As they were given, as text: the name of the cell in the run store.
    curve : Curve or None
        Scores of every fold, size and metric; None where the cell failed.
    facts : dict
        The size of best mean score with that score and its deviation over the folds, seconds, the
        largest KKT gap, engine, and where the schedule was seeded its centre.
    failure : str or None
        Why the cell could not be computed.
    archives, file
        The paths as bytes, or the run store to read them from when they are asked for.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import SVC, Grid
    >>> cell = Grid(SVC(), {"gamma": [0.1]}).fit(*load_iris(return_X_y=True)).best()
    >>> cell.path.order, len(cell.paths)
    (array([2, 3, 1, 0]), 5)
    >>> cell.choice("tolerance").size
    3
    """

    settings: dict[str, Any]
    key: str
    curve: Curve | None
    facts: dict[str, Any]
    failure: str | None = None
    archives: tuple[bytes, ...] = ()
    file: FilePath | None = None

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"GridCell({settings})"

    @property
    def path(self) -> Path:
        """The elimination on all rows."""
        return self._unpacked(slice(1))[0]

    @property
    def paths(self) -> list[Path]:
        """Those of the folds."""
        return self._unpacked(slice(1, None))

    def choice(self, rule: str | Rule = "best", metric: str | None = None) -> Choice:
        """Return the size that a rule chooses from the curve, and why."""
        return resolve_rule(rule, owner="GridCell.choice").choose(self._curve(), metric)

    def stability(self, size: int) -> Stability | None:
        """Return how much the folds agree on the best columns; None with one fold."""
        paths = self.paths
        if len(paths) < 2:
            return None
        return stability([np.isin(np.arange(one.n_columns), one.top(size)) for one in paths])

    def _curve(self) -> Curve:
        if self.curve is None:
            raise ValueError(f"The cell {self.key} failed and has no curve: {self.failure}")
        return self.curve

    def _unpacked(self, which: slice) -> list[Path]:
        self._curve()
        if self.file is None:
            return [unpacked(archive) for archive in self.archives[which]]
        with RunStore(self.file, check=False) as store:
            archives = store.result(self.key).archives[which]
            with store.reading():
                return [unpacked(archive) for archive in archives]


def best_cell(cells: list[GridCell], rule: Rule, metric: str | None) -> GridCell:
    """Return the cell of greatest merit; of equal ones that of smallest size, then the first."""
    known = {cell: cell.curve for cell in cells if cell.curve is not None}
    return list(known)[best_curve(rule, list(known.values()), metric)]


def cell_from(
    store: RunStore, key: str, settings: Mapping[str, Any], failure: str | None
) -> GridCell:
    """Return a cell of a store, which is done or failed."""
    if failure is not None:
        return GridCell(dict(settings), key, None, {}, failure, (), store.file)
    result = store.result(key, with_paths=store.file is None)
    with store.reading():
        curve = Curve(**result.curve)
    used = dict(settings)
    if "centre" in result.facts:
        used["step"] = replace(used["step"], centre=result.facts["centre"])
    return GridCell(used, key, curve, result.facts, None, result.archives, store.file)


def configured(base: SVMRFECV, settings: Mapping[str, Any]) -> SVMRFECV:
    """Return a copy of a selector with other settings.

    Names are those of the selector's parts, of the machine at the end of its estimator, or of
    something inside the estimator in scikit-learn's form, ``standardscaler__with_mean``.
    """
    estimator = settings.get("estimator", base.estimator)
    if not has_method(estimator, "get_params"):
        resolve_estimator(estimator, owner="Grid")  # which refuses it
    selector: SVMRFECV = clone(base)
    if "estimator" in settings:
        selector.set_params(estimator=clone(settings["estimator"]))
    values = {
        parameter_name(selector, name): value
        for name, value in settings.items()
        if name != "estimator"
    }
    return selector.set_params(**values)  # type: ignore[no-any-return]


def parameter_name(selector: SVMRFECV, name: str) -> str:
    """Return the full name of a setting, refusing one that the selector does not have."""
    if name in PARTS:
        return name
    inside, machine = "estimator__", selector.estimator
    while isinstance(machine, Pipeline):
        last, machine = machine.steps[-1]
        inside += f"{last}__"
    known = selector.get_params(deep=True)
    for full in (inside + name, "estimator__" + name):
        if full in known:
            return full
    own = sorted(machine.get_params(deep=False))
    raise ValueError(
        f"The 'grid' parameter of Grid has the setting {name!r}, which is neither a part of the "
        f"elimination ({', '.join(PARTS)}) nor a parameter of {type(machine).__name__} "
        f"({', '.join(own)})."
    )


def run_cell(selector: SVMRFECV, X: Any, y: Any, sample_weight: Any) -> Result | str:
    """Return what came of a selector, or one sentence on why nothing did."""
    begun = time.perf_counter()
    try:
        selector.fit(X, y, sample_weight=sample_weight)
    except MemoryError:  # of the machine, not of the cell
        raise
    except Exception as error:
        return f"{type(error).__name__}: {with_notes(error)}"
    paths, curve = [selector.path_, *selector.paths_], selector.curve_
    at = np.searchsorted(curve.sizes, selector.n_features_)
    facts = {
        "size": selector.n_features_,
        "score": float(curve.mean()[at]),
        "std": float(curve.std()[at]),
        "seconds": time.perf_counter() - begun,
        "kkt_gap": max(float(np.fmax(path.largest_gap, 0.0)) for path in paths),
        "engine": selector.path_.engine,
    }
    return Result(tuple(packed(path) for path in paths), _plain(curve), facts)


def _plain(curve: Curve) -> dict[str, Any]:
    """The arguments of a curve, as JSON knows them."""
    held_out = {name: table.tolist() for name, table in curve.held_out.items()}
    train = curve.train
    return {
        "sizes": curve.sizes.tolist(),
        "held_out": held_out,
        "train": None if train is None else {name: t.tolist() for name, t in train.items()},
        "n_columns": curve.n_columns,
        "chance": curve.chance,
    }
