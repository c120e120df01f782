"""``svsieve reproduce`` at the command line."""

import json
from inspect import signature

import pytest
from typer.testing import CliRunner

from svsieve.cli.reproduce import app
from svsieve.reproduce.smets.network_machines import networks

# Before click 8.2 both streams are one unless it is told otherwise.
APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
runner = CliRunner(**APART)


def test_the_list_for_machines_has_an_id_in_every_entry():
    answer = runner.invoke(app, ["list", "--json"])
    entries = json.loads(answer.stdout)
    ids = [entry["id"] for entry in entries]
    assert "planas-5.2" in ids
    parts = {entry["id"]: entry["part_of"] for entry in entries}
    assert parts["planas-5.3"] == "planas-5.2"
    assert parts["planas-5.2"] is None


def test_the_list_says_which_data_are_missing(tmp_path, monkeypatch):
    (tmp_path / "ida_image.npz").touch()
    monkeypatch.setenv("SVSIEVE_DATA", str(tmp_path))
    entries = json.loads(runner.invoke(app, ["list", "--json"]).stdout)
    missing = {entry["id"]: entry["missing"] for entry in entries}
    assert missing["smets-b.7"] == []
    assert missing["smets-b.8"] == ["ida-splice"]
    assert missing["smets-5.5"] == []
    assert "needs data" in runner.invoke(app, ["list"]).stdout


def test_a_library_that_is_not_installed_is_named(tmp_path, monkeypatch):
    def without(*_, **__):
        raise ImportError("make_random_networks needs networkx")

    monkeypatch.setattr("svsieve.reproduce.smets.network_machines.make_random_networks", without)
    networks.cache_clear()
    answer = runner.invoke(app, ["smets-fig-e.1", "--smoke", "--out", str(tmp_path)])
    assert answer.exit_code == 2
    assert "needs networkx" in answer.stderr


def test_the_list_for_people():
    answer = runner.invoke(app, ["list"])
    assert answer.exit_code == 0
    assert "rakotomamonjy-4" in answer.stdout


def test_a_table_is_run_and_written(tmp_path):
    answer = runner.invoke(app, ["planas-fig-5.10", "--smoke", "--out", str(tmp_path)])
    assert answer.exit_code == 0, answer.output
    assert "agrees 29" in answer.stdout
    names = {path.name for path in tmp_path.iterdir()}
    assert {f"planas-fig-5.10.{ending}" for ending in ("csv", "svg", "md")} <= names


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planas-5.99"], "Did you mean"),
        (["planas-5.2", "--smoke", "--full"], "Only one of --smoke, --quick and --full"),
    ],
)
def test_bad_input_ends_with_one_line_and_two(arguments, sentence):
    answer = runner.invoke(app, arguments)
    assert answer.exit_code == 2
    assert sentence in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_missing_data_is_missed_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setenv("SVSIEVE_DATA", str(tmp_path))
    answer = runner.invoke(app, ["planas-5.20", "--smoke", "--out", str(tmp_path / "out")])
    assert answer.exit_code == 2
    assert "madelon.npz" in answer.stderr
    assert "SVSIEVE_DATA" in answer.stderr
    assert not (tmp_path / "out").exists()
