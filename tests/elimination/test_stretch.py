"""Stretches as sequences of steps."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.elimination import Solution, Step, Stretch


def solution(number: int) -> Solution:
    return Solution(np.array([number]), np.array([float(number)]), -float(number))


def stretch(solutions=()) -> Stretch:
    return Stretch(
        first=4,
        size=10,
        counts=np.array([2, 1, 3]),
        dropped=np.array([7, 1, 0, 9, 4, 5]),
        scores=np.array([0.1, 0.2, 0.3, 0.5, 0.6, 0.8]),
        following=np.array([0.25, 0.4, np.nan]),
        kkt_gap=np.array([1e-9, 2e-9, 3e-9]),
        accuracy=np.array([1.0, 0.9, 0.8]),
        seconds=np.array([0.1, 0.2, 0.3]),
        tied=np.array([False, True, False]),
        solutions=solutions,
    )


EVERY = [(solution(1), solution(2)), (solution(3),), (solution(4),)]


def facts(step: Step) -> tuple:
    return (step.iteration, step.size, step.dropped.tolist(), step.kkt_gap, step.accuracy)


def test_steps() -> None:
    steps = list(stretch())
    assert len(steps) == len(stretch()) == 3
    assert [facts(step) for step in steps] == [
        (4, 10, [7, 1], 1e-9, 1.0),
        (5, 8, [0], 2e-9, 0.9),
        (6, 7, [9, 4, 5], 3e-9, 0.8),
    ]
    assert [step.scores.tolist() for step in steps] == [[0.1, 0.2], [0.3], [0.5, 0.6, 0.8]]
    assert [step.tied for step in steps] == [False, True, False]
    assert [step.seconds for step in steps] == [0.1, 0.2, 0.3]
    assert stretch().size_after == 4


def test_margins() -> None:
    margins = [step.margin for step in stretch()]
    np.testing.assert_allclose(margins, [0.05, 0.1, np.nan])


def test_indices_and_slices() -> None:
    whole = stretch()
    assert facts(whole[-1]) == facts(whole[2])
    assert [facts(step) for step in whole[1:]] == [facts(whole[1]), facts(whole[2])]
    assert [step.iteration for step in reversed(whole)] == [6, 5, 4]
    for outside in (3, -4):
        with pytest.raises(IndexError, match=f"the stretch has 3 steps. Got {outside}"):
            whole[outside]


def test_solutions_of_all_steps_or_of_the_last() -> None:
    assert [len(step.solutions) for step in stretch(EVERY)] == [2, 1, 1]
    assert stretch(EVERY)[1].solutions[0].offset == -3.0
    last = stretch([(solution(8),)])
    assert [len(step.solutions) for step in last] == [0, 0, 1]
    assert last[2].solutions[0].values.tolist() == [8.0]
    assert [step.solutions for step in stretch()] == [(), (), ()]


def test_a_stretch_of_one_step_has_its_solutions() -> None:
    short = stretch(EVERY).truncated(1)
    assert len(short) == 1
    assert len(short[0].solutions) == 2


@pytest.mark.parametrize("steps", range(4))
def test_truncated_to_whole_steps(steps: int) -> None:
    whole, short = stretch(EVERY), stretch(EVERY).truncated(steps)
    assert [facts(step) for step in short] == [facts(step) for step in whole[:steps]]
    assert [step.solutions for step in short] == [step.solutions for step in whole[:steps]]
    np.testing.assert_array_equal(short.following, whole.following[:steps])
    assert short.size_after == 10 - int(whole.counts[:steps].sum())


def test_truncation_forgets_the_solution_of_a_last_step_that_is_cut_off() -> None:
    last = stretch([(solution(8),)])
    assert [step.solutions for step in last.truncated(2)] == [(), ()]
    assert [len(step.solutions) for step in last.truncated(3, 2)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("steps", "count", "dropped", "following"),
    [
        (1, 1, [7], [0.2]),
        (1, 2, [7, 1], [0.25]),
        (3, 2, [7, 1, 0, 9, 4], [0.25, 0.4, 0.8]),
        (3, 1, [7, 1, 0, 9], [0.25, 0.4, 0.6]),
        (2, 1, [7, 1, 0], [0.25, 0.4]),
    ],
)
def test_truncated_within_a_step(steps, count, dropped, following) -> None:
    whole = stretch()
    short = whole.truncated(steps, count)
    assert short.dropped.tolist() == dropped
    np.testing.assert_allclose(short.following, following)
    assert short[-1].margin >= 0
    assert whole.counts.tolist() == [2, 1, 3]
    assert whole.following[0] == 0.25


@pytest.mark.parametrize("steps", [-1, 4])
def test_more_steps_than_there_are_is_refused(steps: int) -> None:
    with pytest.raises(ValueError, match=r"steps must lie in \[0, 3\]\. Got"):
        stretch().truncated(steps)


@pytest.mark.parametrize(("steps", "count"), [(1, 0), (1, 3), (2, 2), (0, 1)])
def test_more_columns_than_a_step_drops_is_refused(steps: int, count: int) -> None:
    with pytest.raises(ValueError, match="last_count must be at least 1 and no more than"):
        stretch().truncated(steps, count)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"following": np.zeros(2)}, "following must have one entry for each of 3 steps. Got 2"),
        ({"tied": np.zeros(4, bool)}, "tied must have one entry for each of 3 steps. Got 4"),
        ({"scores": np.zeros(5)}, "scores must have one entry for each of 6 columns .* Got 5"),
        ({"solutions": EVERY[:2]}, "solutions must be given for none, the last or all of 3"),
    ],
)
def test_lengths_must_agree(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Stretch(**{**vars(stretch()), **change})
