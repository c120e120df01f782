"""Settings of objectives: a fitted sigmoid, support vectors counted, D^2, delta of linear slack."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from svsieve import SVC, GradientSearch, kernels
from svsieve.machines import CSvm, L2Svm, fit_sigmoid
from svsieve.selection.objectives import (
    Judge,
    PosteriorError,
    RadiusMargin,
    SupportVectorCount,
    ValidationError,
)
from svsieve.selection.objectives.fitted_sigmoid import fitted_error
from svsieve.selection.objectives.trial import HeldOut
from tests.criteria.contexts import solved
from tests.criteria.plain import Bounds, derivative
from tests.oracles import library, numbers
from tests.selection.objective_cases import HELD_OUT, LABELS, MACHINES, X, by_params, judge_of
from tests.selection.test_objectives import ORACLE_HELD_OUT, ORACLES

RBF = kernels.Rbf(gamma=0.3)
EVERY_MACHINE = pytest.mark.parametrize("slack", MACHINES)


def oracle(objective, slack: str):
    """The objective on the eight rows of which every digit is known, Gaussian kernel."""
    judge = Judge(objective, numbers.X, numbers.Y, held_out=ORACLE_HELD_OUT, tol=1e-13)
    return judge(library.L1_SVM if slack == "l1" else library.L2_SVM, library.GAUSSIAN, slopes=True)


def of_values(values, labels, weights=None, **options) -> tuple[float, np.ndarray]:
    weights = np.ones(len(values)) if weights is None else weights
    return fitted_error(values, HeldOut(np.arange(len(values)), labels, weights), **options)


# ---- smoothed validation with a fitted sigmoid


@EVERY_MACHINE
def test_known_digits_of_the_fitted_sigmoid(slack: str) -> None:
    """The label turns the offset: the smoothed error is the probability of the wrong class."""
    value, log_C, params, log_v = ORACLES["posterior", slack, "gaussian"]
    found = oracle(ValidationError(slope="fitted"), slack)
    assert found.value == pytest.approx(value, rel=2e-9)
    assert found.log_C == pytest.approx(log_C, rel=2e-8)
    assert found.params["log_gamma"] == pytest.approx(params["log_gamma"], rel=2e-8)
    np.testing.assert_allclose(found.log_v, log_v, rtol=2e-8)


@pytest.mark.parametrize(
    ("slack", "f", "A"),
    [
        ("l2", [0.8691720715, -0.4218601931, 0.2405759455, -0.3627985636], -1.969574048),
        ("l1", [1.222717644, -0.8335782008, 0.3573773321, -0.4709069055], -1.300511017),
    ],
)
def test_known_digits_without_the_offset(slack: str, f: list[float], A: float) -> None:
    labels = [1, -1, 1, -1]
    expected = np.mean([1 / (1 + math.exp(-A * y * v)) for y, v in zip(labels, f, strict=True)])
    found = oracle(ValidationError(slope="fitted", offset=False), slack)
    assert found.value == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [True, False])
def test_a_sigmoid_fitted_plainly(offset: bool, weighted: bool) -> None:
    """Value by a general minimiser of the cross-entropy, slopes by differences of that."""
    rng = np.random.default_rng(3)
    labels = np.where(np.arange(14) % 3 == 0, -1.0, 1.0)
    values = rng.normal(size=14) + 0.8 * labels - 0.3
    weights = rng.choice([1.0, 2.0, 3.0], 14) if weighted else np.ones(14)
    n = weights[labels > 0].sum(), weights[labels < 0].sum()
    targets = np.where(labels > 0, (n[0] + 1) / (n[0] + 2), 1 / (n[1] + 2))

    def plain(f: np.ndarray) -> float:
        def entropy(t: np.ndarray) -> float:
            p = expit(-(t[0] * f + t[1]))
            return -float(weights @ (targets * np.log(p) + (1 - targets) * np.log(1 - p)))

        A, B = minimize(entropy, [-1.0, 0.0], method="BFGS", options={"gtol": 1e-10}).x
        return float(weights @ expit(labels * (A * f + (B if offset else 0)))) / weights.sum()

    value, slopes = of_values(values, labels, weights, offset=offset, rising=True)
    assert value == pytest.approx(plain(values), rel=1e-6)
    unit = np.eye(14)
    found = [
        derivative(
            lambda t, i=i: of_values(
                values + t * unit[i], labels, weights, offset=offset, rising=True
            )[0]
        )
        for i in range(14)
    ]
    np.testing.assert_allclose(slopes, found, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("offset", [True, False])
def test_the_sigmoid_does_not_stand_still(offset: bool) -> None:
    """No envelope theorem: A and B make the cross-entropy small, not the smoothed error."""
    rng = np.random.default_rng(7)
    labels = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    values = rng.normal(size=12) + 0.8 * labels
    _, slopes = of_values(values, labels, offset=offset)
    sigmoid = fit_sigmoid(values, labels)
    s = expit(labels * (sigmoid.slope * values + (sigmoid.offset if offset else 0.0)))
    as_it_is = sigmoid.slope * labels * s * (1 - s) / 12
    assert np.linalg.norm(slopes - as_it_is) > 0.3 * np.linalg.norm(slopes)


def test_the_unit_of_the_decision_values_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    labels = np.where(np.arange(30) % 2 == 0, -1.0, 1.0)
    values = rng.normal(size=30) + labels
    for offset in (True, False):
        one, slopes = of_values(values, labels, offset=offset)
        other, others = of_values(1e-3 * values, labels, offset=offset)
        assert other == pytest.approx(one, rel=1e-9)
        np.testing.assert_allclose(1e-3 * others, slopes, rtol=1e-6, atol=1e-12)
        assert values @ slopes == pytest.approx(0.0, abs=1e-9)


def test_rows_that_a_machine_gets_wrong_do_not_make_the_error_small() -> None:
    values = np.array([2.0, 1.0, 0.5, -0.4, -1.0, -2.0])
    labels = np.array([-1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    assert fit_sigmoid(values, labels).slope > 0
    assert of_values(values, labels)[0] < 0.4
    for offset in (True, False):
        value, slopes = of_values(values, labels, offset=offset, rising=True)
        assert value == pytest.approx(0.5)
        assert not slopes.any()
        # the best of the sigmoids that rise: the error is continuous there
        turned = values - 2.0 * values * (np.abs(values) > 0.9)
        shares = np.linspace(0.0, 1.0, 400)
        on_the_way = [
            of_values((1 - t) * values + t * turned, labels, offset=offset, rising=True)[0]
            for t in shares
        ]
        assert max(np.abs(np.diff(on_the_way))) < 0.02
        assert on_the_way[-1] < 0.4


@EVERY_MACHINE
def test_with_the_offset_it_is_the_error_that_probabilities_predict(slack: str) -> None:
    fitted = judge_of(ValidationError(slope="fitted"))(MACHINES[slack], RBF, slopes=True)
    posterior = judge_of(PosteriorError())(MACHINES[slack], RBF, slopes=True)
    assert fitted.value == pytest.approx(posterior.value, rel=1e-12)
    np.testing.assert_allclose(fitted.log_v, posterior.log_v, rtol=1e-9)
    alone = judge_of(ValidationError(slope="fitted", offset=False))(MACHINES[slack], RBF)
    assert abs(alone.value - posterior.value) > 1e-3


# ---- (R^2 w^2 + N_SV) / m, D^2 w^2 / m, delta


@EVERY_MACHINE
@pytest.mark.parametrize("radius", ["sphere", "origin"])
@pytest.mark.parametrize("count", [False, True])
def test_bounds_agree_with_programs_solved_plainly(slack: str, radius: str, count: bool) -> None:
    machine, delta = MACHINES[slack], 0.3
    squared = slack == "l2"
    bounds = Bounds("l2" if squared else "c", machine.C)
    kernel = kernels.Polynomial(degree=3, gamma=0.2, coef0=0.7)
    K = kernel.gram(X)
    u = bounds.coefficients(K, LABELS)
    ridge = 1 / machine.C if squared else 0.0
    norm = u @ K @ u + ridge * u @ u
    at_zero = max(K[i, i] for i in range(len(K))) + ridge
    R2 = at_zero if radius == "origin" else bounds.radius(K, bounds.centre(K))
    if not squared and not count:
        short = 1 - LABELS * (K @ u)
        free = (np.abs(u) > 1e-7) & (np.abs(u) < machine.C * (1 - 1e-7))
        bias = (LABELS * short)[free].mean()
        norm += 2 * machine.C * np.maximum(0.0, short - LABELS * bias).sum()
        R2 += delta / machine.C
    expected = R2 * norm + count * (np.abs(u) > 1e-7).sum()
    objective = RadiusMargin(delta=delta, count_supports=count, radius=radius)
    assert judge_of(objective)(machine, kernel).value == pytest.approx(
        expected / len(LABELS), rel=1e-6
    )


def test_known_digits_of_counted_support_vectors() -> None:
    """Seven of eight rows; u'Ku and R^2 and what they change by are known one by one."""
    R2, norm, dual = 0.7360237993, 7.581290089, 12.08775630
    T = np.array([-0.4674116211, 0.008043915826, 0.1974075780])
    by_norm = np.array([-1.508904715, -1.454089252, 0.5046279442])
    by_dual = np.array([-4.037551648, -0.8339508814, 0.1078184636])
    by_radius = (8 * T - (R2 + 0.5) * by_dual) / dual
    found = oracle(RadiusMargin(count_supports=True), "l1")
    assert 8 * found.value == pytest.approx(R2 * norm + 7, rel=1e-9)
    np.testing.assert_allclose(8 * found.log_v, R2 * by_norm + norm * by_radius, rtol=1e-7)
    for delta in (0.1, 1.0, 2.5):
        found = oracle(RadiusMargin(delta=delta), "l1")
        assert 8 * found.value == pytest.approx((R2 + delta / 2) * dual, rel=1e-9)
        expected = (R2 + delta / 2) * by_dual + dual * by_radius
        np.testing.assert_allclose(8 * found.log_v, expected, rtol=1e-7)


