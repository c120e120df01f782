"""Table 5.8: sampling beforehand, over C and the share; its times are table 5.9."""

from __future__ import annotations

from collections.abc import Iterable

from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import STEPS
from svsieve.reproduce.planas.protocol import (
    EVERY_SIXTH,
    OPTIMUM,
    PRINTED,
    ThesisTable,
    Trial,
    eliminating,
    linear,
    optimum,
)
from svsieve.reproduce.published import PublishedCell, joined, read

SHARE_ONLY, ALL_ROWS = "the sample", "all training rows"


class SamplingBeforehand(ThesisTable):
    """SVM-RFE on a share of the rows, drawn once per fold."""

    id = "planas-5.8"
    also = ("planas-5.9",)
    title = "Preprocessed sampling, over C and the share"
    notes = (
        "The data and folds of planas-5.2, step 10, sizes 1, 7, ..., 295. In the code of the "
        "thesis the sample also trains the machine that is validated. Cells validated on *all "
        "training rows* show what the sampled ranking itself costs, which is much less: with a "
        "fifth of the rows at C = 1e-4 the cost is 0.132 there, 0.186 on the sample, and 0.112 "
        "without sampling."
    )
    quantities = (*OPTIMUM, Quantity("seconds", relative_to={"sampling": 1.0}))

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the table, and the cells of C = 1e-4 validated on all rows."""
        cells = self.printed_cells(validated_on=SHARE_ONLY)
        more = [{**c, "validated_on": ALL_ROWS} for c in cells if c["C"] == 1e-4]
        if effort is Effort.FULL:
            return [*cells, *more]
        return [c for c in (*cells, *more) if c["C"] == 1e-4 and c["sampling"] == 0.2]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank on a sample, validate on it or on all rows."""
        machine = linear(float(cell["C"]))
        trial = Trial.of(STEPS.table(), 7, repeat, effort)
        sample = trial.sampled(float(cell["sampling"]))
        rankings, seconds = sample.ranked(eliminating(machine, 10))
        validated_on = sample if cell["validated_on"] == SHARE_ONLY else trial
        return [optimum(cell, validated_on.validated(rankings, machine, EVERY_SIXTH), seconds)]

    def published(self) -> list[PublishedCell]:
        """Return tables 5.8 and 5.9."""
        keys = ("C", "sampling")
        times = read("planas_5_09", keys, {"time_s": "seconds"})
        return joined(read("planas_5_08", keys, PRINTED), times)

    def why_not_comparable(self, cell: Settings) -> str:
        """Say so of cells that are validated on more rows."""
        return "" if cell["validated_on"] == SHARE_ONLY else "validated on more rows than in print"


EXPERIMENT = SamplingBeforehand()
