"""Tables and figures of the sources without a result here, each with the reason."""

from __future__ import annotations

DRAWN = "drawn, nothing to judge: print has a picture without numbers"
PLAN = "the plan and the cost of a project, or an outline of it: nothing is measured"
FACTS = "facts about data sets or a legend: nothing is measured"
SKETCH = "a sketch that explains a term, drawn by hand or taken from another work"
NO_SAMPLER = (
    "pictures of two or three variables, taken from another work: not drawn here yet, a generator "
    "is missing"
)
RANDOM = (
    "accuracy of a random ranking, read from a picture: sizes and machine are not known closely "
    "enough to compare the one marked point"
)
OTHER_RUNS = (
    "curves of other runs than those of a table, whose marked points are read from pictures: not "
    "computed here yet"
)

# By the id that the table or figure would have.
NOT_SHOWN: dict[str, str] = {
    **dict.fromkeys(("planas-2.1", "planas-fig-2.1"), PLAN),
    **dict.fromkeys((f"planas-3.{table}" for table in range(1, 6)), PLAN),
    **dict.fromkeys(("planas-4.1", "planas-5.1", "smets-5.1", "smets-5.2"), FACTS),
    **dict.fromkeys((f"planas-fig-4.{figure}" for figure in range(1, 7)), SKETCH),
    **dict.fromkeys(("planas-fig-5.1", "rakotomamonjy-fig-1"), PLAN),
    **dict.fromkeys((f"planas-fig-5.{figure}" for figure in (7, 8, 13, 19)), OTHER_RUNS),
    **dict.fromkeys((f"planas-fig-5.{figure}" for figure in (5, 12, 14, 17)), RANDOM),
    "planas-fig-5.15": "print repeats the pictures of figure 5.13 in its place",
    "planas-fig-5.16": DRAWN,
    **dict.fromkeys((f"smets-fig-1.{figure}" for figure in range(1, 4)), SKETCH),
    **dict.fromkeys((f"smets-fig-2.{figure}" for figure in range(1, 6)), SKETCH),
    "smets-3.1": "definitions: nothing is measured",
    **dict.fromkeys(("smets-fig-5.1", "smets-fig-5.2"), DRAWN),
    **dict.fromkeys((f"smets-fig-a.{figure}" for figure in range(1, 4)), NO_SAMPLER),
}
