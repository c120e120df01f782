"""Screening in single precision: its bounds hold, and it changes no number and no order."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from svsieve import kernels
from svsieve.kernels import KernelState, Least, PairWeights, PerFeature, Polynomial, Rbf, screening
from svsieve.native import core
from tests.kernels.kernel_cases import CAUCHY, COMPOSITES, LAPLACE, LINEAR, as_given, symmetric

SMALLEST = 1e-290  # long double goes on below where double ends
SOME = settings(max_examples=60, deadline=None)
FEW = settings(max_examples=25, deadline=None)
ALWAYS = mock.patch.object(screening, "pays", return_value=True)
REMOVAL, SLOPES = core.Screen.REMOVAL, core.Screen.SLOPES
WHAT = pytest.mark.parametrize("what", [REMOVAL, SLOPES], ids=["removal", "slopes"])


def uneven_table(rows: int, columns: int, rng: np.random.Generator, spread: float) -> np.ndarray:
    """Columns of very different size, some equal, some constant, some with two values."""
    X = rng.normal(size=(rows, columns)) * np.exp(spread * rng.normal(size=columns))
    X[:, columns // 2] = X[:, 0]
    X[:, columns // 3] = 0.0
    X[:, columns // 4] = np.where(X[:, 1] > 0, 1.0, -1.0)
    return X


def random_weights(rows: int, rng: np.random.Generator, form: str) -> PairWeights:
    if form == "dense":
        return PairWeights.dense(symmetric(rows, int(rng.integers(1000))))
    u = rng.normal(size=rows) * (rng.uniform(size=rows) < 0.8)
    u[:2] = 1.0
    return PairWeights.outer(u, scale=-2.5 if form == "negative outer" else 1e-3)


FORMS = st.sampled_from(["dense", "outer", "negative outer"])
GAUSSIAN = st.builds(Rbf, gamma=st.floats(-9, 3).map(lambda e: 10.0**e))
POWER = st.builds(
    Polynomial,
    degree=st.integers(2, 7),
    gamma=st.floats(-4, 0.5).map(lambda e: 10.0**e),
    coef0=st.sampled_from([0.0, 0.6, 1.0, -0.3]),
)
KERNELS = st.one_of(GAUSSIAN, POWER)


def screened(
    what: core.Screen, state: KernelState, M: PairWeights, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Call the core as the state does, whether it pays or not."""
    leaf = state._leaves[0]
    weight = (None, M.vector, M.scale) if M.vector is not None else (M.matrix(), None, 1.0)
    return core.screen(
        what,
        leaf._pairing,
        leaf.kernel.native(),
        leaf._table,
        M.rows,
        leaf._positions,
        np.ones(state.n_kept),
        leaf.s,
        leaf.values,
        *weight,
        count,
    )


def extended(
    what: core.Screen, state: KernelState, M: PairWeights, columns: np.ndarray
) -> np.ndarray:
    """Contract some columns in extended precision, pair by pair, from the same pairing matrix."""
    leaf, kernel = state._leaves[0], state.kernel
    wide = np.longdouble
    m = M.matrix().astype(wide)
    if M.vector is not None:
        m = wide(M.scale) * np.outer(M.vector.astype(wide), M.vector.astype(wide))
    gamma = wide(kernel.gamma_number())
    s = leaf.s[np.ix_(M.rows, M.rows)].astype(wide)
    x = leaf._table[M.rows].astype(wide)
    found = []
    for column in x.T[columns]:
        if isinstance(kernel, Rbf):
            t = np.subtract.outer(column, column) ** 2
            phi = np.exp(-gamma * s)
            change = phi * np.expm1(gamma * t) if what == REMOVAL else -gamma * phi * t
        else:
            t = np.multiply.outer(column, column)
            base, degree = gamma * s + wide(kernel.coef0), kernel.degree
            change = (base - gamma * t) ** degree - base**degree
            if what == SLOPES:
                change = degree * gamma * base ** (degree - 1) * t
        found.append((m * change).sum())
    return np.array(found)


def contracted(what: core.Screen, state: KernelState, M: PairWeights) -> np.ndarray:
    if what == REMOVAL:
        return state.contract_without(M, change=True)
    return state.contract_slopes(M) / 2


