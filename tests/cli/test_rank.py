"""svsieve rank: the same answer from every kind of file, and all that it writes."""

import csv
import gzip
import json
import warnings

import numpy as np
import pytest

from svsieve.elimination import Path
from tests.cli.conftest import QUICK, toy, write_csv

FILES = {"ranking.csv", "report.html", "path.npz", "manifest.json"}


def ranking(folder):
    with (folder / "ranking.csv").open() as handle:
        return list(csv.DictReader(handle))


def test_ranks_prints_and_writes(svsieve, table, tmp_path):
    pytest.importorskip("vl_convert")
    done = svsieve("rank", table, "--target", "mood", *QUICK, "--out", "results")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Keep ")
    assert "x2" in done.out.splitlines()[4]
    assert "\x1b" not in done.out  # no colours where nobody sees them
    folder = tmp_path / "results"
    assert {file.name for file in folder.iterdir()} == FILES
    rows = ranking(folder)
    assert [row["rank"] for row in rows] == [str(k + 1) for k in range(12)]
    assert rows[0] | {"score": ""} == {
        "rank": "1",
        "column": "x2",
        "kept": "1",
        "score": "",
        "selection_frequency": "1.0",
    }
    path = Path.load(folder / "path.npz")
    assert [path.column_names[j] for j in path.order] == [row["column"] for row in rows]
    assert "<script>alert" not in (folder / "report.html").read_text()


