"""Selection by scale: slopes, what small means, where it stops."""

import math
from dataclasses import replace

import numpy as np
import pytest

from svsieve.datasets import make_weston_linear, make_weston_nonlinear
from svsieve.elimination import Constant, Data, Parts, PathRecorder, Task, walk
from svsieve.elimination.loop import record
from svsieve.kernels import Linear, Polynomial, Rbf, scaled_kernel
from svsieve.machines import CSvm, L2Svm, one_vs_one
from svsieve.selection.objectives import (
    CrossValidation,
    Judge,
    RadiusMargin,
    Span,
    ValidationError,
    summed,
)
from svsieve.selection.scaling import ScaledObjective, ScalingEngine, scale_is_penalty
from svsieve.selection.scaling_shares import SharedObjective, ShareEngine

KERNELS = [
    Rbf(gamma=0.2),
    Rbf(gamma=0.2, weights=(1.0, 0.5, 2.0, 1.5, 0.3)),
    Polynomial(degree=2, gamma=0.2, coef0=1.0),
    Linear(),
]


def data_of(X, y, weights=None):
    codes = (y > 0).astype(np.int64)
    return Data(X, (Task(labels=np.where(y > 0, 1.0, -1.0), weights=weights),), codes)


def small_data(seed=0, rows=24, columns=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=rows) > 0, 1, -1)
    return data_of(X, y)


def toy(draw, rows, seed, columns=20):
    X, y = draw(rows, columns, rng=[seed, rows], balanced=True)
    return data_of((X - X.mean(axis=0)) / X.std(axis=0), y)


def walked(data, kernel, machine=None, engine=ScalingEngine, *, target=2, step=1, **options):
    machine = L2Svm(C=10.0) if machine is None else machine
    objective = options.pop("objective", RadiusMargin())
    made = engine(data, kernel, machine, objective, **options)
    parts = Parts(kernel, machine, least=target, schedule=Constant(step))
    recorder = PathRecorder(data.n_columns)
    for _ in record(recorder, walk(data, parts, engine=made)):
        pass
    return recorder.path(), made


# ---- the objective and its slopes


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("machine", [L2Svm(C=3.0), CSvm(C=2.0)], ids=str)
@pytest.mark.parametrize("objective", [RadiusMargin(), Span(), ValidationError()], ids=str)
def test_slopes_are_those_of_machines_trained_again(kernel, machine, objective):
    scaled = ScaledObjective(small_data(), kernel, machine, objective, np.arange(5))
    point = np.log([0.8, 1.2, 0.5, 1.5, 1.0])
    found = scaled(machine.C, np.exp(point))
    step = 1e-5
    for j, shift in enumerate(step * np.eye(5)):
        above, below = (scaled(machine.C, np.exp(point + s)).value for s in (shift, -shift))
        assert found.log_v[j] == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-8)
    above, below = (scaled(machine.C * math.exp(s), np.exp(point)).value for s in (step, -step))
    assert found.log_C == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-8)


def test_it_judges_the_scaled_table():
    data, factors = small_data(), np.array([0.8, 1.2, 0.5, 1.5, 1.0])
    kept = np.array([0, 2, 3])
    scaled = ScaledObjective(data, Rbf(gamma=0.2), L2Svm(3.0), RadiusMargin(), kept)
    plain = Judge(RadiusMargin(), data.X[:, kept] * factors[kept], data.tasks[0].labels)
    expected = plain(L2Svm(3.0), Rbf(gamma=0.2)).value
    assert scaled(3.0, factors[kept]).value == pytest.approx(expected, rel=1e-8)


def test_problems_of_several_classes_share_the_factors():
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(30, 4)), np.arange(30) % 3
    tasks = tuple(Task(task.rows, task.labels) for task in one_vs_one(codes, 3))
    scaled = ScaledObjective(
        Data(X, tasks, codes), Rbf(gamma=0.2), L2Svm(3.0), RadiusMargin(), np.arange(4)
    )
    factors = np.array([1.0, 0.5, 2.0, 1.0])
    kernel = scaled_kernel(Rbf(gamma=0.2), factors)
    expected = summed(
        Judge(RadiusMargin(), X[task.rows], task.labels)(L2Svm(3.0), kernel, slopes=True)
        for task in tasks
    )
    found = scaled(3.0, factors)
    assert found.value == pytest.approx(expected.value, rel=1e-8)
    np.testing.assert_allclose(found.log_v, expected.log_v, rtol=1e-5, atol=1e-7)
    assert scaled.n_trainings == 3


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(degree=2, gamma=0.3, coef0=0.0)], ids=repr)
def test_scale_and_penalty_are_one_number_where_it_is_said(kernel):
    # T(c v, C) = T(v, c^2p C): the ridge 1 / C is what the scale of the kernel is measured by. With
    # a ridge of C in its place the two sides would differ.
    assert scale_is_penalty(kernel)
    scaled = ScaledObjective(small_data(), kernel, L2Svm(2.0), RadiusMargin(), np.arange(5))
    factors, c = np.array([0.8, 1.2, 0.5, 1.5, 1.0]), 1.7
    power = 2 * getattr(kernel, "degree", 1)
    together, apart = scaled(2.0, c * factors), scaled(2.0 * c**power, factors)
    assert together.value == pytest.approx(apart.value, rel=1e-8)
    assert together.log_v.sum() == pytest.approx(power * together.log_C, rel=1e-6)
    assert scaled(2.0 / c**power, factors).value != pytest.approx(together.value, rel=1e-3)