@WHAT
@SOME
@given(kernel=KERNELS, form=FORMS, seed=st.integers(0, 10_000), count=st.integers(1, 12))
def test_bounds_hold(what: core.Screen, kernel, form: str, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    state = KernelState(kernel, uneven_table(30, 24, rng, 2.0))
    M = random_weights(30, rng, form)
    approximation, bound = screened(what, state, M, count)
    assert np.all(bound >= 0)
    assert np.all(np.isfinite(approximation))
    within = np.flatnonzero(np.isfinite(bound))
    for reference in (extended(what, state, M, within), contracted(what, state, M)[within]):
        assert np.all(np.abs(approximation[within] - reference) <= bound[within] + SMALLEST)


@pytest.mark.parametrize("scale", [1e-40, 1e-12, 1.0, 1e12, 1e40])
@WHAT
def test_bounds_hold_beyond_single_precision(what: core.Screen, scale: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 20))
    M = PairWeights.outer(rng.normal(size=40) * np.exp(4 * rng.normal(size=40)), scale=scale)
    for kernel in (Rbf(gamma=0.01), Polynomial(degree=3, gamma=0.05, coef0=1.0)):
        state = KernelState(kernel, X)
        approximation, bound = screened(what, state, M, 5)
        exact = extended(what, state, M, np.arange(20))
        assert np.all(np.abs(approximation - exact) <= bound)
        assert np.median(bound / np.abs(exact)) < 0.5


@WHAT
@pytest.mark.parametrize(
    "kernel",
    [Rbf(gamma=PerFeature(1.0)), Polynomial(degree=7, gamma=PerFeature(1.0), coef0=0.6)],
    ids=["rbf", "poly"],
)
def test_bounds_are_narrow(what: core.Screen, kernel) -> None:
    # bounds that hold because they are huge would be of no use
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 200))
    state, M = KernelState(kernel, X), PairWeights.outer(rng.normal(size=300))
    approximation, bound = screened(what, state, M, 10)
    near = screening.candidates(approximation, bound, 10)
    assert len(near) <= 20


def assert_least(found: Least, full: np.ndarray, count: int) -> None:
    size = np.abs(full)
    order = np.argsort(size, kind="stable")
    last = size[order[min(count, len(full) - 1)]]
    needed = np.flatnonzero(size <= last + 1e-11 * size.max())
    assert np.all(np.diff(found.positions) > 0)
    assert np.isin(needed, found.positions).all()
    assert np.argmax(size) in found.positions


@FEW
@given(kernel=KERNELS, form=FORMS, seed=st.integers(0, 10_000), count=st.integers(1, 15))
def test_least_without_is_what_all_of_them_say(kernel, form: str, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    state = KernelState(kernel, uneven_table(60, 45, rng, 1.0))
    M = random_weights(60, rng, form)
    with ALWAYS:
        found = state.least_without(M, count)
    if found is None:  # too many candidates
        return
    full = state.contract_without(M, change=True)
    assert_least(found, full, count)
    assert np.array_equal(found.values, full[found.positions])


@FEW
@given(kernel=KERNELS, form=FORMS, seed=st.integers(0, 10_000), count=st.integers(1, 15))
def test_least_slopes_is_what_all_of_them_say(kernel, form: str, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    state = KernelState(kernel, uneven_table(60, 45, rng, 1.0))
    M = random_weights(60, rng, form)
    with ALWAYS:
        found = state.least_slopes(M, count)
    if found is None:
        return
    full = state.contract_slopes(M)
    assert_least(found, full, count)
    np.testing.assert_allclose(
        found.values, full[found.positions], rtol=1e-13, atol=1e-15 * np.abs(full).max()
    )


@pytest.mark.parametrize("degree", [None, 2, 3, 7, 12])
def test_dropping_column_after_column(degree: int | None) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 220))
    X[:, 40] = X[:, 7]
    kernel = (
        Rbf(gamma=PerFeature(1.0))
        if degree is None
        else Polynomial(degree=degree, gamma=PerFeature(1.0), coef0=0.5)
    )
    state = KernelState(kernel, X)
    for _ in range(3):
        M = PairWeights.outer(rng.normal(size=200))
        found = state.least_without(M, 6)
        assert found is not None
        full = state.contract_without(M, change=True)
        assert_least(found, full, 6)
        assert len(found.positions) < 40
        assert np.array_equal(found.values, full[found.positions])
        chosen = found.positions[np.argsort(np.abs(found.values), kind="stable")[:6]]
        assert np.array_equal(chosen, np.argsort(np.abs(full), kind="stable")[:6])
        state.drop(state.kept[chosen])


def test_columns_out_of_reach_are_contracted_in_double_precision() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 90))
    X[:, ::10] *= 40.0
    state, M = KernelState(Rbf(gamma=1 / 90), X), PairWeights.outer(rng.normal(size=150))
    found = state.least_without(M, 5)
    assert found is not None
    assert np.isin(np.arange(0, 90, 10), found.positions).all()
    assert_least(found, state.contract_without(M, change=True), 5)


