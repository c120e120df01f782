"""PairWeights: the algebra of symmetric weights over pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.kernels import PairWeights
from tests.kernels.kernel_cases import symmetric


def spread(weights: PairWeights, n: int) -> np.ndarray:
    """The weights as a matrix over all n rows."""
    full = np.zeros((n, n))
    full[np.ix_(weights.rows, weights.rows)] = weights.matrix()
    return full


def test_dense() -> None:
    M = symmetric(6)
    weights = PairWeights.dense(M)
    assert np.array_equal(spread(weights, 6), M)
    assert weights.trace() == pytest.approx(np.trace(M), rel=1e-14)


def test_dense_over_some_rows() -> None:
    M, rows = symmetric(3), np.array([1, 4, 5])
    expected = np.zeros((7, 7))
    expected[np.ix_(rows, rows)] = M
    weights = PairWeights.dense(M, rows=rows)
    assert np.array_equal(spread(weights, 7), expected)


def test_outer_leaves_zero_rows_out() -> None:
    u = np.array([0.0, 2.0, 0.0, -1.0, 0.5])
    weights = PairWeights.outer(u, scale=-0.5)
    assert list(weights.rows) == [1, 3, 4]
    np.testing.assert_allclose(spread(weights, 5), -0.5 * np.outer(u, u), rtol=1e-15)
    assert weights.trace() == pytest.approx(-0.5 * (u @ u), rel=1e-14)


def test_covariance() -> None:
    b = np.array([0.3, 0.0, 0.5, 0.2])
    weights = PairWeights.covariance(b)
    assert list(weights.rows) == [0, 2, 3]
    np.testing.assert_allclose(spread(weights, 4), np.diag(b) - np.outer(b, b), atol=1e-16)
    assert weights.trace() == pytest.approx(1 - b @ b, rel=1e-14)


def test_covariance_with_signs() -> None:
    b = np.array([0.9, -0.3, 0.0, 0.4])
    np.testing.assert_allclose(
        spread(PairWeights.covariance(b), 4), np.diag(b) - np.outer(b, b), atol=1e-16
    )


def test_sums_and_multiples_over_different_rows() -> None:
    u = np.array([0.0, 2.0, 0.0, -1.0, 0.5, 0.0])
    b = np.array([0.3, 0.0, 0.5, 0.2, 0.0, 0.0])
    M, rows = symmetric(2), np.array([3, 5])
    full = np.zeros((6, 6))
    full[np.ix_(rows, rows)] = M
    expected = 3 * np.outer(u, u) - 0.25 * (np.diag(b) - np.outer(b, b)) + full
    total = 3 * PairWeights.outer(u) + PairWeights.covariance(b) * -0.25
    total = total + PairWeights.dense(M, rows=rows)
    assert list(total.rows) == [0, 1, 2, 3, 4, 5]
    np.testing.assert_allclose(spread(total, 6), expected, rtol=1e-14, atol=1e-16)
    assert total.trace() == pytest.approx(np.trace(expected), rel=1e-14)


def test_matrix_is_symmetric() -> None:
    u = np.random.default_rng(0).normal(size=20)
    b = np.abs(u)
    matrix = (PairWeights.outer(u, scale=1.7) + PairWeights.covariance(b)).matrix()
    assert np.array_equal(matrix, matrix.T)


def test_asymmetric_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="symmetric"):
        PairWeights.dense(np.array([[1.0, 2.0], [0.0, 1.0]]))


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        PairWeights.dense(symmetric(3), rows=np.array([0, 1]))
