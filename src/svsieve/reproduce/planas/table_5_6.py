"""Table 5.6: no sampling, sampling beforehand, sampling in every iteration; times in table 5.7."""

from __future__ import annotations

from collections.abc import Iterable

from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import SAMPLING
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
from svsieve.reproduce.planas.sampling import AGAIN, ONCE, resampling
from svsieve.reproduce.published import PublishedCell, joined, read

KEYS = ("panel", "step", "sampling", "sampling_mode")
C = 10.0
FULL_VALIDATION = "B1, validated on all rows"


class Sampling(ThesisTable):
    """Three ways to use a share of the rows."""

    id = "planas-5.6"
    also = ("planas-5.7", "planas-fig-5.9")
    title = "No, preprocessed and internal sampling, three settings each"
    notes = (
        "8000 rows, 300 columns, 20 folds, C = 10, sizes 1, 7, ..., 295. Preprocessed sampling (B) "
        "also shrinks the rows that the validated machine is trained on, internal sampling (C) "
        "does not: most of the contrast between them is that. The cell *B1, validated on all rows* "
        "ranks as B1 and validates as C1. A2 and A3 are two runs of the same settings. One run: "
        "its errors come from the folds, and the published run is taken to be as noisy."
    )
    quantities = (
        *OPTIMUM,
        Quantity(
            "seconds",
            relative_to={"panel": "A1", "step": 20, "sampling": 1.0, "sampling_mode": "none"},
        ),
    )
    x, log_x = "sampling", False
    folds = 20

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the nine cells, and B1 with all rows to validate on."""
        extra: Settings = {
            "panel": FULL_VALIDATION,
            "step": 20,
            "sampling": 0.1,
            "sampling_mode": ONCE,
        }
        cells = [*self.printed_cells(), extra]
        return cells if effort is Effort.FULL else [c for c in cells if c["panel"] == "B1"]

    def repeats(self, effort: Effort) -> int:
        """Return one."""
        return 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank on a share of the rows and validate."""
        share, step = float(cell["sampling"]), int(cell["step"])
        trial = Trial.of(SAMPLING.table(), 20, repeat, effort)
        ranked_on = trial.sampled(share) if cell["sampling_mode"] == ONCE else trial
        by_draws = cell["sampling_mode"] == AGAIN
        ranking = resampling(C, step, share) if by_draws else eliminating(linear(C), step)
        rankings, seconds = ranked_on.ranked(ranking)
        validated_on = trial if cell["panel"] == FULL_VALIDATION else ranked_on
        sizes = EVERY_SIXTH if effort is Effort.FULL else range(1, 300, 24)
        return [optimum(cell, validated_on.validated(rankings, linear(C), sizes), seconds)]

    def published(self) -> list[PublishedCell]:
        """Return tables 5.6 and 5.7."""
        times = read("planas_5_07", KEYS, {"time_s": "seconds"})
        return joined(read("planas_5_06", KEYS, PRINTED), times)


EXPERIMENT = Sampling()
