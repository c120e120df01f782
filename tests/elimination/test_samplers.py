"""Which rows are drawn: how many, of which class, and always the same for the same seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from svsieve.criteria import Maximum, MeanOverDeviation, PowerSum
from svsieve.elimination import AllRows, Bootstrap, Draw, Subsample

GROUPS = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 37, 3]))


def one(sampler, groups: np.ndarray = GROUPS, iteration: int = 1, seed: int = 0, size: int = 50):
    (draw,) = sampler.draws(groups, size=size, iteration=iteration, seed=seed)
    return draw


def per_class(draw: Draw, groups: np.ndarray = GROUPS) -> list[int]:
    counts = None if draw.counts is None else draw.counts
    return np.bincount(groups[draw.rows], counts, minlength=groups.max() + 1).astype(int).tolist()


def largest_remainders(sizes: list[int], total: int) -> list[int]:
    """Shares rounded down, what is left to the largest remainders, at least one each."""
    quotas = [total * size / sum(sizes) for size in sizes]
    counts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(sizes)), key=lambda i: counts[i] - quotas[i])
    for i in by_remainder[: total - sum(counts)]:
        counts[i] += 1
    while 0 in counts:
        counts[counts.index(0)] = 1
        counts[counts.index(max(counts))] -= 1
    return counts


def test_all_rows() -> None:
    draw = one(AllRows())
    assert draw.rows is None
    assert draw.counts is None
    assert not AllRows().is_random
    assert Subsample(0.5).is_random
    assert Bootstrap().is_random


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 0.25, 0.5, 0.77, 0.99])
def test_stratified_keeps_the_shares_of_the_classes(share: float) -> None:
    draw = one(Subsample(share))
    assert per_class(draw) == largest_remainders([60, 37, 3], max(3, round(100 * share)))
    assert (np.diff(draw.rows) > 0).all()
    assert draw.counts is None


@pytest.mark.parametrize("seed", range(5))
def test_stratified_counts_on_random_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 40, size=int(rng.integers(1, 9)))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    for share in rng.uniform(0.02, 1.0, 20):
        total = max(len(sizes), int(share * len(groups) * (1 + 1e-12)))
        draw = one(Subsample(share), groups)
        if total < len(groups):
            assert per_class(draw, groups) == largest_remainders(sizes.tolist(), total)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.01, 1), (0.05, 1), (0.06, 2), (0.09, 3), (0.9, 3)]
)
def test_balanced_takes_equally_many_of_each_class(share: float, expected: int) -> None:
    assert per_class(one(Subsample(share, stratified="balanced"))) == [expected] * 3


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("share", [0.02, 0.03, 0.05, 0.4])
def test_a_random_draw_has_a_row_of_every_class(share: float, seed: int) -> None:
    draw = one(Subsample(share, stratified=False), seed=seed)
    counts = per_class(draw)
    assert min(counts) >= 1
    assert len(np.unique(draw.rows)) == sum(counts) == max(3, round(100 * share))
    (again,) = Bootstrap(1, share, stratified=False).draws(GROUPS, 50, 1, seed)
    assert min(per_class(again)) >= 1
    assert again.counts.sum() == max(3, round(100 * share))


def test_a_random_draw_takes_all_rows_alike() -> None:
    seen = Counter()
    for iteration in range(1, 2001):
        seen.update(one(Subsample(0.3, stratified=False), iteration=iteration).rows.tolist())
    common = [seen[row] for row in np.flatnonzero(GROUPS < 2)]
    # 600 expected; the deviation of each count is sqrt(2000 * 0.3 * 0.7) = 20
    assert min(common) > 500
    assert max(common) < 700


def test_stratified_draws_take_all_rows_of_a_class_alike() -> None:
    seen = Counter()
    for iteration in range(1, 2001):
        seen.update(one(Subsample(0.3), iteration=iteration).rows.tolist())
    for code, expected in ((0, 600), (1, 2000 * 11 / 37)):
        counts = [seen[row] for row in np.flatnonzero(np.equal(GROUPS, code))]
        assert expected - 100 < min(counts)
        assert max(counts) < expected + 100


@pytest.mark.parametrize("stratified", [True, False, "balanced"])
def test_iterations_differ_and_repeat(stratified) -> None:
    sampler = Subsample(0.2, stratified=stratified)
    first = one(sampler, iteration=4, seed=9).rows
    np.testing.assert_array_equal(first, one(sampler, iteration=4, seed=9, size=7).rows)
    assert not np.array_equal(first, one(sampler, iteration=5, seed=9).rows)
    assert not np.array_equal(first, one(sampler, iteration=4, seed=8).rows)


def test_once_draws_the_same_rows_in_all_iterations() -> None:
    sampler = Subsample(0.2, once=True)
    first = one(sampler, iteration=1, seed=9).rows
    np.testing.assert_array_equal(first, one(sampler, iteration=17, seed=9).rows)
    np.testing.assert_array_equal(first, one(Subsample(0.2), iteration=0, seed=9).rows)
    assert not np.array_equal(first, one(sampler, iteration=1, seed=10).rows)


@pytest.mark.parametrize(
    "sampler", [Subsample(0.2, below=10), Subsample(0.2, below=10, once=True), Bootstrap(below=10)]
)
def test_few_columns_use_all_rows(sampler) -> None:
    for size in (10, 1):
        draw = one(sampler, size=size)
        assert draw.rows is None
        assert draw.counts is None
    for draw in sampler.draws(GROUPS, size=11, iteration=1, seed=0):
        assert draw.rows is not None


@pytest.mark.parametrize("stratified", [True, False])
def test_the_whole_table_is_said_as_none(stratified) -> None:
    assert one(Subsample(1.0, stratified=stratified)).rows is None


@pytest.mark.parametrize("stratified", [True, False, "balanced"])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_bootstrap_draws_with_replacement(stratified, share: float) -> None:
    sampler = Bootstrap(repeats=7, share=share, stratified=stratified)
    draws = sampler.draws(GROUPS, size=50, iteration=3, seed=1)
    assert len(draws) == 7
    total = round(100 * share)
    for draw in draws:
        assert (np.diff(draw.rows) > 0).all()
        assert draw.counts.dtype == np.float64
        assert draw.counts.min() >= 1
        if stratified is True:
            assert per_class(draw) == largest_remainders([60, 37, 3], total)
        elif stratified == "balanced":
            assert per_class(draw) == [total // 3] * 3
        else:
            assert draw.counts.sum() == total
    assert len({draw.rows.tobytes() for draw in draws}) == 7
    again = sampler.draws(GROUPS, size=50, iteration=3, seed=1)
    for draw, same in zip(draws, again, strict=True):
        np.testing.assert_array_equal(draw.rows, same.rows)
        np.testing.assert_array_equal(draw.counts, same.counts)


def test_a_bootstrap_misses_about_a_third_of_the_rows() -> None:
    groups = np.zeros(3000, dtype=np.int64)
    (draw,) = Bootstrap(repeats=1).draws(groups, 50, 1, 0)
    assert len(draw.rows) / 3000 == pytest.approx(1 - np.exp(-1), abs=0.03)


def test_rules_that_join_draws() -> None:
    assert Bootstrap().combine == MeanOverDeviation()
    assert Bootstrap(combine=Maximum()).combine == Maximum()
    assert AllRows().combine == Subsample(0.5).combine == PowerSum()


def test_a_single_class() -> None:
    groups = np.zeros(10, dtype=np.int64)
    assert len(one(Subsample(0.35), groups).rows) == 3
    assert len(one(Subsample(0.01, stratified=False), groups).rows) == 1


def test_class_codes_need_not_be_consecutive() -> None:
    groups = np.array([7, 7, 7, 7, 2, 2])
    assert per_class(one(Subsample(0.5), groups), groups) == [0, 0, 1, 0, 0, 0, 0, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Subsample(0.0), r"share of Subsample must lie in \(0, 1\]. Got 0.0"),
        (lambda: Subsample(1.5), r"share of Subsample must lie in \(0, 1\]. Got 1.5"),
        (lambda: Subsample("half"), r"share of Subsample must lie in \(0, 1\]. Got 'half'"),
        (lambda: Subsample(0.5, "even"), "stratified of Subsample must be True, .* Got 'even'"),
        (lambda: Subsample(0.5, below=-1), "below of Subsample must be .* Got -1"),
        (lambda: Bootstrap(0), "repeats of Bootstrap must be .* at least 1. Got 0"),
        (lambda: Bootstrap(2.5), "repeats of Bootstrap must be a whole number .* Got 2.5"),
        (lambda: Bootstrap(share=2), r"share of Bootstrap must lie in \(0, 1\]. Got 2"),
        (lambda: Bootstrap(stratified=None), "stratified of Bootstrap must be .* Got None"),
        (lambda: Bootstrap(below=0.5), "below of Bootstrap must be .* Got 0.5"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
