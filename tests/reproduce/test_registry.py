"""Which experiments there are, and that each says what it must."""

import pytest

from svsieve.reproduce import Effort, Experiment, experiments, find
from svsieve.reproduce.registry import in_order

PLANAS = [f"planas-5.{table}" for table in range(2, 28)]
RAKOTOMAMONJY = [f"rakotomamonjy-{table}" for table in range(1, 5)]
SMETS = ["smets-5.3", "smets-5.4", "smets-5.5", *(f"smets-b.{table}" for table in range(1, 11))]
BEYOND = ["beyond-madelon", "beyond-colon", "beyond-lymphoma"]
FIGURES = [
    *(
        "planas-fig-4.7",
        "planas-fig-4.8",
        "planas-fig-5.3",
        "planas-fig-5.6",
        "planas-fig-5.2",
        "planas-fig-5.10",
        "planas-fig-5.22",
        *(f"planas-fig-5.{figure}" for figure in (4, 9, 11, 18, 20, 21)),
    ),
    *(f"rakotomamonjy-fig-{figure}" for figure in range(2, 6)),
    *(f"smets-fig-5.{figure}" for figure in range(3, 12)),
    *(f"smets-fig-c.{figure}" for figure in range(1, 10)),
    *(f"smets-fig-{part}.{figure}" for part in "de" for figure in range(1, 11)),
]


@pytest.mark.parametrize("id", [*PLANAS, *RAKOTOMAMONJY, *SMETS, *FIGURES, *BEYOND, "planas-4.7"])
def test_every_table_and_figure_is_found(id):
    experiment = find(id)
    assert id in (experiment.id, *experiment.also)


def test_no_id_is_given_twice():
    ids = [id for one in experiments() for id in (one.id, *one.also)]
    assert len(set(ids)) == len(ids)


def test_no_other_table_or_figure_is_promised():
    ids = {id for one in experiments() for id in (one.id, *one.also)}
    assert ids == {*PLANAS, *RAKOTOMAMONJY, *SMETS, *FIGURES, *BEYOND, "planas-4.7"}


def test_experiments_are_in_the_order_of_their_tables():
    ids = [one.id for one in experiments()]
    assert ids == sorted(ids, key=in_order)
    assert ids.index("planas-5.4") < ids.index("planas-5.10") < ids.index("planas-fig-4.7")


def test_an_unknown_id_is_refused_with_the_nearest_one():
    with pytest.raises(ValueError, match=r"Got 'planas-5\.222'\. Did you mean 'planas-5\.22'\?"):
        find("planas-5.222")


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.id)
def test_an_experiment_says_what_it_draws_and_how_often_it_runs(experiment: Experiment):
    assert experiment.title
    assert experiment.notes
    assert experiment.y in [quantity.name for quantity in experiment.quantities]
    for effort in Effort:
        cells = list(experiment.cells(effort))
        assert cells
        assert experiment.repeats(effort) >= 1
    assert len(list(experiment.cells(Effort.QUICK))) <= len(cells)


# Experiments whose cells are those of the table; elsewhere one run fills many of them.
TABLES = [one for one in experiments() if one.id.startswith(("planas-5", "smets-5", "smets-b"))]


@pytest.mark.parametrize("experiment", TABLES, ids=lambda one: one.id)
def test_the_full_protocol_runs_every_published_cell(experiment: Experiment):
    cells = list(experiment.cells(Effort.FULL))
    for one in experiment.published():
        if "implementation" in one.cell and experiment.id == "planas-5.18":
            continue  # times of all cells were published, a few are measured
        assert any(one.cell.items() <= cell.items() for cell in cells), one.cell


LOGARITHMIC = (
    "beyond-colon beyond-lymphoma beyond-madelon planas-5.2 planas-5.4 planas-5.8 planas-5.10 "
    "planas-5.12 planas-5.15 planas-5.16 planas-5.18 planas-5.22 planas-5.24 planas-fig-5.6 "
    "rakotomamonjy-3 rakotomamonjy-4 rakotomamonjy-fig-5 smets-5.5"
)


def test_what_spans_orders_of_magnitude_has_a_logarithmic_axis():
    drawn = [one for one in experiments() if hasattr(one, "log_x")]
    assert {one.id for one in drawn if one.log_x} == set(LOGARITHMIC.split())
