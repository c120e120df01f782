"""The loop against one that carries nothing from step to step, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from svsieve.criteria import WeightNorm
from svsieve.elimination import (
    AfterSeconds,
    AtSize,
    Constant,
    Data,
    Entropy,
    Fraction,
    Parts,
    Path,
    Sizes,
    Sqrt,
    Survivors,
    Task,
    WhenScoreAbove,
    trace,
    walk,
)
from svsieve.kernels import Kernel, Laplace, Linear, PerFeature, Polynomial, Rbf, Sum
from svsieve.machines import CSvm, L2Svm
from tests.elimination.walks import same_numbers, same_walk, signs, table, two_classes
from tests.reference import elimination as plain
from tests.reference import kernels as naive

ROWS, COLUMNS = 26, 9


@dataclass(frozen=True)
class Case:
    """A kernel, and the plain one for a table of the columns left."""

    kernel: Kernel
    plain: Callable[[np.ndarray], naive.Kernel]

    def __str__(self) -> str:
        return repr(self.kernel)


def _always(kernel: naive.Kernel) -> Callable[[np.ndarray], naive.Kernel]:
    return lambda X: kernel


def _scale(X: np.ndarray) -> float:
    return 1 / (X.shape[1] * X.var())


CASES = [
    Case(Linear(), _always(naive.Leaf("linear"))),
    Case(Rbf(gamma=0.1), _always(naive.Leaf("rbf", gamma=0.1))),
    Case(
        Polynomial(degree=3, gamma=0.2, coef0=1.0),
        _always(naive.Leaf("polynomial", gamma=0.2, degree=3, coef0=1.0)),
    ),
    Case(Laplace(gamma=0.15), _always(naive.Leaf("laplace", gamma=0.15))),
    Case(
        Sum([Rbf(gamma=0.1), Linear()], [0.7, 0.1]),
        _always(naive.Sum((naive.Leaf("rbf", gamma=0.1), naive.Leaf("linear")), (0.7, 0.1))),
    ),
    Case(Rbf(gamma=PerFeature(0.8)), lambda X: naive.Leaf("rbf", gamma=0.8 / X.shape[1])),
    Case(Rbf(gamma="scale"), lambda X: naive.Leaf("rbf", gamma=_scale(X))),
    Case(
        Polynomial(degree=3, gamma="scale", coef0=1.0),
        lambda X: naive.Leaf("polynomial", gamma=_scale(X), degree=3, coef0=1.0),
    ),
    Case(Laplace(gamma=PerFeature(1.0)), lambda X: naive.Leaf("laplace", gamma=1 / X.shape[1])),
]


def plain_walk(data, case: Case, machine, **options) -> plain.Walk:
    kind = "c" if isinstance(machine, CSvm) else "l2"
    (task,) = data.tasks
    rows = np.arange(data.n_rows)
    problems = plain.problems([(rows, task.labels, task.weights)], kind, machine.C)
    # Coefficients sum to zero: where columns stand does not matter, but takes digits.
    X = data.X - data.X.mean(axis=0) if isinstance(case.kernel, Linear) else data.X
    return plain.walk(X, problems, case.plain, **options)


def expect_plain(path: Path, expected: plain.Walk) -> None:
    assert path.order.tolist() == expected.order
    same_numbers(path.scores, expected.scores, rtol=1e-6)
    ends = np.cumsum(path.counts)
    assert [path.dropped[a:b].tolist() for a, b in zip([0, *ends], ends, strict=False)] == (
        expected.dropped
    )
    assert path.tied.tolist() == expected.tied
    last = expected.tables[-1]
    same_numbers(path.survivor_scores, np.array([last[j] for j in path.survivors]), rtol=1e-6)


@pytest.mark.parametrize("machine", [CSvm(0.05), CSvm(10.0), L2Svm(1.0)], ids=str)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_against_the_plain_loop(case: Case, order: int, machine) -> None:
    data = two_classes(table("plain", ROWS, COLUMNS))
    parts = Parts(case.kernel, machine, criterion=WeightNorm(order=order), tol=1e-11)
    path = trace(data, parts)
    expect_plain(path, plain_walk(data, case, machine, order=order))
    assert path.stopped == "size"
    assert path.kkt_gap.max() < 1e-8


@pytest.mark.parametrize("kind", ["scales", "duplicates", "constants", "integers"])
@pytest.mark.parametrize("case", [CASES[0], CASES[1], CASES[3]], ids=str)
def test_awkward_tables_against_the_plain_loop(case: Case, kind: str) -> None:
    data = two_classes(table(kind, ROWS, COLUMNS))
    path = trace(data, Parts(case.kernel, CSvm(1.0), tol=1e-11))
    expect_plain(path, plain_walk(data, case, CSvm(1.0)))


@pytest.mark.parametrize("case", [CASES[0], CASES[6]], ids=str)
def test_several_at_a_time_with_kept_columns_and_weights_of_rows(case: Case) -> None:
    weights = np.random.default_rng(0).uniform(0.2, 3.0, ROWS)
    data = two_classes(table("plain", ROWS, 12), weights=weights)
    for schedule, counts in (
        (Constant(3), lambda size: 3),
        (Fraction(0.3), lambda size: int(0.3 * size)),
        (Sqrt(), lambda size: int(np.sqrt(size))),
    ):
        parts = Parts(case.kernel, L2Svm(2.0), schedule=schedule, keep=[2, 7], least=3, tol=1e-11)
        expected = plain_walk(data, case, L2Svm(2.0), counts=counts, keep=[2, 7], least=3)
        expect_plain(trace(data, parts), expected)


def test_gamma_is_not_moved_by_leaving_a_column_out() -> None:
    """With gamma="scale" a column without spread changes gamma for all, but scores nothing."""
    X = table("plain", ROWS, 4)
    X[:, 2] = 50.0
    data = two_classes(X)
    path = trace(data, Parts(Rbf(gamma="scale"), CSvm(1.0)))
    assert path.dropped[0] == 2
    assert path.scores[0] == 0.0


# ---- stretches


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1)], ids=str)
def test_stretches_follow_each_other(kernel) -> None:
    data = two_classes(table("plain", ROWS, 150))
    steps = walk(data, Parts(kernel, CSvm(1.0), schedule=Constant(2)))
    size, iteration, gone = 150, 1, []
    while True:
        try:
            stretch = next(steps)
        except StopIteration as end:
            left = end.value
            break
        assert (stretch.size, stretch.first) == (size, iteration)
        for step in stretch:
            assert (step.size, step.iteration) == (size, iteration)
            assert step.margin >= 0 or step.tied or np.isnan(step.following)
            assert (np.diff(step.scores) >= 0).all()
            assert 0 <= step.accuracy <= 1
            assert step.kkt_gap < 1e-8
            gone.extend(step.dropped.tolist())
            size, iteration = size - len(step.dropped), iteration + 1
    assert isinstance(left, Survivors)
    assert sorted(gone + left.columns.tolist()) == list(range(150))
    assert left.kkt_gap < 1e-8
    assert trace(data, Parts(kernel, CSvm(1.0), schedule=Constant(2))).dropped.tolist() == gone


def test_the_accuracy_is_that_of_the_machines() -> None:
    data = two_classes(table("plain", 30, 6))
    for kernel in (Linear(), Rbf(gamma=0.2)):
        path = trace(data, Parts(kernel, CSvm(1.0)), solutions=True)
        left = np.arange(6)
        for i, (solution,) in enumerate(path.solutions):
            X = data.X[:, left]
            values = kernel.cross(X, X[solution.rows]) @ solution.values + solution.offset
            share = np.mean(signs(data.groups) * values > 0)
            assert path.accuracy[i] == pytest.approx(share)
            left = np.setdiff1d(left, path.dropped[i])


# ---- what ends it


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1)], ids=str)
@pytest.mark.parametrize("schedule", [Constant(1), Constant(7), Sizes([30, 12, 4])], ids=str)
def test_a_size(kernel, schedule) -> None:
    data = two_classes(table("plain", ROWS, 40))
    whole = trace(data, Parts(kernel, CSvm(1.0), schedule=schedule))
    path = trace(data, Parts(kernel, CSvm(1.0), schedule=schedule, stops=[AtSize(10)]))
    assert path.stopped == "size"
    assert path.sizes[-1] == 10
    np.testing.assert_array_equal(path.dropped[:28], whole.dropped[:28])
    at_least = trace(data, Parts(kernel, CSvm(1.0), schedule=schedule, least=10))
    same_walk(at_least, path)
    everything = trace(data, Parts(kernel, CSvm(1.0), stops=[AtSize(99)]))
    assert everything.n_steps == 0
    assert sorted(everything.survivors.tolist()) == list(range(40))
    assert (np.diff(everything.survivor_scores) <= 0).all()


@pytest.mark.parametrize("engine", ["wide-linear", "kernel", "tall-linear"])
@pytest.mark.parametrize("schedule", [Constant(1), Constant(5)], ids=str)
def test_a_threshold_in_the_middle_of_a_stretch(engine: str, schedule) -> None:
    """What is dropped is what had been dropped before the first score above the threshold."""
    data = two_classes(table("plain", 100, 40))
    options = {"schedule": schedule, "engine": engine}
    whole = trace(data, Parts(Linear(), CSvm(1.0), **options))
    above = whole.scores[17] * (1 + 1e-9)
    until = int(np.flatnonzero(whole.scores > above)[0])
    path = trace(data, Parts(Linear(), CSvm(1.0), stops=[WhenScoreAbove(above)], **options))
    assert path.stopped == "score"
    np.testing.assert_array_equal(path.dropped, whole.dropped[:until])
    assert path.counts.sum() == until
    rest = np.setdiff1d(np.arange(40), path.dropped)
    fresh = trace(two_classes_on(data, rest), Parts(Linear(), CSvm(1.0), least=len(rest)))
    np.testing.assert_array_equal(path.survivors, rest[fresh.survivors])
    same_numbers(path.survivor_scores, fresh.survivor_scores)
    # what would have gone next follows
    if whole.counts.cumsum()[path.n_steps - 1] > until:
        assert path.following[-1] == pytest.approx(whole.scores[until])


def two_classes_on(data, columns: np.ndarray):
    return type(data)(np.ascontiguousarray(data.X[:, columns]), data.tasks, data.groups)


def test_a_threshold_below_all_scores_leaves_everything() -> None:
    data = two_classes(table("plain", ROWS, 40))
    for kernel in (Linear(), Rbf(gamma=0.1)):
        path = trace(data, Parts(kernel, CSvm(1.0), stops=[WhenScoreAbove(0.0)]))
        assert (path.stopped, path.n_steps) == ("score", 0)
        same_walk(path, trace(data, Parts(kernel, CSvm(1.0), least=40)))


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1)], ids=str)
def test_a_relative_threshold(kernel) -> None:
    data = two_classes(table("plain", ROWS, 12))
    stop = WhenScoreAbove(0.05, relative=True)
    path = trace(data, Parts(kernel, CSvm(1.0), stops=[stop]))
    assert path.engine == "kernel"
    assert path.stopped == "score"
    left = np.arange(12)
    whole = trace(data, Parts(kernel, CSvm(1.0)))
    for step in range(path.n_steps + 1):
        fit = trace(two_classes_on(data, left), Parts(kernel, CSvm(1.0), least=len(left)))
        share = fit.survivor_scores.min() / fit.survivor_scores.sum()
        assert (share <= 0.05) == (step < path.n_steps)
        left = np.setdiff1d(left, whole.dropped[step])


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1)], ids=str)
def test_no_time_at_all_leaves_everything(kernel) -> None:
    data = two_classes(table("plain", ROWS, 12))
    path = trace(data, Parts(kernel, CSvm(1.0), stops=[AfterSeconds(0)]))
    assert (path.stopped, path.n_steps, len(path.survivors)) == ("time", 0, 12)
    later = trace(data, Parts(kernel, CSvm(1.0), stops=[AfterSeconds(1e6)]))
    same_walk(later, trace(data, Parts(kernel, CSvm(1.0))))


def test_the_first_of_several_stops_counts() -> None:
    data = two_classes(table("plain", ROWS, 30))
    whole = trace(data, Parts(Linear(), CSvm(1.0)))
    high = whole.scores.max() * 2
    for stops in ([AtSize(20), WhenScoreAbove(high)], [WhenScoreAbove(high), AtSize(20)]):
        assert trace(data, Parts(Linear(), CSvm(1.0), stops=stops)).sizes[-1] == 20
    both = [AtSize(5), WhenScoreAbove(float(whole.scores[6]) * 0.999)]
    assert trace(data, Parts(Linear(), CSvm(1.0), stops=both)).stopped == "score"


# ---- corners


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1), Polynomial(2, 0.1, 1.0)], ids=str)
@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)], ids=str)
def test_two_rows(kernel, machine) -> None:
    data = two_classes(table("plain", 2, 5))
    path = trace(data, Parts(kernel, machine))
    assert sorted(path.order.tolist()) == list(range(5))
    if isinstance(kernel, Linear):  # the weights are along the difference of the rows
        difference = np.abs(data.X[0] - data.X[1])
        np.testing.assert_array_equal(path.dropped, np.argsort(difference)[:-1])


@pytest.mark.parametrize("engine", ["wide-linear", "tall-linear", "kernel"])
def test_one_column(engine: str) -> None:
    data = two_classes(table("plain", ROWS, 1))
    path = trace(data, Parts(Linear(), CSvm(1.0), engine=engine))
    assert path.order.tolist() == [0]
    assert path.n_steps == 0
    assert path.survivor_scores[0] > 0


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.1)], ids=str)
def test_kept_columns_stay(kernel) -> None:
    data = two_classes(table("plain", ROWS, 120))
    keep = trace(data, Parts(kernel, CSvm(1.0), stops=[AtSize(110)])).dropped[:4]
    for schedule in (Constant(1), Constant(50)):
        path = trace(data, Parts(kernel, CSvm(1.0), schedule=schedule, keep=np.sort(keep)))
        assert path.stopped == "size"
        assert set(path.survivors.tolist()) == set(keep.tolist())
    everything = trace(data, Parts(kernel, CSvm(1.0), keep=np.arange(120)))
    assert everything.n_steps == 0
    # kept columns do not count as those that follow
    last = trace(data, Parts(kernel, CSvm(1.0), keep=np.sort(keep), stops=[AtSize(5)]))
    assert np.isfinite(last.following).all()
    gone = trace(data, Parts(kernel, CSvm(1.0), keep=np.sort(keep)))
    assert np.isnan(gone.following[-1])


def test_a_kept_column_that_is_not_there_is_refused() -> None:
    data = two_classes(table("plain", ROWS, 5))
    with pytest.raises(ValueError, match="keep names column 5, the table has 5 columns"):
        trace(data, Parts(Linear(), CSvm(1.0), keep=[1, 5]))


def test_the_entropy_schedule_sees_all_scores() -> None:
    data = two_classes(table("plain", ROWS, 30))
    path = trace(data, Parts(Linear(), CSvm(1.0), schedule=Entropy(below=8)))
    left = np.arange(30)
    for step, count in enumerate(path.counts):
        fit = trace(two_classes_on(data, left), Parts(Linear(), CSvm(1.0), least=len(left)))
        scores = np.empty(len(left))
        scores[fit.survivors] = fit.survivor_scores
        planned = Entropy(below=8).step(len(left), step + 1, 30, scores)
        assert count == max(1, min(planned, len(left) - 1))
        at = path.counts[:step].sum()
        left = np.setdiff1d(left, path.dropped[at : at + count])
    assert (path.counts[:3] > 1).any()


def test_a_table_of_constants_has_an_order_all_the_same() -> None:
    data = two_classes(np.ones((ROWS, 6)))
    for kernel in (Linear(), Rbf(gamma=0.1)):
        path = trace(data, Parts(kernel, CSvm(1.0)))
        assert path.dropped.tolist() == [0, 1, 2, 3, 4]
        assert path.tied.all()
        assert (path.importances == 0).all()


@dataclass(frozen=True)
class Says:
    """A criterion with the same answer for everything."""

    answer: object

    def scores(self, context):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros(3), r"(?s)Says.* must score each of 12 columns .* Got scores of shape \(3,\)"),
        (np.zeros((12, 1)), r"(?s)Says.* must score each of 12 columns .* Got .* \(12, 1\)"),
        (1.0, r"(?s)Says.* must score each of 12 columns .* Got scores of shape \(\)"),
        ([0.0] * 7 + [np.nan] * 5, r"(?s)Says.* must score columns with numbers. Column 7 has nan"),
    ],
    ids=["too few", "a table", "one number", "nan"],
)
def test_scores_that_are_none_are_refused(answer: object, message: str) -> None:
    data = two_classes(table("plain", 20, 12))
    with pytest.raises(ValueError, match=message):
        trace(data, Parts(Rbf(0.1), CSvm(), criterion=Says(answer)))


def test_columns_without_which_there_is_no_solution_stay() -> None:
    """A hard margin that only the first column makes possible, scored by machines without it."""
    X = np.array([[-3.0, 1.0, 0.0], [-1.0, 2.0, 1.0], [1.0, 1.0, 0.5], [3.0, 2.0, 0.5]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    data = Data(X[:, [1, 0, 2]], (Task(labels=y),), (y > 0).astype(np.int64))
    path = trace(data, Parts(Linear(), L2Svm(C=np.inf), criterion=WeightNorm(retrain=True)))
    assert path.survivors.tolist() == [1]
    assert np.isinf(path.following[-1])


def test_scores_may_be_a_list() -> None:
    data = two_classes(table("plain", 20, 12))
    stop = [AtSize(11)]
    path = trace(data, Parts(Rbf(0.1), CSvm(), criterion=Counts(), stops=stop))
    assert path.dropped.tolist() == [0]


class Counts:
    """Scores columns by their place."""

    def scores(self, context):
        return list(range(context.state.n_kept))
