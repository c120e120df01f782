"""Formulas that are easily written wrong, and are in print: each test fails with the wrong one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from svsieve import kernels
from svsieve.criteria.slack import Slack
from svsieve.criteria.span_geometry import Supports
from svsieve.criteria.sphere import smallest_sphere
from svsieve.kernels import KernelState, PairWeights
from svsieve.machines import CSvm, L2Svm, fit_sigmoid, solve
from svsieve.selection.objectives import (
    Judge,
    PosteriorError,
    RadiusMargin,
    Span,
    ValidationError,
)
from svsieve.selection.objectives.fitted_sigmoid import fitted_error
from svsieve.selection.objectives.held_out import judge_held_out
from svsieve.selection.objectives.sensitivity import response
from svsieve.selection.objectives.trial import HeldOut, Trial
from tests.criteria.contexts import solved
from tests.criteria.plain import derivative
from tests.selection.objective_cases import (
    HELD_OUT,
    LABELS,
    LABELS_OTHER,
    MACHINES,
    POLYNOMIAL,
    X_OTHER,
    X,
    by_C,
    by_params,
    judge_of,
)

RBF = kernels.Rbf(gamma=0.3)


def slope_in(parameter: str, judge: Judge, machine, kernel) -> float:
    return by_params(lambda m, k: judge(m, k).value, machine, kernel)[parameter]


# ---- the radius/margin bound


def test_the_factor_of_the_proven_bound_is_four() -> None:
    """Half of these rows are misclassified when left out; a quarter of R^2 w^2 / n says 25 %."""
    table = np.array([[-0.1, 0.5], [0.5, 0.7], [0.9, 0.4], [0.7, -0.2]])
    labels = np.array([1.0, -1.0, -1.0, 1.0])
    hard = L2Svm(C=math.inf)
    errors = 0
    for out in range(4):
        rest = np.delete(np.arange(4), out)
        K = kernels.Linear().gram(table[rest])
        found = solve(hard.problem(np.diag(K), labels[rest]), K)
        value = found.coefficients @ (table[rest] @ table[out]) + found.offset
        errors += int(value * labels[out] < 0)
    judged = Judge(RadiusMargin(), table, labels)(hard, kernels.Linear()).value
    assert errors == 2
    assert 4 * judged == pytest.approx(3.989, abs=5e-4)
    assert judged / 4 < errors / 4 <= 4 * judged


def test_the_radius_is_a_largest_distance_made_small() -> None:
    machine, linear = L2Svm(C=1e9), kernels.Linear()
    judged = Judge(RadiusMargin(), X, LABELS)(machine, linear).value
    context = solved(linear, X, LABELS, machine)
    norm = machine.value(context.solution, context.problem)
    found = minimize(
        lambda point: point[-1],
        np.append(X.mean(axis=0), 99.0),
        method="SLSQP",
        constraints={
            "type": "ineq",
            "fun": lambda point: point[-1] - ((X - point[:-1]) ** 2).sum(axis=1),
        },
    )
    assert judged * len(LABELS) / norm == pytest.approx(found.fun, rel=1e-5)


def test_the_squared_radius_falls_as_the_penalty_grows() -> None:
    """With both factors of the bound growing, its slope in ln C would be larger."""
    judge, machine = judge_of(RadiusMargin()), L2Svm(C=0.5)
    context = solved(RBF, X, LABELS, machine)
    u = context.solution.coefficients
    radius = judge(machine, RBF).value * len(LABELS) / np.abs(u).sum()
    by_norm = radius * (u @ u) / machine.C / len(LABELS)
    found = judge(machine, RBF).log_C
    assert found == pytest.approx(by_C(lambda m, k: judge(m, k).value, machine, RBF), rel=1e-6)
    assert found < by_norm


def test_the_box_of_linear_slack_moves_with_C() -> None:
    """Without the slacks that a wider box saves, only -2 D* / (C n) would be left."""
    judge, machine = judge_of(RadiusMargin()), CSvm(C=0.7)
    found = judge(machine, RBF).log_C
    context = solved(RBF, X, LABELS, machine)
    without = -machine.value(context.solution, context.problem) / machine.C / len(LABELS)
    assert found == pytest.approx(by_C(lambda m, k: judge(m, k).value, machine, RBF), rel=1e-6)
    assert abs(found - without) > 0.5 * abs(found)


@pytest.mark.parametrize("slack", MACHINES)
def test_the_diagonal_of_the_kernel_counts(slack: str) -> None:
    """Rows of different length: the sphere's Diag(b) has a part in every slope."""
    judge, machine = judge_of(RadiusMargin()), MACHINES[slack]
    found = judge(machine, POLYNOMIAL).params["log_gamma"]
    assert found == pytest.approx(slope_in("log_gamma", judge, machine, POLYNOMIAL), rel=1e-6)
    context = solved(POLYNOMIAL, X, LABELS, machine)
    norm = machine.value(context.solution, context.problem)
    b = smallest_sphere(context.gram(), Slack.of(context, RadiusMargin()), 1e-12).b
    diagonal = context.state.contract_params(PairWeights.dense(np.diag(b)))["log_gamma"]
    assert abs(norm * diagonal / len(LABELS)) > 0.5 * abs(found)


