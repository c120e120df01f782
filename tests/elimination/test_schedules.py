"""Every schedule's sizes, written down, and the rules that hold for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svsieve.elimination import (
    Annealing,
    Constant,
    Entropy,
    Fraction,
    FractionOfOriginal,
    HalveThenOne,
    Reflective,
    Sizes,
    Sqrt,
)
from svsieve.elimination.schedules import clipped

KNOWN = [
    (Constant(3), [20, 17, 14, 11, 8, 5, 2, 0]),
    (Fraction(0.3), [20, 14, 10, 7, 5, 4, 3, 2, 1, 0]),
    (FractionOfOriginal(0.25), [20, 15, 10, 5, 0]),
    (Sqrt(), [20, 16, 12, 9, 6, 4, 2, 1, 0]),
    (Annealing(), [20, 10, 7, 6, 5, 4, 3, 2, 1, 0]),
    (Reflective(0.4, 8), [20, 16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1, 0]),
    (HalveThenOne(5), [20, 10, 5, 4, 3, 2, 1, 0]),
    (Sizes([7, 12, 3, 20, 50]), [20, 12, 7, 3, 0]),
]


@pytest.mark.parametrize(("schedule", "sizes"), KNOWN, ids=lambda value: repr(value)[:24])
def test_sizes_from_twenty_columns(schedule, sizes: list[int]) -> None:
    assert schedule.sizes(20, least=0) == sizes


def test_halving_two_thousand_columns() -> None:
    sizes = HalveThenOne().sizes(2000)
    assert sizes[:7] == [2000, 1000, 500, 250, 125, 100, 99]
    assert sizes[5:] == list(range(100, 0, -1))


def test_an_odd_half_is_rounded_up() -> None:
    assert HalveThenOne(2).sizes(21, least=2) == [21, 10, 5, 2]


@pytest.mark.parametrize(
    ("schedule", "fits"), [(Sqrt(), 2.0), (Annealing(), 2.2)], ids=["sqrt", "annealing"]
)
def test_number_of_fits(schedule, fits: float) -> None:
    n = 40_000
    assert len(schedule.sizes(n, least=0)) - 1 == pytest.approx(fits * math.sqrt(n), rel=0.05)


@pytest.mark.parametrize("share", [0.07, 0.14, 0.28, 0.29, 0.56, 0.57, 0.58])
def test_a_share_of_a_hundred_is_what_it_says(share: float) -> None:
    """0.29 * 100 is 28.999999999999996 in binary fractions."""
    assert Fraction(share).step(100, 1, 100) == round(100 * share)
    assert FractionOfOriginal(share).step(50, 1, 100) == round(100 * share)
    assert Reflective(share, 0).step(100, 1, 100) == round(100 * share)


@pytest.mark.parametrize("centre", [0, 1, 8, 19, 20, 30])
def test_reflective_visits_its_centre_with_small_steps_around_it(centre: int) -> None:
    sizes = Reflective(0.3, centre, least=2).sizes(20, least=0)
    assert (centre in sizes) == (centre <= 20)
    steps = -np.diff(sizes)
    towards = [step for size, step in zip(sizes, steps, strict=False) if size > centre]
    away = [step for size, step in zip(sizes, steps, strict=False) if size <= centre]
    assert towards == sorted(towards, reverse=True)
    assert away[:-1] == sorted(away[:-1])  # the last step is whatever is left
    assert all(step >= 2 for step in (*towards[:-1], *away[:-1]))


def test_sizes_are_visited_as_listed_down_to_the_least() -> None:
    schedule = Sizes(np.array([4, 16, 8, 8]))
    assert schedule == Sizes((16, 8, 4))
    assert schedule.sizes(16) == [16, 8, 4, 1]
    assert schedule.sizes(10, least=5) == [10, 8, 5]
    assert Sizes([]).sizes(10) == [10, 1]


# ---- the entropy schedule, step by step


def entropy(scores: np.ndarray) -> float:
    unit = (scores - scores.min()) / (scores.max() - scores.min())
    bins = math.isqrt(len(scores))
    counts = np.histogram(unit, bins=bins, range=(0, 1))[0]
    shares = counts[counts > 0] / len(scores)
    return float(-(shares * np.log2(shares)).sum())


LADDER = np.arange(1, 151)
ONE_PEAK = np.zeros(150)
ONE_PEAK[17] = 1.0


@pytest.mark.parametrize(
    ("scores", "step"),
    [
        (LADDER / 150, 13),
        ((LADDER / 150) ** 2, 43),
        ((LADDER / 150) ** 8, 55),
        (0.9**LADDER, 56),
        (ONE_PEAK, 74),
        (np.full(150, 0.3), 75),
    ],
    ids=["even", "square", "eighth power", "geometric", "one of 150", "all equal"],
)
def test_entropy_steps(scores: np.ndarray, step: int) -> None:
    assert Entropy().step(150, 1, 150, scores) == step
    # the scale of scores and the order of columns do not matter
    assert Entropy().step(150, 7, 900, 1e-9 * scores[::-1]) == step


def test_the_reference_entropy_has_the_published_values() -> None:
    assert entropy(LADDER / 150) == pytest.approx(3.583808, abs=5e-7)
    assert entropy((LADDER / 150) ** 2) == pytest.approx(3.276890, abs=5e-7)


def naive_entropy_step(scores: np.ndarray) -> int:
    """The rule, line by line."""
    s = len(scores)
    lowest, highest = scores.min(), scores.max()
    if highest == lowest:
        return s // 2
    omega = (scores - lowest) / (highest - lowest)
    n_b = math.floor(math.sqrt(s))
    bins = [0] * n_b
    for value in omega:
        bins[min(math.floor(value * n_b), n_b - 1)] += 1
    bits = -sum(b / s * math.log2(b / s) for b in bins if b)
    if bits > 0.5 * math.log2(n_b) and omega.mean() > 0.2:
        return bins[0]
    ell = np.log(1 + omega)
    theta = ell.mean()
    a = int((ell < theta).sum())
    for _ in range(60):
        theta /= 2
        t = int((ell < theta).sum())
        if t <= a / 2:
            break
    return t if 0 < t <= a / 2 else max(1, math.floor(a / 2))


@pytest.mark.parametrize("seed", range(30))
def test_entropy_against_the_rule_line_by_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(101, 600))
    scores = rng.random(size) ** rng.choice([0.3, 1.0, 3.0, 20.0])
    scores[rng.random(size) < rng.choice([0.0, 0.3, 0.9])] = 0.0
    step = Entropy().step(size, 1, size, scores)
    assert step == naive_entropy_step(scores)
    assert 1 <= step < size


@pytest.mark.parametrize(("below", "size"), [(100, 100), (100, 1), (0, 0), (30, 30)])
def test_entropy_goes_one_at_a_time_in_the_end(below: int, size: int) -> None:
    assert Entropy(below).step(size, 5, 1000) == 1


def test_entropy_takes_infinite_scores_for_the_largest() -> None:
    scores = np.arange(1.0, 151.0)
    with_infinite = np.where(scores > 140.0, np.inf, scores)
    assert Entropy().step(150, 1, 150, with_infinite) == Entropy().step(
        150, 1, 150, np.minimum(scores, 140.0)
    )
    assert Entropy().step(150, 1, 150, np.full(150, np.inf)) == 75


def test_entropy_needs_scores() -> None:
    with pytest.raises(ValueError, match="Entropy needs the scores"):
        Entropy().step(101, 1, 101)
    with pytest.raises(ValueError, match="sizes of Entropy depend on the scores"):
        Entropy().sizes(200)
    assert Entropy.needs_scores
    assert not any(schedule.needs_scores for schedule, _ in KNOWN)


# ---- the rules for all


@pytest.mark.parametrize(
    ("step", "size", "least", "result"),
    [(2.9, 10, 1, 2), (0.2, 10, 1, 1), (0, 10, 1, 1), (99, 10, 3, 7), (5, 5, 0, 5), (-4, 9, 1, 1)],
)
def test_clipped(step: float, size: int, least: int, result: int) -> None:
    assert clipped(step, size, least) == result


@pytest.mark.parametrize("schedule", [schedule for schedule, _ in KNOWN], ids=repr)
def test_nothing_to_drop(schedule) -> None:
    assert schedule.sizes(5, least=5) == [5]
    assert schedule.sizes(3, least=5) == [3]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(0), "columns of Constant must be a whole number of at least 1. Got 0"),
        (lambda: Constant(2.0), "columns of Constant must be a whole number .* Got 2.0"),
        (lambda: Constant(True), "columns of Constant must be a whole number .* Got True"),
        (lambda: Fraction(0.0), "share of Fraction must lie between 0 and 1. Got 0.0"),
        (lambda: Fraction(1.0), "share of Fraction must lie between 0 and 1. Got 1.0"),
        (lambda: Fraction(float("nan")), "share of Fraction must lie between 0 and 1. Got nan"),
        (lambda: Fraction("0.1"), "share of Fraction must lie between 0 and 1. Got '0.1'"),
        (lambda: FractionOfOriginal(-0.1), "share of FractionOfOriginal must lie .* Got -0.1"),
        (lambda: Reflective(2, 5), "share of Reflective must lie between 0 and 1. Got 2"),
        (lambda: Reflective(0.5, -1), "centre of Reflective must be .* at least 0. Got -1"),
        (lambda: Reflective(0.5, 5, 0), "least of Reflective must be .* at least 1. Got 0"),
        (lambda: HalveThenOne(-1), "below of HalveThenOne must be .* at least 0. Got -1"),
        (lambda: Entropy(0.5), "below of Entropy must be a whole number .* Got 0.5"),
        (lambda: Sizes([3, -1]), "visit of Sizes must be .* at least 0. Got -1"),
        (lambda: Sizes([2.5]), "visit of Sizes must be a whole number .* Got 2.5"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