def test_a_hopeless_table_is_not_tried_every_time() -> None:
    rng = np.random.default_rng(4)
    state = KernelState(Rbf(gamma=50.0), rng.normal(size=(150, 90)))
    M = PairWeights.outer(rng.normal(size=150))
    with mock.patch.object(screening, "candidates", wraps=screening.candidates) as tried:
        for _ in range(10):
            assert state.least_without(M, 5) is None
    assert tried.call_count == 2


def test_one_and_two_threads_agree_to_the_bit() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1700, 60))
    M = PairWeights.outer(rng.normal(size=1700))
    for kernel in (Rbf(gamma=1 / 60), Polynomial(degree=4, gamma=1 / 60, coef0=1.0)):
        results = []
        for threads in (1, 2):
            with threadpool_limits(limits=threads):
                state = KernelState(kernel, X)
                results.append([screened(what, state, M, 5) for what in (REMOVAL, SLOPES)])
        for one, two in zip(*results, strict=True):
            assert np.array_equal(one, two)


@pytest.mark.parametrize("rows", [90, 300, 1100])
def test_a_column_does_not_depend_on_its_company(rows: int) -> None:
    # the same bits whichever other columns are contracted with it: twins tie exactly
    rng = np.random.default_rng(6)
    X = rng.normal(size=(rows, 50)) * np.exp(1.5 * rng.normal(size=50))
    M = PairWeights.outer(rng.normal(size=rows))
    gaussian, laplace = Rbf(gamma=0.2), kernels.Laplace(gamma=0.3)
    polynomials = (Polynomial(degree=5, gamma=g, coef0=c) for g, c in ((0.1, 0.0), (1e-5, 1.0)))
    for kernel in (gaussian, laplace, *polynomials):
        state = KernelState(kernel, X)
        leaf = state._leaves[0]
        full = state.contract_without(M, change=True)
        for some in (np.array([3]), np.arange(0, 50, 7), np.arange(11, 44)):
            profile = kernel.native()
            assert profile is not None
            part = leaf._contract(core.contract_without, profile, M, some)
            assert np.array_equal(part, full[some])


@pytest.mark.parametrize("case", [LINEAR, LAPLACE, CAUCHY, *COMPOSITES[:3]], ids=str)
def test_none_where_there_is_no_screening(case) -> None:
    rng = np.random.default_rng(7)
    state = KernelState(case.library(100), rng.normal(size=(140, 100)))
    M = PairWeights.outer(rng.normal(size=140))
    with ALWAYS:
        assert state.least_without(M, 3) is None
        if case is not CAUCHY and case is not LAPLACE:
            assert state.least_slopes(M, 3) is None


@pytest.mark.parametrize(
    ("rows", "columns", "count", "form"),
    [(100, 200, 3, "dense"), (150, 30, 8, "dense"), (150, 200, 95, "dense"), (150, 200, 3, "csr")],
)
def test_none_where_it_does_not_pay(rows: int, columns: int, count: int, form: str) -> None:
    rng = np.random.default_rng(8)
    X = as_given(rng.normal(size=(rows, columns)), form)
    state = KernelState(Rbf(gamma=1 / columns), X)
    M = PairWeights.outer(rng.normal(size=rows))
    assert state.least_without(M, count) is None
    assert state.least_slopes(M, count) is None


@SOME
@given(seed=st.integers(0, 10_000), count=st.integers(1, 19))
def test_candidates(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=20).round(1)
    bound = np.abs(rng.normal(size=20)) * rng.choice([0.0, 0.1, 1.0, np.inf], size=20)
    error = np.where(np.isfinite(bound), rng.uniform(-1, 1, size=20) * bound, 0.0)
    bound[np.isnan(bound)] = 0.0
    positions = screening.candidates(values + error, bound, count)
    assert_least(Least(positions, values[positions]), values, count)


@pytest.mark.parametrize("count", [0, -1, 6])
def test_a_count_that_cannot_be_is_refused(count: int) -> None:
    state = KernelState(Rbf(gamma=1.0), np.eye(5))
    M = PairWeights.outer(np.ones(5))
    for least in (state.least_without, state.least_slopes):
        with pytest.raises(ValueError, match=rf"count must be from 1 to 5.* Got {count}\."):
            least(M, count)


def test_the_core_refuses_what_it_cannot_screen() -> None:
    state = KernelState(kernels.Laplace(gamma=1.0), np.eye(5))
    with pytest.raises(ValueError, match="no screening"):
        screened(REMOVAL, state, PairWeights.outer(np.ones(5)), 2)
