"""The line that is shown while columns are eliminated."""

import io

import pytest

from svsieve.estimators import progress as module
from svsieve.estimators.progress import Progress


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


def test_all_columns_kept(clock):
    bar = Progress(3, 3, stream=io.StringIO())
    bar.update(3)
    assert "3 of 3 columns left" in bar.line(0.0)
