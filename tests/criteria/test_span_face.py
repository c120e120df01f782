"""The span as a function of the data: many solutions, singular hulls, coefficients at a bound."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from svsieve import SVC, SVMRFE, kernels, machines
from svsieve.criteria import Context, PowerSum, Span, resolution_of
from svsieve.criteria.span_face import gram_over, least_norm, on_margin, trained_geometry
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.criteria.span_hull import SingularHull, Spectrum
from svsieve.criteria.span_without import changes_without
from svsieve.elimination import Data, Parts, Task, trace
from svsieve.selection.objectives import Judge
from svsieve.selection.objectives import Span as SpanObjective
from tests.criteria.contexts import cloud, solved
from tests.criteria.plain import derivative, scaled
from tests.reference import programs

KINDS = ["normal", "sparse", "binary", "twin rows", "few columns"]
ORDERS = [Span(), Span(absolute=True), Span(order=1), Span(retrain=True)]
EVERY_ORDER = pytest.mark.parametrize("criterion", ORDERS, ids=str)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def table(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Small tables of which most have rows in number on the margin."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n = int(rng.integers(14, 26))
    d = int(rng.integers(2, 5)) if kind == "few columns" else int(rng.integers(5, 12))
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, d))
    if kind == "sparse":
        X *= rng.random((n, d)) < 0.4
    X[:, :2] += 0.8 * y[:, None]
    if kind == "binary":
        X = (rng.random((n, d)) < 0.4).astype(float)
        X[:, 0] = np.where(rng.random(n) < 0.25, 1 - y, y)
    if kind == "twin rows":
        again = np.append([int(y.argmin()), int(y.argmax())], rng.integers(0, n, n))
        X, y = X[again], y[again]
    return X, y


def context_of(X, y, machine=None, kernel=None) -> Context:
    return solved(kernel or kernels.Linear(), X, np.where(y > 0, 1.0, -1.0), machine)


def geometry_of(context: Context) -> SpanGeometry:
    return trained_geometry(context.problem, context.solution, gram_over(context))


# ---- naive references


def limit_of_ridges(K: np.ndarray, y: np.ndarray, C: float, ridge: float = 1e-6) -> np.ndarray:
    """Solutions with a small ridge, extrapolated to none: they are linear in it in the end."""

    def with_ridge(value: float) -> np.ndarray:
        program = programs.c_svm(y, C)._replace(ridge=np.full(len(y), value))
        return programs.refine(K, program)

    return 2.0 * with_ridge(ridge / 2) - with_ridge(ridge)


def between(u: np.ndarray, C: float) -> np.ndarray:
    return (np.abs(u) > 1e-6 * C) & (np.abs(u) < C * (1 - 1e-6))


def distances(X: np.ndarray, u: np.ndarray, C: float) -> np.ndarray:
    """S_p^2 by least squares in the columns: p as an affine combination of the other free rows."""
    alpha, free = np.abs(u), np.flatnonzero(between(u, C))
    found = np.zeros(len(u))
    for p in np.flatnonzero(alpha > 1e-6 * C):
        others = free[free != p]
        if not len(others):
            found[p] = 1.0 / alpha[p]  # a lone one counts as one error
            continue
        along = (X[others[1:]] - X[others[0]]).T
        away = X[p] - X[others[0]]
        if along.shape[1]:
            away = away - along @ np.linalg.lstsq(along, away, rcond=1e-9)[0]
        found[p] = away @ away
    return found


def estimate(X: np.ndarray, u: np.ndarray, C: float) -> float:
    return float(np.abs(u) @ distances(X, u, C))


@EVERY_KIND
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_support_vectors_are_those_of_the_limit_of_a_ridge(kind: str, C: float) -> None:
    """And what is left of the estimate is what least squares give, column by column."""
    for seed in range(3):
        X, y = table(kind, seed)
        context = context_of(X, y, machines.CSvm(C))
        expected = limit_of_ridges(X @ X.T, context.labels, C)
        if not between(expected, C).any():
            assert Span().scores(context).tolist() == [0.0] * X.shape[1]
            continue
        supports = geometry_of(context).supports
        found = np.zeros(len(y))
        found[supports.rows] = supports.u
        np.testing.assert_allclose(found, expected, atol=1e-7 * C)
        assert Span().value(context) == pytest.approx(estimate(X, expected, C), rel=1e-6, abs=1e-8)
        rest = [np.delete(X, j, axis=1) for j in range(X.shape[1])]
        left = [estimate(own, expected, C) for own in rest]
        np.testing.assert_allclose(Span().scores(context), left, rtol=1e-6, atol=1e-8)


@EVERY_KIND
def test_machines_trained_again_have_that_solution_too(kind: str) -> None:
    X, y = table(kind, 1)
    C = 1.0
    context = context_of(X, y, machines.CSvm(C))
    expected = []
    for j in range(X.shape[1]):
        own = np.delete(X, j, axis=1)
        u = limit_of_ridges(own @ own.T, context.labels, C)
        expected.append(estimate(own, u, C) if between(u, C).any() else np.inf)
    found = Span(retrain=True).scores(context)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_least_norm_within_bounds_is_that_of_a_plain_program() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n, d = int(rng.integers(5, 30)), int(rng.integers(1, 4))
        X = rng.integers(-1, 2, size=(n, d)).astype(float)
        lower, upper = -rng.integers(0, 2, n) - 0.1, rng.integers(0, 2, n) + 0.1
        u = rng.uniform(lower, upper)
        u[rng.random(n) < 0.3] = upper[rng.random(n) < 0.3].max(initial=0.1)
        u = np.clip(u, lower, upper)
        K = X @ X.T
        spectrum = Spectrum.of(K, np.zeros(n))
        # half |v - u|_K^2 weighs far more than half |v|^2, and more yet
        tiny = [1e-4, 5e-5]
        pulled = [
            programs.refine(K, programs.Program(-K @ u, lower, upper, u.sum(), np.full(n, ridge)))
            for ridge in tiny
        ]
        found = least_norm(u, lower, upper, spectrum)
        np.testing.assert_allclose(found, 2.0 * pulled[1] - pulled[0], atol=1e-6)
        assert np.abs(K @ (found - u)).max() < 1e-12


def test_twins_share_evenly() -> None:
    X, y = cloud(16, 3)
    context = solved(kernels.Linear(), np.vstack([X, X]), np.append(y, y), machines.CSvm(0.4))
    u = context.solution.coefficients
    uneven = np.where(np.arange(32) < 16, 1.0, -1.0) * np.minimum(np.abs(u), 0.4 - np.abs(u)) / 2
    other = replace(context, solution=replace(context.solution, coefficients=u + uneven))
    assert np.abs(uneven).max() > 0.01
    for one in (context, other):
        supports = geometry_of(one).supports
        even = np.zeros(32)
        even[supports.rows] = supports.u
        np.testing.assert_allclose(even[:16], even[16:], atol=1e-13)
        assert geometry_of(one).squares()[supports.free].max() == 0.0


# ---- a lone free row, and rows near to a bound


def test_a_lone_free_support_vector_counts_as_one_error() -> None:
    """The hull of the others is empty; bounded ones lie as far from the lone one as they do."""
    X, y = np.array([[-1.0, 0.5], [1.0, -0.25], [1.5, 1.0]]), np.array([-1.0, 1.0, 1.0])
    problem = machines.CSvm(1.0).problem([1.0, 1.0, 1.0], y)
    context = solved(kernels.Linear(), X, y, machines.CSvm(1.0))
    u = np.array([-1.0, 1.0, 1e-3])
    supports = Supports.of(problem, replace(context.solution, coefficients=u))
    assert len(supports.free) == 1
    geometry = SpanGeometry(X @ X.T, supports)
    gaps = ((X - X[2]) ** 2).sum(axis=1)
    assert geometry.estimate() == pytest.approx(gaps[0] + gaps[1] + 1.0, rel=1e-12)
    left = changes_without(geometry, context.state, supports.rows).estimates
    own = (X - X[2]) ** 2
    np.testing.assert_allclose(left, own[:2].sum(axis=0)[::-1] + 1.0, rtol=1e-12)
    slopes = context.state.contract_slopes(
        replace(
            context.lift(machines.CSvm(1.0).pair_weights(context.solution)),
            vector=None,
            full=geometry.pair_weights(),
            rows=supports.rows,
            scale=1.0,
        )
    )
    np.testing.assert_allclose(slopes, 2.0 * own[:2].sum(axis=0), rtol=1e-12)


def test_what_rounding_has_left_beside_a_bound_is_at_the_bound() -> None:
    X, y = cloud(20, 4)
    context = solved(kernels.Rbf(gamma=0.2), X, y, machines.CSvm(1.0))
    expected = geometry_of(context).supports
    assert len(expected.bounded)
    u = context.solution.coefficients.copy()
    bound = expected.rows[expected.bounded]
    u[bound] -= 1e-14 * np.sign(u[bound])
    nothing = np.flatnonzero(u == 0.0)
    u[nothing] = 1e-13 * y[nothing]
    moved = replace(context.solution, coefficients=u)
    found = trained_geometry(context.problem, moved, gram_over(context)).supports
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.free, expected.free)
    np.testing.assert_allclose(found.u, expected.u, rtol=1e-12)


def test_a_newton_step_takes_out_what_the_gap_has_left() -> None:
    X, y = cloud(30, 5)
    scores = {
        tol: Span().scores(solved(kernels.Rbf(gamma=0.2), X, y, machines.CSvm(1.0), tol=tol))
        for tol in (1e-6, 1e-13)
    }
    np.testing.assert_allclose(scores[1e-6], scores[1e-13], rtol=1e-10)


def test_rows_of_an_interval_of_multipliers_are_off_the_margin() -> None:
    """Where all coefficients are at their bounds for good, there is one solution."""
    X, _ = cloud(24, 3)
    even = np.where(np.arange(24) % 2, 1.0, -1.0)
    context = solved(kernels.Rbf(gamma=0.2), X, even, machines.CSvm(1e-4))
    assert not len(on_margin(context.problem, context.solution, 1.0))
    assert Span().scores(context).tolist() == [0.0] * 3


# ---- rankings


def rankings(X, y, criterion, C: float, slack: str, steps: float = 1):
    """(columns left, their scores, what they are known to) of every step, and the path."""
    seen = []

    class Watched:
        def scores(self, context: Context) -> np.ndarray:
            found = criterion.scores(context)
            seen.append((context.state.kept.copy(), found, criterion.resolution(context, found)))
            return found

        def resolution(self, context: Context, scores: np.ndarray):
            return resolution_of(criterion, context, scores)

    model = SVC(kernel="linear", C=C, slack=slack)
    path = SVMRFE(model, n_features_to_select=1, step=steps, criterion=Watched()).fit(X, y).path_
    return path, seen


@EVERY_ORDER
@pytest.mark.parametrize(("C", "slack"), [(0.01, "l1"), (10.0, "l1"), (1000.0, "l2")])
@EVERY_KIND
def test_rankings_are_those_of_the_data(kind: str, C: float, slack: str, criterion) -> None:
    """Dense or sparse, rows or columns in another order: the same, or a tie that says so."""
    for seed in range(1 if criterion.retrain or slack == "l2" else 2):
        X, y = table(kind, seed)
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
        every = np.arange(X.shape[1])
        first, expected = rankings(X, y, criterion, C, slack)
        for table_, labels, names in [
            (sparse.csr_array(X), y, every),
            (X[rows], y[rows], every),
            (X[:, columns], y, columns),
        ]:
            path, found = rankings(table_, labels, criterion, C, slack)
            for k, ((kept, scores, known), own) in enumerate(zip(expected, found, strict=True)):
                order = np.argsort(names[own[0]])
                np.testing.assert_array_equal(names[own[0]][order], kept)
                finite = np.isfinite(scores)
                np.testing.assert_array_equal(np.isfinite(own[1][order]), finite)
                width = np.maximum(known, own[2][order])[finite]
                assert (np.abs(own[1][order][finite] - scores[finite]) <= width).all()
                if k < len(path.counts) and names[path.dropped[k]] != first.dropped[k]:
                    assert first.tied[k]
                    assert path.tied[k]
                    pair = np.searchsorted(kept, [first.dropped[k], names[path.dropped[k]]])
                    one, other = scores[pair]
                    assert one == other or abs(one - other) <= 2.0 * known[pair].max()
                    break  # from here on other columns are left


def test_threads_do_not_matter() -> None:
    X, y = table("sparse", 4)
    one, _ = rankings(X, y, Span(), 10.0, "l1")
    with threadpool_limits(2):
        two, _ = rankings(X, y, Span(), 10.0, "l1")
    np.testing.assert_array_equal(one.dropped, two.dropped)


def test_ties_are_not_declared_wide() -> None:
    """What is known of a score on plain tables is far less than the score."""
    for criterion in ORDERS:
        X, y = cloud(40, 60)
        context = context_of(X, y, machines.CSvm(1.0))
        scores = criterion.scores(context)
        assert np.max(criterion.resolution(context, scores)) < 1e-9 * scores.max()
        assert (np.diff(np.sort(scores)) > 0).all()


def test_as_many_free_support_vectors_as_columns_and_one_more_are_a_tie() -> None:
    X, y = cloud(24, 5)
    X = X[:, :3]
    context = solved(kernels.Linear(), X, y, machines.CSvm(0.3))
    assert len(geometry_of(context).supports.free) == 4
    scores = Span().scores(context)
    assert np.ptp(scores) <= Span().resolution(context, scores).min()
    data = Data(X, (Task(labels=y),), (y > 0).astype(np.int64))
    path = trace(data, Parts(kernels.Linear(), machines.CSvm(0.3), Span()))
    assert path.tied[0]
    assert path.dropped[0] == 0


def test_classes_add_up_what_is_left() -> None:
    """Sums of what is left are what is left of the sum, so that signs need no care."""
    rng = np.random.default_rng(2)
    X, codes = rng.normal(size=(36, 8)), np.arange(36) % 3
    X[:, :3] += np.eye(3)[codes]
    model = SVC(kernel="linear", C=1.0, slack="l2", decision_function_shape="ovr")
    path = SVMRFE(model, n_features_to_select=7, criterion=Span(), combine=PowerSum()).fit(X, codes)
    totals = 0.0
    for q in range(3):
        for p in range(q + 1, 3):
            mine = np.isin(codes, [q, p])
            centred = X[mine]
            context = context_of(centred, codes[mine] == q, machines.L2Svm(1.0))
            totals = totals + Span().scores(context)
    assert path.path_.dropped[0] == np.argmin(totals)
    assert path.path_.scores[0] == pytest.approx(totals.min(), rel=1e-9)


# ---- slopes


def test_frozen_estimate_follows_the_weight_of_a_column() -> None:
    """At kept coefficients a weight v_j moves E by sum_p alpha_p d(S_p^2), c_p'(dK)c_p each."""
    for machine in (machines.CSvm(0.2), machines.L2Svm(1.0)):
        X, y = cloud(20, 30)
        context = solved(kernels.Linear(), X, y, machine)
        geometry = geometry_of(context)
        supports = geometry.supports
        own, P, squares = X[supports.rows], geometry.inverse(), geometry.squares()
        T = np.empty(own.shape)
        T[supports.free] = squares[supports.free, None] * (P @ own[supports.free])
        nearest = geometry.nearest(P)
        T[supports.bounded] = own[supports.bounded] - nearest.T @ own[supports.free]
        signed = 2.0 * np.abs(supports.u) @ T**2
        for j in range(5):
            assert derivative(partial(shrunk, own, supports, j)) == pytest.approx(
                signed[j], rel=1e-8
            )


