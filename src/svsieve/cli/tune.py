"""``svsieve tune``: C and gamma from the radius/margin bound."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold, cross_val_score

from svsieve.cli import options as o
from svsieve.cli.console import say, show_json, show_table
from svsieve.cli.interruption import resumable
from svsieve.estimators import GradientSearch
from svsieve.estimators.analysing.settings import LABELS, Settings


def tune(
    table: o.TableFile,
    target: o.Target = None,
    labels: o.Labels = None,
    transpose: o.Transpose = False,
    id_column: o.IdColumn = None,
    drop: o.Drop = None,
    only: o.Only = None,
    format: o.Format = None,
    kernels: o.Kernels = ["linear", "rbf"],  # noqa: B006
    folds: o.Folds = 5,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    as_json: o.Json = False,
) -> None:
    """Find C and gamma by gradient descent on the radius/margin bound, on all columns.

    The accuracy printed is cross-validated, with the search done anew on the training rows of each
    fold.

    Example: svsieve tune cells.csv --target tissue
    """
    settings = Settings(kernels=tuple(kernels), folds=folds, seed=seed, tune=True)
    n_jobs = o.check_jobs(jobs)
    data = o.read(table, target, labels, transpose, id_column, drop, only, format)
    with resumable(None):
        found = [_tuned(settings, kernel, data, n_jobs) for kernel in settings.kernels]
    if as_json:
        show_json({"file": data.file, "target": data.target, "machines": found})
        return
    rows = [
        (
            one["machine"],
            f"{one['C']:.4g}",
            "" if one["gamma"] is None else f"{one['gamma']:.4g}",
            f"{one['bound']:.4g}",
            str(one["trainings"]),
            f"{one['accuracy']:.1%}",
        )
        for one in found
    ]
    head = ("machine", "C", "gamma", "bound", "trainings", "cross-validated accuracy")
    show_table(head, rows, right=(1, 2, 3, 4, 5))
    say("Columns were standardised; give C and gamma to svsieve rank, or use its --tune.")


def _tuned(settings: Settings, kernel: str, data: Any, n_jobs: int) -> dict[str, Any]:
    machine = settings.machine(kernel, sparse=sp.issparse(data.values))
    search = GradientSearch(machine)
    splitter = StratifiedKFold(settings.folds, shuffle=True, random_state=settings.seed)
    scores = cross_val_score(search, data.values, data.labels, cv=splitter, n_jobs=n_jobs)
    search.fit(data.values, data.labels)
    fitted = search.best_estimator_[-1]
    return {
        "machine": LABELS[kernel],
        "C": float(fitted.C),
        "gamma": None if kernel == "linear" else float(fitted.gamma),
        "bound": float(search.best_value_),
        "trainings": int(search.n_trainings_),
        "accuracy": float(scores.mean()),
    }
