"""Tables 5.22 to 5.27: kernel, steps around a size of interest, new rows in every iteration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from svsieve import samplers
from svsieve.reproduce.experiment import Effort, Settings
from svsieve.reproduce.planas.data import KERNELS, Labelled, madelon
from svsieve.reproduce.planas.kernel_tables import KernelTable
from svsieve.reproduce.planas.steps import Distance

TEN_RUNS = (
    "ten runs of each cell in the place of three, after three had left four cells apart from print"
)


class Combination(KernelTable):
    """Validated, on all training rows, at one column less than each size visited."""

    schedule: ClassVar[Distance]
    share: ClassVar[float]

    def parts(self) -> dict[str, Any]:
        """Return the steps around the centre, and new rows for each of them."""
        sampler = samplers.Subsample(self.share, stratified=False)
        return {"step": self.schedule, "sampler": sampler}

    def sizes(self, n_columns: int) -> Iterable[int]:
        """Return one column less than each size visited."""
        return [size - 1 for size in self.schedule.sizes(n_columns) if size > 1]


class OnGenerated(Combination):
    """On generated rows with labels 0 and 1."""

    def repeats(self, effort: Effort) -> int:
        """Return ten: where a machine begins to learn its cost scatters from run to run."""
        return 10 if effort is Effort.FULL else super().repeats(effort)

    def table(self, cell: Settings) -> Labelled:
        """Return 500 rows."""
        return KERNELS.table()


class OnMadelon(Combination):
    """On all 2000 training rows of MADELON."""

    schedule, share = Distance(0.08, centre=20, least=3), 0.2
    log_x, zero_one, cost_of_folds = False, False, True
    data_sets = ("madelon",)

    def repeats(self, effort: Effort) -> int:
        """Return one: a run knows its own error."""
        return 1

    def table(self, cell: Settings) -> Labelled:
        """Return the rows."""
        return madelon()
