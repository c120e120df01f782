"""The other commands, and how the command line behaves as a whole."""

import os
import subprocess
import sys

import numpy as np
import pytest

from svsieve import __version__
from svsieve.cli import app
from tests.cli.conftest import toy, write_csv

COMMANDS = ("rank", "compare", "tune", "describe", "demo", "info", "reproduce")


def test_help_lists_all_commands(svsieve):
    done = svsieve("--help")
    assert done.code == 0
    assert all(command in done.out for command in COMMANDS)
    assert svsieve().out == done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself_with_an_example(svsieve, command):
    done = svsieve(command, "--help", COLUMNS="200")
    assert done.code == 0
    assert "Example" in done.out
    assert f"svsieve {command}" in done.out


def test_an_unknown_command_is_refused_in_one_line(svsieve):
    done = svsieve("sort")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "'sort'" in done.err


def test_info(svsieve):
    facts = svsieve("info", "--json").json()
    assert facts["versions"]["svsieve"] == __version__
    assert facts["extras"]["cli"] is True
    assert __version__ in svsieve("info").out


def test_describe(svsieve, tmp_path):
    X, y = toy()
    X[:, 1] = 5.0
    X[:, 4] = np.where(y == "wild", 1.0, 0.0)
    table = write_csv(tmp_path / "t.csv", X, y)
    facts = svsieve("describe", table, "--target", "mood", "--json").json()
    assert (facts["rows"], facts["columns"]) == (40, 12)
    assert facts["classes"] == {"calm": 20, "wild": 20}
    said = "\n".join(facts["warnings"])
    assert "'x1'" in said
    assert "'x4'" in said
    text = svsieve("describe", table, "--drop", "mood").out
    assert "40 rows, 12 columns" in text
    assert "'x1'" in text
    assert "Nothing odd" not in text


def test_describe_says_so_where_nothing_is_odd(svsieve, table):
    lines = svsieve("describe", table, "--target", "mood").out.splitlines()
    assert lines[-1] == "Nothing odd was found."


def test_demo_ends_with_the_path_of_the_report(svsieve, tmp_path):
    pytest.importorskip("vl_convert")
    done = svsieve("demo", "--out", "here")
    assert (done.code, done.err) == (0, "")
    last = done.out.strip().splitlines()[-1]
    assert last == f"The report: {tmp_path / 'here' / 'report.html'}"
    page = (tmp_path / "here" / "report.html").read_text()
    assert len(page) > 10_000
    assert "load_breast_cancer of scikit-learn" in page
    assert "sha256</" not in page, "a digest is named though no file was read"


def test_demo_is_refused_before_it_begins(svsieve, tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = svsieve("demo", "--out", "taken")
    assert (done.code, done.out) == (2, "")
    assert "'taken'" in done.err
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "there is not enough memory for this table."),
        (
            MemoryError("The table needs 8 TB. Use fewer rows."),
            "The table needs 8 TB. Use fewer rows.",
        ),
    ],
)
def test_memory_that_runs_out_is_told_in_a_sentence(monkeypatch, capsys, error, said):
    def runs_out(**_):
        raise error

    monkeypatch.setattr(app, "app", runs_out)
    assert app.run(["info"]) == 1
    assert capsys.readouterr().err == f"svsieve: {said}\n"


def test_tune(svsieve, table):
    done = svsieve("tune", table, "-t", "mood", "--kernel", "rbf", "--folds", 3, "--json")
    (machine,) = done.json()["machines"]
    assert machine["C"] > 0
    assert machine["gamma"] > 0
    assert 0.5 < machine["accuracy"] <= 1.0
    assert machine["trainings"] >= 1


def test_compare_on_the_same_folds(svsieve, table, tmp_path):
    pytest.importorskip("matplotlib")
    options = ("--folds", 3, "--inner-folds", 3, "--out", "c", "--json")
    done = svsieve("compare", table, "-t", "mood", *options, MPLBACKEND="agg")
    assert (done.code, done.err) == (0, "")
    rows = done.json()["rows"]
    assert len(rows) == 6
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    names = {file.name for file in (tmp_path / "c").iterdir()}
    assert names == {"comparison.csv", "comparison.png", "manifest.json"}
    assert (tmp_path / "c" / "comparison.png").read_bytes()[:4] == b"\x89PNG"


def test_compare_some_and_refuse_unknown_ones(svsieve, table):
    options = ("--folds", 3, "--inner-folds", 3, "--selector", "fisher", "--json")
    rows = svsieve("compare", table, "-t", "mood", *options).json()["rows"]
    assert [row["selector"] for row in rows] == ["Fisher score"]
    done = svsieve("compare", table, "-t", "mood", "--selector", "luck")
    assert done.code == 2
    assert "'luck'" in done.err


def test_a_process_of_its_own_from_the_shell(table):
    command = [sys.executable, "-m", "svsieve.cli", "describe", str(table), "-t", "mood"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "40 rows" in done.stdout
    done = subprocess.run([*command, "--no"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_completion_is_offered(svsieve):
    # Which shell this is cannot be seen from a test.
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = svsieve("--show-completion", "bash", **named)
    assert done.code == 0
    assert "complete" in done.out