@pytest.mark.parametrize("kernel", [Rbf(gamma=0.2), Polynomial(degree=2, gamma=0.3, coef0=1.0)])
def test_elsewhere_they_are_two(kernel):
    assert not scale_is_penalty(kernel)


# ---- the walk


@pytest.mark.parametrize(
    ("draw", "kernel", "relevant"),
    [
        (make_weston_linear, Linear(), 6),
        (make_weston_nonlinear, Polynomial(degree=2, gamma=0.05, coef0=1.0), 2),
        (make_weston_nonlinear, Rbf(gamma="scale"), 2),
    ],
    ids=["linear", "polynomial", "Gaussian"],
)
@pytest.mark.parametrize("engine", [ScalingEngine, ShareEngine])
def test_relevant_columns_are_left(draw, kernel, relevant, engine):
    hits = 0
    for seed in range(4):
        path, _ = walked(toy(draw, 80, seed), kernel, engine=engine)
        hits += (path.survivors < relevant).all()
    assert hits >= 3


def test_small_factors_are_unimportant_and_large_widths_too():
    # Factors multiply columns; a kernel's widths are their inverses. Dropping the columns of least
    # width would drop the ones that matter.
    data = toy(make_weston_nonlinear, 80, 0, columns=8)
    _, engine = walked(data, Rbf(gamma="scale"), target=8)
    factors = engine.minimum(np.arange(8)).factors
    widths = 1 / (factors * np.sqrt(2 * engine.kernel.gamma))
    assert set(np.argsort(factors)[-2:]) == {0, 1} == set(np.argsort(widths)[:2])


def test_size_is_factor_times_spread():
    # The same table in other units gives the same path, once the descent begins at the same point.
    data = toy(make_weston_nonlinear, 60, 1, columns=8)
    path, _ = walked(data, Rbf(gamma=0.1, weights=np.ones(8)))
    units = np.array([1e-3, 10.0, 1.0, 5.0, 0.2, 100.0, 1.0, 2.0])
    other = replace(data, X=data.X * units)
    same, _ = walked(other, Rbf(gamma=0.1, weights=1 / units**2))
    np.testing.assert_array_equal(same.order, path.order)
    np.testing.assert_allclose(same.scores, path.scores, rtol=1e-4, atol=1e-6)
    # Scores are v_j s_j: factors alone would say nothing about columns in unlike units.
    engine = ScalingEngine(other, Rbf(gamma=0.1), L2Svm(10.0), RadiusMargin(), max_evaluations=1)
    found = engine.minimum(np.arange(8))
    np.testing.assert_allclose(found.factors, 1.0)
    np.testing.assert_allclose(engine._scores(found), units / units.max())


def test_permuted_columns_are_dropped_in_the_same_order():
    data = toy(make_weston_nonlinear, 50, 2, columns=8)
    order = np.random.default_rng(0).permutation(8)
    path, _ = walked(data, Rbf(gamma=0.1))
    permuted, _ = walked(replace(data, X=data.X[:, order]), Rbf(gamma=0.1))
    np.testing.assert_array_equal(order[permuted.order], path.order)


def test_a_constant_column_goes_first():
    data = toy(make_weston_nonlinear, 50, 0, columns=6)
    X = data.X.copy()
    X[:, 4] = 3.0
    path, _ = walked(replace(data, X=X), Rbf(gamma=0.1))
    assert path.dropped[0] == 4
    assert path.scores[0] == 0.0


def test_all_small_columns_go_at_once_but_no_more_than_asked():
    data = toy(make_weston_nonlinear, 80, 0)
    all_small, _ = walked(data, Rbf(gamma=0.05), threshold=2.0, target=3)
    assert all_small.counts.tolist() == [17]
    one_by_one, _ = walked(data, Rbf(gamma=0.05), threshold=0.0, target=3)
    assert one_by_one.counts.tolist() == [1] * 17
    by_fives, _ = walked(data, Rbf(gamma=0.05), threshold=0.0, target=3, step=5)
    assert by_fives.counts.tolist() == [5, 5, 5, 2]


def test_scores_of_a_step_are_shares_of_the_largest():
    path, _ = walked(toy(make_weston_nonlinear, 50, 0, columns=8), Rbf(gamma=0.1))
    assert ((path.scores >= 0) & (path.scores <= 1)).all()
    assert path.survivor_scores[0] == 1.0
    assert (path.following >= path.scores[np.cumsum(path.counts) - 1]).all()


