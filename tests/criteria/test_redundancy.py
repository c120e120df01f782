"""Redundancy-aware scores beside plain counting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE, kernels, machines
from svsieve.criteria import Context, RedundancyAware, WeightNorm, redundancy, resolution_of
from svsieve.elimination import Data, Parts, Subsample, Task, trace
from svsieve.elimination.samplers import AllRows, Bootstrap
from svsieve.errors import IncompatiblePartsError
from tests.criteria.contexts import cloud, solved

X, Y = cloud(30, 7)


def levels(x: np.ndarray, band: float) -> list[int]:
    """Below, about or above the mean."""
    mean, reach = x.mean(), band * x.std()
    return [0 if v < mean - reach else 2 if v > mean + reach else 1 for v in x]


def information(one: list[int], other: list[int]) -> float:
    """Mutual information by counting, one pair of values at a time."""
    n, total = len(one), 0.0
    for a in set(one):
        for b in set(other):
            both = sum(p == a and q == b for p, q in zip(one, other, strict=True))
            if both:
                total += both / n * log(both * n / (one.count(a) * other.count(b)))
    return total


def plain_news(table: np.ndarray, labels: np.ndarray, band: float) -> np.ndarray:
    cut = [levels(x, band) for x in table.T]
    sides = [int(label > 0) for label in labels]
    out = []
    for one in cut:
        shared = np.mean([information(one, other) for other in cut])
        out.append(information(one, sides) / shared if shared > 1e-12 else 0.0)
    return np.array(out)


def plain_scores(context: Context, table, labels, share, scaled, band) -> np.ndarray:
    own = np.sqrt(WeightNorm().scores(context))
    news = plain_news(table, labels, band)
    if scaled:
        own, news = own / own.max(), news / news.max()
    return share * own + (1 - share) * news


KERNELS = pytest.mark.parametrize(
    "kernel",
    [
        kernels.Linear(),
        kernels.Rbf(gamma=0.1),
        kernels.Laplace(gamma=0.1),
        kernels.Polynomial(degree=2, gamma=0.3, coef0=1.0),
        kernels.Sum(
            [
                kernels.Rbf(gamma=0.2, weights=(1.0, 2.0, 0.0, 1.0, 0.5, 0.0, 1.0)),
                kernels.Linear(weights=(0.0, 0.0, 3.0, 1.0, 0.0, 1.0, 1.0)),
            ],
            [0.5, 0.5],
        ),
    ],
    ids=lambda kernel: type(kernel).__name__,
)


@KERNELS
@pytest.mark.parametrize(("share", "scaled"), [(0.5, True), (0.3, False), (0.0, True), (1.0, True)])
def test_by_plain_counting(kernel, share: float, scaled: bool) -> None:
    context = solved(kernel, X, Y)
    found = RedundancyAware(share=share, scaled=scaled).scores(context)
    expected = plain_scores(context, X, Y, share, scaled, 0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@given(seed=st.integers(0, 10_000), band=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_informations(seed: int, band: float) -> None:
    rng = np.random.default_rng(seed)
    table = np.round(rng.normal(size=(12, 4)) * 3) + 0.1
    table[:, 1] = 0.7
    cut = redundancy._levels(table, band)
    found = redundancy._informations(cut, cut)
    for i in range(4):
        for j in range(4):
            expected = mutual_info_score(cut[:, i], cut[:, j])
            np.testing.assert_allclose(found[i, j], expected, atol=1e-12)
    np.testing.assert_array_equal(found[1], 0.0)


def test_share_1_is_the_other_criterion() -> None:
    context = solved(kernels.Rbf(gamma=0.1), X, Y)
    found = RedundancyAware(WeightNorm(order=1), share=1.0).scores(context)
    np.testing.assert_array_equal(
        np.argsort(found), np.argsort(WeightNorm(order=1).scores(context))
    )


@dataclass(frozen=True)
class Given:
    values: tuple[float, ...]

    def scores(self, context: Context) -> np.ndarray:
        return np.array(self.values)


def test_scores_of_the_other_criterion_keep_their_signs() -> None:
    context = solved(kernels.Rbf(gamma=0.1), X, Y)
    rule = RedundancyAware(Given((4.0, -9.0, 0.0, 1.0, -1.0, 2.0, -0.25)), share=1.0)
    roots = [2.0, -3.0, 0.0, 1.0, -1.0, 2.0**0.5, -0.5]
    scores = rule.scores(context)
    np.testing.assert_allclose(scores, np.array(roots) / 3.0, rtol=1e-14)
    assert np.all(resolution_of(rule, context, scores) < 1e-5)


def test_copies_of_a_column_make_each_worth_less() -> None:
    rule = RedundancyAware(share=0.0, scaled=False)
    before = rule.scores(solved(kernels.Linear(), X, Y))
    after = rule.scores(solved(kernels.Linear(), np.column_stack([X, X[:, [0, 0, 0]]]), Y))
    assert after[0] < before[0]
    assert after[0] / before[0] < 0.8 * (after[1:7] / before[1:]).min()
    np.testing.assert_allclose(after[7:], after[0], rtol=1e-12)


@given(seed=st.integers(0, 10_000))
def test_units_do_not_matter_to_what_a_column_tells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rule = RedundancyAware(share=0.0)
    moved = X * rng.choice([-2.0, 0.5, 4.0], 7)
    np.testing.assert_allclose(
        rule.scores(solved(kernels.Linear(), moved, Y)),
        rule.scores(solved(kernels.Linear(), X, Y)),
        rtol=1e-12,
    )


def test_some_rows_of_a_state() -> None:
    rows = np.array([3, 0, 8, 12, 20, 21, 22, 25, 29, 5])
    context = solved(kernels.Rbf(gamma=0.1), X, Y, rows=rows)
    found = RedundancyAware(share=0.0).scores(context)
    news = plain_news(X[rows], Y[rows], 0.5)
    np.testing.assert_allclose(found, news / news.max(), rtol=1e-9)


@pytest.mark.parametrize("estimator", [SVC(), SVC(kernel="linear", slack="l2")], ids=repr)
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_row_of_weight_two_counts_as_two(estimator, share: float) -> None:
    table, y = cloud(40, 6, seed=3)
    weights = np.random.default_rng(0).integers(0, 5, 40).astype(float)
    criterion = RedundancyAware(share=share)
    selector = SVMRFE(estimator, criterion=criterion, n_features_to_select=1)
    weighed = selector.fit(table, y, sample_weight=weights).path_
    times = weights.astype(int)
    repeated = selector.fit(np.repeat(table, times, axis=0), np.repeat(y, times)).path_
    np.testing.assert_array_equal(weighed.order, repeated.order)
    np.testing.assert_allclose(weighed.importances, repeated.importances, rtol=1e-6)


def test_a_row_drawn_twice_counts_as_two() -> None:
    rows, counts = np.array([3, 0, 8, 12, 20, 21, 22, 25, 29, 5]), np.r_[2.0, np.ones(8), 3.0]
    context = replace(solved(kernels.Rbf(gamma=0.1), X, Y, rows=rows), counts=counts)
    found = RedundancyAware(share=0.0).scores(context)
    again = np.repeat(rows, counts.astype(int))
    news = plain_news(X[again], Y[again], 0.5)
    np.testing.assert_allclose(found, news / news.max(), rtol=1e-9)


@dataclass(frozen=True)
class Watching:
    """Compares the count of each row with its penalty, where weights are all that makes them."""

    seen: list[float]

    def scores(self, context: Context) -> np.ndarray:
        judged = context.labels != 0.0  # not the row of a penalised bias
        penalty = context.problem.upper - context.problem.lower
        np.testing.assert_allclose(context.counts[judged], penalty[judged], rtol=1e-12)
        self.seen.extend(context.counts[judged])
        return np.zeros(context.state.n_kept)


@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize(("sampler", "most"), [(AllRows(), 2.0), (Bootstrap(2), 4.0)])
def test_counts_of_rows_reach_the_criterion(sampler, most: float, bias: float | None) -> None:
    codes, weights, criterion = np.arange(30) % 3, np.linspace(1.0, 2.0, 30), Watching([])
    tasks = []
    for k in range(3):
        rows = np.flatnonzero(codes != k)
        labels = np.where(codes[rows] == (k + 1) % 3, 1.0, -1.0)
        tasks.append(Task(rows, labels, weights[rows]))
    data = Data(X, tuple(tasks), codes, weights)
    options = {"criterion": criterion, "bias": bias, "sampler": sampler, "least": 6}
    trace(data, Parts(kernels.Linear(), machines.CSvm(C=1.0), **options))
    assert max(criterion.seen) >= 0.9 * most


def test_what_is_remembered_changes_nothing(monkeypatch) -> None:
    task = (Task(labels=Y),)
    data = Data(X, task, (Y > 0).astype(np.int64))
    parts = Parts(kernels.Rbf(gamma=0.1), machines.CSvm(), criterion=RedundancyAware())
    remembered = trace(data, parts)
    monkeypatch.setattr(redundancy, "MOST_REMEMBERED", 0)
    fresh = trace(data, parts)
    monkeypatch.setattr(redundancy, "BLOCK_ENTRIES", 7)
    in_blocks = trace(data, parts)
    for path in (fresh, in_blocks):
        np.testing.assert_array_equal(path.order, remembered.order)
        np.testing.assert_array_equal(path.importances, remembered.importances)


def test_every_step_is_scored_anew() -> None:
    """The redundancy is that with the columns left."""
    data = Data(X, (Task(labels=Y),), (Y > 0).astype(np.int64))
    rule = RedundancyAware(share=0.0, scaled=False)
    path = trace(data, Parts(kernels.Rbf(gamma=0.1), machines.CSvm(), criterion=rule))
    kept = np.arange(7)
    for column, score in zip(path.dropped, path.scores, strict=True):
        news = plain_news(X[:, kept], Y, 0.5)
        assert kept[news.argmin()] == column
        np.testing.assert_allclose(score, news.min(), rtol=1e-9)
        kept = kept[kept != column]


@pytest.mark.parametrize("sampler", [None, Subsample(0.7)], ids=["all rows", "some"])
def test_penalised_bias_classes_and_draws(sampler) -> None:
    table, y = X.copy(), np.arange(30) % 3
    table[:, 2] += y
    selector = SVMRFE(
        LinearSVC(),
        criterion=RedundancyAware(),
        sampler=sampler,
        n_features_to_select=1,
        random_state=0,
    ).fit(table, y)
    assert sorted(selector.path_.order) == list(range(7))
    assert np.isfinite(selector.path_.importances).all()


def test_the_row_of_a_penalised_bias_is_not_counted() -> None:
    data = Data(X, (Task(labels=Y),), (Y > 0).astype(np.int64))
    rule = RedundancyAware(share=0.0)
    for bias in (None, 1.0):
        parts = Parts(kernels.Linear(), machines.CSvm(), criterion=rule, bias=bias, least=7)
        path = trace(data, parts)
        found = np.empty(7)
        found[path.survivors] = path.survivor_scores
        news = plain_news(X, Y, 0.5)
        np.testing.assert_allclose(found, news / news.max(), rtol=1e-9)


def test_resolution() -> None:
    rule = RedundancyAware(share=0.4)
    table = np.column_stack([X, X[:, 3]])
    context = solved(kernels.Linear(), table, Y)
    scores = rule.scores(context)
    width = resolution_of(rule, context, scores)
    assert abs(scores[3] - scores[7]) <= width[3]
    assert (width < 1e-7).all()
    fresh = solved(kernels.Linear(), table, Y)
    np.testing.assert_allclose(resolution_of(rule, fresh, scores), width, rtol=1e-6)
    # |w| is known to what its square is known to.
    own = np.sqrt(WeightNorm().scores(context))
    inner = WeightNorm().resolution(context, own**2)
    expected = 0.4 * (np.sqrt(own**2 + inner) - own) / own.max() + 1e-11 * scores.max()
    np.testing.assert_allclose(width, expected, rtol=1e-9)


def test_a_column_that_tells_nothing() -> None:
    table = X.copy()
    table[:, 2] = 1.3
    for kernel in (kernels.Linear(), kernels.Rbf(gamma=0.1)):
        assert RedundancyAware(share=0.5).scores(solved(kernel, table, Y))[2] < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 1.1}, r"share of RedundancyAware must lie in \[0, 1\]. Got 1.1"),
        ({"share": "half"}, "Got 'half'"),
        ({"band": -1.0}, r"band of RedundancyAware must lie in \[0, inf\]. Got -1.0"),
    ],
)
def test_refused(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RedundancyAware(**options)


def test_machines_without_labels_are_refused() -> None:
    state, machine = kernels.KernelState(kernels.Rbf(gamma=0.1), X), machines.Svdd(nu=0.2)
    problem = machine.problem(state.diagonal(), None)
    context = Context(machine, problem, machines.solve(problem, state.gram()), None, None, state)
    with pytest.raises(IncompatiblePartsError, match=r"needs labels.*Svdd.* has none"):
        RedundancyAware().scores(context)
