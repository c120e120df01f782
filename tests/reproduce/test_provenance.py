"""What decides a result, and whether it still comes out."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from svsieve.cli.reproduce import app
from svsieve.reproduce import Effort, compare, find, pages, provenance, run
from svsieve.reproduce.cells import known_from
from svsieve.reproduce.records import Made, check, lacking, read_record
from tests.reproduce.small import Small

runner = CliRunner()


def test_an_experiment_is_made_of_the_modules_it_uses():
    names = provenance.modules_of(find("planas-fig-5.2"))
    assert "svsieve.reproduce.planas.figure_5_2" in names
    assert "svsieve.elimination.schedules" in names
    assert not [name for name in names if ".estimators" in name or ".machines" in name]
    more = provenance.modules_of(find("planas-5.20"))
    assert {"svsieve.estimators.svmrfe", "svsieve.kernels.leaves", "svsieve.native"} <= set(more)
    assert "svsieve.reproduce.planas.criterion" in more
    assert "svsieve.reproduce.pages" not in more  # decides no number
    assert not [name for name in more if name.startswith(("svsieve.cli", "svsieve.reports"))]


CODE = '''"""What it is for."""

notes = "{notes}"
few = 3


def measure(x):
    """Say something."""
    return {factor} * x  # a comment
'''


def _meaning(monkeypatch, code):
    monkeypatch.setattr(provenance, "_source", lambda name: code)
    return provenance._meaning.__wrapped__("svsieve.reproduce.planas.something")


def test_what_a_module_computes_counts_and_what_it_tells_does_not(monkeypatch):
    plain = _meaning(monkeypatch, CODE.format(notes="one", factor=2))
    assert _meaning(monkeypatch, CODE.format(notes="two", factor=2)) == plain
    assert _meaning(monkeypatch, CODE.format(notes="one", factor=2).replace("Say", "Do")) == plain
    assert _meaning(monkeypatch, CODE.format(notes="one", factor=3)) != plain


@pytest.mark.parametrize("part", [provenance.MODULES, provenance.CORE, provenance.DATA])
def test_a_store_made_by_something_else_is_refused_with_the_way_to_go_on(
    tmp_path, monkeypatch, part
):
    run(Small(), Effort.FULL, store=tmp_path / "runs.sqlite")
    there = provenance.fingerprint
    monkeypatch.setattr(provenance, "fingerprint", lambda one: there(one) | {part: "other"})
    with pytest.raises(ValueError, match=f"{part} .*name another file, or delete this one"):
        run(Small(), Effort.FULL, store=tmp_path / "runs.sqlite")


def test_the_command_refuses_such_a_store_in_one_sentence(tmp_path, monkeypatch):
    arguments = ["planas-fig-5.2", "--smoke", "--out", str(tmp_path)]
    assert runner.invoke(app, arguments).exit_code == 0
    there = provenance.fingerprint
    monkeypatch.setattr(
        provenance, "fingerprint", lambda one: there(one) | {provenance.CORE: "other"}
    )
    answer = runner.invoke(app, arguments)
    assert answer.exit_code == 2
    assert "the native core" in answer.output
    assert "--out in another folder" in answer.output


def test_the_data_are_part_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SVSIEVE_DATA", str(tmp_path))
    file = tmp_path / "madelon.npz"
    found = []
    for content in (b"one", b"two"):
        file.write_bytes(content)
        provenance._file_digest.cache_clear()
        found.append(provenance.fingerprint(find("planas-5.20"))[provenance.DATA])
    provenance._file_digest.cache_clear()
    assert found[0] != found[1]


def _kept(experiment, **changed):
    outcome = run(experiment, Effort.FULL)
    known = known_from(experiment, outcome.measurements)
    made = Made.now(experiment, Effort.FULL, outcome, "2001-02-03")
    return replace(made, **changed), known


def test_a_sample_that_comes_out_again_keeps_an_old_page():
    experiment = Small()
    made, known = _kept(experiment, fingerprint={"the code": "another"})
    assert len(made.sample) == 3
    assert "the code" in made.differences(experiment)
    again = check(experiment, made, known, "2001-02-04")
    assert (again.checked.runs, again.checked.numbers, again.checked.other) == (3, 3, 0)
    assert again.differences(experiment) == []
    assert "Run again on 2001-02-04" in again.sentences()
    assert "all equal" in again.sentences()


def test_a_sample_that_gives_other_numbers_says_so():
    experiment = Small()
    made, known = _kept(experiment)
    cell = made.sample[0]["measured"][0]
    cell["values"]["error"] *= 1.0 + 1e-7
    again = check(experiment, made, known, "2001-02-04")
    assert again.checked.other == 1
    assert again.differences(experiment) == ["its numbers: a sample gave others"]
    assert "it is to be run anew" in again.sentences()


def test_without_a_sample_all_runs_of_a_cell_are_made_again_and_some_kept():
    experiment = Small()
    made, known = _kept(experiment, sample=())
    again = check(experiment, made, known, "2001-02-04")
    assert (again.checked.runs, again.checked.numbers, again.checked.other) == (3, 1, 0)
    assert len(again.sample) == 3
    other = [replace(one, measured=replace(one.measured, value=0.3)) for one in known]
    assert check(experiment, made, other, "2001-02-04").checked.other == 1


def test_cells_that_a_table_lacks_are_told():
    experiment = Small()
    _, known = _kept(experiment)
    assert lacking(experiment, known) == []
    some = [one for one in known if one.cell["step"] == 1]
    assert lacking(experiment, some) == [{"C": C, "step": 2} for C in (0.1, 1.0)]
    assert lacking(experiment, []) == []  # nothing can be told


def test_records_are_read_as_they_were_written(tmp_path):
    experiment = Small()
    made, known = _kept(experiment)
    made = check(experiment, made, known, "2001-02-04")
    pages.write(compare(experiment, run(experiment, Effort.FULL).measurements), made, tmp_path)
    assert read_record(tmp_path, experiment.id).sentences() == made.sentences()


def test_the_command_checks_fills_and_says_what_is_old(tmp_path):
    folder = ["--out", str(tmp_path)]
    assert runner.invoke(app, ["planas-fig-5.2", "--full", *folder]).exit_code == 0
    assert "planas-fig-5.2: as here" in runner.invoke(app, ["check", *folder]).output
    answer = runner.invoke(app, ["check", "planas-fig-5.2", *folder])
    assert answer.exit_code == 0, answer.output
    assert "all equal" in answer.output
    assert "all equal" in (tmp_path / "planas-fig-5.2.md").read_text(encoding="utf-8")
    assert "no cell is known" in runner.invoke(app, ["fill", "planas-fig-5.2", *folder]).output
    assert runner.invoke(app, ["judge", *folder]).exit_code == 0
    missing = runner.invoke(app, ["check", "planas-fig-5.10", *folder])
    assert missing.exit_code == 2
    assert "There is no result of planas-fig-5.10" in missing.output


def test_cells_that_a_result_lacks_are_filled_in(tmp_path):
    folder = ["--out", str(tmp_path)]
    assert runner.invoke(app, ["planas-fig-5.10", "--full", *folder]).exit_code == 0
    table = tmp_path / "planas-fig-5.10.csv"
    whole = table.read_text(encoding="utf-8").splitlines()
    some = [line for line in whole if not line.startswith("svsieve.schedules.Reflective")]
    assert len(some) < len(whole)
    table.write_text("\n".join(some) + "\n", encoding="utf-8")
    answer = runner.invoke(app, ["fill", "planas-fig-5.10", *folder])
    assert answer.exit_code == 0, answer.output
    assert sorted(table.read_text(encoding="utf-8").splitlines()) == sorted(whole)
    page = (tmp_path / "planas-fig-5.10.md").read_text(encoding="utf-8")
    assert "1 cells were added on" in page
