"""The radius/margin criterion beside known digits, plain formulas and programs solved again."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svsieve import kernels, machines
from svsieve.criteria import Maximum, PowerSum, RadiusMargin, WeightNorm, resolution_of
from svsieve.criteria.slack import Slack
from svsieve.criteria.sphere import smallest_sphere, variance
from svsieve.elimination import Data, Parts, Task
from svsieve.elimination.engines import Turn, choose_engine
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import PairWeights
from svsieve.machines import one_vs_one
from tests.criteria.contexts import MACHINES, cloud, oracle, solved
from tests.criteria.plain import Bounds, derivative, scaled
from tests.elimination.walks import class_codes
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, LINEAR, POLYNOMIAL, RBF, WEIGHTED
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
    # what the norm loses at kept coefficients, the dual gains
    lost = 2.0 * numbers.values(L2_SVM["half norm lost"][column])
    grown = float(L2_SVM["ridged norm"][column]) + lost
    left = numbers.values(L2_SVM["frozen radius without"][column]) * grown
    np.testing.assert_allclose(whole + RadiusMargin().scores(context), left, rtol=3e-9)
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
def test_order_0_is_the_bound_left_less_the_bound(case, slack: str, radius: str) -> None:
    context = solved(case.library(X.shape[1]), X, Y, MACHINES[slack])
    kernel = case.naive(X.shape[1])
    K = gram(kernel, X)
    scores = RadiusMargin(radius=radius).scores(context)
    centre = next(iter(context.memory.values()), None)
    bound = Bounds(slack, 1.0).frozen(NAMES[radius], K, Y, centre)
    change = [bound(gram_without(kernel, X, j)) - bound(K) for j in range(X.shape[1])]
    np.testing.assert_allclose(scores, change, rtol=1e-9, atol=1e-10 * bound(K))
    assert RadiusMargin(radius=radius).value(context) == pytest.approx(bound(K), rel=1e-10)


@EVERY_SLACK
def test_the_bound_of_all_columns_is_the_trained_one(slack: str) -> None:
    kernel = kernels.Rbf(gamma=0.2)
    context = solved(kernel, X, Y, MACHINES[slack])
    trained = Bounds(slack, 1.0).trained("radius margin", Y)(kernel.gram(X))
    assert RadiusMargin().value(context) == pytest.approx(trained, rel=1e-10)


# ---- what order 0 and order 1 have to do with each other


@EVERY_SLACK
@EVERY_KERNEL
def test_at_kept_coefficients_the_bound_has_the_slope_of_order_1(case, slack: str) -> None:
    """Both factors and their product; with kernels of every kind, whatever the signs."""
    context, kernel = solved(case.library(5), X, Y, MACHINES[slack]), case.naive(5)
    criterion, K = RadiusMargin(order=1), gram(kernel, X)
    signed = context.state.contract_slopes(criterion.pair_weights(context))
    u, b = context.solution.coefficients, next(iter(context.memory.values()))
    plain = Bounds(slack, 1.0)
    whole = plain.frozen("radius margin", K, Y, b)
    slopes = np.array(
        [
            [
                derivative(lambda t, part=part, j=j: part(gram(kernel, scaled(X, j, t))))
                for j in range(5)
            ]
            for part in (whole, lambda K: plain.dual(K, u), lambda K: plain.radius(K, b))
        ]
    )
    expected = [
        signed,
        context.state.contract_slopes(PairWeights.outer(u, -1.0)),
        context.state.contract_slopes(PairWeights.covariance(b)),
    ]
    for found, known in zip(slopes, expected, strict=True):
        np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-9 + 1e-7 * np.abs(known).max())
    np.testing.assert_allclose(criterion.scores(context), np.abs(signed), rtol=1e-9)


SPLIT = 1e-6


@EVERY_RADIUS
@EVERY_SLACK
@pytest.mark.parametrize("case", [LINEAR, POLYNOMIAL, RBF], ids=str)
def test_a_small_part_of_a_column_changes_the_bound_by_its_slope(case, slack, radius) -> None:
    """Copies sqrt(1 - s) x and sqrt(s) x are x to the kernel; without the latter v^2 is 1 - s."""
    M = RadiusMargin(order=1, radius=radius).pair_weights
    context = solved(case.library(5), X, Y, MACHINES[slack])
    slopes = context.state.contract_slopes(M(context))
    halves = np.column_stack([np.sqrt(1.0 - SPLIT) * X, np.sqrt(SPLIT) * X])
    divided = solved(case.library(10), halves, Y, MACHINES[slack])
    scores = RadiusMargin(radius=radius).scores(divided)[5:]
    expected = -0.5 * SPLIT * slopes
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@EVERY_SLACK
@pytest.mark.parametrize("seed", range(3))
def test_the_factors_of_a_linear_machine_move_apart(seed: int, slack: str) -> None:
    X, y = cloud(24, 5, seed)
    context = solved(kernels.Linear(), X, y, MACHINES[slack])
    criterion = RadiusMargin(radius="variance")
    norm = MACHINES[slack].value(context.solution, context.problem)
    squares = (X.T @ context.solution.coefficients) ** 2
    radius = criterion.value(context) / norm * (1.0 if slack == "l2" else len(X))
    left = (radius - X.var(axis=0)) * (norm + squares) - radius * norm
    expected = left / (1.0 if slack == "l2" else len(X))
    np.testing.assert_allclose(criterion.scores(context), expected, rtol=1e-9)


@EVERY_RADIUS
@EVERY_SLACK
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.2)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_left_is_at_most_the_bound_trained_again(seed, kernel, slack, radius) -> None:
    X, y = cloud(20, 4, seed)
    context = solved(kernel, X, y, MACHINES[slack])
    criterion = RadiusMargin(radius=radius)
    left = criterion.value(context) + criterion.scores(context)
    again = RadiusMargin(retrain=True, radius=radius).scores(context)
    assert (left <= again * (1 + 1e-9)).all()
    assert left.max() > 0.5 * again.min()


# ---- the norm alone is SVM-RFE


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(12, 4), (20, 8), (30, 40)]),
    slack=st.sampled_from(sorted(MACHINES)),
)
def test_the_smallest_dual_value_left_is_svm_rfe(seed: int, shape, slack: str) -> None:
    X, y = cloud(*shape, seed)
    context = solved(kernels.Linear(), X, y, MACHINES[slack])
    u, plain = context.solution.coefficients, Bounds(slack, 1.0)
    squares = (X.T @ u) ** 2
    left = [plain.dual(gram_without(LINEAR.naive(shape[1]), X, j), u) for j in range(shape[1])]
    np.testing.assert_array_equal(np.argsort(left), np.argsort(squares))
    np.testing.assert_array_equal(np.argsort(left), np.argsort(WeightNorm().scores(context)))
    # columns of one variance leave one radius: all depends on the norm
    level = solved(kernels.Linear(), X / X.std(axis=0), y, MACHINES[slack])
    np.testing.assert_array_equal(
        np.argsort(RadiusMargin(radius="variance").scores(level)),
        np.argsort(WeightNorm().scores(level)),
    )


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    case=st.sampled_from([POLYNOMIAL, RBF]),
    slack=st.sampled_from(sorted(MACHINES)),
)
def test_with_any_kernel_the_dual_value_left_ranks_as_the_signed_norm(seed, case, slack) -> None:
    X, y = cloud(18, 5, seed)
    context = solved(case.library(5), X, y, MACHINES[slack])
    u, plain = context.solution.coefficients, Bounds(slack, 1.0)
    left = [plain.dual(gram_without(case.naive(5), X, j), u) for j in range(5)]
    signed = WeightNorm(signed=True).scores(context)
    np.testing.assert_array_equal(np.argsort(left), np.argsort(signed))


# ---- several classes


@EVERY_RADIUS
@EVERY_SLACK
@pytest.mark.parametrize("combine", [PowerSum(), Maximum()], ids=str)
def test_one_vs_one_joins_what_is_left_to_the_pairs_of_classes(combine, slack, radius) -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(size=(36, 4)) * [1.0, 1.0, 3.0, 0.5]
    codes = class_codes(table, 3)
    tasks = tuple(Task(task.rows, task.labels) for task in one_vs_one(codes, 3))
    criterion = RadiusMargin(radius=radius)
    parts = Parts(kernels.Rbf(gamma=0.1), MACHINES[slack], criterion, combine=combine, tol=1e-12)
    kept = np.arange(4)
    data = Data(table, tasks, codes)
    found = choose_engine(data, parts, kept).fit(Turn(1, kept, 1, parts, 4)).scores
    kernel, each = dataclasses.replace(RBF.naive(4), gamma=0.1), []
    for task in tasks:
        rows = table[task.rows]
        K = gram(kernel, rows)
        bound = Bounds(slack, 1.0).frozen(NAMES[radius], K, task.labels)
        each.append([bound(gram_without(kernel, rows, j)) - bound(K) for j in range(4)])
    expected = np.sum(each, axis=0) if combine == PowerSum() else np.max(each, axis=0)
    assert expected.min() < 0
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


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
    context.memory["enclosing sphere"] = np.eye(len(X))[5]
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


# ---- resolution


def test_resolution_of_slopes_is_a_share_of_the_largest() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y)
    scores = np.array([1.0, 4.0])
    assert resolution_of(RadiusMargin(order=1), context, scores) == pytest.approx(4e-11)


@EVERY_RADIUS
@EVERY_SLACK
def test_resolution_is_the_rounding_of_both_factors(slack: str, radius: str) -> None:
    """Columns that are all alike change both factors much and their product little."""
    context = solved(kernels.Rbf(gamma=0.02), np.repeat(X[:, :1], 40, axis=1), Y, MACHINES[slack])
    criterion = RadiusMargin(radius=radius)
    scores = criterion.scores(context)
    u, b = context.solution.coefficients, np.full(len(X), 1 / len(X))
    if radius == "sphere":
        b = context.memory["enclosing sphere"]
    change = context.state.contract_without
    grown = -change(PairWeights.outer(u), change=True)
    shrunk = change(PairWeights.covariance(b), change=True)
    norm = MACHINES[slack].value(context.solution, context.problem)
    product = criterion.value(context)
    scale = 1.0 if slack == "l2" else len(X)
    expected = 1e-11 * (
        np.abs(product / norm + shrunk / scale) * np.abs(grown).max()
        + np.abs(norm + grown) * np.abs(shrunk).max() / scale
    )
    found = resolution_of(criterion, context, scores)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    # the same where nothing is remembered
    context.memory.clear()
    np.testing.assert_array_equal(resolution_of(criterion, context, scores), found)


def test_copies_are_a_tie_and_little_else_is() -> None:
    """Linear kernel, columns of very different scale: each is known to its own rounding."""
    scales = np.array([1e3, 1e-4, 1.0, 1e-4, 1.0])  # scores go with their squares
    table = X * scales
    context = solved(kernels.Linear(), np.column_stack([table, table]), Y, machines.L2Svm(1.0))
    criterion = RadiusMargin()
    scores = criterion.scores(context)
    width = np.broadcast_to(resolution_of(criterion, context, scores), scores.shape)
    assert (np.abs(scores[:5] - scores[5:]) <= width[:5]).all()
    apart = np.abs(np.subtract.outer(scores[:5], scores[:5]))[~np.eye(5, dtype=bool)]
    assert apart.min() > 100.0 * width[[1, 3]].max()
