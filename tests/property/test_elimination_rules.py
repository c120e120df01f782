"""What must hold for every schedule, sampler, stop and order, whatever the numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from svsieve.criteria import (
    CoefficientOfVariation,
    Maximum,
    MeanOverDeviation,
    MeanRank,
    PowerSum,
)
from svsieve.elimination import (
    Annealing,
    Bootstrap,
    Constant,
    Entropy,
    Fraction,
    FractionOfOriginal,
    HalveThenOne,
    Reflective,
    Sizes,
    Sqrt,
    Subsample,
    WhenScoreAbove,
    ascending,
    least,
)
from svsieve.elimination.schedules import clipped
from svsieve.elimination.stop_point import accuracy_between, accuracy_through, cheapest_size
from tests.elimination.plain_order import plain_order

shares = st.floats(0.001, 0.999)
planned = st.one_of(
    st.builds(Constant, st.integers(1, 50)),
    st.builds(Fraction, shares),
    st.builds(FractionOfOriginal, shares),
    st.just(Sqrt()),
    st.just(Annealing()),
    st.builds(Reflective, shares, st.integers(0, 300), st.integers(1, 20)),
    st.builds(HalveThenOne, st.integers(0, 300)),
    st.builds(Sizes, st.lists(st.integers(0, 300), max_size=8)),
)

# ---- schedules


@given(planned, st.integers(1, 300), st.integers(0, 300))
def test_planned_sizes_fall_strictly_to_the_least(schedule, n: int, least_size: int) -> None:
    sizes = schedule.sizes(n, least_size)
    assert sizes[0] == n
    assert sizes[-1] == min(n, least_size)
    assert all(later < earlier for earlier, later in pairwise(sizes))


@given(planned, st.integers(1, 300), st.integers(0, 20))
def test_planned_sizes_are_the_steps_taken_one_by_one(schedule, n: int, least_size: int) -> None:
    size, iteration, visited = n, 0, [n]
    while size > least_size:
        iteration += 1
        size -= clipped(schedule.step(size, iteration, n), size, least_size)
        visited.append(size)
    assert visited == schedule.sizes(n, least_size)


@given(st.lists(st.integers(1, 300), max_size=10), st.integers(1, 300))
def test_listed_sizes_are_visited(listed: list[int], n: int) -> None:
    visited = set(Sizes(listed).sizes(n))
    assert visited == {n, 1} | {size for size in listed if size < n}


@given(shares, st.integers(0, 300), st.integers(1, 20), st.integers(1, 300))
def test_the_centre_is_visited(share: float, centre: int, step: int, n: int) -> None:
    if centre <= n:
        assert centre in Reflective(share, centre, step).sizes(n, least=0)


scores_of = arrays.arrays(
    np.float64, st.integers(1, 200), elements=st.one_of(st.floats(0, 1e6), st.just(0.0))
)


@given(scores_of, st.integers(0, 100))
def test_entropy_always_drops_something_and_leaves_something(scores, below: int) -> None:
    size = len(scores)
    step = Entropy(below).step(size, 1, size, scores)
    if size > 1:
        assert 1 <= clipped(step, size, 1) < size
    if size > max(below, 1):
        assert 0 <= step <= size


@given(arrays.arrays(np.float64, 150, elements=st.integers(0, 50).map(float)), st.randoms())
def test_entropy_does_not_look_at_the_order_of_columns(scores, random) -> None:
    shuffled = scores.tolist()
    random.shuffle(shuffled)
    assert Entropy(10).step(150, 1, 150, scores) == Entropy(10).step(
        150, 1, 150, np.array(shuffled)
    )


# ---- the order of columns

close = arrays.arrays(
    np.float64,
    st.shared(st.integers(1, 40), key="n"),
    elements=st.one_of(st.integers(-5, 20).map(float), st.floats(-5, 20)),
)
blurs = arrays.arrays(
    np.float64,
    st.shared(st.integers(1, 40), key="n"),
    elements=st.one_of(st.just(0.0), st.floats(0, 3)),
)


@given(close, blurs)
def test_order_follows_the_rule(scores: np.ndarray, resolution: np.ndarray) -> None:
    expected, contested = plain_order(scores, resolution)
    np.testing.assert_array_equal(ascending(scores, resolution), expected)
    for count in range(len(scores) + 1):
        positions, tied = least(scores, resolution, count)
        np.testing.assert_array_equal(positions, expected[:count])
        assert tied == any(contested[:count])


@given(close, st.floats(0, 3))
def test_no_column_goes_before_one_that_is_clearly_smaller(scores, blur: float) -> None:
    order = ascending(scores, blur)
    assert sorted(order.tolist()) == list(range(len(scores)))
    for place, position in enumerate(order):
        later = order[place + 1 :]
        assert (scores[position] - blur <= scores[later]).all()


@given(close)
def test_without_blur_it_is_a_stable_sort(scores: np.ndarray) -> None:
    np.testing.assert_array_equal(ascending(scores, 0.0), np.argsort(scores, kind="stable"))


@given(close, st.randoms())
def test_names_make_the_order_independent_of_positions(scores: np.ndarray, random) -> None:
    names = np.arange(len(scores))
    moved = names.tolist()
    random.shuffle(moved)
    order = ascending(scores, 0.5)
    again = ascending(scores[moved], 0.5, names[moved])
    np.testing.assert_array_equal(names[moved][again], order)


# ---- stops


@given(close, st.floats(0, 20))
def test_a_threshold_lets_go_exactly_the_leading_scores(scores, threshold: float) -> None:
    sorted_scores = np.sort(np.abs(scores))
    count = WhenScoreAbove(threshold).allowed(sorted_scores)
    assert count == int((sorted_scores <= threshold).sum())


# ---- samplers

groups_of = st.lists(st.integers(0, 4), min_size=1, max_size=80).map(np.array)
kinds = st.sampled_from([True, False, "balanced"])


@given(groups_of, shares, kinds, st.integers(1, 1000), st.integers(0, 2**32))
def test_every_draw_has_every_class_and_no_row_twice(groups, share, kind, iteration, seed) -> None:
    sampler = Subsample(share, stratified=kind)
    (draw,) = sampler.draws(groups, 10, iteration, seed)
    (again,) = sampler.draws(groups, 3, iteration, seed)
    if draw.rows is None:
        assert again.rows is None
        return
    np.testing.assert_array_equal(draw.rows, again.rows)
    assert (np.diff(draw.rows) > 0).all()
    assert set(groups[draw.rows]) == set(groups)
    counts = np.unique(groups[draw.rows], return_counts=True)[1]
    if kind == "balanced":
        assert len(set(counts.tolist())) == 1
        assert len(draw.rows) <= max(len(counts), share * len(groups) * (1 + 1e-9))
    else:
        assert len(draw.rows) == max(len(counts), int(share * len(groups) * (1 + 1e-12)))
    if kind is True and counts.min() > 1:
        sizes = np.unique(groups, return_counts=True)[1]
        quota = len(draw.rows) * sizes / len(groups)
        assert np.abs(counts - quota).max() < 1 + 1e-9


@given(groups_of, shares, kinds, st.integers(1, 1000), st.integers(0, 2**32))
def test_every_bootstrap_has_every_class(groups, share, kind, iteration, seed) -> None:
    for draw in Bootstrap(2, share, kind).draws(groups, 10, iteration, seed):
        assert set(groups[draw.rows]) == set(groups)
        assert (np.diff(draw.rows) > 0).all()
        n_classes = len(set(groups.tolist()))
        total = max(n_classes, int(share * len(groups) * (1 + 1e-12)))
        expected = total // n_classes * n_classes if kind == "balanced" else total
        assert draw.counts.sum() == expected


# ---- rules that join scores

rules = st.sampled_from(
    [
        PowerSum(),
        PowerSum(3.0),
        Maximum(),
        CoefficientOfVariation(),
        MeanRank(),
        MeanOverDeviation(),
    ]
)
tables = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 12)),
    elements=st.one_of(st.just(0.0), st.floats(1e-3, 1e3)),
)


@given(rules, tables, st.randoms())
def test_neither_the_order_of_problems_nor_of_columns_matters(rule, table, random) -> None:
    problems, columns = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(problems)
    random.shuffle(columns)
    joined = rule(table)
    np.testing.assert_allclose(rule(table[np.ix_(problems, columns)]), joined[columns], rtol=1e-9)


@given(rules, tables)
def test_joined_scores_are_finite_and_not_negative(rule, table: np.ndarray) -> None:
    joined = rule(table)
    assert np.isfinite(joined).all()
    assert (joined >= 0).all()
    twins = rule(np.column_stack([table, table[:, 0]]))
    np.testing.assert_allclose(twins[0], twins[-1], rtol=1e-12)


# ---- the stop point

importances = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1e6))


@given(importances, st.floats(0, 0.9), st.floats(0, 1), st.floats(0, 1))
def test_the_cheapest_size_is_the_cheapest(q, low: float, error: float, size: float) -> None:
    accuracy = accuracy_between(q, low, 1.0)
    assert accuracy[0] == low
    assert accuracy[-1] == 1.0
    assert (np.diff(accuracy) >= -1e-12).all()
    if error + size > 0:
        n = len(q)
        cost = error * (1 - accuracy) + size * np.arange(n + 1) / n
        best = cheapest_size(accuracy, (error, size))
        assert 1 <= best <= n
        assert cost[best] <= cost[1:].min() + 1e-11
        assert (cost[1:best] > cost[1:].min()).all()


@given(importances, st.data())
def test_accuracy_goes_through_what_is_known(q: np.ndarray, data) -> None:
    n = len(q)
    inner = data.draw(st.sets(st.integers(1, n - 1))) if n > 1 else set()
    sizes = [n, *sorted(inner, reverse=True), 0]
    known = [data.draw(st.floats(0, 1)) for _ in sizes]
    accuracy = accuracy_through(q, sizes, known)
    np.testing.assert_array_equal(accuracy[sizes], known)
    assert accuracy.min() >= min(known) - 1e-12
    assert accuracy.max() <= max(known) + 1e-12
