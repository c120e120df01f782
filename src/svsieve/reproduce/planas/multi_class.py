"""Tables 5.15 and 5.16: more than two classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from svsieve import SVC
from svsieve.criteria import PowerSum
from svsieve.reproduce.experiment import Effort, Measurement, Settings
from svsieve.reproduce.planas.data import Labelled
from svsieve.reproduce.planas.protocol import (
    PRINTED,
    ThesisTable,
    Trial,
    eliminating,
    linear,
    optimum_of_folds,
    run_again,
)
from svsieve.reproduce.published import PublishedCell, read


class MultiClass(ThesisTable):
    """Weights of all pairs of classes, raised to a power and summed."""

    notes = (
        "18 folds (text: 7), ranking step 2 (not stated), one-vs-one machines with the table's C "
        "and hinge loss; the importance is the sum over the 45 pairs of (w^2)^k. Validated by "
        "LIBLINEAR's machine, one class against the rest, with C = 10 throughout, at sizes 1, 3, "
        "5, ... Cost is the mean of each fold's least cost, with its standard error over the "
        "folds."
    )
    fewer_folds_when_quick = True
    folds = 18
    published_file: ClassVar[str]
    # Run again with other random numbers.
    twice: ClassVar[tuple[Settings, ...]]

    @abstractmethod
    def table(self) -> Labelled:
        """Return rows and labels."""

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return all combinations of C and k, and some of them again."""
        cells = self.printed_cells()
        if effort is Effort.FULL:
            return [*cells, *run_again(self.twice)]
        return [c for c in cells if c["C"] == 0.5][:2]

    def repeats(self, effort: Effort) -> int:
        """Return one: a run knows its own error."""
        return 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank with the power k and validate."""
        folds = self.folds if effort is Effort.FULL else 3
        seed = repeat + int(cell.get("seed", 0))
        trial = Trial.of(self.table(), folds, seed, effort)
        machine = SVC(kernel="linear", C=float(cell["C"]))
        rankings, seconds = trial.ranked(
            eliminating(machine, 2, combine=PowerSum(float(cell["k"])))
        )
        sizes = range(1, trial.X.shape[1], 2 if effort is Effort.FULL else 8)
        return [optimum_of_folds(cell, trial.validated(rankings, linear(10.0), sizes), seconds)]

    def published(self) -> list[PublishedCell]:
        """Return the table."""
        return read(self.published_file, ("C", "k"), PRINTED)
