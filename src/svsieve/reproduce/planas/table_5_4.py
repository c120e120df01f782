"""Table 5.4, dynamic step; its times are table 5.5."""

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
from svsieve.reproduce.planas.steps import ShareOfOthers
from svsieve.reproduce.published import PublishedCell, joined, read

# The constant step that the thesis compares the times with: the best cell of table 5.2.
CONSTANT = {"C": 1e-5, "step": 2}


class DynamicStep(ThesisTable):
    """Linear SVM-RFE that drops a share of the columns left."""

    id = "planas-5.4"
    also = ("planas-5.5", "planas-fig-5.4")
    title = "SVM-RFE with a dynamic step, over C and the share"
    notes = (
        "As planas-5.2, but each step drops a share of the columns left. Times are divided by that "
        "of the best constant step (C 1e-05, step 2), measured in the same run: the thesis finds "
        "the best dynamic step 2.7 times faster. Here a dynamic step takes 0.8 to 1.2 times as "
        "long: the library does not solve each step from the start but follows the solution while "
        "columns go, so that the number of columns counts and small steps cost little."
    )
    quantities = (*OPTIMUM, Quantity("seconds", relative_to={**CONSTANT, "percentage": None}))

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return all combinations, and the constant step."""
        if effort is not Effort.FULL:
            return [{"C": 1e-4, "percentage": 0.12}, dict(CONSTANT)]
        return self.printed_cells()

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank with a share of the columns left and validate."""
        trial = Trial.of(STEPS.table(), 7, repeat, effort)
        machine = linear(float(cell["C"]))
        share = float(cell.get("percentage", 0.0))
        step = ShareOfOthers(share) if share else int(cell["step"])
        rankings, seconds = trial.ranked(eliminating(machine, step))
        sizes = range(1, 300) if effort is Effort.FULL else EVERY_SIXTH
        return [optimum(cell, trial.validated(rankings, machine, sizes), seconds)]

    def published(self) -> list[PublishedCell]:
        """Return tables 5.4 and 5.5, and one cell of tables 5.2 and 5.3."""
        keys, constant, seconds = ("C", "percentage"), tuple(CONSTANT), {"time_s": "seconds"}
        return joined(
            read("planas_5_04", keys, PRINTED),
            read("planas_5_05", keys, seconds),
            read("planas_5_02", constant, PRINTED, where=CONSTANT),
            read("planas_5_03", constant, seconds, where=CONSTANT),
        )


EXPERIMENT = DynamicStep()
