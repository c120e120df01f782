"""Figure 5.10: steps around a size of interest."""

from __future__ import annotations

from collections.abc import Mapping

from svsieve.elimination import Reflective, Schedule
from svsieve.reproduce.planas.schedules_drawn import Schedules
from svsieve.reproduce.planas.steps import Distance
from svsieve.reproduce.published import PublishedCell

THESIS, LIBRARY = "equation 5.2", "svsieve.schedules.Reflective"
# One more than the sizes that table 5.22 was validated at.
VISITED = (300, 260, 228, 203, 183, 167, 154, 144, 136, 129, *range(124, 68, -5), 63, 56, 48, 38, 26, 12, 1)  # fmt: skip # noqa: E501


class Reflections(Schedules):
    """The steps of table 5.22, and those of the library with the same settings."""

    id = "planas-fig-5.10"
    title = "Columns left with steps around a size of interest"
    notes = (
        "Sizes visited on 300 columns with 20 % of the distance to 100, at least 5, by equation "
        "5.2 of the thesis and by this library, which does not jump over the centre. Compared: the "
        "sizes that table 5.22 was validated at."
    )

    def schedules(self) -> Mapping[str, Schedule]:
        """Return both."""
        return {THESIS: Distance(0.2, 100, 5), LIBRARY: Reflective(0.2, 100, 5)}

    def published(self) -> list[PublishedCell]:
        """Return the sizes of equation 5.2."""
        return [
            PublishedCell({"schedule": THESIS, "iteration": n}, {"size": float(size)})
            for n, size in enumerate(VISITED)
        ]


EXPERIMENT = Reflections()