def shrunk(own: np.ndarray, supports: Supports, j: int, t: float) -> float:
    moved = scaled(own, j, t)
    return SpanGeometry(moved @ moved.T, supports).estimate()


def trained_again(X: np.ndarray, y: np.ndarray, machine: machines.Machine, t: float) -> float:
    return Span().value(context_of(scaled(X, 0, t), y, machine))


@pytest.mark.parametrize("kind", ["normal", "twin rows", "few columns"])
def test_slopes_of_order_1_on_a_singular_hull(kind: str) -> None:
    """The solution of least norm, found anew for a column scaled by a little."""
    checked = 0
    for seed in range(8):
        X, y = table(kind, seed)
        machine = machines.CSvm(0.5)
        geometry = geometry_of(context_of(X, y, machine))
        moved = [geometry_of(context_of(scaled(X, 0, t), y, machine)) for t in (-2e-4, 2e-4)]
        if any(not np.array_equal(geometry.supports.free, one.supports.free) for one in moved):
            continue
        checked += isinstance(geometry.hull, SingularHull) or kind != "twin rows"
        whole = geometry.estimate()
        found = Span(order=1).scores(context_of(X, y, machine))
        slope = derivative(partial(trained_again, X, y, machine))
        assert found[0] == pytest.approx(abs(slope), rel=1e-6, abs=1e-8 * (1.0 + whole))
    assert checked >= 3


def test_the_objective_is_a_function_of_the_data() -> None:
    X, y = cloud(16, 3)
    doubled, labels = np.vstack([X, X]), np.append(y, y)
    order = np.random.default_rng(3).permutation(32)
    one = Judge(SpanObjective(), doubled, labels)(machines.CSvm(0.4), kernels.Linear())
    two = Judge(SpanObjective(), doubled[order], labels[order])(
        machines.CSvm(0.4), kernels.Linear()
    )
    assert one.value == pytest.approx(two.value, rel=1e-8)


def test_absolute_is_for_the_frozen_estimate() -> None:
    X, y = cloud(24, 6)
    context = solved(kernels.Rbf(gamma=0.2), X, y, machines.CSvm(1.0))
    whole = Span().value(context)
    expected = np.abs(Span().scores(context) - whole)
    np.testing.assert_allclose(Span(absolute=True).scores(context), expected, atol=1e-12 * whole)
    for options in ({"order": 1}, {"retrain": True}):
        with pytest.raises(ValueError, match="absolute of Span must be False with order=1 or ret"):
            Span(absolute=True, **options)
