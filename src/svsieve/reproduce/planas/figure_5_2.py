"""Figure 5.2: constant and dynamic steps."""

from __future__ import annotations

from collections.abc import Mapping

from svsieve.elimination import Constant, Schedule
from svsieve.reproduce.planas.schedules_drawn import Schedules
from svsieve.reproduce.planas.steps import ShareOfOthers
from svsieve.reproduce.published import PublishedCell

# Iterations of the dynamic step on 300 columns, after which one is left.
ITERATIONS = {0.04: 98, 0.12: 41, 0.20: 26}


class Steps(Schedules):
    """The steps of tables 5.2 and 5.4."""

    id = "planas-fig-5.2"
    title = "Columns left with constant and dynamic steps"
    notes = (
        "Sizes visited on 300 columns by the schedules of tables 5.2 and 5.4. Compared: the "
        "iterations of the dynamic step, after which one column is left."
    )

    def schedules(self) -> Mapping[str, Schedule]:
        """Return constant steps and shares of the columns left."""
        constant = {f"step {step}": Constant(step) for step in (2, 10, 50)}
        return constant | {f"share {share:g}": ShareOfOthers(share) for share in ITERATIONS}

    def published(self) -> list[PublishedCell]:
        """Return the number of iterations after which one column is left."""
        return [
            PublishedCell({"schedule": f"share {share:g}"}, {"iterations": float(last)})
            for share, last in ITERATIONS.items()
        ]


EXPERIMENT = Steps()