def test_the_manifest_tells_how_it_came_about(svsieve, table, tmp_path):
    import hashlib

    done = svsieve(
        "rank", table, "-t", "mood", *QUICK, "--seed", 7, "-o", "results", "--report", "report.md"
    )
    assert done.code == 0
    manifest = json.loads((tmp_path / "results" / "manifest.json").read_text())
    assert manifest["sha256"] == {"table.csv": hashlib.sha256(table.read_bytes()).hexdigest()}
    assert manifest["seed"] == manifest["options"]["seed"] == 7
    assert manifest["options"]["rule"] == "one-se"
    assert {"svsieve", "numpy", "scikit-learn", "python"} <= set(manifest["versions"])
    assert manifest["seconds"] >= 0
    for name, digest in manifest["files"].items():
        data = (tmp_path / "results" / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == digest
    assert set(manifest["files"]) == {"ranking.csv", "path.npz", "report.md"}


def test_json_is_all_that_is_printed(svsieve, table):
    done = svsieve("rank", table, "--target", "mood", *QUICK, "--json")
    facts = done.json()
    assert done.code == 0
    assert facts["selected"][0] == "x2"
    assert facts["n_selected"] == len(facts["selected"])
    assert 0.5 < facts["nested"]["mean"] <= 1.0
    assert len(facts["ranking"]) == 12
    assert np.sum(facts["confusion"]) == 40
    assert facts["classes"] == {"calm": 20, "wild": 20}


def in_every_form(folder):
    """The same table in many files, with the options that read it."""
    X, y = toy()
    names = [f"x{j}" for j in range(12)]
    ids = [f"s{k}" for k in range(40)]
    write_csv(folder / "comma.csv", X, y)
    yield "comma", ["comma.csv", "--target", "mood"]
    write_csv(folder / "decimal.csv", X, y, delimiter=";", decimal=",")
    yield "semicolon and decimal comma", ["decimal.csv", "--target", "mood"]
    write_csv(folder / "tab.tsv", X, y, delimiter="\t", ids=ids)
    yield "tab", ["tab.tsv", "--target", "mood", "--id-column", "id"]
    plain = (folder / "comma.csv").read_bytes()
    (folder / "packed.csv.gz").write_bytes(gzip.compress(plain))
    yield "gz", ["packed.csv.gz", "--target", "mood"]
    turned = [["gene", *ids], ["mood", *y]]
    turned += [[name, *map(repr, X[:, j].tolist())] for j, name in enumerate(names)]
    (folder / "turned.csv").write_text("\n".join(",".join(line) for line in turned) + "\n")
    yield "transposed", ["turned.csv", "--transpose", "--target", "mood"]
    genes = [ids, *turned[2:]]  # as R writes it: nothing above the names of the rows
    (folder / "genes.tsv").write_text("\n".join("\t".join(line) for line in genes) + "\n")
    shuffled = np.random.default_rng(3).permutation(40)
    lines = ["sample,mood,age", *(f"{ids[k]},{y[k]},{k}" for k in shuffled)]
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    yield (
        "transposed with labels",
        [
            "genes.tsv",
            "--transpose",
            "--labels",
            "labels.csv",
            "--target",
            "mood",
        ],
    )
    np.savez(folder / "arrays.npz", X=X, y=y, names=np.array(names))
    yield "npz", ["arrays.npz"]
    yield "parquet", parquet(folder, X, y, names)


def parquet(folder, X, y, names):
    import pyarrow as pa
    from pyarrow import parquet as files

    columns = {"mood": pa.array(y.tolist())}
    columns |= {name: pa.array(X[:, j]) for j, name in enumerate(names)}
    files.write_table(pa.table(columns), folder / "table.parquet")
    return ["table.parquet", "--target", "mood"]


def test_every_kind_of_file_gives_the_same_ranking(svsieve, tmp_path):
    expected = None
    for name, arguments in in_every_form(tmp_path):
        done = svsieve("rank", *arguments, *QUICK, "--out", "r", "--report", "report.md", "--json")
        assert (done.code, done.err) == (0, ""), name
        found = (tmp_path / "r" / "ranking.csv").read_text()
        expected = expected or found
        assert found == expected, name


def test_svmlight_names_columns_by_their_numbers(svsieve, tmp_path):
    from sklearn.datasets import dump_svmlight_file

    X, y = toy()
    dump_svmlight_file(X, np.where(y == "wild", 1, -1), str(tmp_path / "t.svm"), zero_based=False)
    done = svsieve("rank", "t.svm", *QUICK, "--json")
    table = write_csv(tmp_path / "t.csv", X, y)
    named = svsieve("rank", table, "--target", "mood", *QUICK, "--json").json()
    facts = done.json()
    assert facts["classes"] == {"-1": 20, "1": 20}
    expected = [str(int(row["column"][1:]) + 1) for row in named["ranking"]]
    assert [row["column"] for row in facts["ranking"]] == expected


def test_h5ad(svsieve, tmp_path):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    X, y = toy()
    names, ids = [f"x{j}" for j in range(12)], [f"s{k}" for k in range(40)]
    obs = pandas.DataFrame({"mood": pandas.Categorical(y)}, index=pandas.Index(ids, dtype=object))
    var = pandas.DataFrame(index=pandas.Index(names, dtype=object))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of anndata's, about pandas
        anndata.AnnData(X, obs=obs, var=var).write_h5ad(tmp_path / "cells.h5ad")
    done = svsieve("rank", "cells.h5ad", "--target", "mood", *QUICK, "--json")
    assert done.json()["selected"][0] == "x2"


def test_columns_can_be_left_out_used_alone_and_held(svsieve, table):
    def names(*options):
        found = svsieve("rank", table, "-t", "mood", *QUICK, *options, "--json").json()
        return [row["column"] for row in found["ranking"]], found["selected"]

    assert "x2" not in names("--drop", "x2", "--drop", "x3")[0]
    assert sorted(names("--only", "x1", "--only", "x2")[0]) == ["x1", "x2"]
    assert "x7" in names("--keep", "x7")[1]


def test_the_positive_class_is_told_from_all_others(svsieve, tmp_path):
    X, y = toy()
    y = np.where((y == "calm") & (np.arange(40) % 4 == 0), "tired", y)
    table = write_csv(tmp_path / "three.csv", X, y)
    facts = svsieve("rank", table, "-t", "mood", *QUICK, "--json").json()
    assert list(facts["classes"]) == ["calm", "tired", "wild"]
    options = ("--positive", "wild", "--scoring", "f1", "--json")
    facts = svsieve("rank", table, "-t", "mood", *QUICK, *options).json()
    assert facts["classes"] == {"not wild": 20, "wild": 20}
    assert facts["nested"]["metric"] == "f1"


def test_rules_and_limits(svsieve, table):
    def size(*options):
        return svsieve("rank", table, "-t", "mood", *QUICK, *options, "--json").json()["n_selected"]

    assert size("--at-most", 1) == 1
    assert size("--rule", "tolerance:1") == 1
    assert size("--rule", "scalarised:0,1") == 1
    assert size("--rule", "best") >= size("--rule", "one-se")


def test_hostile_names_are_text_everywhere(svsieve, tmp_path):
    pytest.importorskip("vl_convert")
    X, y = toy(columns=6)
    names = ["=cmd()", "<script>alert(1)</script>", "a" * 10_000, "\u202eltr", "@x", "\x1b[2J"]
    lines = [",".join(["mood", *names])]
    lines += [",".join([label, *map(repr, row)]) for label, row in zip(y, X.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = svsieve("rank", "t.csv", "-t", "mood", *QUICK, "--out", "r")
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    written = [row["column"] for row in ranking(tmp_path / "r")]
    assert {"'=cmd()", "'@x"} <= set(written)
    assert "<script>alert(1)" not in (tmp_path / "r" / "report.html").read_text()
    exact = Path.load(tmp_path / "r" / "path.npz").column_names
    assert set(exact) == set(names)


def test_results_are_replaced_by_those_of_the_next_run(svsieve, table, tmp_path):
    options = ("rank", table, "-t", "mood", *QUICK, "--out", "r", "--report", "report.md")
    assert svsieve(*options).code == 0
    first = (tmp_path / "r" / "ranking.csv").read_text()
    assert svsieve(*options, "--drop", "x2").code == 0
    assert (tmp_path / "r" / "ranking.csv").read_text() != first
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", "r", ".streams"}


def test_two_processes_give_what_one_gives(svsieve, table, tmp_path):
    for jobs in (1, 2):
        options = ("--jobs", jobs, "--out", f"r{jobs}", "--report", "report.md")
        assert svsieve("rank", table, "-t", "mood", *QUICK, *options).code == 0
    for name in ("ranking.csv", "path.npz", "report.md"):
        assert (tmp_path / "r1" / name).read_bytes() == (tmp_path / "r2" / name).read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_tuned_machines_rank(svsieve, tmp_path, jobs):
    """C and gamma are found on the rows of each fold, and are in the checkpoint with the rest."""
    from svsieve.store import RunStore

    table = write_csv(tmp_path / "table.csv", *toy(rows=90, columns=6))
    options = ("--kernel", "rbf", "--folds", 3, "--inner-folds", 3, "--tune", "--jobs", jobs)
    rank = ("rank", table, "-t", "mood", *options, "--checkpoint", "run", "--json")
    done = svsieve(*rank)
    assert (done.code, done.err) == (0, "")
    found = done.json()
    assert "x2" in [one["column"] for one in found["ranking"][:2]]
    assert found["nested"]["mean"] > 0.75
    with RunStore(tmp_path / "run") as store:
        tunings = [store.result(key).facts["values"] for key in store.done() if "tuning" in key]
    assert len(tunings) == 4  # all rows, and those of three outer folds
    values = {tuple(sorted(one.items())) for one in tunings}
    assert len(values) == 4, "all folds have the same C and gamma: they saw the same rows"
    again = svsieve(*rank)
    assert again.json()["nested"] == found["nested"]
    plain = svsieve(*(word for word in rank if word not in ("--tune", "--checkpoint", "run")))
    assert plain.json()["nested"] != found["nested"]


def test_what_is_no_better_than_chance_is_said_to_be(svsieve, tmp_path):
    X, _ = toy(rows=40, columns=30)
    noise = np.array(["calm", "wild"])[np.random.default_rng(3).permutation(40) % 2]
    X[:, 2] = np.random.default_rng(4).normal(size=40).round(6)
    file = write_csv(tmp_path / "noise.csv", X, noise)
    done = svsieve("rank", file, "-t", "mood", *QUICK)
    assert done.code == 0
    second = done.out.splitlines()[1]
    assert second == "That is not clearly better than chance, 50%: do not rely on this ranking."
    X, mood = toy(rows=80)
    X[:, 2] += 5.0 * (mood == "wild")
    clear = write_csv(tmp_path / "clear.csv", X, mood)
    assert "do not rely" not in svsieve("rank", clear, "-t", "mood", *QUICK).out
