"""The engine that draws the page: where addresses are limited it has a process of its own."""

import resource

import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("altair")

from svsieve.errors import PageError
from svsieve.reports.html import drawing, engine

SPECS = {
    "one": {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": [{"a": 1, "b": 2}]},
        "mark": "point",
        "encoding": {"x": {"field": "a", "type": "quantitative"}},
    }
}


@pytest.fixture
def limited(monkeypatch):
    monkeypatch.setattr(drawing, "_libraries", {})
    monkeypatch.setattr(resource, "getrlimit", lambda _: (7 * 10**9, resource.RLIM_INFINITY))


def test_another_process_draws_the_same(limited, monkeypatch):
    elsewhere = drawing.drawn(SPECS)
    monkeypatch.undo()
    libraries, pictures = drawing.drawn(SPECS)
    assert elsewhere[1] == pictures
    assert pictures["one"].startswith("<svg")
    # The bundler numbers what it puts together anew each time.
    assert abs(len(elsewhere[0]) - len(libraries)) < 0.01 * len(libraries)
    assert "</script" not in elsewhere[0]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTRAP)", "ended with SIGTRAP"),
        ("raise MemoryError('no room')", "ended with MemoryError: no room"),
        ("raise SystemExit(3)", "ended with code 3"),
    ],
)
def test_an_engine_that_breaks_is_an_error_of_the_page_alone(
    limited, monkeypatch, tmp_path, program, message
):
    file = tmp_path / "engine.py"
    file.write_text(program)
    monkeypatch.setattr(engine, "__file__", str(file))
    with pytest.raises(PageError, match=message):
        drawing.drawn(SPECS)
