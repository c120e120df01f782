"""What must not change a ranking, whatever the table.

Columns that cannot be told apart are ranked by their index, so orders are compared up to such ties:
by the scores at removal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svsieve.criteria import WeightNorm
from svsieve.elimination import Constant, Data, Fraction, Parts, Path, Schedule, Task, trace
from svsieve.kernels import Kernel, Laplace, Linear, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm
from tests.elimination.walks import class_codes, signs, table

TOL = 1e-11
ZERO = 1e-20  # a machine that sees no difference has weights of 1e-16
KERNELS = st.sampled_from(
    [Linear(), Rbf(gamma=0.1), Rbf(gamma="scale"), Polynomial(3, 0.05, 1.0), Laplace(gamma=0.1)]
)
# Where a constant column is nothing: the bias takes it, or differences do not see it.
BLIND_TO_CONSTANTS = st.sampled_from([Linear(), Rbf(gamma=0.1), Laplace(gamma=0.1)])
PENALTIES = st.sampled_from([0.1, 1.0, 30.0])
MACHINES = st.one_of(st.builds(CSvm, PENALTIES), st.builds(L2Svm, PENALTIES))
KINDS = st.sampled_from(["plain", "integers", "duplicates", "constants", "far"])
SHAPES = st.sampled_from([(20, 6), (12, 15), (40, 9), (15, 120)])
CRITERIA = st.sampled_from([WeightNorm(), WeightNorm(order=1)])


@dataclass(frozen=True)
class Walk:
    """A table to be made, and the parts of a walk."""

    kind: str
    shape: tuple[int, int]
    seed: int
    kernel: Kernel
    machine: CSvm | L2Svm
    criterion: WeightNorm
    schedule: Schedule
    bias: float | None

    def data(self) -> Data:
        X = table(self.kind, *self.shape, self.seed)
        codes = class_codes(X, seed=self.seed)
        return Data(X, (Task(None, signs(codes)),), codes)

    def parts(self, **others) -> Parts:
        own = {name: getattr(self, name) for name in ("machine", "criterion", "schedule", "bias")}
        return Parts(self.kernel, **{**own, "tol": TOL, **others})


@st.composite
def walks(draw, kernels=KERNELS, kinds=KINDS, steps=True) -> Walk:
    kernel, (rows, columns) = draw(kernels), draw(SHAPES)
    linear = isinstance(kernel, Linear)
    several = st.sampled_from([Constant(1), Constant(3), Fraction(0.3)])
    kind = draw(kinds)
    if isinstance(kernel, Polynomial) and kind in ("far", "constants"):
        kind = "plain"  # powers of large numbers have no digits left for the rest
    return Walk(
        kind=kind,
        shape=(rows, columns if linear else min(columns, 9)),
        seed=draw(st.integers(0, 10_000)),
        kernel=kernel,
        machine=draw(MACHINES),
        criterion=draw(CRITERIA),
        schedule=draw(several) if steps else Constant(1),
        bias=draw(st.sampled_from([None, None, 1.0])) if linear else None,
    )


def on(data: Data, X: np.ndarray, labels: np.ndarray | None = None) -> Data:
    """The same problem with another table."""
    (task,) = data.tasks
    labels = task.labels if labels is None else labels
    return Data(np.ascontiguousarray(X), (Task(None, labels),), (labels > 0).astype(np.int64))


def expect_same_scores(found: Path, expected: Path, parts: Parts) -> None:
    np.testing.assert_array_equal(found.counts, expected.counts)
    linear = isinstance(parts.kernel, Linear)
    scale = expected.importances.max()
    rtol, share = (1e-6, 1e-9) if linear else (1e-4, 1e-7)
    np.testing.assert_allclose(
        found.importances, expected.importances, rtol=rtol, atol=share * scale + ZERO
    )


def told_apart(path: Path) -> bool:
    """Whether no step, and not the order of those left, was decided by an index."""
    margins = path.margins[np.isfinite(path.margins)]
    left = np.diff(path.survivor_scores[::-1])
    clear = 1e-6 * path.importances.max()
    inside = np.concatenate(
        [[np.inf], *(np.diff(path.scores[a:b]) for a, b in _steps(path)), left, margins]
    )
    return bool(inside.min() > clear and not path.tied.any())


def _steps(path: Path) -> list[tuple[int, int]]:
    ends = np.cumsum(path.counts)
    return list(zip(ends - path.counts, ends, strict=True))


@given(walks(kinds=st.sampled_from(["plain", "far"])), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_permuted_columns_are_ranked_alike(walk, random) -> None:
    data, parts = walk.data(), walk.parts()
    order = list(range(data.n_columns))
    random.shuffle(order)
    straight = trace(data, parts)
    permuted = trace(on(data, data.X[:, order]), parts)
    expect_same_scores(permuted, straight, parts)
    if told_apart(straight):
        np.testing.assert_array_equal(np.array(order)[permuted.order], straight.order)


@given(walks(kernels=st.just(Linear()), steps=False), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_permuted_columns_have_the_same_first_scores_among_ties(walk, random) -> None:
    """After a tie was decided by index the walks may part: the first step may not."""
    data, parts = walk.data(), walk.parts()
    order = list(range(data.n_columns))
    random.shuffle(order)
    straight = trace(data, parts)
    permuted = trace(on(data, data.X[:, order]), parts)
    scale = straight.importances.max()
    assert permuted.scores[0] == pytest.approx(
        straight.scores[0], rel=1e-6, abs=1e-9 * scale + ZERO
    )
    assert permuted.tied[0] == straight.tied[0]


@given(walks(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_permuted_rows_change_nothing(walk, random) -> None:
    data, parts = walk.data(), walk.parts()
    order = list(range(data.n_rows))
    random.shuffle(order)
    straight = trace(data, parts)
    permuted = trace(on(data, data.X[order], data.tasks[0].labels[order]), parts)
    np.testing.assert_array_equal(permuted.dropped, straight.dropped)
    expect_same_scores(permuted, straight, parts)


@given(walks())
@settings(max_examples=60)
def test_exchanged_classes_change_nothing(walk) -> None:
    data, parts = walk.data(), walk.parts()
    straight = trace(data, parts)
    exchanged = trace(on(data, data.X, -data.tasks[0].labels), parts)
    np.testing.assert_array_equal(exchanged.dropped, straight.dropped)
    expect_same_scores(exchanged, straight, parts)


@given(
    walks(kernels=BLIND_TO_CONSTANTS, kinds=st.sampled_from(["plain", "integers"]), steps=False),
    st.integers(0, 200),
    st.sampled_from([0.0, -7.0, 1e4]),
)
@settings(max_examples=60)
def test_a_constant_column_goes_first_and_changes_nothing_else(walk, place, value) -> None:
    data, parts = walk.data(), walk.parts()
    place %= data.n_columns + 1
    if parts.bias is not None:
        value = 0.0  # else it is a second bias
    straight = trace(data, parts)
    wider = trace(on(data, np.insert(data.X, place, value, axis=1)), parts)
    assert wider.scores[wider.dropped == place] == [0.0]
    before = wider.scores[: int(np.argmax(wider.dropped == place))]
    assert (before <= 1e-10 * wider.importances.max() + ZERO).all()
    rest = wider.order[wider.order != place]
    np.testing.assert_array_equal(rest - (rest > place), straight.order)


@given(walks(kinds=st.sampled_from(["plain", "integers", "far"]), steps=False), st.data())
@settings(max_examples=60)
def test_twins_score_equally_until_the_first_of_them_goes(walk, data_) -> None:
    data, parts = walk.data(), walk.parts()
    d = data.n_columns
    column = data_.draw(st.integers(0, d - 1))
    sign = data_.draw(st.sampled_from([1.0, -1.0])) if isinstance(parts.kernel, Linear) else 1.0
    twins = on(data, np.c_[data.X, sign * data.X[:, column]])
    path = trace(twins, parts)
    left_at = {int(j): step for step, j in enumerate(path.dropped)}
    first, second = left_at.get(column, d), left_at.get(d, d)
    assert first < second  # the lower index
    # Scores of all columns at the steps before: those of a fit on the columns left.
    for step in {0, first // 2, first}:
        gone = path.dropped[:step]
        left = np.setdiff1d(np.arange(d + 1), gone)
        fit = trace(on(data, twins.X[:, left]), walk.parts(least=len(left)))
        score = dict(zip(left[fit.survivors].tolist(), fit.survivor_scores.tolist(), strict=True))
        assert score[column] == pytest.approx(
            score[d], rel=1e-6, abs=1e-10 * max(score.values()) + ZERO
        )
    assert path.tied[first]
    assert path.following[first] == pytest.approx(
        path.scores[first], rel=1e-6, abs=1e-10 * path.importances.max() + ZERO
    )


@given(walks(kernels=st.just(Linear())), st.sampled_from([1e-3, 0.5, 2.0, 1e3]))
@settings(max_examples=30)
def test_a_unit_of_measure_changes_nothing_but_the_unit_of_the_scores(walk, unit) -> None:
    """The table times u with C / u^2 has weights w / u."""
    data, parts = walk.data(), walk.parts()
    machine = type(walk.machine)(walk.machine.C / unit**2)
    bias = None if walk.bias is None else unit * walk.bias
    straight = trace(data, parts)
    again = trace(on(data, unit * data.X), walk.parts(machine=machine, bias=bias))
    np.testing.assert_allclose(
        again.importances * unit**2,
        straight.importances,
        rtol=1e-5,
        atol=1e-9 * straight.importances.max() + ZERO * max(1.0, unit**2),
    )
    if told_apart(straight):
        np.testing.assert_array_equal(again.order, straight.order)
