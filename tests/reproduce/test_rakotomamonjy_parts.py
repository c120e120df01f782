"""What the experiments of the publication are made of."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE, schedules
from svsieve.criteria import Span
from svsieve.datasets import is_there
from svsieve.reproduce import Effort, find
from svsieve.reproduce.rakotomamonjy.figure_4 import bound
from svsieve.reproduce.rakotomamonjy.readings import CRITERIA, RETRAINED


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


@pytest.mark.skipif(not is_there("lymphoma"), reason="needs the data set lymphoma")
def test_print_lies_between_two_readings_of_the_span_without_retraining():
    """Table 4, 50 variables: the estimate left, which is run there, and its absolute change."""
    experiment = find("rakotomamonjy-4")
    (printed,) = [
        one.values["error"]
        for one in experiment.published()
        if one.cell == {"method": "span", "n_features": 50}
    ]
    X, y = experiment.rows({})
    machine = SVC(kernel="linear", C=1e6, slack="l2")
    errors = {"left": [], "change": []}
    for repeat in range(8):
        splitter = StratifiedShuffleSplit(1, train_size=60, random_state=repeat)
        train, test = next(splitter.split(X, y))
        scaler = StandardScaler().fit(X[train])
        A, B = scaler.transform(X[train]), scaler.transform(X[test])
        for reading, criterion in (("left", Span()), ("change", Span(absolute=True))):
            step = schedules.HalveThenOne(100)
            selector = SVMRFE(machine, n_features_to_select=50, step=step, criterion=criterion)
            kept = np.sort(selector.fit(A, y[train]).path_.survivors)
            wrong = machine.fit(A[:, kept], y[train]).predict(B[:, kept]) != y[test]
            errors[reading].append(wrong.mean())
    assert np.mean(errors["change"]) < printed < np.mean(errors["left"])


def test_readings_that_train_again_differ_in_nothing_else():
    for name, criterion in RETRAINED.items():
        assert criterion == replace(CRITERIA[name.removesuffix("_retrain")], retrain=True)
