"""Tables 5.18 to 5.27: machines with kernels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from svsieve import SVC
from svsieve.kernels import Kernel, PerFeature, Polynomial, Rbf
from svsieve.reproduce.experiment import Effort, Measurement, Settings
from svsieve.reproduce.planas.criterion import CODE, EQUATION, criterion
from svsieve.reproduce.planas.data import Labelled
from svsieve.reproduce.planas.protocol import (
    PRINTED,
    ThesisTable,
    Trial,
    eliminating,
    optimum,
    optimum_of_folds,
    run_again,
)
from svsieve.reproduce.published import PublishedCell, joined, read

WHY_NOT_EQUATION = "the published cells were made with the criterion of the code"


def polynomial(degree: int, C: float) -> Kernel:
    """Return (x'z / m + C)^degree on m columns: C is the constant of the kernel too."""
    return Polynomial(degree=degree, gamma=PerFeature(1.0), coef0=C)


class KernelTable(ThesisTable):
    """Features, accuracy and cost over C and the degree, or over C and gamma.

    Attributes
    ----------
    parameter : str
        "degree" of a polynomial, or "gamma" of a Gaussian kernel.
    file, times : str
        Published tables; no times where empty.
    zero_one : bool
        How labels are stored.
    cost_of_folds : bool
        The cost is the mean of each fold's least cost.
    """

    parameter: ClassVar[str] = "degree"
    file: ClassVar[str]
    times: ClassVar[str] = ""
    zero_one: ClassVar[bool] = True
    cost_of_folds: ClassVar[bool] = False
    few: ClassVar[tuple[Settings, ...]]
    # Run again with other random numbers, where every cell is run once.
    twice: ClassVar[tuple[Settings, ...]] = ()

    @abstractmethod
    def table(self, cell: Settings) -> Labelled:
        """Return rows and labels."""

    @abstractmethod
    def parts(self) -> dict[str, Any]:
        """Return schedule and sampler: "step" and, if rows are drawn, "sampler"."""

    @abstractmethod
    def sizes(self, n_columns: int) -> Iterable[int]:
        """Return the sizes that are validated."""

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the table with the criterion of the code, and a part of it with the equation."""
        if effort is not Effort.FULL:
            return [{**c, "criterion": name} for c in self.few for name in (CODE, EQUATION)]
        cells = self.printed_cells(criterion=CODE)
        middle = {c["C"] for c in self.few}
        equation = [{**c, "criterion": EQUATION} for c in cells if c["C"] in middle]
        again = [{**c, "criterion": CODE} for c in self.twice]
        return [*cells, *equation, *run_again(again)]

    def machine(self, cell: Settings) -> SVC:
        """Return the machine that ranks and is validated."""
        C = float(cell["C"])
        if self.parameter == "gamma":
            return SVC(kernel=Rbf(gamma=float(cell["gamma"])), C=C)
        return SVC(kernel=polynomial(int(cell["degree"]), C), C=C)

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank with a criterion and validate."""
        seed = repeat + int(cell.get("seed", 0))
        trial = Trial.of(self.table(cell), 7, seed, effort)
        machine = self.machine(cell)
        scored_by = self.scored_by(cell)
        rankings, seconds = trial.ranked(eliminating(machine, criterion=scored_by, **self.parts()))
        sizes = sorted(self.sizes(trial.X.shape[1]))
        if effort is Effort.SMOKE:
            sizes = sizes[:: max(1, len(sizes) // 12)]
        curve = trial.validated(rankings, machine, sizes)
        found = optimum_of_folds if self.cost_of_folds else optimum
        return [found(cell, curve, seconds)]

    def scored_by(self, cell: Settings) -> Any:
        """Return the criterion of a cell."""
        return criterion(str(cell["criterion"]), zero_one=self.zero_one)

    def sample(self) -> Settings:
        """Return a cell in the middle of the table."""
        return next(c for c in self.cells(Effort.FULL) if self.few[0].items() <= c.items())

    def published(self) -> list[PublishedCell]:
        """Return the table, and that of its times."""
        keys = (self.parameter, "C")
        times = read(self.times, keys, {"time_s": "seconds"}) if self.times else []
        return joined(read(self.file, keys, PRINTED), times)

    def why_not_comparable(self, cell: Settings) -> str:
        """Say so of equation 4.37."""
        return "" if cell["criterion"] == CODE else WHY_NOT_EQUATION
