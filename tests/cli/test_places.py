"""Where results go, and what is printed where they cannot go there."""

import json
import os
import subprocess
import sys

import pytest

from svsieve.cli import results
from svsieve.cli.results import Written, answer, write_folder
from svsieve.errors import PageError
from tests.cli.conftest import QUICK

RANK = ("rank", "table.csv", "--target", "mood", *QUICK, "--report", "report.md")


def test_results_behind_a_link(svsieve, table, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for _ in range(2):
        done = svsieve(*RANK, "--out", "link")
        assert (done.code, done.err) == (0, "")
        assert "link/ranking.csv" in done.out
    assert (tmp_path / "link").is_symlink()
    names = {file.name for file in (tmp_path / "real").iterdir()}
    assert names == {"ranking.csv", "path.npz", "report.md", "manifest.json"}
    assert {file.name for file in tmp_path.iterdir()} == {"real", "link", "table.csv", ".streams"}


def small_files_only():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))


@pytest.mark.parametrize("as_json", [False, True])
def test_a_disk_that_is_full_costs_no_ranking(svsieve, table, tmp_path, as_json):
    pytest.importorskip("resource")
    options = [*map(str, RANK), *["--json"] * as_json]
    expected = svsieve(*options)
    done = subprocess.run(
        [sys.executable, "-m", "svsieve", *options, "--out", "r", "--checkpoint", "run"],
        cwd=tmp_path,
        preexec_fn=small_files_only,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 1
    notes, problem = done.stderr.splitlines()
    assert "Run store 'run' could not be written" in notes
    assert "The results could not be written to 'r' (File too large)" in problem
    if as_json:
        assert json.loads(done.stdout) == expected.json()
    else:
        assert done.stdout.splitlines() == expected.out.splitlines()[:-1]
    assert {file.name for file in tmp_path.iterdir()} == {"table.csv", ".streams"}


def test_a_page_that_cannot_be_drawn_is_left_out(tmp_path):
    def fails(file):
        file.write_text("half a page")
        raise PageError("the engine broke.")

    makers = {"a.txt": lambda file: file.write_text("a"), "report.html": fails}
    written = write_folder(tmp_path / "r", makers, {})
    assert [file.name for file in written.files] == ["a.txt", "manifest.json"]
    assert written.problems == ["report.html was not written: the engine broke."]
    assert {file.name for file in (tmp_path / "r").iterdir()} == {"a.txt", "manifest.json"}


def test_what_is_written_does_not_depend_on_who_reads_the_answer(monkeypatch):
    def gone():
        raise BrokenPipeError

    done = []
    with pytest.raises(BrokenPipeError):
        answer(gone, None, lambda: done.append("written") or Written())
    assert done == ["written"]


def test_the_answer_is_printed_before_anything_is_written(capsys, monkeypatch):
    def write():
        assert capsys.readouterr().out == "the answer\n"
        return Written(problems=["It could not be written."])

    with pytest.raises(results.typer.Exit) as ending:
        answer(lambda: print("the answer"), None, write)  # noqa: T201
    assert ending.value.exit_code == 1
    assert capsys.readouterr().err == "svsieve: It could not be written.\n"
