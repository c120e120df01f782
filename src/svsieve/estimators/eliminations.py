"""The eliminations that a cross-validated selection is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import AllRows, Path, trace
from svsieve.estimators.fold_curve import curve_of, missing_sizes
from svsieve.estimators.fold_run import Fold, Plan, data_of, run_fold, run_sizes
from svsieve.estimators.side_by_side import Job, run_all
from svsieve.selection import Curve
from svsieve.selection.folds import ScoredPath
from svsieve.store import settings_key
from svsieve.store.digests import described, digest, table_bytes

# Rows, their labels, and their weights where they were given.
Training = tuple[Table, NDArray[Any], FloatArray | None]


@dataclass(frozen=True, eq=False)
class Eliminations:
    """One elimination on all rows and one on the training rows of every fold.

    Attributes
    ----------
    plan : Plan
        What they have in common.
    table : Training
        All rows, to which the numbers of the folds refer.
    training : Training
        Those whose weight is not zero.
    classes : ndarray
    codes : ndarray of int
        For each row of `training`, the position of its class.
    folds : list of Fold
    """

    plan: Plan
    table: Training
    training: Training
    classes: NDArray[Any]
    codes: IndexArray
    folds: list[Fold]

    def jobs(self) -> list[Job]:
        """Return what is to be run: a Path comes of the first, ScoredPaths of the others."""
        whole = (run_whole, (self.plan, self.classes, self.codes, *self.training))
        return [whole, *((run_fold, (self.plan, *self.table, fold)) for fold in self.folds)]

    def named_jobs(self, **settings: Any) -> dict[str, Job]:
        """Return the same by the names of their cells in a run store."""
        parts = ["all rows", *(f"fold {fold.number}" for fold in self.folds)]
        names = [settings_key({**settings, "elimination": part}) for part in parts]
        return dict(zip(names, self.jobs(), strict=True))

    def curve(self, path: Path, judged: Sequence[ScoredPath], n_jobs: int | None) -> Curve:
        """Return the scores of all folds at the sizes of the elimination on all rows.

        Folds visit the same sizes, unless those depend on the scores: then machines are trained at
        the sizes that a fold did not visit.
        """
        missing = missing_sizes(path, judged)
        jobs: list[Job] = [
            (run_sizes, (self.plan, *self.table, self.folds[k], judged[k].path, sizes))
            for k, sizes in missing.items()
        ]
        names = [f"fold {self.folds[k].number}" for k in missing]
        found = dict(zip(missing, run_all(jobs, n_jobs, names=names), strict=True))
        metrics = [metric.name for metric in self.plan.metrics]
        every_row = isinstance(self.plan.parts.sampler, AllRows) and self.table[2] is None
        accuracy = [metric.is_accuracy for metric in self.plan.metrics] == [True]
        known = accuracy and len(self.classes) == 2 and every_row
        return curve_of(path, metrics, judged, missing, found, with_accuracy=known)

    def fingerprint(self, options: Any, seed: int) -> dict[str, str]:
        """Return what the results depend on, as a run store wants to know it."""
        from svsieve import __version__

        X, y, weights = self.table
        folds = [(fold.train, fold.test) for fold in self.folds]
        return {
            "the data (X)": digest(table_bytes(X)),
            "the labels or weights of the rows (y, sample_weight)": digest(described((y, weights))),
            "the folds (cv)": digest(described(folds)),
            "the options": digest(described(options)),
            "the seed (random_state)": str(seed),
            "the version of svsieve": __version__,
        }


def run_whole(
    plan: Plan,
    classes: NDArray[Any],
    codes: IndexArray,
    X: Table,
    y: NDArray[Any],
    weights: FloatArray | None,
) -> Path:
    """Eliminate columns on all rows."""
    return trace(data_of(plan.chain, classes, codes, X, y, weights), plan.parts)
