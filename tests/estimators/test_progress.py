"""The line that is shown while columns are eliminated."""

import io
import time

import numpy as np
import pytest
from sklearn.base import clone

from svsieve import SVC, SVMRFE, SVMRFECV, FeatureScaling, Grid, Sieve
from svsieve.estimators import progress as module
from svsieve.estimators.progress import Progress, Tally
from svsieve.estimators.side_by_side import run_all


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_line_tells_columns_time_and_time_left(clock):
    bar = Progress(1100, 100, stream=io.StringIO())
    bar.update(1100)
    bar.update(850)
    assert bar.line(30.0) == (
        "[######..................] 850 of 1,100 columns left, 30 s, about 1:30 to go"
    )
    bar.update(100)
    assert bar.line(7300.0) == f"[{'#' * 24}] 100 of 1,100 columns left, 2:01:40"


def test_resumed_run_is_timed_from_where_it_was_resumed(clock):
    bar = Progress(1000, 0, stream=io.StringIO())
    bar.update(500)
    assert "to go" not in bar.line(10.0)
    bar.update(400)
    assert "10 s, about 40 s to go" in bar.line(10.0)


def test_terminal_is_redrawn_five_times_a_second(clock):
    stream = Terminal()
    with Progress(100, 0, stream=stream) as bar:
        for left in range(100, 0, -1):
            clock.now += 0.05
            bar.update(left)
    drawn = stream.getvalue().split("\r")[1:]
    assert 20 <= len(drawn) <= 26
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().endswith("\x1b[K\n")


def test_elsewhere_there_are_few_plain_lines(clock):
    stream = io.StringIO()
    with Progress(100, 0, stream=stream) as bar:
        for left in range(100, 0, -1):
            clock.now += 0.1
            bar.update(left)
    lines = stream.getvalue().splitlines()
    assert len(lines) in (2, 3)
    assert "\r" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
    assert "1 of 100 columns left" in lines[-1]


def test_nothing_is_written_unless_shown(clock):
    stream = Terminal()
    with Progress(100, 0, shown=False, stream=stream) as bar:
        clock.now += 60
        bar.update(50)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("n_jobs", "done", "left"),
    [
        (1, [10.0], "about 50 s"),
        (1, [10.0, 20.0], "about 1:00"),
        (2, [10.0, 10.0], "about 20 s"),
        (2, [10.0] * 3, "about 20 s"),
        (4, [10.0] * 4, "about 10 s"),  # the last two go in one round
        (8, [10.0], "about 10 s"),
    ],
)
def test_time_left_depends_on_how_many_run_at_a_time(clock, n_jobs, done, left):
    tally = Tally(6, "eliminations", n_jobs=n_jobs, stream=io.StringIO())
    assert tally.line(3.0) == f"[{'.' * 24}] 0 of 6 eliminations, 3 s"
    for seconds in done:
        tally.add(seconds)
    bar = ("#" * (4 * len(done))).ljust(24, ".")
    expected = f"[{bar}] {len(done)} of 6 eliminations, 30 s, {left} to go"
    assert tally.line(30.0) == expected
    for _ in range(6 - len(done)):
        tally.add(1.0)
    assert tally.line(61.0) == f"[{'#' * 24}] 6 of 6 eliminations, 1:01"


def test_a_terminal_sees_the_bar_before_the_first_is_done(clock):
    stream = Terminal()
    with Tally(2, "runs", stream=stream) as tally:
        assert "0 of 2 runs, 0 s" in stream.getvalue()
        clock.now += 9
        tally.add(9.0)
        assert "1 of 2 runs, 9 s, about 9 s to go" in stream.getvalue()
    assert stream.getvalue().count("\n") == 1


def test_elsewhere_runs_are_told_once_in_a_while(clock):
    stream = io.StringIO()
    with Tally(100, "runs", stream=stream) as tally:
        for _ in range(100):
            clock.now += 0.1
            tally.add(0.1)
    lines = stream.getvalue().splitlines()
    assert len(lines) in (2, 3)
    assert lines[-1].endswith("100 of 100 runs, 10 s")


def _late(number, seconds):
    time.sleep(seconds)
    return number


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_results_come_in_the_order_of_the_jobs_and_are_told_when_done(n_jobs):
    import joblib

    told = []
    jobs = [(_late, (k, 0.3 if k == 0 else 0.0)) for k in range(4)]
    with joblib.parallel_config("threading"):
        results = run_all(jobs, n_jobs, done=lambda at, result: told.append((at, result)))
    assert results == [0, 1, 2, 3]
    assert sorted(told) == [(k, k) for k in range(4)]
    assert (told[0] == (0, 0)) == (n_jobs is None)
    assert run_all([], n_jobs) == []


def test_all_columns_kept(clock):
    bar = Progress(3, 3, stream=io.StringIO())
    bar.update(3)
    assert "3 of 3 columns left" in bar.line(0.0)


SPEAKERS = [
    SVMRFE(),
    SVMRFECV(cv=2),
    Grid(SVC(), {"C": [1.0]}, cv=2),
    FeatureScaling(),
    Sieve(budget=1e-6),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", SPEAKERS, ids=lambda one: type(one).__name__)
def test_a_fit_says_nothing_unless_asked(estimator, monkeypatch, capfd):
    monkeypatch.setattr(module, "REDRAW_SECONDS", 0.0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 4)), np.arange(24) % 2
    X[:, 0] += y
    for shown in (False, True):
        stream = Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        (clone(estimator).set_params(progress=True) if shown else clone(estimator)).fit(X, y)
        if not shown or not isinstance(estimator, Sieve):  # which had no time to do anything
            assert bool(stream.getvalue()) == shown
    assert capfd.readouterr().out == ""
