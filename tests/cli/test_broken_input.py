"""Whatever is wrong with the input: exit code 2, one line that names the culprit, no output."""

import gzip
import re
import subprocess
import sys

import numpy as np
import pytest

from svsieve.io import read_table
from tests.cli.conftest import QUICK, toy, write_csv

HEAD = "mood,a,b\n"
ROWS = "".join(f"{'xy'[k % 2]},{k * 7 % 5}.5,{k * 3 % 11}.25\n" for k in range(12))
GOOD = HEAD + ROWS
TARGET = ["--target", "mood"]


def text(content, name="t.csv", options=(*TARGET,)):
    def make(folder):
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        return [name, *options]

    return make


def changed(line, new, options=(*TARGET,)):
    lines = GOOD.splitlines()
    lines[line] = new
    return text("\n".join(lines) + "\n", options=options)


def arrays(options=(), **arrays):
    def make(folder):
        np.savez(folder / "t.npz", **arrays)
        return ["t.npz", *options]

    return make


def beside(content, *options, name="labels.csv"):
    """A good table with row names, and a file of labels."""

    def make(folder):
        X, y = toy(rows=6, columns=3)
        write_csv(folder / "t.csv", X, y, ids=[f"s{k}" for k in range(6)])
        (folder / name).write_text(content)
        return ["t.csv", "--drop", "mood", "--id-column", "id", "--labels", name, *options]

    return make


def with_folder(folder_name, *files):
    def make(folder):
        (folder / "t.csv").write_text(GOOD)
        (folder / folder_name).mkdir()
        for file in files:
            (folder / folder_name / file).write_text("mine")
        return ["t.csv", *TARGET, "--out", folder_name]

    return make


def checkpoint_of_another_table(folder):
    from svsieve.store import RunStore

    RunStore(folder / "run", {"the table": "0" * 64}).close()
    (folder / "t.csv").write_text(GOOD)
    return ["t.csv", *TARGET, "--checkpoint", "run"]


OBJECTS = np.array([{"a": 1}, None], dtype=object)
ONE_CLASS = HEAD + "".join(f"x,{k}.5,{k}\n" for k in range(8))
RARE = GOOD + "z,1,2\nz,2,3\n"
MEASURED = HEAD + "".join(f"{k * 0.37 + 0.01:.3f},{k % 5},{k % 7}\n" for k in range(30))
FAR = GOOD.replace("0.5", "1e200", 1)