def test_the_slope_in_a_squared_width() -> None:
    """dK / d sigma_k^2 = K D_k^2 / (2 sigma_k^4), not / (2 sigma_k^2)."""
    widths = np.array([4.0, 0.5, 2.0, 3.0])
    judge, machine = judge_of(RadiusMargin()), L2Svm(C=1.3)

    def value(squares: np.ndarray) -> float:
        return judge(machine, kernels.Rbf(gamma=0.5, weights=1.0 / squares)).value

    found = judge(machine, kernels.Rbf(gamma=0.5, weights=1.0 / widths), slopes=True).log_v
    for k, width in enumerate(widths):
        unit = np.eye(4)[k]
        expected = derivative(lambda t, unit=unit: value(widths + t * unit))
        # v_k = 1 / sigma_k: d ln v_k = -d sigma_k^2 / (2 sigma_k^2)
        assert -0.5 * found[k] / width == pytest.approx(expected, rel=1e-5)
        assert -0.5 * found[k] != pytest.approx(expected, rel=0.2)


def test_the_span_of_linear_slack_does_not_vanish_with_the_penalty() -> None:
    """alpha <= C: without the slacks the estimate would be smallest for a machine of one class."""
    found = judge_of(Span())(CSvm(C=1e-6), RBF).value
    assert found == pytest.approx(2 * (LABELS < 0).mean(), rel=1e-3)
    assert judge_of(Span())(CSvm(C=1.0), RBF).value < found * 1.5


# ---- errors on held-out rows


def on_values(values: np.ndarray, labels: np.ndarray, objective) -> tuple[float, np.ndarray]:
    """The error of given decision values, and its slopes in them."""
    held_out = HeldOut(np.arange(len(values)), labels, np.ones(len(values)))
    if isinstance(objective, ValidationError):
        return objective._error(values, held_out)
    return fitted_error(values, held_out)


def test_larger_margins_are_smaller_errors() -> None:
    """A sigmoid that takes Platt's negative slope as it is counts right rows as wrong."""
    values = np.array([-2.0, -0.5, 1.5, 0.2])
    labels = np.array([-1.0, 1.0, 1.0, 1.0])
    value, _ = on_values(values, labels, ValidationError(slope=3.0))
    assert value == pytest.approx(np.mean(expit(-3.0 * labels * values)))
    better, _ = on_values(values + 0.1 * labels, labels, ValidationError(slope=3.0))
    assert better < value
    assert fit_sigmoid(values, labels).slope < 0
    posterior, _ = on_values(values, labels, PosteriorError())
    assert posterior < 0.5


