"""Matrices must go when their last user goes, not when the garbage collector comes by."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

from svsieve.kernels import KernelState, Linear, Normalised, PairWeights, Polynomial, Rbf
from svsieve.kernels.pairings import column_ranges
from svsieve.native import core

KERNELS = [Rbf(0.1), 0.5 * Rbf(0.1) + Normalised(Polynomial(2, 1.0, 1.0)) * Linear()]


@pytest.fixture(autouse=True)
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 6))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_gram_matrix_is_freed_at_once(kernel, X):
    gram = kernel.gram(X)
    seen = weakref.ref(gram)
    del gram
    assert seen() is None


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_state_is_freed_at_once(kernel, X):
    state = KernelState(kernel, X)
    weights = PairWeights.outer(np.arange(30.0))
    state.contract_slopes(weights)
    state.contract_params(weights)
    state.contract_without(weights)
    state.gram()
    state.drop([2])
    seen = [weakref.ref(leaf.s) for leaf in state._leaves] + [weakref.ref(state.gram())]
    del state
    assert [ref() for ref in seen] == [None] * len(seen)


RELEASED = """
from svsieve.kernels.pairings import column_ranges
from svsieve.native import core
first = core.empty_table(1500, 1500)
address = first.ctypes.data
second = core.empty_table(1500, 1500)
assert second.ctypes.data != address
del first
assert core.empty_table(1490, 1500).ctypes.data == address
"""


def test_released_memory_serves_the_next_matrix():
    # In a process of its own: other tests may have left blocks that serve as well.
    subprocess.run([sys.executable, "-c", RELEASED], check=True)


def test_an_array_keeps_its_memory_while_it_is_viewed():
    view = core.empty_table(1500, 1500)[3:5]
    view[:] = 7.0
    other = core.empty_table(1500, 1500)
    other[:] = 1.0
    assert (view == 7.0).all()


@pytest.mark.parametrize(("rows", "width"), [(1_000_000, 4), (3_000_000, 1), (5_000_000, 1)])
def test_few_columns_of_a_long_sparse_table_are_written_out_at_a_time(rows, width):
    # Four million entries at most, or one column; a table that takes no memory has the shape.
    ranges = list(column_ranges(np.broadcast_to(0.0, (rows, 9))))
    assert max(one.stop - one.start for one in ranges) == width
    assert [j for one in ranges for j in range(9)[one]] == list(range(9))
