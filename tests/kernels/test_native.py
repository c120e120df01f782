"""The seam to the native core refuses what it cannot use."""

import numpy as np
import pytest
from scipy.linalg import cython_blas
from threadpoolctl import threadpool_info, threadpool_limits

from svsieve.kernels import Linear
from svsieve.native import core, one_blas_thread


def test_a_missing_routine_is_named_and_the_old_ones_stay():
    with pytest.raises(ValueError, match="dgemm"):
        core.use_linalg({}, {})
    with pytest.raises(ValueError, match="dpotrf"):
        core.use_linalg(cython_blas.__pyx_capi__, {})
    assert Linear().gram(np.array([[2.0]])).tolist() == [[4.0]]


def test_a_routine_with_other_integers_is_refused():
    # scipy's complex helper has no integer arguments at all: its signature gives it away
    other = dict(cython_blas.__pyx_capi__)
    other["dgemm"] = other["dcabs1"]
    with pytest.raises(ValueError, match="dgemm does not take 32-bit integers"):
        core.use_linalg(other, {})


def test_indices_outside_the_table_are_refused():
    X, s = np.ones((3, 2)), np.ones((3, 3))
    rows, columns, factors = np.arange(3), np.array([0, 2]), np.ones(2)
    profile = core.Profile(core.ProfileKind.IDENTITY)
    with pytest.raises(ValueError, match=r"columns holds 2, which is not in \[0, 2\)"):
        core.contract_slopes(
            core.Pairing.PRODUCT, profile, X, rows, columns, factors, s, None, None, np.ones(3), 1.0
        )


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_blas_has_one_thread_inside_and_its_own_number_again_outside():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            assert blas_threads() == {1}
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == before
        with pytest.raises(KeyError), one_blas_thread():
            raise KeyError
        assert blas_threads() == before
    assert before == {2}
