"""An experiment that takes no time."""

from pathlib import Path

from svsieve.reproduce import Effort, Experiment, Measurement, Quantity
from svsieve.reproduce.published import PublishedCell


class Small(Experiment):
    """Numbers that follow from the settings; `log` notes what was run."""

    id, title = "small-1", "A small table"
    notes = "Nothing is computed."
    quantities = (
        Quantity("error", judged=True, percent=True),
        Quantity("seconds", relative_to={"step": 1}),
    )
    x, series, y = "C", "step", "error"
    one_run = True

    def __init__(self, log: Path | None = None, fails_at: int | None = None) -> None:
        self.log, self.fails_at = log, fails_at

    def cells(self, effort):
        return [{"C": C, "step": step} for C in (0.1, 1.0) for step in (1, 2)]

    def repeats(self, effort):
        return 1 if effort is Effort.SMOKE else 3

    def measure(self, cell, repeat, effort):
        done = self.log.read_text().splitlines() if self.log is not None else []
        if self.fails_at == len(done):
            raise RuntimeError("killed")
        if self.log is not None:
            self.log.write_text("\n".join([*done, f"{cell} {repeat}"]))
        error = 0.1 * cell["C"] + 0.01 * repeat
        return [Measurement(cell, {"error": error, "seconds": 2.0 / cell["step"]})]

    def published(self):
        found = [
            PublishedCell({"C": 1.0, "step": step}, {"error": 0.11, "seconds": 30.0 / step**2})
            for step in (1, 2)
        ]
        return [*found, PublishedCell({"C": 0.1, "step": 1}, {"error": 0.5, "seconds": 7.0})]

    def why_not_comparable(self, cell):
        return "not the same" if cell["C"] == 0.1 else ""
