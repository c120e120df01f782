"""The radius/margin criterion beside known digits, plain formulas and programs solved again."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import RadiusMargin, resolution_of
from svsieve.criteria.slack import Slack
from svsieve.criteria.sphere import smallest_sphere, variance
from svsieve.errors import IncompatiblePartsError
from tests.criteria.contexts import MACHINES, cloud, oracle, solved
from tests.criteria.plain import Bounds
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, WEIGHTED
from tests.oracles import library, numbers
from tests.oracles.numbers import L1_SVM, L2_SVM, assert_digits
from tests.reference.kernels import gram, gram_without

X, Y = cloud(24, 5)
EVERY_KERNEL = pytest.mark.parametrize("case", [*LEAVES, *WEIGHTED, *COMPOSITES], ids=str)
EVERY_SLACK = pytest.mark.parametrize("slack", MACHINES)
EVERY_RADIUS = pytest.mark.parametrize("radius", ["sphere", "variance"])
EVERY_COLUMN = pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)
NAMES = {"sphere": "radius margin", "variance": "variance margin"}


# ---- known digits


@EVERY_COLUMN
def test_known_digits_with_squared_slack(column: int) -> None:
    context = oracle(library.L2_SVM, column)
    whole = RadiusMargin().value(context)
    assert_digits(whole, L2_SVM["radius * norm"][column])
    slopes = L2_SVM["radius * norm slopes"][column]
    assert_digits(RadiusMargin(order=1).scores(context), slopes.replace("-", ""))
    # the frozen bound falls without any of these columns
    without = whole - RadiusMargin().scores(context)
    assert_digits(without, L2_SVM["frozen radius * norm without"][column])
    by_log_C = -numbers.RIDGE * RadiusMargin().pair_weights(context).trace()
    assert_digits(by_log_C, L2_SVM["radius * norm by log C"][column])


@EVERY_COLUMN
def test_known_digits_with_linear_slack(column: int) -> None:
    context = oracle(library.L1_SVM, column)
    assert_digits(RadiusMargin().value(context), L1_SVM["bound"][column])
    slopes = L1_SVM["bound slopes"][column]
    assert_digits(RadiusMargin(order=1).scores(context), slopes.replace("-", ""))
    if column > 0:
        params = context.state.contract_params(RadiusMargin().pair_weights(context))
        assert_digits(params["log_gamma"], numbers.L1_SVM_BOUND_LOG_GAMMA[column - 1])


def test_known_digits_of_the_hard_margin() -> None:
    context = oracle(library.HARD_MARGIN, 2)
    assert_digits(RadiusMargin().value(context), numbers.HARD_MARGIN["radius * norm"])
    slopes = numbers.HARD_MARGIN["radius * norm slopes"]
    assert_digits(RadiusMargin(order=1).scores(context), slopes.replace("-", ""))


# ---- plain formulas


@EVERY_RADIUS
@EVERY_SLACK
@EVERY_KERNEL
def test_order_0_is_the_change_of_the_frozen_bound(case, slack: str, radius: str) -> None:
    context = solved(case.library(X.shape[1]), X, Y, MACHINES[slack])
    kernel = case.naive(X.shape[1])
    K = gram(kernel, X)
    scores = RadiusMargin(radius=radius).scores(context)
    centre = next(iter(context.memory.values()), None)
    bound = Bounds(slack, 1.0).frozen(NAMES[radius], K, Y, centre)
    change = [bound(gram_without(kernel, X, j)) - bound(K) for j in range(X.shape[1])]
    np.testing.assert_allclose(scores, np.abs(change), rtol=1e-9, atol=1e-10 * bound(K))
    assert RadiusMargin(radius=radius).value(context) == pytest.approx(bound(K), rel=1e-10)


@EVERY_SLACK
def test_the_bound_of_all_columns_is_the_trained_one(slack: str) -> None:
    kernel = kernels.Rbf(gamma=0.2)
    context = solved(kernel, X, Y, MACHINES[slack])
    trained = Bounds(slack, 1.0).trained("radius margin", Y)(kernel.gram(X))
    assert RadiusMargin().value(context) == pytest.approx(trained, rel=1e-10)


# ---- rows


SOME = np.array([1, 2, 3, 5, 8, 9, 12, 14, 20, 21, 22, 23])


@EVERY_RADIUS
@EVERY_SLACK
@pytest.mark.parametrize("order", [0, 1])
def test_rows_outside_the_problem_do_not_count(order: int, slack: str, radius: str) -> None:
    shuffled = SOME[[3, 0, 9, 4, 7, 1, 8, 2, 6, 5, 11, 10]]
    criterion = RadiusMargin(order=order, radius=radius)
    kernel = kernels.Rbf(gamma=0.3)
    alone = criterion.scores(solved(kernel, X[SOME], Y[SOME], MACHINES[slack]))
    for rows in (SOME, shuffled):
        among = criterion.scores(solved(kernel, X, Y, MACHINES[slack], rows))
        np.testing.assert_allclose(among, alone, rtol=1e-7, atol=1e-10)


@EVERY_RADIUS
@EVERY_SLACK
@pytest.mark.parametrize(
    "options", [{"order": 0}, {"order": 1}, {"retrain": True}], ids=["frozen", "slopes", "retrain"]
)
def test_a_row_of_weight_k_is_k_rows(options, slack: str, radius: str) -> None:
    counts = np.array([1, 3, 0, 2, 1, 1, 2, 1] * 3)
    kernel, criterion = kernels.Rbf(gamma=0.3), RadiusMargin(radius=radius, **options)
    weighted = solved(kernel, X, Y, MACHINES[slack], weights=counts.astype(float))
    repeated = solved(kernel, np.repeat(X, counts, axis=0), np.repeat(Y, counts), MACHINES[slack])
    np.testing.assert_allclose(
        criterion.scores(weighted), criterion.scores(repeated), rtol=1e-6, atol=1e-9
    )


# ---- the radius


def test_variance_is_the_mean_squared_distance_from_the_mean() -> None:
    context = solved(kernels.Linear(), X, Y)
    spread = variance(context.gram(), Slack.of(context, RadiusMargin()))
    assert spread.value == pytest.approx(X.var(axis=0).sum(), rel=1e-12)
    ridged = solved(kernels.Linear(), X, Y, machines.L2Svm(C=4.0))
    found = variance(ridged.gram(), Slack.of(ridged, RadiusMargin())).value
    assert found == pytest.approx(X.var(axis=0).sum() + 0.25 * (1 - 1 / len(X)), rel=1e-12)


def test_the_sphere_starts_where_the_last_one_ended() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machines.L2Svm(1.0))
    slack = Slack.of(context, RadiusMargin())
    cold = RadiusMargin(order=1).scores(context)
    assert len(context.memory) == 1
    warm = RadiusMargin(order=1).scores(context)
    np.testing.assert_allclose(warm, cold, rtol=1e-9)
    spread = smallest_sphere(context.gram(), slack, 1e-12)
    (remembered,) = context.memory.values()
    np.testing.assert_allclose(remembered, spread.b, atol=1e-9)


def test_a_misleading_memory_changes_nothing_but_the_time() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machines.L2Svm(1.0))
    expected = RadiusMargin().scores(context)
    (key,) = context.memory
    context.memory[key] = np.eye(len(X))[5]
    np.testing.assert_allclose(RadiusMargin().scores(context), expected, rtol=1e-9)


# ---- refusals


@pytest.mark.parametrize(
    "machine",
    [machines.Svdd(nu=0.5), machines.OneClass(nu=0.5), machines.NegativeSvdd(0.6, 0.3)],
    ids=lambda machine: type(machine).__name__,
)
def test_machines_that_do_not_separate_are_refused(machine) -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machine)
    for criterion in (RadiusMargin(), RadiusMargin(order=1), RadiusMargin(retrain=True)):
        with pytest.raises(
            IncompatiblePartsError, match=rf"RadiusMargin\(.*{type(machine).__name__}"
        ):
            criterion.scores(context)


def test_a_penalised_bias_is_refused() -> None:
    wide = np.zeros((len(X) + 1, 6))
    wide[:-1, :5], wide[:-1, 5] = X, 1.0
    machine = machines.FreeSum(machines.L2Svm())
    context = solved(kernels.Linear(), wide, np.append(Y, 0.0), machine)
    with pytest.raises(IncompatiblePartsError, match=r"bias that is not penalised.*FreeSum"):
        RadiusMargin().scores(context)


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"order of RadiusMargin must be 0 or 1\. Got 2"):
        RadiusMargin(order=2)
    with pytest.raises(ValueError, match=r"retrain of RadiusMargin needs order=0.*Got order=1"):
        RadiusMargin(order=1, retrain=True)
    with pytest.raises(ValueError, match=r"'sphere' or 'variance'\. Got 'box'"):
        RadiusMargin(radius="box")


def test_resolution_is_a_share_of_the_largest_score() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y)
    scores = np.array([1.0, 4.0])
    assert resolution_of(RadiusMargin(), context, scores) == pytest.approx(4e-11)
