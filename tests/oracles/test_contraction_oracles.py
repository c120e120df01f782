"""Contractions of every kernel with M_kj = 1 / (k + j - 1), to the last printed digit."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.kernels import KernelState, PairWeights
from tests.oracles import numbers
from tests.oracles.library import KERNELS
from tests.oracles.numbers import assert_digits

INDEX = np.arange(1, 9)
M = 1 / (INDEX[:, None] + INDEX[None, :] - 1)


@pytest.fixture(params=numbers.CONTRACTIONS)
def case(request):
    kernel = KERNELS[request.param]
    return KernelState(kernel, numbers.X), numbers.CONTRACTIONS[request.param]


def test_inner_product_with_the_gram_matrix(case) -> None:
    state, (inner, _, _) = case
    assert_digits((M * state.gram()).sum(), inner)


def test_slopes(case) -> None:
    state, (_, slopes, _) = case
    assert_digits(state.contract_slopes(PairWeights.dense(M)), slopes)


def test_without_each_column(case) -> None:
    state, (_, _, without) = case
    assert_digits(state.contract_without(PairWeights.dense(M)), without)


def test_change_without_each_column(case) -> None:
    state, (_, _, without) = case
    change = state.contract_without(PairWeights.dense(M), change=True)
    assert_digits(change + (M * state.gram()).sum(), without)
