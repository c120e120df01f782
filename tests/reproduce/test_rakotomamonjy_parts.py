"""What the experiments of the publication are made of."""

import numpy as np
import pytest

from svsieve.reproduce import Effort, find
from svsieve.reproduce.rakotomamonjy.figure_4 import bound


@pytest.mark.parametrize("table", ["1", "2"])
def test_every_row_of_a_table_is_measured_once(table):
    toy = find(f"rakotomamonjy-{table}")
    cells = [cell for cell in toy.cells(Effort.FULL) if cell["train_size"] == 10]
    found = [one.cell for cell in cells for one in toy.measure(cell, 0, Effort.SMOKE)]
    published = [one.cell for one in toy.published() if one.cell["train_size"] == 10]
    assert sorted(cell["method"] for cell in found) == sorted(cell["method"] for cell in published)
    assert {tuple(cell) for cell in found} == {("method", "train_size")}


def test_the_bound_of_two_rows_on_a_line():
    # The kernel of rows that far apart is the identity, to which squared slacks add 1 / C: with the
    # diagonal d, R^2 = d / 2 and ||w||^2 = 2 / d.
    assert np.isclose(bound(np.array([[-40.0], [40.0]]), np.array([-1.0, 1.0])), 1.0)


def test_a_trial_depends_on_its_number_alone():
    toy = find("rakotomamonjy-2")
    cell = {"train_size": 10, "methods": "w2_retrain"}
    first, again, other = [list(toy.measure(cell, repeat, Effort.FULL)) for repeat in (3, 3, 4)]
    assert first == again
    assert first != other


def test_training_sets_of_the_toys_have_half_of_each_class():
    _, y = type(find("rakotomamonjy-1")).make(10, rng=0, balanced=True)
    assert y.sum() == 0
