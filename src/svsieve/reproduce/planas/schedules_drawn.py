"""Figures 5.2 and 5.10: the sizes that schedules visit; no data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping

from svsieve.elimination import Schedule
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.published import cell_key


class Schedules(Experiment):
    """Columns left against the number of iterations."""

    quantities = (
        Quantity("size", judged=True, exact=True, digits=0),
        Quantity("iterations", judged=True, exact=True, digits=0),
        Quantity("columns", digits=0, drawn_only=True),
    )
    x, series, y = "iteration", "schedule", "columns"
    n_columns = 300

    @abstractmethod
    def schedules(self) -> Mapping[str, Schedule]:
        """Return what is drawn, by name."""

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the schedules."""
        return [{"schedule": name} for name in self.schedules()]

    def repeats(self, effort: Effort) -> int:
        """Return one: nothing is random."""
        return 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Visit all sizes; those that were published are compared."""
        known = {cell_key(one.cell) for one in self.published()}
        sizes = self.schedules()[str(cell["schedule"])].sizes(self.n_columns)
        for iteration, columns in enumerate(sizes):
            after = {**cell, "iteration": iteration}
            values = {"columns": float(columns)}
            if cell_key(after) in known:
                values["size"] = float(columns)
            yield Measurement(after, values)
        if cell_key(cell) in known:
            yield Measurement(cell, {"iterations": float(len(sizes) - 1)})
