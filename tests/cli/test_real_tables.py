"""Real tables as people have them; left out where the data sets are not there."""

import csv

import numpy as np
import pytest

from svsieve.datasets import MissingDataError, load_public
from tests.cli.conftest import write_csv


def load(name):
    try:
        return load_public(name)
    except MissingDataError as error:
        pytest.skip(str(error))


OPTIONS = ("--kernel", "linear", "--out", "r", "--report", "report.md")


def ranking(folder):
    with (folder / "ranking.csv").open() as handle:
        return [(row["column"], row["kept"]) for row in csv.DictReader(handle)]


def test_colon_in_both_orientations_and_other_forms(svsieve, tmp_path):
    data = load("colon")
    X, y = np.log(data.X), np.asarray(data.y)
    ids = [f"s{k}" for k in range(len(y))]
    write_csv(tmp_path / "a.csv", X, y, target="tissue", ids=ids)
    write_csv(tmp_path / "b.csv", X, y, target="tissue", ids=ids, delimiter=";", decimal=",")
    lines = [["gene", *ids], ["tissue", *y.tolist()]]
    lines += [[f"x{j}", *map(repr, X[:, j].tolist())] for j in range(X.shape[1])]
    (tmp_path / "c.csv").write_text("\n".join(",".join(line) for line in lines) + "\n")
    found = []
    for arguments in (
        ["a.csv", "--target", "tissue", "--id-column", "id"],
        ["b.csv", "--target", "tissue", "--id-column", "id"],
        ["c.csv", "--target", "tissue", "--transpose"],
    ):
        assert svsieve("rank", *arguments, *OPTIONS).code == 0
        found.append((tmp_path / "r" / "ranking.csv").read_bytes())
    assert found[0] == found[1] == found[2]
    expected = ranking(tmp_path / "r")

    from sklearn.datasets import dump_svmlight_file

    tumour = (y == "tumour").astype(int)
    dump_svmlight_file(X, tumour, str(tmp_path / "d.svmlight"), zero_based=False)
    assert svsieve("rank", "d.svmlight", *OPTIONS).code == 0
    assert ranking(tmp_path / "r") == [(str(int(name[1:]) + 1), kept) for name, kept in expected]


def test_madelon_from_parquet_finds_the_columns_that_matter(svsieve, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    data = load("madelon")
    rows = data.more["train_idx"]
    X, y = data.X[rows], data.y[rows]
    columns = {"y": pa.array(y)} | {f"x{j}": pa.array(X[:, j]) for j in range(500)}
    parquet.write_table(pa.table(columns), tmp_path / "madelon.parquet")
    options = ("--kernel", "rbf", "--folds", 2, "--inner-folds", 2, "--json")
    facts = svsieve("rank", "madelon.parquet", "--target", "y", *options).json()
    relevant = {f"x{j}" for j in data.more["relevant"].tolist()}
    best = [row["column"] for row in facts["ranking"][:20]]
    assert set(best[:10]) <= relevant
    assert len(relevant.intersection(best)) >= 18
