"""All tables and figures of the sources: each has an id, or a reason why it shows no result."""

import re

import pytest

from svsieve.reproduce import experiments
from svsieve.reproduce.not_shown import NOT_SHOWN


def _ids(source, tables, figures):
    """Ids of numbered captions: chapter or appendix, and the last number in it."""
    found = [f"{source}-{part}.{n}" for part, last in tables for n in range(1, last + 1)]
    found += [f"{source}-fig-{part}.{n}" for part, last in figures for n in range(1, last + 1)]
    return [id.replace("-.", "-") for id in found]


# As captions count them. The two early reports (003, 004) have none.
PLANAS = _ids(
    "planas",
    [("2", 1), ("3", 5), ("4", 1), ("5", 27)],
    [("2", 1), ("4", 8), ("5", 22)],
)
RAKOTOMAMONJY = _ids("rakotomamonjy", [("", 4)], [("", 5)])
SMETS = _ids(
    "smets",
    [("3", 1), ("5", 5), ("b", 10)],
    [("1", 3), ("2", 5), ("5", 11), ("a", 3), ("c", 9), ("d", 10), ("e", 10)],
)
ALL = [*PLANAS, *RAKOTOMAMONJY, *SMETS]
# Of this package's own: a name of figure 4.7 from before, and what goes beyond the sources.
OWN = {"planas-4.7", "beyond-colon", "beyond-lymphoma", "beyond-madelon"}


def _registered():
    return {id for one in experiments() for id in (one.id, *one.also)}


def test_the_list_is_as_long_as_the_captions_are_many():
    tables = [id for id in ALL if "-fig-" not in id]
    assert (len(tables), len(ALL) - len(tables)) == (34 + 4 + 16, 31 + 5 + 51)
    assert len(set(ALL)) == len(ALL)
    assert {"planas-5.27", "rakotomamonjy-fig-1", "smets-b.10", "smets-fig-a.3"} <= set(ALL)


@pytest.mark.parametrize("id", ALL)
def test_a_table_or_figure_is_computed_or_says_why_not(id):
    assert (id in _registered()) != (id in NOT_SHOWN)
    assert NOT_SHOWN.get(id, "computed")


def test_nothing_else_has_an_id_of_the_sources():
    assert _registered() - OWN <= set(ALL)
    assert set(NOT_SHOWN) <= set(ALL)


def test_the_chapters_of_ids_are_those_of_the_sources():
    assert all(re.fullmatch(r"[a-z]+-(fig-)?([1-5a-e]\.)?\d+", id) for id in ALL)
