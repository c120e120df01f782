"""The span estimate beside known digits, inverted matrices and machines trained without a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from svsieve import kernels, machines
from svsieve.criteria import Context, Span, span_without
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.criteria.span_without import estimates_without
from svsieve.elimination import Data, Parts, Task, trace
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import PairWeights
from tests.criteria.contexts import MACHINES, cloud, oracle, solved
from tests.criteria.plain import Bounds
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, POLYNOMIAL, RBF, WEIGHTED
from tests.oracles import library, numbers
from tests.oracles.numbers import L1_SVM, L2_SVM, assert_digits
from tests.reference import programs
from tests.reference.kernels import gram, gram_without

X, Y = cloud(24, 5)
EVERY_KERNEL = pytest.mark.parametrize("case", [*LEAVES, *WEIGHTED, *COMPOSITES], ids=str)
EVERY_SLACK = pytest.mark.parametrize("slack", MACHINES)
EVERY_COLUMN = pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)


def geometry(context: Context) -> SpanGeometry:
    supports = Supports.of(context.problem, context.solution)
    return SpanGeometry.of(context.gram(), supports)


# ---- known digits


@EVERY_COLUMN
def test_known_digits_with_squared_slack(column: int) -> None:
    context = oracle(library.L2_SVM, column)
    assert_digits(geometry(context).squares(), L2_SVM["spans"][column])
    assert_digits(Span().value(context), L2_SVM["span estimate"][column])
    slopes = L2_SVM["span slopes"][column]
    assert_digits(Span(order=1).scores(context), slopes.replace("-", ""))
    assert_digits(Span().scores(context), L2_SVM["frozen span without"][column])
    M = Span().pair_weights(context)
    assert_digits(-numbers.RIDGE * M.trace(), L2_SVM["span by log C"][column])
    if column > 0:
        by_gamma = context.state.contract_params(M)["log_gamma"]
        assert_digits(by_gamma, numbers.L2_SVM_LOG_GAMMA["span"][column - 1])
    if column == 1:
        assert_digits(context.state.contract_params(M)["coef0"], numbers.L2_SVM_COEF0["span"])


@EVERY_COLUMN
def test_known_digits_with_linear_slack(column: int) -> None:
    context = oracle(library.L1_SVM, column)
    assert_digits(geometry(context).squares(), L1_SVM["spans"][column])
    assert_digits(Span().value(context), L1_SVM["span estimate"][column])


@EVERY_COLUMN
def test_known_slopes_of_the_norm_alone(column: int) -> None:
    """d(u'Ku) with u trained again needs the inverse: uu' - zu' - uz', z = P (Ku) on free rows."""
    context = oracle(library.L1_SVM, column)
    found = geometry(context)
    u = context.solution.coefficients
    z = np.zeros(len(u))
    free = found.supports.rows[found.supports.free]
    z[free] = found.inverse() @ (context.gram() @ u)[free]
    M = np.outer(u, u) - np.outer(z, u) - np.outer(u, z)
    slopes = context.state.contract_slopes(PairWeights.dense(M))
    assert_digits(slopes, L1_SVM["norm slopes"][column])


def test_known_digits_of_the_hard_margin() -> None:
    context = oracle(library.HARD_MARGIN, 2)
    assert_digits(geometry(context).squares(), numbers.HARD_MARGIN["spans"])
    assert_digits(Span().value(context), numbers.HARD_MARGIN["span estimate"])
    slopes = numbers.HARD_MARGIN["span slopes"]
    assert_digits(Span(order=1).scores(context), slopes.replace("-", ""))


# ---- plain formulas


@EVERY_SLACK
@EVERY_KERNEL
def test_order_0_is_the_frozen_estimate_that_is_left(case, slack: str) -> None:
    context = solved(case.library(X.shape[1]), X, Y, MACHINES[slack])
    kernel = case.naive(X.shape[1])
    K = gram(kernel, X)
    estimate = Bounds(slack, 1.0).frozen("span", K, Y)
    assert Span().value(context) == pytest.approx(estimate(K), rel=1e-9)
    left = [estimate(gram_without(kernel, X, j)) for j in range(X.shape[1])]
    np.testing.assert_allclose(Span().scores(context), left, rtol=1e-9)


def bounds_met(problem: machines.DualProblem, b: np.ndarray) -> np.ndarray:
    """-1 at zero, 1 at the other bound, 0 between them."""
    at_other = np.isin(b, [problem.lower.min(), problem.upper.max()])
    return np.where(b == 0, -1, np.where(at_other, 1, 0))


@pytest.mark.parametrize("machine", [machines.CSvm(0.1), machines.L2Svm(1.0)], ids=str)
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.2)], ids=str)
def test_what_leaving_a_row_out_does(kernel, machine) -> None:
    """y_p f(x_p) falls by alpha_p S_p^2 where no other row meets or leaves a bound."""
    checked = 0
    for seed in range(6):
        table, labels = cloud(24, 5, seed)
        context = solved(kernel, table, labels, machine)
        found, K = geometry(context), context.gram()
        full, u = K + np.diag(context.problem.ridge), context.solution.coefficients
        before = bounds_met(context.problem, u)
        for p, square in zip(found.supports.rows, found.squares(), strict=True):
            others = np.delete(np.arange(24), p)
            problem = machine.problem(np.diag(K)[others], labels[others])
            without = machines.solve(problem, K[np.ix_(others, others)], tol=1e-12)
            v = np.insert(without.coefficients, p, 0.0)
            if (np.delete(bounds_met(context.problem, v) == before, p)).all():
                fall = full[p] @ (u - v) + context.solution.offset - without.offset
                assert labels[p] * fall == pytest.approx(abs(u[p]) * square, rel=1e-7)
                checked += 1
    assert checked >= 5


# ---- shortcuts


def count_factorisations(monkeypatch) -> list[int]:
    made: list[int] = []
    original = span_without.SpanGeometry

    def counted(K, supports, doubt=None):
        made.append(len(K))
        return original(K, supports, doubt)

    monkeypatch.setattr(span_without, "SpanGeometry", counted)
    return made


def without(context: Context) -> np.ndarray:
    found = geometry(context)
    rows = found.supports.rows
    return estimates_without(found, context.state, rows)[1]


def factorised(context: Context) -> np.ndarray:
    supports = geometry(context).supports
    matrices = [context.state.gram_without(j, supports.rows) for j in range(context.state.n_kept)]
    return np.array([SpanGeometry(K, supports).estimate() for K in matrices])


@EVERY_SLACK
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weights", [None, (1.0, 4.0, 0.0, 0.25, 9.0)])
def test_linear_columns_are_updates_of_rank_one(monkeypatch, weights, make, slack: str) -> None:
    machine = machines.CSvm(0.05) if slack == "c" else machines.L2Svm(1.0)
    context = solved(kernels.Linear(weights=weights), make(X), Y, machine)
    context.state.drop([3])
    expected = factorised(context)
    made = count_factorisations(monkeypatch)
    np.testing.assert_allclose(without(context), expected, rtol=1e-9)
    assert not made


def test_linear_columns_without_which_the_matrix_is_singular(monkeypatch) -> None:
    """As many free support vectors as columns leave room for: one column less is one too few."""
    context = solved(kernels.Linear(), X[:, :3], Y, machines.CSvm(0.3))
    assert len(geometry(context).supports.free) == 4
    expected = factorised(context)
    made = count_factorisations(monkeypatch)
    found = without(context)
    assert not made
    # all free ones lie in the hull of the others, which is all there is
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found, 0.0, atol=1e-13)


@pytest.mark.parametrize("case", [RBF, POLYNOMIAL], ids=str)
def test_columns_that_few_support_vectors_differ_in_are_block_updates(monkeypatch, case) -> None:
    rng = np.random.default_rng(3)
    table, labels = np.zeros((72, 9)), np.tile(Y, 3)
    table[:, :5] = np.tile(X, (3, 1)) + 0.1 * rng.normal(size=(72, 5))
    table[::2, 8] = 1.0
    kernel, machine = case.library(9), machines.L2Svm(0.1)
    rows = geometry(solved(kernel, table, labels, machine)).supports.rows
    table[rows[[2, 5]], 5] = 0.2, -0.1
    table[rows[7], 6] = 0.3
    table[:, 7] = 0.0 if case is POLYNOMIAL else 3.0
    context = solved(kernel, table, labels, machine)
    assert np.isin(rows[[2, 5, 7]], geometry(context).supports.rows).all()
    made = count_factorisations(monkeypatch)
    found = without(context)
    assert len(made) == 6  # the normal columns and the last one
    np.testing.assert_allclose(found, factorised(context), rtol=1e-10)
    assert found[7] == pytest.approx(Span().value(context), rel=1e-13)


def test_more_free_support_vectors_than_dimensions() -> None:
    """Rows that lie in the hull of the others have no distance from it."""
    doubled, labels = np.vstack([X, X]), np.append(Y, Y)
    context = solved(kernels.Rbf(gamma=0.2), doubled, labels, machines.CSvm(1.0))
    u = context.solution.coefficients.copy()
    u[:24] = u[24:] = (u[:24] + u[24:]) / 2  # as good a solution, with all free ones twice
    supports = Supports.of(context.problem, _with(context, u).solution)
    rows = supports.rows
    squares = SpanGeometry(context.gram()[np.ix_(rows, rows)], supports).squares()
    assert squares[supports.free].max() < 1e-6
    for order in (0, 1):
        scores = Span(order=order).scores(_with(context, u))
        assert np.isfinite(scores).all()


def _with(context: Context, u: np.ndarray) -> Context:
    return replace(context, solution=replace(context.solution, coefficients=u))


# ---- rows, twins


SOME = np.array([1, 2, 3, 5, 8, 9, 12, 14, 20, 21, 22, 23])


@EVERY_SLACK
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.3)], ids=str)
@pytest.mark.parametrize("options", [{"order": 0}, {"order": 1}, {"retrain": True}], ids=str)
def test_rows_outside_the_problem_do_not_count(options, kernel, slack: str) -> None:
    shuffled = SOME[[3, 0, 9, 4, 7, 1, 8, 2, 6, 5, 11, 10]]
    criterion = Span(**options)
    alone = criterion.scores(solved(kernel, X[SOME], Y[SOME], MACHINES[slack]))
    for rows in (SOME, shuffled):
        among = criterion.scores(solved(kernel, X, Y, MACHINES[slack], rows))
        np.testing.assert_allclose(among, alone, rtol=1e-7, atol=1e-10)


def test_all_rows_in_another_order() -> None:
    order = np.random.default_rng(1).permutation(len(Y))
    kernel = kernels.Rbf(gamma=0.3)
    for options in ({"order": 0}, {"order": 1}, {"retrain": True}):
        expected = Span(**options).scores(solved(kernel, X, Y, MACHINES["l2"]))
        found = Span(**options).scores(solved(kernel, X, Y, MACHINES["l2"], order))
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@EVERY_SLACK
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.2)], ids=str)
@pytest.mark.parametrize("options", [{"order": 0}, {"order": 1}, {"retrain": True}], ids=str)
def test_twins_are_a_tie(options, kernel, slack: str) -> None:
    twins = np.column_stack([X, X[:, 2]])
    context = solved(kernel, twins, Y, MACHINES[slack])
    criterion = Span(**options)
    scores = criterion.scores(context)
    assert abs(scores[2] - scores[5]) <= criterion.resolution(context, scores)[[2, 5]].min()


# ---- refusals


def test_no_support_vector_between_its_bounds() -> None:
    """There is no estimate, so no column is worth more than another."""
    even = np.where(np.arange(24) % 2, 1.0, -1.0)
    context = solved(kernels.Rbf(gamma=0.2), X, even, machines.CSvm(1e-4))
    for order in (0, 1):
        np.testing.assert_array_equal(Span(order=order).scores(context), np.zeros(5))
    with pytest.raises(ValueError, match=r"All 24 lie at the bound C: use a larger C"):
        Span().value(context)
    data = Data(X, (Task(labels=even),), (even > 0).astype(np.int64))
    path = trace(data, Parts(kernels.Rbf(gamma=0.2), machines.CSvm(1e-4), Span()))
    assert path.tied.all()


def test_a_kernel_that_is_not_positive() -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, MACHINES["l2"])
    supports = geometry(context).supports
    K = np.eye(len(supports.rows))
    K[0, 1] = K[1, 0] = 9.0
    with pytest.raises(ValueError, match=r"not positive definite .*1 negative eigenvalues of \d+"):
        SpanGeometry(K, supports)


@pytest.mark.parametrize(
    "machine",
    [machines.Svdd(nu=0.5), machines.OneClass(nu=0.5), machines.NegativeSvdd(0.6, 0.3)],
    ids=lambda machine: type(machine).__name__,
)
def test_machines_that_do_not_separate_are_refused(machine) -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machine)
    for criterion in (Span(), Span(order=1), Span(retrain=True)):
        with pytest.raises(IncompatiblePartsError, match=rf"Span\(.*{type(machine).__name__}"):
            criterion.scores(context)


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"order of Span must be 0 or 1\. Got 2"):
        Span(order=2)
    with pytest.raises(ValueError, match=r"retrain of Span needs order=0.*Got order=1"):
        Span(order=1, retrain=True)


def test_plain_machines_are_the_librarys() -> None:
    """The reference and the library speak of the same programs."""
    context = solved(kernels.Rbf(gamma=0.2), X, Y, MACHINES["c"])
    u = programs.refine(context.gram(), Bounds("c", 1.0).program(Y))
    np.testing.assert_allclose(context.solution.coefficients, u, atol=1e-9)
