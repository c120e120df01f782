"""Solutions of every machine and what is read off them, to the last printed digit."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.kernels import PairWeights
from svsieve.machines import squared_radius
from tests.oracles import library, numbers
from tests.oracles.library import Fit
from tests.oracles.numbers import L1_SVM, L2_SVM, assert_digits

LINEAR, POLYNOMIAL, GAUSSIAN = range(3)
FEATURES = range(3)


@pytest.fixture(params=range(3), ids=numbers.KERNELS)
def column(request) -> int:
    return request.param


class QuadraticSlack:
    """The SVM with ridge 1 / C beside the smallest sphere of the same matrix."""

    def __init__(self, column: int, without: int | None = None) -> None:
        self.state = library.state(column, without)
        self.svm = Fit(library.L2_SVM, self.state, numbers.Y)
        self.sphere = Fit(library.RIDGED_SPHERE, self.state)
        norm, radius = self.svm.value, self.sphere.value
        self.product_weights = norm * self.sphere.weights + radius * self.svm.weights


class TestQuadraticSlack:
    @pytest.fixture
    def fits(self, column: int) -> QuadraticSlack:
        return QuadraticSlack(column)

    def test_coefficients(self, fits, column) -> None:
        assert_digits(numbers.Y * fits.svm.b, L2_SVM["alpha"][column])
        assert_digits(fits.svm.offset, L2_SVM["offset"][column])
        assert_digits(fits.sphere.b, L2_SVM["beta"][column])

    def test_values(self, fits, column) -> None:
        assert_digits(fits.svm.norm, L2_SVM["norm"][column])
        assert_digits(fits.svm.value, L2_SVM["ridged norm"][column])
        assert_digits(fits.sphere.value, L2_SVM["radius"][column])
        assert_digits(fits.svm.value * fits.sphere.value, L2_SVM["radius * norm"][column])

    def test_slopes(self, fits, column) -> None:
        slopes = fits.state.contract_slopes
        assert_digits(slopes(fits.svm.weights), L2_SVM["norm slopes"][column])
        assert_digits(slopes(fits.sphere.weights), L2_SVM["radius slopes"][column])
        assert_digits(slopes(fits.product_weights), L2_SVM["radius * norm slopes"][column])

    def test_without_each_column_coefficients_frozen(self, fits, column) -> None:
        ridge, b, beta = numbers.RIDGE, fits.svm.b, fits.sphere.b
        norms = fits.state.contract_without(PairWeights.outer(b))
        radii = fits.state.contract_without(PairWeights.covariance(beta))
        radii = radii + ridge * (1 - beta @ beta)
        assert_digits(norms, L2_SVM["frozen norm without"][column])
        assert_digits(radii, L2_SVM["frozen radius without"][column])
        products = radii * (norms + ridge * (b @ b))
        assert_digits(products, L2_SVM["frozen radius * norm without"][column])

    def test_half_the_norm_lost_without_each_column(self, fits, column) -> None:
        change = fits.state.contract_without(PairWeights.outer(fits.svm.b), change=True)
        assert_digits(-change / 2, L2_SVM["half norm lost"][column])

    def test_retrained_without_each_column(self, column) -> None:
        fits = [QuadraticSlack(column, without=j) for j in FEATURES]
        norms = np.array([f.svm.value for f in fits])
        radii = np.array([f.sphere.value for f in fits])
        assert_digits(norms, L2_SVM["retrained norm without"][column])
        assert_digits(radii, L2_SVM["retrained radius without"][column])
        assert_digits(norms * radii, L2_SVM["retrained radius * norm without"][column])

    def test_derivatives_by_log_C(self, fits, column) -> None:
        # C is the ridge 1 / C: d(K + ridge) / d ln C = -ridge I
        by_log_C = {
            "norm by log C": fits.svm.weights,
            "radius by log C": fits.sphere.weights,
            "radius * norm by log C": fits.product_weights,
        }
        for name, weights in by_log_C.items():
            assert_digits(-numbers.RIDGE * weights.trace(), L2_SVM[name][column])

    @pytest.mark.parametrize("column", [POLYNOMIAL, GAUSSIAN], ids=numbers.KERNELS[1:])
    def test_derivatives_by_log_gamma(self, fits, column) -> None:
        by_name = {
            "norm": fits.svm.weights,
            "radius": fits.sphere.weights,
            "radius * norm": fits.product_weights,
        }
        for name, weights in by_name.items():
            slope = fits.state.contract_params(weights)["log_gamma"]
            assert_digits(slope, numbers.L2_SVM_LOG_GAMMA[name][column - 1])

    def test_derivatives_by_coef0(self) -> None:
        fits = QuadraticSlack(POLYNOMIAL)
        by_name = {
            "norm": fits.svm.weights,
            "radius": fits.sphere.weights,
            "radius * norm": fits.product_weights,
        }
        for name, weights in by_name.items():
            slope = fits.state.contract_params(weights)["coef0"]
            assert_digits(slope, numbers.L2_SVM_COEF0[name])

    def test_linear_weights(self) -> None:
        fits = QuadraticSlack(LINEAR)
        assert_digits(numbers.X.T @ fits.svm.b, numbers.L2_SVM_LINEAR_WEIGHTS)


class TestLinearSlack:
    @pytest.fixture
    def svm(self, column: int) -> Fit:
        return Fit(library.L1_SVM, library.state(column), numbers.Y)

    def test_coefficients(self, svm, column) -> None:
        assert_digits(numbers.Y * svm.b, L1_SVM["alpha"][column])
        assert_digits(svm.offset, L1_SVM["offset"][column])

    def test_values(self, svm, column) -> None:
        slack = np.maximum(0, 1 - numbers.Y * svm.decision())
        assert_digits(svm.norm, L1_SVM["norm"][column])
        assert_digits(slack.sum(), L1_SVM["slack"][column])
        assert_digits(svm.value, L1_SVM["value"][column])

    def test_slopes(self, svm, column) -> None:
        slopes = library.state(column).contract_slopes(svm.weights)
        assert_digits(slopes, L1_SVM["value slopes"][column])

    def test_sphere_without_ridge(self, column) -> None:
        sphere = Fit(library.SPHERE, library.state(column))
        assert_digits(sphere.b, L1_SVM["beta"][column])
        assert_digits(sphere.value, L1_SVM["radius"][column])
        assert_digits(squared_radius(sphere.solution, sphere.problem), L1_SVM["radius"][column])


class TestOneClass:
    def test_soft_svdd(self, column) -> None:
        fit = Fit(library.SVDD, library.state(column))
        assert_digits(fit.b, numbers.SOFT_SVDD["alpha"][column])
        assert_digits(fit.value, numbers.SOFT_SVDD["value"][column])
        radius = squared_radius(fit.solution, fit.problem)
        assert_digits(radius, numbers.SOFT_SVDD["radius"][column])

    def test_nu_machine(self, column) -> None:
        fit = Fit(library.ONE_CLASS, library.state(column))
        assert_digits(fit.b, numbers.ONE_CLASS["alpha"][column])
        assert_digits(-fit.offset, numbers.ONE_CLASS["rho"][column])
        assert_digits(fit.norm, numbers.ONE_CLASS["norm"][column])
        assert_digits(2 * fit.value, numbers.ONE_CLASS["norm"][column])

    def test_negative_svdd(self, column) -> None:
        fit = Fit(library.NEGATIVE_SVDD, library.state(column), numbers.T)
        assert_digits(fit.b, numbers.NEGATIVE_SVDD["alpha"][column])
        assert_digits(fit.value, numbers.NEGATIVE_SVDD["value"][column])
        radius = squared_radius(fit.solution, fit.problem)
        assert_digits(radius, numbers.NEGATIVE_SVDD["radius"][column])


class TestHardMargin:
    @pytest.fixture
    def state(self):
        return library.state(GAUSSIAN)

    @pytest.fixture
    def svm(self, state) -> Fit:
        return Fit(library.HARD_MARGIN, state, numbers.Y)

    def test_solution(self, svm) -> None:
        assert_digits(numbers.Y * svm.b, numbers.HARD_MARGIN["alpha"])
        assert_digits(svm.offset, numbers.HARD_MARGIN["offset"])
        assert_digits(svm.norm, numbers.HARD_MARGIN["norm"])
        assert_digits(svm.value, numbers.HARD_MARGIN["norm"])

    def test_slopes_of_the_norm(self, svm, state) -> None:
        slopes = state.contract_slopes(svm.weights)
        assert_digits(slopes, numbers.HARD_MARGIN["norm slopes"])

    def test_radius_times_norm(self, svm, state) -> None:
        sphere = Fit(library.SPHERE, state)
        weights = svm.value * sphere.weights + sphere.value * svm.weights
        assert_digits(svm.value * sphere.value, numbers.HARD_MARGIN["radius * norm"])
        slopes = state.contract_slopes(weights)
        assert_digits(slopes, numbers.HARD_MARGIN["radius * norm slopes"])
