"""Figure 5.22: what each part of the combination does; the whole of it is figure 5.21."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from svsieve import SVC, samplers
from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.criterion import CODE, criterion
from svsieve.reproduce.planas.data import madelon
from svsieve.reproduce.planas.kernel_tables import polynomial
from svsieve.reproduce.planas.protocol import (
    CURVE,
    FEATURES,
    ThesisTable,
    Trial,
    eliminating,
    optimum,
    points,
)
from svsieve.reproduce.planas.steps import Distance
from svsieve.reproduce.published import PublishedCell, read

SHARE, C = 0.2, 0.6
WHOLE, ONCE, CONSTANT = "combination", "rows drawn once", "constant step 10"
PANELS = {"": WHOLE, "left": ONCE, "right": CONSTANT}


class Ablation(ThesisTable):
    """The combination with its rows drawn once, or with a constant step."""

    id = "planas-fig-5.22"
    also = ("planas-fig-5.21",)
    title = "The combination on MADELON, and without one of its parts"
    notes = (
        "2000 rows, 7 folds, degree 7, C = 0.6, the criterion of the thesis's code (see "
        "planas-5.20). Rows drawn once are also the only ones that the validated machine sees. "
        "Published accuracies are read from images, the combination's from the text."
    )
    quantities = (
        FEATURES,
        Quantity("accuracy", judged=True, percent=True, digits=2),
        Quantity("seconds", relative_to={"variant": WHOLE}),
        CURVE,
    )
    x, series, y, log_x = "size", "variant", CURVE.name, False
    data_sets = ("madelon",)

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the combination and its two variants."""
        return [{"variant": name} for name in PANELS.values()]

    def repeats(self, effort: Effort) -> int:
        """Return three: print is one run, and how far two are apart must be known."""
        return 3 if effort is Effort.FULL else 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank with the parts of the variant and validate."""
        trial = Trial.of(madelon(), 7, repeat, effort)
        machine = SVC(kernel=polynomial(7, C), C=C)
        steps = Distance(0.08, centre=20, least=3)
        scored_by = criterion(CODE, zero_one=False)
        if cell["variant"] == ONCE:
            trial = trial.sampled(SHARE)
            ranking = eliminating(machine, steps, criterion=scored_by)
        else:
            drawn = samplers.Subsample(SHARE, stratified=False)
            step = 10 if cell["variant"] == CONSTANT else steps
            ranking = eliminating(machine, step, criterion=scored_by, sampler=drawn)
        rankings, seconds = trial.ranked(ranking)
        sizes = [size - 1 for size in steps.sizes(trial.X.shape[1]) if size > 1]
        if effort is Effort.SMOKE:
            sizes = sizes[-20::3]
        curve = trial.validated(rankings, machine, sizes)
        return [optimum(cell, curve, seconds), *points(cell, curve)]

    def published(self) -> list[PublishedCell]:
        """Return the marked points of figures 5.21 and 5.22."""
        found = []
        for table in ("figure 5.21", "figure 5.22"):
            quantities = ("n_features", "accuracy")
            for one in read("planas_figures", ("panel",), quantities, where={"table": table}):
                variant = PANELS[one.cell.get("panel", "")]
                found.append(replace(one, cell={"variant": variant}))
        return found


EXPERIMENT = Ablation()
