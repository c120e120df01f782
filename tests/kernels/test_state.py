"""KernelState.drop: a state that lost columns equals a fresh one on what is left."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svsieve.kernels import (
    KernelState,
    Laplace,
    Linear,
    PairWeights,
    PerFeature,
    Polynomial,
    Rbf,
)
from tests.kernels.kernel_cases import (
    EVERY_KERNEL,
    Case,
    as_given,
    relative_error,
    symmetric,
    table,
)
from tests.reference import kernels as naive

FORMS = pytest.mark.parametrize("form", ["dense", "csr"])


def naive_without(case: Case, columns: int, dropped: list[int]) -> naive.Kernel:
    kernel = case.naive(columns)
    for j in sorted(dropped, reverse=True):
        kernel = kernel.without(j)
    return kernel


def assert_state_is(state: KernelState, kernel: naive.Kernel, X: np.ndarray) -> None:
    """The state agrees in everything with the naive kernel on the kept columns."""
    M = symmetric(len(X))
    weights = PairWeights.dense(M)
    assert relative_error(state.gram(), naive.gram(kernel, X)) < 1e-12
    assert relative_error(state.diagonal(), naive.diagonal(kernel, X)) < 1e-12
    slopes, without = state.contract_slopes(weights), state.contract_without(weights)
    # one column of a normalised linear kernel has no slope at all: what is left is rounding
    terms = 1e-3 * (np.abs(M) * np.abs(state.gram())).sum()
    assert relative_error(slopes, naive.contract_slopes(kernel, X, M), terms) < 1e-10
    assert relative_error(without, naive.contract_without(kernel, X, M), terms) < 1e-10
    params = naive.contract_params(kernel, X, M)
    assert state.contract_params(weights) == pytest.approx(params, rel=1e-10, abs=1e-12)


@FORMS
@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_drop_in_several_steps(case: Case, form: str) -> None:
    X = table(13, 8, density=0.7 if form == "csr" else 1.0)
    state = KernelState(case.library(8), as_given(X, form))
    dropped: list[int] = []
    for columns in ([5], [0, 7], [3], [2, 6]):
        state.gram()
        state.drop(columns)
        dropped += columns
        kept = [j for j in range(8) if j not in dropped]
        assert list(state.kept) == kept
        assert state.n_kept == len(kept)
        assert_state_is(state, naive_without(case, 8, dropped), X[:, kept])


@FORMS
@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_begin_with_some_columns(case: Case, form: str) -> None:
    X = table(11, 7, density=0.7 if form == "csr" else 1.0)
    kept = [1, 2, 4, 6]
    state = KernelState(case.library(7), as_given(X, form), kept=kept)
    assert list(state.kept) == kept
    assert_state_is(state, naive_without(case, 7, [0, 3, 5]), X[:, kept])
    state.drop([2, 6])
    assert_state_is(state, naive_without(case, 7, [0, 2, 3, 5, 6]), X[:, [1, 4]])


@settings(max_examples=40, deadline=None)
@given(
    order=st.permutations(range(12)),
    cuts=st.sets(st.integers(1, 10), max_size=6),
    which=st.sampled_from(EVERY_KERNEL),
)
def test_any_sequence_of_drops(order: list[int], cuts: set[int], which: Case) -> None:
    X = table(9, 12)
    state = KernelState(which.library(12), X)
    marks = [0, *sorted(cuts), 11]
    for begin, end in pairwise(marks):
        state.drop(order[begin:end])
    kept = sorted(set(range(12)) - set(order[:11]))
    assert list(state.kept) == kept
    assert_state_is(state, naive_without(which, 12, order[:11]), X[:, kept])


def test_the_callers_table_is_untouched() -> None:
    X = table(10, 5)
    before = X.copy()
    state = KernelState(Rbf(gamma=0.5), X)
    state.drop([1])
    state.contract_without(PairWeights.dense(symmetric(10)))
    assert np.array_equal(X, before)


def test_a_gram_matrix_taken_before_a_drop_does_not_change() -> None:
    state = KernelState(Rbf(gamma=0.5), table(10, 5))
    before = state.gram()
    copy = before.copy()
    state.drop([1])
    state.gram()
    assert np.array_equal(before, copy)


class TestDrift:
    """Large columns leave first: what they leave behind in the sums must not pile up."""

    ROWS, COLUMNS = 40, 400

    def walk(self, kernel, naive_kernel):
        rng = np.random.default_rng(1)
        scales = rng.permutation(np.logspace(-3, 3, self.COLUMNS))
        X = rng.normal(size=(self.ROWS, self.COLUMNS)) * scales
        state = KernelState(kernel, X)
        worst = 0.0
        for count, j in enumerate(np.argsort(-scales)[:-1], start=1):
            state.gram()
            state.drop([int(j)])
            if count % 19 == 0 or count >= self.COLUMNS - 8:
                fresh = naive.gram(naive_kernel, X[:, state.kept])
                error = np.abs(state.gram() - fresh).max() / np.median(np.diag(fresh))
                worst = max(worst, float(error))
        return worst

    # Half the columns span three decades, six in their squares: 2e-16 * 1e6 is the least that
    # down-dating between two rebuilds can leave. Without any rebuild the error would be 1e-4.

    def test_products(self) -> None:
        assert self.walk(Linear(), naive.Leaf("linear")) < 2e-9

    def test_squared_differences(self) -> None:
        worst = self.walk(Rbf(gamma=1e-2), naive.Leaf("rbf", gamma=1e-2))
        assert worst < 2e-9

    def test_absolute_differences(self) -> None:
        worst = self.walk(Laplace(gamma=1e-2), naive.Leaf("laplace", gamma=1e-2))
        assert worst < 2e-9

    def test_last_column_of_all(self) -> None:
        X = table(30, 40) * np.logspace(3, -3, 40)
        state = KernelState(Linear(), X)
        for j in range(39):
            state.drop([j])
        assert list(state.kept) == [39]
        assert relative_error(state.gram(), np.outer(X[:, 39], X[:, 39])) < 1e-9


class TestGammaRules:
    X = table(20, 6)

    def scale(self, kept) -> float:
        return 1 / (len(kept) * self.X[:, kept].var())

    @pytest.mark.parametrize("make", [Rbf, Laplace, Polynomial])
    def test_number_stays(self, make) -> None:
        state = KernelState(make(gamma=0.7), self.X)
        assert state.kernel.gamma == 0.7
        state.drop([1, 4])
        assert state.kernel.gamma == 0.7

    @pytest.mark.parametrize("make", [Rbf, Laplace, Polynomial])
    def test_per_feature_follows_the_kept_count(self, make) -> None:
        state = KernelState(make(gamma=PerFeature(3.0)), self.X)
        assert state.kernel.gamma == pytest.approx(0.5, rel=1e-15)
        state.drop([1, 4])
        assert state.kernel.gamma == pytest.approx(0.75, rel=1e-15)
        state.drop([0])
        assert state.kernel.gamma == pytest.approx(1.0, rel=1e-15)

    @FORMS
    @pytest.mark.parametrize("make", [Rbf, Laplace, Polynomial])
    def test_scale_follows_the_kept_entries(self, make, form) -> None:
        state = KernelState(make(gamma="scale"), as_given(self.X, form))
        assert state.kernel.gamma == pytest.approx(self.scale(range(6)), rel=1e-12)
        state.drop([1, 4])
        assert state.kernel.gamma == pytest.approx(self.scale([0, 2, 3, 5]), rel=1e-12)

    @pytest.mark.parametrize("gamma", [PerFeature(3.0), "scale"])
    def test_the_matrix_follows_gamma(self, gamma) -> None:
        state = KernelState(Rbf(gamma=gamma), self.X)
        state.gram()
        state.drop([1, 4])
        kept = [0, 2, 3, 5]
        number = 0.75 if gamma != "scale" else self.scale(kept)
        fresh = naive.gram(naive.Leaf("rbf", gamma=number), self.X[:, kept])
        assert relative_error(state.gram(), fresh) < 1e-13

    @pytest.mark.parametrize("gamma", [PerFeature(3.0), "scale"])
    def test_gamma_is_frozen_while_one_column_is_left_out(self, gamma) -> None:
        state = KernelState(Rbf(gamma=gamma), self.X)
        M = symmetric(20)
        kernel = naive.Leaf("rbf", gamma=state.kernel.gamma)
        expected = naive.contract_without(kernel, self.X, M)
        assert relative_error(state.contract_without(PairWeights.dense(M)), expected) < 1e-10

    def test_scale_of_a_constant_table_is_one(self) -> None:
        state = KernelState(Rbf(gamma="scale"), np.full((4, 3), 2.5))
        assert state.kernel.gamma == 1.0

    def test_rules_inside_sums_products_and_normalised(self) -> None:
        mixed = 0.5 * Rbf(gamma="scale") + Polynomial(2, gamma=PerFeature(1.0)) * Laplace(0.3)
        state = KernelState(mixed, self.X)
        state.drop([0, 5])
        kept = [1, 2, 3, 4]
        X = self.X[:, kept]
        poly = naive.Leaf("polynomial", degree=2, gamma=0.25)
        inner = naive.Product((poly, naive.Leaf("laplace", gamma=0.3)))
        rbf = naive.Leaf("rbf", gamma=self.scale(kept))
        expected = naive.gram(naive.Sum((rbf, inner), (0.5, 1.0)), X)
        assert relative_error(state.gram(), expected) < 1e-13

    def test_bind(self) -> None:
        kernel = Rbf(gamma="scale") + Linear()
        bound = kernel.bind(self.X)
        expected = naive.gram(naive.Leaf("rbf", gamma=self.scale(range(6))), self.X)
        expected = expected + self.X @ self.X.T
        assert relative_error(bound.gram(self.X), expected) < 1e-13
        assert Rbf(gamma=PerFeature(3.0)).bind(self.X) == Rbf(gamma=0.5)
        assert Rbf(gamma=0.3).bind(self.X) == Rbf(gamma=0.3)

    def test_weights_are_counted_as_columns(self) -> None:
        # PerFeature divides by the kept columns, weighted or not
        weighted = Rbf(gamma=PerFeature(3.0), weights=(1.0, 2.0, 0.0, 0.0, 1.0, 1.0))
        assert KernelState(weighted, self.X).kernel.gamma == pytest.approx(0.5, rel=1e-15)


def test_columns_that_one_part_of_a_kernel_does_not_see_are_those_of_another() -> None:
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, 0.0], [4.0, 0.0, 5.0]])
    rows = np.arange(4)
    first, second = Rbf(0.5, weights=(1.0, 0.0, 0.0)), Rbf(0.2, weights=(0.0, 1.0, 0.0))
    for kernel in (first + second, first * second, second + first):
        found = KernelState(kernel, X).kept_columns(rows)
        for j in (0, 1):  # up to a shift and a positive factor; a zero in it is no zero column
            assert np.corrcoef(found[:, j], X[:, j])[0, 1] == pytest.approx(1.0)
        np.testing.assert_array_equal(found[:, 2], 0.0)
