"""What an analysis runs: every candidate, on all rows and on the training rows of each outer fold.

A unit is one set of rows with one selector per candidate. The eliminations of all units lie in one
list, so that they run side by side, are counted by one tally, and are kept in one run store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold

from svsieve.arrays import IndexArray, Table
from svsieve.estimators.analysing.settings import LABELS, Settings
from svsieve.estimators.eliminations import Eliminations
from svsieve.estimators.gradient_search import GradientSearch
from svsieve.estimators.kept_runs import run_kept
from svsieve.estimators.side_by_side import Job
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.kernels import PerFeature
from svsieve.selection.rules import best_curve
from svsieve.store import RunStore, settings_key
from svsieve.store.digests import described, digest, table_bytes

Split = tuple[IndexArray, IndexArray]
# Told how many eliminations are done, and of how many.
Watch = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Unit:
    """One set of rows and the candidates that are tried on it.

    Attributes
    ----------
    name : str
        "all rows", or the outer fold.
    X : table
    codes : ndarray of int
    selectors : dict of str to SVMRFECV
        By their kernels.
    """

    name: str
    X: Table
    codes: IndexArray
    selectors: dict[str, SVMRFECV]

    def best(self, settings: Settings) -> str:
        """Return the kernel of the candidate that the rule takes, after all are fitted."""
        curves = [selector.curve_ for selector in self.selectors.values()]
        return list(self.selectors)[best_curve(settings.resolved_rule, curves)]


def outer_splits(settings: Settings, X: Table, codes: IndexArray) -> list[Split]:
    """Return the outer folds: stratified, shuffled by the seed."""
    splitter = StratifiedKFold(settings.folds, shuffle=True, random_state=settings.seed)
    return list(splitter.split(np.zeros((X.shape[0], 1)), codes))


def units_of(
    settings: Settings, X: Table, codes: IndexArray, splits: Sequence[Split]
) -> list[Unit]:
    """Return all rows first, then the training rows of each outer fold."""
    inner = StratifiedKFold(settings.inner_folds, shuffle=True, random_state=settings.seed)
    rows = {"all rows": None} | {
        f"outer fold {k + 1}": train for k, (train, _) in enumerate(splits)
    }
    return [
        Unit(
            name,
            X if train is None else X[train],
            codes if train is None else codes[train],
            {
                kernel: settings.selector(kernel, X.shape[1], cv=inner, sparse=sp.issparse(X))
                for kernel in settings.kernels
            },
        )
        for name, train in rows.items()
    ]


def fingerprint(settings: Settings, X: Table, codes: IndexArray) -> dict[str, str]:
    """Return what the eliminations depend on; the rule is not of it."""
    from svsieve import __version__

    options = [
        (name, getattr(settings, name))
        for name in ("kernels", "C", "gamma", "tune", "step", "scoring", "keep")
    ]
    return {
        "the table": digest(table_bytes(sp.csr_array(X) if sp.issparse(X) else X)),
        "the target": digest(described(codes)),
        "the folds": f"{settings.folds} x {settings.inner_folds}",
        "the options": digest(described(options)),
        "the seed": str(settings.seed),
        "the version of svsieve": __version__,
    }


def fit_all(
    units: Sequence[Unit],
    settings: Settings,
    *,
    checkpoint: Any = None,
    n_jobs: int | None = None,
    watch: Watch | None = None,
) -> None:
    """Fit the selectors of all units.

    Parameters
    ----------
    units : sequence of Unit
        The first holds all rows.
    settings : Settings
    checkpoint : file name or None
        Of the run store that keeps what is done.
    n_jobs : int or None
    watch : callable, optional
        Told how many runs are done, and of how many.
    """
    whole = units[0]
    kept = None if checkpoint is None else fingerprint(settings, whole.X, whole.codes)
    opened = nullcontext() if kept is None else RunStore(checkpoint, kept)
    with opened as store:
        if settings.tune:
            _tune(units, store, n_jobs, watch)
        work = {
            (unit.name, kernel): selector._prepared(unit.X, unit.codes)
            for unit in units
            for kernel, selector in unit.selectors.items()
        }
        named = {place: _jobs(work[place], *place) for place in work}
        every = {name: job for jobs in named.values() for name, job in jobs.items()}
        found = run_kept(every, store, n_jobs, done=counter(len(every), watch))
    for unit in units:
        for kernel, selector in unit.selectors.items():
            path, *judged = (found[name] for name in named[unit.name, kernel])
            selector._concluded(work[unit.name, kernel], path, judged)


def _jobs(work: Eliminations, unit: str, kernel: str) -> dict[str, Job]:
    return work.named_jobs(machine=LABELS[kernel], rows=unit)


def counter(total: int, watch: Watch | None) -> Callable[[int], object] | None:
    """Return what tells a watch that one more of several runs is done; None for no watch."""
    if watch is None:
        return None
    done = 0

    def tell(_: int) -> None:
        nonlocal done
        done += 1
        watch(done, total)

    watch(0, total)
    return tell


def _tune(
    units: Sequence[Unit], store: RunStore | None, n_jobs: int | None, watch: Watch | None
) -> None:
    """Set C and gamma of every selector to what the bound says on its rows."""
    jobs: dict[str, Job] = {}
    places: dict[str, SVMRFECV] = {}
    for unit in units:
        for kernel, selector in unit.selectors.items():
            name = settings_key({"machine": LABELS[kernel], "rows": unit.name, "tuning": True})
            jobs[name] = (tuned_parameters, (selector.estimator, unit.X, unit.codes))
            places[name] = selector
    found = run_kept(jobs, store, n_jobs, done=counter(len(jobs), watch))
    for name, parameters in found.items():
        set_tuned(places[name], parameters, units[0].X.shape[1])


def tuned_parameters(machine: Any, X: Table, codes: IndexArray) -> Mapping[str, float]:
    """Return the parameters of a machine at the least radius/margin bound."""
    found = GradientSearch(machine).fit(X, codes).best_params_
    return {name: float(value) for name, value in found.items()}


def set_tuned(selector: SVMRFECV, parameters: Mapping[str, float], n_columns: int) -> None:
    """Give a selector tuned parameters; gamma stays in proportion as columns are dropped."""
    values = {
        name: PerFeature(value * n_columns) if name.endswith("gamma") else value
        for name, value in parameters.items()
    }
    selector.estimator.set_params(**values)
