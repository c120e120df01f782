"""The sizes that no other size beats."""

import numpy as np
import pytest

from svsieve.selection import Curve, pareto_front, rules


@pytest.mark.parametrize(
    ("means", "front"),
    [
        ([0.5, 0.8, 0.7, 0.9], [1, 2, 4]),
        ([0.9, 0.8, 0.7, 0.9], [1]),
        ([0.5, 0.5, 0.6, 0.6], [1, 3]),
        ([-3.0, -1.0, -2.0, -0.5], [1, 2, 4]),
        ([np.nan, 0.4, np.nan, 0.5], [2, 4]),
        ([np.nan, np.nan], []),
    ],
)
def test_fronts(means, front):
    curve = Curve(list(range(1, len(means) + 1)), {"accuracy": [means]})
    assert pareto_front(curve).tolist() == front


def test_it_holds_sizes_that_no_weights_find():
    """The point in the middle lies off the convex hull."""
    curve = Curve([1, 2, 3], {"accuracy": [[0.5, 0.55, 0.9]]})
    assert pareto_front(curve).tolist() == [1, 2, 3]
    weights = np.linspace(0.0, 1.0, 201)
    chosen = {rules.Scalarised(w, 1.0 - w).choose(curve).size for w in weights}
    assert chosen == {1, 3}


def test_another_metric():
    curve = Curve([1, 2], {"auc": [[0.9, 0.6]], "accuracy": [[0.6, 0.9]]})
    assert pareto_front(curve).tolist() == [1]
    assert pareto_front(curve, "accuracy").tolist() == [1, 2]
