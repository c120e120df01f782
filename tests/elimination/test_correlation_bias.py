"""Sparing the best of correlated columns: the rule beside a plain one, and inside the loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from svsieve import SVC, SVMRFE, sparing
from svsieve.elimination import (
    Constant,
    CorrelatedGroups,
    Fraction,
    HalveThenOne,
    Parts,
    Path,
    Sizes,
    WhenScoreAbove,
    trace,
)
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm
from tests.elimination.walks import cut, same_walk, table, two_classes


def groups(rows: int = 40, columns: int = 18, seed: int = 0, noise: float = 0.2) -> np.ndarray:
    """Columns in groups of three that say nearly the same."""
    rng = np.random.default_rng([rows, columns, seed])
    base = np.repeat(rng.normal(size=(rows, (columns + 2) // 3)), 3, axis=1)[:, :columns]
    signs = rng.choice([-1.0, 1.0], columns)
    mixed = (base + noise * rng.normal(size=base.shape)) * signs * np.exp(rng.normal(size=columns))
    return mixed[:, rng.permutation(columns)]


def plain_spared(
    X: np.ndarray, kept: np.ndarray, going: np.ndarray, threshold: float, most: int
) -> list[bool]:
    """The rule in words: look from the best to the worst of those going."""
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(np.abs(np.corrcoef(X.T)), nan=0.0)
    staying = [j for j in kept if j not in going]
    spared = []
    for j in going[::-1]:
        among_going = sum(r[j, k] > threshold for k in going)
        beside = any(r[j, k] > threshold for k in staying)
        if among_going > most and not beside:
            spared.append(j)
            staying.append(j)
    return [j in spared for j in going]


# ---- the rule


@given(
    seed=st.integers(0, 10_000),
    threshold=st.sampled_from([0.3, 0.8, 0.9, 0.97]),
    most=st.integers(1, 3),
    make=st.sampled_from([np.asarray, sparse.csr_array]),
)
def test_the_rule_by_its_words(seed: int, threshold: float, most: int, make) -> None:
    X = groups(seed=seed)
    X[:, 4] = 0.1
    rng = np.random.default_rng(seed)
    order = rng.permutation(18)
    kept = np.sort(order[: rng.integers(2, 19)])
    going = rng.permutation(kept)[: rng.integers(1, len(kept) + 1)]
    found = CorrelatedGroups(threshold, most).spared(make(X), kept, going)
    assert found.tolist() == plain_spared(X, kept, going, threshold, most)
    assert not found.all()


def test_blocks_of_columns(monkeypatch) -> None:
    X, kept = groups(columns=30), np.arange(30)
    going = np.random.default_rng(0).permutation(30)[:24]
    for make in (np.asarray, sparse.csr_array):
        whole = CorrelatedGroups().spared(make(X), kept, going)
        assert whole.any()
        with monkeypatch.context() as patch:
            patch.setattr(sparing, "BLOCK_ENTRIES", 5 * 30)
            np.testing.assert_array_equal(CorrelatedGroups().spared(make(X), kept, going), whole)


@given(seed=st.integers(0, 10_000))
def test_of_a_group_that_goes_one_stays(seed: int) -> None:
    """After a step every column dropped still has one of its group, or never had one."""
    X = groups(seed=seed, noise=0.05)
    going = np.random.default_rng(seed).permutation(18)[:14]
    spared = CorrelatedGroups().spared(X, np.arange(18), going)
    r = np.abs(np.corrcoef(X.T))
    left = np.append(np.setdiff1d(np.arange(18), going), going[spared])
    for j in going[~spared]:
        alone = (r[j, going] > 0.9).sum() == 1
        assert alone or (r[j, left] > 0.9).any()


def test_units_and_shifts_do_not_matter() -> None:
    X, going = groups(), np.random.default_rng(0).permutation(18)[:15]
    expected = CorrelatedGroups().spared(X, np.arange(18), going)
    assert expected.any()
    moved = X * -(2.0 ** np.arange(-9, 9)) + 100.0
    np.testing.assert_array_equal(CorrelatedGroups().spared(moved, np.arange(18), going), expected)


def test_a_correlation_of_the_threshold_itself_is_not_above_it() -> None:
    """Two columns of sixteen signs of which twelve agree: correlation 1/2, to the last bit."""
    half = np.repeat([1.0, -1.0], 8)
    X = np.column_stack([half, half * np.tile([1.0, 1.0, 1.0, -1.0], 4)])
    assert X.sum(axis=0).tolist() == [0.0, 0.0]
    for threshold, spared in ((0.5, 0), (np.nextafter(0.5, 0.0), 1), (np.nextafter(0.5, 1.0), 0)):
        found = CorrelatedGroups(threshold).spared(X, np.arange(2), np.array([1, 0]))
        assert found.sum() == spared


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.0}, "threshold of CorrelatedGroups must lie between 0 and 1. Got 1.0"),
        ({"threshold": 0.0}, "Got 0.0"),
        ({"threshold": "high"}, "Got 'high'"),
        ({"most": 0}, "most of CorrelatedGroups must be a whole number of at least 1. Got 0"),
    ],
)
def test_refused(options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CorrelatedGroups(**options)


# ---- in the loop


def walk_of(data, kernel=None, **parts) -> Path:
    return trace(data, Parts(kernel or Linear(), CSvm(), **parts))


@pytest.mark.parametrize("engine", ["kernel", "tall-linear"])
@pytest.mark.parametrize("keep", [[], [0, 5, 20]], ids=["all may go", "some never"])
@pytest.mark.parametrize("schedule", [Fraction(0.5), Constant(7), Sizes([9, 4])], ids=repr)
def test_every_step_follows_the_rule(engine: str, schedule, keep: list[int]) -> None:
    """Held against what an elimination without the rule drops next, from the same columns."""
    X = groups(60, 24)
    data, least = two_classes(X), max(1, len(keep))
    common = {"keep": keep, "engine": engine}
    path = walk_of(data, schedule=schedule, spare=CorrelatedGroups(0.8), **common)
    assert not np.array_equal(path.counts, walk_of(data, schedule=schedule, **common).counts)
    assert path.sizes[-1] == least
    kept, stop = np.arange(24), 0
    for iteration, count in enumerate(path.counts.tolist(), 1):
        asked = int(min(schedule.step(len(kept), iteration, 24), len(kept) - least))
        free = Parts(Linear(), CSvm(), schedule=Constant(asked), **common)
        would = trace(data, free, resume=cut(path, iteration - 1)).dropped[stop : stop + asked]
        spared = plain_spared(X, kept, would, 0.8, 1)
        gone = path.dropped[stop : stop + count]
        assert gone.tolist() == [j for j, stays in zip(would, spared, strict=True) if not stays]
        kept, stop = np.setdiff1d(kept, gone), stop + count


@pytest.mark.parametrize("bias", [None, 1.0])
def test_engines_agree(bias: float | None) -> None:
    data = two_classes(groups(60, 24))
    paths = [
        walk_of(data, schedule=Fraction(0.4), spare=CorrelatedGroups(), bias=bias, engine=engine)
        for engine in ("kernel", "tall-linear")
    ]
    same_walk(*paths, rtol=1e-6)


def test_one_at_a_time_nothing_is_spared() -> None:
    data = two_classes(groups())
    path = walk_of(data, spare=CorrelatedGroups(), engine="kernel")
    same_walk(path, walk_of(data, engine="kernel"))


def test_margins_are_to_columns_that_no_rule_kept() -> None:
    path = walk_of(two_classes(groups(60, 24)), schedule=Fraction(0.5), spare=CorrelatedGroups(0.8))
    assert np.nanmin(path.margins) >= 0.0


def test_resumed_and_stopped() -> None:
    data = two_classes(groups(60, 24))
    parts = Parts(Rbf(gamma=0.05), CSvm(), schedule=Fraction(0.4), spare=CorrelatedGroups(0.8))
    whole = trace(data, parts)
    same_walk(trace(data, parts, resume=cut(whole, 2)), whole, rtol=1e-6)
    assert whole.notes["spare"] == "CorrelatedGroups(threshold=0.8, most=1)"
    limit = float(np.sort(whole.scores)[5])
    early = walk_of(
        data,
        Rbf(gamma=0.05),
        schedule=Fraction(0.4),
        spare=CorrelatedGroups(0.8),
        stops=(WhenScoreAbove(limit),),
    )
    assert (early.scores <= limit).all()


def test_the_wide_engine_is_left_alone() -> None:
    data = two_classes(table("plain", 20, 60))
    assert walk_of(data, schedule=Constant(9)).engine == "wide-linear"
    assert walk_of(data, schedule=Constant(9), spare=CorrelatedGroups()).engine == "kernel"
    with pytest.raises(IncompatiblePartsError, match=r"'wide-linear'.*CorrelatedGroups"):
        walk_of(data, spare=CorrelatedGroups(), engine="wide-linear")


@dataclass(frozen=True)
class SpareAll:
    def spared(self, X, kept, going):
        return np.ones(len(going), dtype=bool)


def test_a_rule_that_spares_all_is_refused() -> None:
    with pytest.raises(ValueError, match=r"SpareAll\(\) spares all 5 columns of a step"):
        walk_of(two_classes(groups()), schedule=Constant(5), spare=SpareAll())


def test_it_lessens_the_bias() -> None:
    """Many views of the one thing that matters share its weight, and would all go in one step."""
    rng = np.random.default_rng(0)
    factor, others = rng.normal(size=120), rng.normal(size=(120, 20))
    views = factor[:, None] + 0.05 * rng.normal(size=(120, 40))
    y = np.where(factor + 0.5 * others[:, :3].sum(axis=1) > 0, 1, 0)
    X = np.column_stack([views, others])
    machine = SVC(kernel="linear", C=0.01)
    options = {"n_features_to_select": 1, "step": [5, 1]}
    biased = SVMRFE(machine, **options).fit(X, y).path_
    spared = SVMRFE(machine, spare=0.9, **options).fit(X, y).path_
    assert (biased.top(5) >= 40).all()
    assert spared.top(1) < 40


# ---- the option


def test_svmrfe_takes_thresholds_and_rules() -> None:
    X = groups(60, 24)
    y = two_classes(X).groups
    by_number = SVMRFE(step=0.5, spare=0.8).fit(X, y)
    by_rule = SVMRFE(step=0.5, spare=CorrelatedGroups(0.8)).fit(X, y)
    assert by_number.path_.same_ranking(by_rule.path_)
    assert by_number.path_.notes["spare"] == "CorrelatedGroups(threshold=0.8, most=1)"
    assert (
        SVMRFE(step=HalveThenOne(5), spare=0.8, n_features_to_select=1).fit(X, y).n_features_ == 1
    )
    for bad in (1.0, "corr", 1, CorrelatedGroups):
        with pytest.raises(ValueError, match="'spare' parameter of SVMRFE must be None, a float"):
            SVMRFE(spare=bad).fit(X, y)
