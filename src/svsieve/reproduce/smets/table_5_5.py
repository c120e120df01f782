"""Table 5.5, how often the last two columns are relevant ones; curves of figures 5.3-5.6 and C."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.published import PublishedCell, read
from svsieve.reproduce.smets.toys import MACHINES, PROBLEMS, accuracies, drawn

PUBLISHED_RUNS = 10
SIZES = (2, 5, 10, 20, 50)
# The bound has the more minima the fewer rows there are: starts for the last two columns.
STARTS_TIMES_ROWS = 300


class ToyRankings(Experiment):
    """Three rankings of toy problems: the last two columns, and accuracy against the size."""

    id = "smets-5.5"
    also = (
        *(f"smets-fig-5.{figure}" for figure in range(3, 7)),
        *(f"smets-fig-c.{figure}" for figure in range(1, 10)),
    )
    title = "Toy problems: share of runs whose last two columns are relevant (5.5), and curves"
    notes = (
        "50 columns, 10 to 100 training rows, 500 test rows. The linear problem is ranked with a "
        "linear kernel, the non-linear one with a polynomial kernel of degree 2 and a Gaussian "
        "one. Rankings: Fisher score, SVM-RFE, and factors of the columns that descend the "
        "radius/margin bound (`FeatureScaling`), whose machine sees scaled columns. C and widths "
        "are not published; here C = 0.1 with the linear kernel and 10 with the others, squared "
        "slack, gamma = 1 / 50, 100 draws. Published are counts out of ten runs, with the error of "
        "such a count; the curves have no numbers. Scaling begins at several random factors where "
        "two columns are left in the end, 300 / rows times: the bound has many minima. With one "
        "start it finds both columns of the non-linear problem in 4, 23 and 68 % of the draws of "
        "10, 20 and 30 rows with the polynomial kernel, in 6, 34 and 60 % with the Gaussian one. "
        "With 10 rows every published ranking found both once in ten runs, the others more often "
        "than here. The Fisher score is better here on the linear problem than its printed counts, "
        "which the described problem hardly gives. Scaling with the polynomial kernel fails in "
        "print, for no known reason, but not here. Panels: linear 10, 20, 30 are figures C.1 to "
        "C.3 (5.3 is C.3), polynomial C.4 to C.6 (5.5 is C.6), Gaussian C.7 to C.9 (5.4 is C.9), "
        "Gaussian 50 is 5.6."
    )
    settled = "scaling begins at several random factors where two columns are left in the end"
    quantities = (
        Quantity("both_relevant", judged=True, share=True, percent=True, digits=0),
        Quantity("accuracy", percent=True, digits=1, drawn_only=True),
    )
    x, series, y, log_x = "n_features", "method", "accuracy", True
    panels = ("kernel", "train_size")

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the cells of the table; figure 5.6 needs no more."""
        cells = self.printed_cells()
        if effort is Effort.SMOKE:
            return [cell for cell in cells if cell["train_size"] == 10]
        return cells if effort is Effort.FULL else [c for c in cells if c["train_size"] == 30]

    def repeats(self, effort: Effort) -> int:
        """Return the number of draws: more than the published ten, since each has much noise."""
        return {Effort.SMOKE: 1, Effort.QUICK: 10, Effort.FULL: 100}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Draw, rank and test."""
        kernel, method = str(cell["kernel"]), str(cell["method"])
        train, test = drawn(kernel, int(cell["train_size"]), repeat)
        sizes = SIZES if effort is not Effort.SMOKE else SIZES[:1]
        starts = {2: max(1, STARTS_TIMES_ROWS // int(cell["train_size"]))}
        ranked = accuracies(method, MACHINES[kernel], train, test, sizes, starts=starts)
        for size, kept, accuracy in ranked:
            yield Measurement({**cell, "n_features": size}, {"accuracy": accuracy})
            if size == 2:
                relevant = bool((kept < PROBLEMS[kernel][1]).all())
                yield Measurement(cell, {"both_relevant": float(relevant)})

    def published(self) -> list[PublishedCell]:
        """Return shares of ten runs."""
        name = "both_relevant"
        return [
            replace(
                one,
                values={name: one.values[name] / PUBLISHED_RUNS},
                trials={name: PUBLISHED_RUNS},
            )
            for one in read("smets_5_5", ("kernel", "method", "train_size"), {"count": name})
        ]


EXPERIMENT = ToyRankings()