def test_known_digits_of_the_distance_from_zero() -> None:
    """k(x, x) = 1, and the ridge is 1 / 2."""
    found = oracle(RadiusMargin(radius="origin"), "l2")
    assert 8 * found.value == pytest.approx(1.5 * 6.336975525, rel=1e-9)
    assert 8 * found.log_C == pytest.approx(1.5 * 3.167449535 - 0.5 * 6.336975525, rel=1e-8)
    by_norm = np.array([-1.490453103, 0.1605284674, 0.09737652696])
    np.testing.assert_allclose(8 * found.log_v, 1.5 * by_norm, rtol=1e-8)
    hard = Judge(RadiusMargin(radius="origin"), numbers.X, numbers.Y, tol=1e-13)
    assert 8 * hard(L2Svm(C=math.inf), library.GAUSSIAN).value == pytest.approx(17.36432461)


@EVERY_MACHINE
@pytest.mark.parametrize("kernel", [RBF, kernels.Linear()], ids=["rbf", "linear"])
def test_the_sphere_around_zero_is_no_smaller(slack: str, kernel) -> None:
    R2 = judge_of(RadiusMargin())(MACHINES[slack], kernel).value
    assert judge_of(RadiusMargin(radius="origin"))(MACHINES[slack], kernel).value >= R2


