"""``svsieve rank --budget``: everything is chosen, in the time there is."""

import csv

import numpy as np
import pytest

from tests.cli.conftest import write_csv


@pytest.fixture(scope="module")
def quadrants():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    return X, np.where(X[:, 2] * X[:, 5] > 0, "calm", "wild")


def test_the_columns_that_matter_together_are_found_and_written(svsieve, tmp_path, quadrants):
    table = write_csv(tmp_path / "t.csv", *quadrants)
    done = svsieve("rank", table, "--target", "mood", "--budget", "5min", "--out", "res", "--json")
    assert done.code == 0
    facts = done.json()
    assert {"x2", "x5"} <= set(facts["selected"])
    assert facts["target"] == "mood"
    assert facts["nested"]["mean"] > 0.7
    with (tmp_path / "res" / "ranking.csv").open() as file:
        first, second, *_ = csv.DictReader(file)
    assert {first["column"], second["column"]} == {"x2", "x5"}
    assert (tmp_path / "res" / "report.html").stat().st_size > 100_000
    assert (tmp_path / "res" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--budget", "soon"], "--budget must be a time such as 60s"),
        (["--budget", "-3s"], "--budget must be a time such as 60s"),
        (["--budget", "0"], "--budget must be a time such as 60s"),
        (["--budget", "9s", "--kernel", "rbf"], "--kernel cannot be given with --budget"),
        (["--budget", "9s", "--folds", "3"], "--folds cannot be given with --budget"),
        (["--budget", "1e-9s"], "--budget must be a time"),
        (["--budget", "0.000001s"], "--budget must leave time to judge"),
        (["--budget", "9s", "--keep", "y9"], "y9"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(svsieve, tmp_path, quadrants, given, said):
    table = write_csv(tmp_path / "t.csv", *quadrants)
    done = svsieve("rank", table, "--target", "mood", "--out", "res", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "res").exists()