def test_the_label_turns_the_offset_too() -> None:
    """Exchanging the classes exchanges the probabilities, whatever the offset of the sigmoid."""
    rng = np.random.default_rng(5)
    labels = np.where(np.arange(20) < 14, 1.0, -1.0)
    values = rng.normal(size=20) + 0.7 * labels + 1.0
    for objective in (ValidationError(), PosteriorError()):
        value, slopes = on_values(values, labels, objective)
        turned, turned_slopes = on_values(-values, -labels, objective)
        assert turned == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(turned_slopes, -slopes, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("objective", [ValidationError(slope=3.0), PosteriorError()], ids=str)
def test_slopes_in_the_decision_values(objective) -> None:
    """Negative for rows of the class +1 under the plain sigmoid; refitted probabilities follow."""
    rng = np.random.default_rng(7)
    labels = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    values = rng.normal(size=12) + 0.8 * labels
    _, slopes = on_values(values, labels, objective)
    unit = np.eye(12)
    expected = [
        derivative(lambda t, i=i: on_values(values + t * unit[i], labels, objective)[0])
        for i in range(12)
    ]
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-8)
    if isinstance(objective, ValidationError):
        assert (slopes * labels < 0).all()
    else:
        frozen = fit_sigmoid(values, labels)
        p = frozen.probability(values)
        as_it_is = frozen.slope * p * (1 - p) * labels / 12
        assert np.linalg.norm(slopes - as_it_is) > 0.3 * np.linalg.norm(slopes)


@pytest.mark.parametrize("slack", MACHINES)
def test_the_kernel_of_the_held_out_rows_moves_too(slack: str) -> None:
    """Slopes through the coefficients alone leave out dK between held-out and training rows."""
    machine, objective = MACHINES[slack], ValidationError(slope=2.0)
    judge = judge_of(objective)
    expected = slope_in("log_gamma", judge, machine, RBF)
    assert judge(machine, RBF).params["log_gamma"] == pytest.approx(expected, rel=1e-5)

    state = KernelState(RBF, np.vstack([X, X_OTHER]))
    held_out = HeldOut(
        np.arange(len(X), len(X) + len(X_OTHER)), LABELS_OTHER, np.ones(len(LABELS_OTHER))
    )
    trial = Trial(machine, state, LABELS, None, held_out=held_out, tol=1e-12)
    context = trial.trained()
    supports = Supports.of(context.problem, context.solution)
    K = state.gram()[np.ix_(held_out.rows, supports.rows)]
    _, e = objective._error(K @ supports.u + context.solution.offset, held_out)
    through = response(context, supports, K.T @ e, float(e.sum()))
    M = PairWeights(supports.rows, None, through.pair_weights())
    alone = state.contract_params(M)["log_gamma"]
    assert abs(alone - expected) > 0.5 * abs(expected)
    assert judge_held_out(trial, objective._error).params["log_gamma"] == pytest.approx(
        expected, rel=1e-5
    )


def test_held_out_rows_are_counted_not_training_rows() -> None:
    """N of the mean is the number of held-out rows: repeating them changes nothing."""
    twice = tuple(np.repeat(part, 2, axis=0) for part in HELD_OUT)
    once = judge_of(ValidationError())(L2Svm(1.3), RBF, slopes=True)
    again = Judge(ValidationError(), X, LABELS, held_out=twice, tol=1e-12)(
        L2Svm(1.3), RBF, slopes=True
    )
    assert again.value == pytest.approx(once.value, rel=1e-10)
    np.testing.assert_allclose(again.log_v, once.log_v, rtol=1e-7)


def test_probabilities_may_fall_with_the_decision_value() -> None:
    """Rows that a machine gets wrong more often than right: the fitted slope is positive."""
    values = np.array([2.0, 1.0, 0.5, -0.4, -1.0, -2.0])
    labels = np.array([-1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    assert fit_sigmoid(values, labels).slope > 0
    value, slopes = on_values(values, labels, PosteriorError())
    assert value < 0.5
    unit = np.eye(6)
    expected = [
        derivative(lambda t, i=i: on_values(values + t * unit[i], labels, PosteriorError())[0])
        for i in range(6)
    ]
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-8)