def test_with_a_vanishing_penalty_the_share_of_support_vectors_is_left() -> None:
    """R^2 ||w||^2 of linear slack alone goes to zero: the count is what is added to it."""
    tiny = CSvm(C=1e-5)
    counted = judge_of(RadiusMargin(count_supports=True))(tiny, RBF).value
    assert counted == pytest.approx(judge_of(SupportVectorCount())(tiny, RBF).value, rel=1e-5)
    assert counted > 0.5


def test_kept_coefficients_give_another_slope_of_the_norm_alone() -> None:
    """u'Ku of linear slack is no optimum: with u standing still even the sign may be wrong."""
    machine = CSvm(C=1.3)
    judge = judge_of(RadiusMargin(count_supports=True, radius="origin"))  # D^2 = 1
    found = judge(machine, RBF).params["log_gamma"]
    expected = by_params(lambda m, k: judge(m, k).value, machine, RBF)["log_gamma"]
    assert found == pytest.approx(expected, rel=1e-6)
    context = solved(RBF, X, LABELS, machine)
    kept = machine.pair_weights(context.solution) * -1.0
    frozen = context.state.contract_params(context.lift(kept))["log_gamma"] / len(LABELS)
    assert abs(frozen - expected) > 0.5 * abs(expected)


@EVERY_MACHINE
def test_a_row_of_weight_two_is_two_rows(slack: str) -> None:
    """But for the count with linear slack: how twins share a coefficient is left open there."""
    weights = np.where(np.arange(len(LABELS)) % 4 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(LABELS)), weights.astype(int))
    objectives = [RadiusMargin(radius="origin"), ValidationError(slope="fitted", offset=False)]
    objectives += [RadiusMargin(count_supports=True)] * (slack == "l2")
    for objective in objectives:
        weighted = Judge(objective, X, LABELS, weights=weights, held_out=HELD_OUT, tol=1e-12)
        repeated = Judge(objective, X[twice], LABELS[twice], held_out=HELD_OUT, tol=1e-12)
        one = weighted(MACHINES[slack], RBF, slopes=True)
        two = repeated(MACHINES[slack], RBF, slopes=True)
        assert one.value == pytest.approx(two.value, rel=1e-7)
        np.testing.assert_allclose(one.log_v, two.log_v, rtol=1e-5, atol=1e-8)


# ---- in a search, and refusals


@pytest.mark.parametrize(
    "objective",
    [
        ValidationError(slope="fitted"),
        ValidationError(slope="fitted", offset=False),
        RadiusMargin(radius="origin"),
        RadiusMargin(delta=0.5),
    ],
    ids=str,
)
def test_a_search_makes_them_smaller(objective) -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(size=(120, 3))
    labels = table[:, 0] + table[:, 1] + 0.3 * rng.normal(size=120) > 0
    search = GradientSearch(
        SVC(slack="l2", C=0.3, gamma=2.0), objective, confirm=False, random_state=0
    ).fit(table, labels)
    assert search.best_value_ < 0.95 * search.trace_["value"][0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ValidationError(slope="steep"), "must be positive, or 'fitted'. Got 'steep'"),
        (lambda: ValidationError(slope=True), "must be positive, or 'fitted'. Got True"),
        (lambda: ValidationError(slope="fitted", offset=2), "'offset' parameter"),
        (lambda: RadiusMargin(delta=0.0), "'delta' parameter"),
        (lambda: RadiusMargin(count_supports="yes"), "'count_supports' parameter"),
        (lambda: RadiusMargin(radius="diameter"), "'sphere' or 'origin'. Got 'diameter'"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
