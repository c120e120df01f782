"""Data and parts: defaults, and what does not fit together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svsieve.criteria import PowerSum, WeightNorm
from svsieve.elimination import AllRows, AtSize, Constant, Data, Parts, Task
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm

X = np.eye(4)
Y = np.array([1.0, -1.0, 1.0, -1.0])
GROUPS = np.array([1, 0, 1, 0])


def parts(**choices) -> Parts:
    return Parts(Linear(), CSvm(), **choices)


def test_defaults() -> None:
    chosen = parts()
    assert chosen.criterion == WeightNorm()
    assert chosen.combine == PowerSum()
    assert chosen.schedule == Constant(1)
    assert chosen.sampler == AllRows()
    assert chosen.stops == ()
    assert chosen.keep.dtype == np.int64
    assert len(chosen.keep) == 0
    assert chosen.bias is None


def test_sequences_become_what_they_should_be() -> None:
    chosen = parts(stops=[AtSize(2)], keep=[3, 1])
    assert chosen.stops == (AtSize(2),)
    np.testing.assert_array_equal(chosen.keep, [1, 3])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_data(make) -> None:
    some = Task(np.array([0, 1, 3]), Y[[0, 1, 3]], np.ones(3))
    data = Data(make(X[:, :3]), [Task(labels=Y), some], GROUPS)
    assert (data.n_rows, data.n_columns) == (4, 3)
    assert isinstance(data.tasks, tuple)


@pytest.mark.parametrize(
    ("tasks", "groups", "message"),
    [
        ((), GROUPS, "tasks must hold at least one problem"),
        ((Task(),), GROUPS[:3], "groups must have one entry for each of 4 rows. Got 3"),
        ((Task(labels=Y[:3]),), GROUPS, "labels of a task .* each of its 4 rows. Got 3"),
        ((Task(np.array([0]), weights=Y),), GROUPS, "weights of a task .* its 1 rows. Got 4"),
    ],
)
def test_refused_data(tasks, groups, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Data(X, tasks, groups)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"least": 0}, "least of Parts must be a whole number of at least 1. Got 0"),
        ({"least": 1.5}, "least of Parts must be a whole number .* Got 1.5"),
        ({"seed": -1}, "seed of Parts must be .* at least 0. Got -1"),
        ({"keep": [1, 1]}, "keep holds 1 twice"),
        ({"keep": [-1]}, "keep holds -1"),
        ({"bias": -1.0}, "bias must be None or finite and not negative. Got -1.0"),
        ({"bias": np.inf}, "bias must be None or finite and not negative. Got inf"),
        ({"tol": 0.0}, "tol must be positive. Got 0.0"),
        ({"max_iter": 0}, "max_iter must be positive, or -1 for no limit. Got 0"),
        ({"engine": "fast"}, "engine must be one of 'auto', .* Got 'fast'"),
    ],
)
def test_refused_parts(choice: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parts(**choice)


@pytest.mark.parametrize("kernel", [Rbf(0.1), Linear(weights=[1.0, 2.0])], ids=repr)
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_a_penalised_bias_needs_a_plain_linear_kernel(kernel, bias: float) -> None:
    with pytest.raises(IncompatiblePartsError, match=rf"needs the kernel Linear.*bias={bias}"):
        Parts(kernel, CSvm(), bias=bias)