def test_it_ends_before_the_minimum_rises():
    data = toy(make_weston_nonlinear, 100, 0)
    path, engine = walked(data, Rbf(gamma="scale"), target=1, rise=0.05)
    assert path.stopped == "score"
    assert {0, 1} <= set(path.survivors.tolist())
    assert len(path.survivors) <= 4
    # What was left out is worse: the walk that goes on has a larger minimum there.
    farther, onward = walked(data, Rbf(gamma="scale"), target=1)
    np.testing.assert_array_equal(farther.dropped[: len(path.dropped)], path.dropped)
    assert onward.values[path.n_steps + 1] > 1.05 * min(onward.values[: path.n_steps + 1])
    assert engine.values[-1] <= min(onward.values[: path.n_steps + 1]) * 1.05
    everything, _ = walked(data, Rbf(gamma="scale"), target=1, rise=math.inf)
    assert len(everything.survivors) == 1


def test_descents_never_end_higher_than_they_begin():
    data = toy(make_weston_nonlinear, 60, 3)
    engine = ScalingEngine(data, Rbf(gamma=0.05), L2Svm(10.0), RadiusMargin())
    start = ScaledObjective(data, Rbf(gamma=0.05), L2Svm(10.0), RadiusMargin(), np.arange(20))
    assert engine.minimum(np.arange(20)).value <= start(10.0, np.ones(20)).value


def test_one_descent_does_not_go_farther_than_it_may():
    data = toy(make_weston_nonlinear, 60, 3)
    engine = ScalingEngine(data, Rbf(gamma=0.05), L2Svm(10.0), RadiusMargin(), reach=0.5)
    found = engine.minimum(np.arange(20))
    assert np.abs(np.log(found.factors)).max() <= 0.5 + 1e-12
    assert abs(math.log(found.machine.C / 10.0)) <= 0.5 + 1e-12


@pytest.mark.parametrize(
    ("machine", "kernel", "stays"),
    [
        (L2Svm(10.0), Rbf(gamma=0.05), False),
        (L2Svm(math.inf), Rbf(gamma=0.05), True),
        (L2Svm(10.0), Linear(), True),
        (CSvm(10.0), Rbf(gamma=0.05), True),
    ],
    ids=["squared slack", "hard margin", "linear", "linear slack"],
)
def test_when_the_penalty_is_found_too(machine, kernel, stays):
    data = toy(make_weston_nonlinear, 40, 0)
    engine = ScalingEngine(data, kernel, machine, RadiusMargin())
    assert (engine.minimum(np.arange(20)).machine == machine) == stays


# ---- shares of a fixed sum


@pytest.mark.parametrize("kernel", [Rbf(gamma=0.2), Linear()], ids=repr)
@pytest.mark.parametrize("logarithm", [True, False])
def test_slopes_of_shares(kernel, logarithm):
    scaled = ScaledObjective(small_data(), kernel, L2Svm(3.0), RadiusMargin(), np.arange(5))
    free = (True, not scale_is_penalty(kernel))
    objective = SharedObjective(scaled, L2Svm(3.0), 2, 0.4, 0.7, *free, logarithm)
    rng = np.random.default_rng(0)
    point = rng.normal(scale=0.5, size=5 + sum(free))
    value, slopes = objective(point)
    C, scale, shares = objective.parts(point)
    assert shares.sum() == pytest.approx(2.0)
    plain = scaled(C, scale * shares).value
    expected = (math.log(plain) if logarithm else plain) + 0.7 / 2 * (shares**0.4).sum()
    assert value == pytest.approx(expected)
    step = 1e-5
    for j, shift in enumerate(step * np.eye(len(point))):
        central = (objective(point + shift)[0] - objective(point - shift)[0]) / (2 * step)
        assert slopes[j] == pytest.approx(central, rel=1e-5, abs=1e-8)


def test_the_penalty_makes_shares_vanish():
    data = toy(make_weston_nonlinear, 80, 0)
    parts = Parts(Rbf(gamma=0.05), L2Svm(10.0), least=2)
    effective = []
    for penalty in (0.0, 0.3):
        engine = ShareEngine(
            data, parts.kernel, parts.machine, RadiusMargin(), penalty=penalty, reach=2.0
        )
        found = engine._shared_out(np.arange(20), 2)
        shares = found.factors / found.factors.sum()
        effective.append(1 / (shares**2).sum())  # as many equal shares would be as uneven
    assert effective[1] < effective[0]
    assert effective[1] == pytest.approx(2.0, abs=0.5)


def test_shares_select_in_one_step():
    path, engine = walked(
        toy(make_weston_nonlinear, 80, 1), Rbf(gamma="scale"), engine=ShareEngine, target=3
    )
    assert path.counts.tolist() == [17]
    assert {0, 1} <= set(path.survivors.tolist())
    assert len(engine.values) == 2


def test_an_objective_without_slopes_leads_nowhere():
    engine = ScalingEngine(small_data(), Rbf(gamma=0.2), L2Svm(3.0), CrossValidation())
    with pytest.raises(ValueError, match="no finite value"):
        engine.minimum(np.arange(5))
