"""The weight-norm criterion beside its definition, finite differences and known digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svsieve import kernels
from svsieve.criteria import Context, WeightNorm
from svsieve.criteria.refined_weights import square_resolution
from tests.criteria.contexts import cloud, solved
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, WEIGHTED
from tests.oracles import library, numbers
from tests.oracles.numbers import assert_digits
from tests.reference.kernels import gram, gram_without

X, Y = cloud(24, 5)
KERNELS = pytest.mark.parametrize("case", [*LEAVES, *WEIGHTED, *COMPOSITES], ids=str)


def norm(case, context: Context, table: np.ndarray, without: int | None = None) -> float:
    """u'Ku by the plain formula, if asked with one column deleted."""
    u = context.solution.coefficients
    kernel = case.naive(X.shape[1])
    K = gram(kernel, table) if without is None else gram_without(kernel, table, without)
    return float(u @ K @ u)


@KERNELS
def test_order_0_is_the_norm_lost_without_a_column(case) -> None:
    context = solved(case.library(X.shape[1]), X, Y)
    whole = norm(case, context, X)
    lost = np.array([whole - norm(case, context, X, j) for j in range(X.shape[1])])
    signed = WeightNorm(signed=True).scores(context)
    np.testing.assert_allclose(signed, lost, rtol=1e-9, atol=1e-12 * abs(whole))
    np.testing.assert_array_equal(WeightNorm().scores(context), np.abs(signed))


@KERNELS
def test_order_1_is_the_slope_in_the_scale_of_a_column(case) -> None:
    context = solved(case.library(X.shape[1]), X, Y)
    h = 1e-5
    slopes = []
    for j in range(X.shape[1]):
        up, down = X.copy(), X.copy()
        up[:, j] *= np.exp(h)
        down[:, j] *= np.exp(-h)
        slopes.append((norm(case, context, up) - norm(case, context, down)) / (2 * h))
    signed = WeightNorm(order=1, signed=True).scores(context)
    np.testing.assert_allclose(signed, slopes, rtol=1e-6, atol=1e-7 * abs(norm(case, context, X)))
    np.testing.assert_array_equal(WeightNorm(order=1).scores(context), np.abs(signed))


def test_linear_scores_are_squares_of_weights() -> None:
    context = solved(kernels.Linear(), X, Y)
    w = X.T @ context.solution.coefficients
    np.testing.assert_allclose(WeightNorm().scores(context), w**2, rtol=1e-12)
    np.testing.assert_allclose(WeightNorm(order=1).scores(context), 2 * w**2, rtol=1e-12)


def test_only_kept_columns_are_scored() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y)
    context.state.drop([0, 3])
    direct = Context(
        context.machine,
        context.problem,
        context.solution,
        None,
        Y,
        kernels.KernelState(kernels.Rbf(gamma=0.2), X[:, [1, 2, 4]]),
    )
    np.testing.assert_allclose(
        WeightNorm().scores(context), WeightNorm().scores(direct), rtol=1e-10
    )


@pytest.mark.parametrize("column", range(3))
def test_known_digits(column: int) -> None:
    state = library.state(column)
    fit = library.Fit(library.L2_SVM, state, numbers.Y)
    context = Context(fit.machine, fit.problem, fit.solution, None, numbers.Y, state)
    half_lost = numbers.L2_SVM["half norm lost"][column]
    assert_digits(WeightNorm(signed=True).scores(context) / 2, half_lost)
    assert_digits(WeightNorm().scores(context) / 2, half_lost.replace("-", ""))
    slopes = numbers.L2_SVM["norm slopes"][column]
    assert_digits(-WeightNorm(order=1, signed=True).scores(context), slopes)
    assert_digits(WeightNorm(order=1).scores(context), slopes.replace("-", ""))


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("weights", [None, (1.0, 4.0, 0.0, 0.25, 9.0)])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_linear_resolution_is_the_rounding_of_each_weight(make, weights, order: int) -> None:
    shifted = X + 10.0
    context = solved(kernels.Linear(weights=weights), make(shifted), Y)
    context.state.drop([1])
    kept = [0, 2, 3, 4]
    u = context.solution.coefficients
    scaled = shifted * np.sqrt(np.ones(5) if weights is None else np.array(weights))
    centred = scaled - scaled.mean(axis=0)
    rounding = 1e-11 * np.linalg.norm(u) * np.linalg.norm(centred[:, kept], axis=0)
    w = np.abs(scaled[:, kept].T @ u)
    criterion = WeightNorm(order=order)
    found = criterion.resolution(context, criterion.scores(context))
    expected = (1 + order) * ((w + rounding) ** 2 - w**2)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-30)


def test_weights_that_are_rounding_are_within_their_resolution() -> None:
    """Columns at right angles to the coefficients leave the solution as it is and weigh nothing.

    They come out so close to each other that twice the precision decides.
    """
    u = solved(kernels.Linear(), X, Y).solution.coefficients
    extra = np.random.default_rng(5).normal(size=(len(X), 4)) * [1e-3, 1.0, 1.0, 1e3]
    extra -= np.outer(u, u @ extra) / (u @ u)
    context = solved(kernels.Linear(), np.column_stack([X, extra]), Y)
    scores = WeightNorm().scores(context)
    sizes = np.linalg.norm(u) * np.linalg.norm(extra - extra.mean(axis=0), axis=0)
    assert (scores[-4:] <= square_resolution(np.zeros(4), sizes)).all()
    assert (scores[:-4] > 1e-3).all()
    resolution = WeightNorm().resolution(context, scores)
    assert (resolution < 1e-4 * scores).all()


@pytest.mark.parametrize("order", [0, 1])
def test_resolution_of_other_kernels_is_a_share_of_the_largest(order: int) -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y)
    criterion = WeightNorm(order=order)
    scores = criterion.scores(context)
    assert criterion.resolution(context, scores) == 1e-11 * scores.max()


@pytest.mark.parametrize("order", [2, -1, 0.5, None])
def test_other_orders_are_refused(order) -> None:
    with pytest.raises(ValueError, match=r"order of WeightNorm must be 0 or 1\. Got"):
        WeightNorm(order=order)
