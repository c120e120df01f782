"""Tables that once went wrong: dominant columns, emptied rows, odd weights, odd sparse rows."""

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from svsieve.kernels import (
    Kernel,
    KernelState,
    Linear,
    Normalised,
    PairWeights,
    Polynomial,
    Product,
    Rbf,
    kernel_values,
    row_source,
)
from svsieve.kernels.rows import SMALL_GRAM_BYTES
from svsieve.native import one_blas_thread


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("scale", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("kernel", [Linear(), Rbf(0.2), Polynomial(2, 1.0, 1.0)])
def test_dropping_a_dominant_column_leaves_nothing_of_it(kernel, scale, rng):
    X = rng.normal(size=(30, 6))
    X[:, 0] *= scale
    state = KernelState(kernel, X)
    state.gram()
    state.drop([0])
    np.testing.assert_allclose(state.gram(), kernel.gram(X[:, 1:]), rtol=1e-9, atol=1e-9)


def test_a_row_with_nothing_left_has_kernel_zero(rng):
    for _ in range(50):
        X = rng.normal(size=(12, 8))
        X[3, 4:] = 0.0
        state = KernelState(Normalised(Linear()), X)
        for column in range(4):
            if column == 3:
                weights = PairWeights.dense(np.ones((12, 12)))
                fresh = Normalised(Linear()).gram(X[:, 4:]).sum()
                assert state.contract_without(weights)[0] == pytest.approx(fresh, abs=1e-9)
            state.drop([column])
        assert state.gram()[3].tolist() == [0.0] * 12
        assert state.diagonal()[3] == 0.0


@pytest.mark.parametrize("kernel", [Rbf(0.3), Normalised(Linear()), Product((Rbf(0.3), Linear()))])
def test_rows_of_pair_weights_may_come_in_any_order(kernel, rng):
    X, A, order = rng.normal(size=(4, 3)), rng.normal(size=(4, 4)), np.array([2, 0, 3, 1])
    A = A + A.T
    plain = np.empty((4, 4))
    plain[np.ix_(order, order)] = A
    state = KernelState(kernel, X)
    shuffled, sorted_ = PairWeights.dense(A, rows=order), PairWeights.dense(plain)
    assert shuffled.inner(state.gram()) == pytest.approx(sorted_.inner(state.gram()), rel=1e-12)
    for contract in (state.contract_slopes, state.contract_without):
        np.testing.assert_allclose(contract(shuffled), contract(sorted_), rtol=1e-12)


def test_a_row_named_twice_in_pair_weights_is_refused():
    with pytest.raises(ValueError, match="rows holds 0 twice"):
        PairWeights.dense(np.ones((2, 2)), rows=[0, 0])


@pytest.mark.parametrize("shape", [(0, 3), (5, 0)])
@pytest.mark.parametrize("use", [row_source, kernel_values, KernelState])
def test_an_empty_table_is_refused(use, shape):
    arguments = (Rbf(gamma=1.0), np.empty(shape))
    with pytest.raises(ValueError, match="must have a row and a column"):
        use(*arguments)


def test_entries_named_twice_are_added():
    X = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0]), np.array([0, 2, 3])))
    assert row_source(Linear(), X).row(0).tolist() == [9.0, 9.0]
    assert Linear().gram(X)[0].tolist() == [9.0, 9.0]


def test_squares_that_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow"):
        Rbf(gamma=1.0).cross([[1e200], [-1e200]], [[0.0], [1e199]])


def test_a_composed_kernel_of_ones_own_keeps_its_gram_matrix():
    class Own(Kernel):
        children = (Linear(),)

        def with_children(self, children):
            return self

        def join(self, parts):
            return parts[0]

        def pull_back(self, M, parts):
            return [M]

    n = int(np.sqrt(SMALL_GRAM_BYTES / 8)) + 1
    assert isinstance(kernel_values(Own(), np.zeros((n, 1))), np.ndarray)


def test_a_normalised_sum_has_a_diagonal_of_exact_ones(rng):
    gram = Normalised(Rbf(0.3) + Linear()).gram(rng.normal(size=(20, 3)))
    assert np.diag(gram).tolist() == [1.0] * 20


def test_no_bit_depends_on_the_number_of_threads(rng):
    X, b = rng.normal(size=(2000, 60)), np.abs(rng.normal(size=2000))
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            state = KernelState(Rbf(0.01), X)
            results.append(state.contract_without(PairWeights.covariance(b / b.sum())))
            results.append(KernelState(Linear(), X).contract_slopes(PairWeights.outer(b)))
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_array_equal(results[1], results[3])


def test_the_limit_on_blas_ends_with_its_last_user():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__()
        assert set(threads()) == {1}
        second.__exit__()
        assert threads() == before
