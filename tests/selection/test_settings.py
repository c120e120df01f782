"""Machines with several kernels and penalties on the same columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

from svsieve.elimination import Data, Task
from svsieve.kernels import Linear, PerFeature, Rbf
from svsieve.machines import one_vs_one
from svsieve.selection.settings import decisions_at

MACHINES = [
    (Linear(), 0.1),
    (Linear(), 5.0),
    (Rbf(gamma=PerFeature(1.0)), 0.3),
    (Rbf(gamma=PerFeature(1.0)), 20.0),
]


@pytest.mark.parametrize("to_table", [np.asarray, sparse.csr_array])
def test_decisions_are_those_of_scikit_learn(to_table):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 6)), rng.normal(size=(20, 6))
    y = np.where(X[:, 1] + X[:, 4] ** 2 > 0.8, 1.0, -1.0)
    columns = np.array([1, 3, 4])
    data = Data(to_table(X), (Task(labels=y),), (y > 0).astype(np.int64))
    found = decisions_at(data, MACHINES, to_table(Z), columns, tol=1e-9)
    for (kernel, C), decisions in zip(MACHINES, found, strict=True):
        name = "linear" if isinstance(kernel, Linear) else "rbf"
        peer = svm.SVC(C=C, kernel=name, gamma=1.0 / 3.0, tol=1e-9).fit(X[:, columns], y)
        np.testing.assert_allclose(decisions[0], peer.decision_function(Z[:, columns]), atol=3e-5)


def test_pairs_of_classes_are_separate_problems():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(60, 4)), rng.normal(size=(9, 4))
    codes = rng.integers(0, 3, size=60)
    X[:, 0] += codes
    tasks = [Task(task.rows, task.labels) for task in one_vs_one(codes, 3)]
    data = Data(X, tasks, codes)
    peer = svm.SVC(kernel="linear", C=2.0, decision_function_shape="ovo", tol=1e-9)
    peer.fit(X[:, :2], codes)
    (found,) = decisions_at(data, [(Linear(), 2.0)], Z, np.array([0, 1]), tol=1e-9)
    np.testing.assert_allclose(found.T, peer.decision_function(Z[:, :2]), atol=3e-5)