CASES = {
    # the file
    "no such file": (lambda folder: ["absent.csv", *TARGET], ["absent.csv"]),
    "a folder": (lambda folder: [str(folder), *TARGET], ["folder"]),
    "an ending that says nothing": (text(GOOD, "t.xyz"), ["t.xyz", ".csv", "parquet"]),
    "an empty file": (text(""), ["t.csv", "empty"]),
    "blank lines only": (text("\n \n"), ["t.csv", "empty"]),
    "a head and no rows": (text(HEAD), ["t.csv", "no rows"]),
    "not UTF-8": (text(GOOD.encode() + b"x,\xe9,1\n"), ["t.csv", "line 14", "0xe9"]),
    "a zero byte": (text(GOOD + "x,\0,1\n"), ["t.csv", "line 14", "zero byte"]),
    "damaged gzip": (text(gzip.compress(GOOD.encode())[:60], "t.csv.gz"), ["t.csv.gz", "gzip"]),
    "no parquet": (text("PAR1 but not quite", "t.parquet"), ["t.parquet", "damaged"]),
    "no archive": (text("no zip", "t.npz"), ["t.npz", "damaged"]),
    "no h5ad": (text("no hdf5", "t.h5ad"), ["t.h5ad", "damaged"]),
    "an archive without X": (arrays(Y=np.eye(3)), ["t.npz", "named X", "Y"]),
    "an archive of objects": (arrays(X=OBJECTS), ["t.npz", "damaged"]),
    "labels of another length": (arrays(X=np.eye(4), y=np.arange(3)), ["t.npz", "y", "4"]),
    "svmlight without a label": (text("1 1:2\nyes 1:3\n", "t.svm", ()), ["line 2", "'yes'"]),
    "svmlight out of order": (text("1 1:2\n0 3:3 2:1\n", "t.svm", ()), ["line 2", "'2:1'"]),
    "a column of svmlight far out": (
        text("1 200000000:1\n0 1:1\n1 5:1\n0 2:1\n", "t.svm", ()),
        ["t.svm", "line 1", "index 200000000", "4 entries"],
    ),
    "a column of svmlight beyond all numbers": (
        text("0 1:1\n1 99999999999999:1\n", "t.svm", ()),
        ["t.svm", "line 2", "index 99999999999999", "2 entries"],
    ),
    # cells
    "a very long cell": (
        changed(4, "x," + "1" * 200_000 + ",2"),
        ["t.csv", "line 5", "'a'", "must be a finite number"],
    ),
    "a quote that is not closed for long": (
        changed(4, 'x,"' + "1," * 2**23 + "1"),
        ["t.csv", "line", "quote"],
    ),
    "a row too short": (changed(4, "x,1"), ["t.csv", "line 5", "3 cells", "Got 2"]),
    "a row too long": (changed(4, "x,1,2,3"), ["t.csv", "line 5", "3 cells", "Got 4"]),
    "a quote that is never closed": (changed(4, 'x,"1,2'), ["t.csv"]),
    "text among numbers": (changed(6, "y,high,2"), ["t.csv", "line 7", "'a'", "'high'"]),
    "an empty cell": (changed(6, "y,,2"), ["t.csv", "line 7", "'a'", "empty"]),
    "a missing value": (changed(6, "y,2,NA"), ["t.csv", "line 7", "'b'", "NA"]),
    "infinity": (changed(6, "y,2,inf"), ["t.csv", "line 7", "'b'", "inf"]),
    "numbers too far out": (text(FAR), ["'a'", "overflow", "1e+200"]),
    "decimal commas and points": (
        text("mood;a;b\nx;1,5;2.5\ny;2,5;1.5\n" * 1),
        ["t.csv", "comma", "point"],
    ),
    "a column of text": (
        text("who,mood,a\n" + "".join(f"n{k},{'xy'[k % 2]},{k}\n" for k in range(12))),
        ["t.csv", "'who'", "'n0'", "id-column"],
    ),
    # names
    "a name twice": (text(GOOD.replace("a,b", "a,a")), ["t.csv", "'a'", "2 times"]),
    "a column without a name": (text(GOOD.replace("a,b", "a,")), ["t.csv", "column 3"]),
    "no target": (text(GOOD, options=()), ["t.csv", "target", "'mood'"]),
    "a target that is not there": (
        text(GOOD, options=("--target", "moood")),
        ["t.csv", "'moood'", "did you mean 'mood'"],
    ),
    "a column to drop that is not there": (
        text(GOOD, options=(*TARGET, "--drop", "c")),
        ["t.csv", "drop", "'c'"],
    ),
    "a column to hold that is not there": (
        text(GOOD, options=(*TARGET, "--keep", "c")),
        ["keep", "'c'"],
    ),
    "ids that are not there": (text(GOOD, options=(*TARGET, "--id-column", "who")), ["'who'"]),
    "ids that repeat": (text(GOOD, options=(*TARGET, "--id-column", "a")), ["'a'", "distinct"]),
    "no column left": (text(GOOD, options=(*TARGET, "--drop", "a", "--drop", "b")), ["no column"]),
    # classes
    "one class": (text(ONE_CLASS), ["t.csv", "'mood'", "two classes", "'x'"]),
    "a class of two rows": (text(RARE), ["'z'", "2 rows"]),
    "a row without a class": (changed(3, ",1,2"), ["t.csv", "'mood'", "row 3"]),
    "a measured target": (text(MEASURED), ["'mood'", "classes"]),
    "a positive class nobody has": (
        text(GOOD, options=(*TARGET, "--positive", "z")),
        ["positive", "'z'", "x, y"],
    ),
    "a row that has no label": (
        beside("who,kind\n" + "".join(f"s{k},{'ab'[k % 2]}\n" for k in range(5))),
        ["labels.csv", "'s5'"],
    ),
    "a row with two labels": (
        beside("who,kind\n" + "".join(f"s{k % 6},{'ab'[k % 2]}\n" for k in range(7))),
        ["labels.csv", "'s0'"],
    ),
    "too few labels": (beside("kind\na\nb\n"), ["labels.csv", "6 rows", "Got 2"]),
    "labels that could be several": (
        beside("kind,sort\n" + "a,b\nb,a\n" * 3),
        ["labels.csv", "'kind'", "'sort'"],
    ),
    # options
    "an unknown rule": (text(GOOD, options=(*TARGET, "--rule", "worst")), ["--rule", "'worst'"]),
    "a rule with nonsense": (
        text(GOOD, options=(*TARGET, "--rule", "tolerance:x")),
        ["tolerance", "'tolerance:x'"],
    ),
    "an unknown kernel": (text(GOOD, options=(*TARGET, "--kernel", "cubic")), ["'cubic'"]),
    "an unknown metric": (text(GOOD, options=(*TARGET, "--scoring", "luck")), ["'luck'"]),
    "a penalty of nothing": (text(GOOD, options=(*TARGET, "--C", "0")), ["'C'"]),
    "one fold": (text(GOOD, options=(*TARGET, "--folds", "1")), ["'folds'", "1"]),
    "no time": (text(GOOD, options=(*TARGET, "--time-limit", "0")), ["--time-limit"]),
    "no processes": (text(GOOD, options=(*TARGET, "--jobs", "0")), ["--jobs", "0"]),
    "an unknown option": (text(GOOD, options=(*TARGET, "--fold", "3")), ["--fold"]),
    "a number that is none": (text(GOOD, options=(*TARGET, "--seed", "x")), ["--seed", "integer"]),
    "a report of another kind": (
        text(GOOD, options=(*TARGET, "--report", "report.pdf")),
        ["--report", "'report.pdf'"],
    ),
    # places
    "results over someone's files": (with_folder("o", "notes.txt"), ["'o'", "'notes.txt'"]),
    "results in no folder": (text(GOOD, options=(*TARGET, "--out", "no/o")), ["/no'"]),
    "results beside a table": (text(GOOD, options=(*TARGET, "--out", ".")), ["'.'", "no result"]),
    "a checkpoint in no folder": (
        text(GOOD, options=(*TARGET, "--checkpoint", "no/run")),
        ["no/run"],
    ),
    "a checkpoint that is none": (
        text(GOOD, options=(*TARGET, "--checkpoint", "t.csv")),
        ["t.csv", "none of svsieve's"],
    ),
    "a checkpoint of another table": (checkpoint_of_another_table, ["another run", "the table"]),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_in_one_line_and_nothing_is_written(svsieve, tmp_path, case):
    make, culprits = CASES[case]
    if "h5ad" in case:
        pytest.importorskip("anndata")
    arguments = make(tmp_path)
    before = contents(tmp_path)
    if "--out" not in arguments:
        arguments = [*arguments, "--out", "results"]
    if "--kernel" not in arguments:
        arguments = [*arguments, *QUICK[:2]]
    done = svsieve("rank", *arguments)
    assert done.code == 2, done.err
    assert done.out == ""
    assert re.fullmatch(r"svsieve: [^\n]+\n", done.err), done.err
    for culprit in culprits:
        assert culprit in done.err, done.err
    assert contents(tmp_path) == before


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".streams" not in path.parts
    }


def test_what_is_not_installed_is_named(tmp_path, monkeypatch):
    """Without anndata an h5ad file is bad input, and the extra to install is said."""
    (tmp_path / "t.h5ad").write_text("no hdf5")
    (tmp_path / "anndata.py").write_text("raise ImportError('No module named anndata')")
    code = "import sys; from svsieve.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "rank", "t.h5ad", *TARGET],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.fullmatch(r"svsieve: t\.h5ad: [^\n]+'svsieve\[anndata\]'\.\n", done.stderr)
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"svsieve\[anndata\]"):
        read_table(tmp_path / "t.h5ad", target="a")
