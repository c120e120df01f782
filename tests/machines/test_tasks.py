"""Several classes as lists of two-class tasks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import SVC

from svsieve import machines
from svsieve.machines import one_vs_one, one_vs_rest
from tests.machines.machine_cases import gaussian

CODES = np.array([2, 0, 1, 1, 0, 3, 2, 0, 3, 1])


def test_one_vs_one_pairs() -> None:
    tasks = one_vs_one(CODES, 4)
    assert [(t.positive, t.negative) for t in tasks] == list(combinations(range(4), 2))
    for task in tasks:
        expected = np.flatnonzero((task.positive == CODES) | (task.negative == CODES))
        assert sorted(task.rows) == list(expected)
        signs = np.where(CODES[task.rows] == task.positive, 1, -1)
        assert np.array_equal(task.labels, signs)


def test_one_vs_rest_uses_all_rows() -> None:
    tasks = one_vs_rest(CODES, 4)
    assert [t.positive for t in tasks] == [0, 1, 2, 3]
    for task in tasks:
        assert sorted(task.rows) == list(range(len(CODES)))
        assert np.array_equal(task.labels, np.where(CODES[task.rows] == task.positive, 1, -1))


def test_two_classes_give_one_task() -> None:
    (task,) = one_vs_one(np.array([0, 1, 1, 0]), 2)
    assert (task.positive, task.negative) == (0, 1)
    assert sorted(task.rows) == [0, 1, 2, 3]


def test_signs_and_order_are_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 80)
    X = rng.normal(size=(80, 3)) + codes[:, None]
    K = gaussian(X)
    theirs = SVC(kernel="precomputed", decision_function_shape="ovo", tol=1e-9).fit(K, codes)
    columns = []
    for task in one_vs_one(codes, 4):
        matrix = K[np.ix_(task.rows, task.rows)]
        problem = machines.CSvm(C=1.0).problem(np.diag(matrix), task.labels)
        solution = machines.solve(problem, matrix, tol=1e-9)
        columns.append(K[:, task.rows] @ solution.coefficients + solution.offset)
    np.testing.assert_allclose(np.c_[*columns], theirs.decision_function(K), atol=1e-5)


@pytest.mark.parametrize("make", [one_vs_one, one_vs_rest])
def test_a_code_outside_the_classes_is_refused(make) -> None:
    with pytest.raises(ValueError, match="3"):
        make(CODES, 3)
    with pytest.raises(ValueError, match="-1"):
        make(np.array([0, -1, 1]), 2)
