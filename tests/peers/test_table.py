"""What `make peers` calls a difference from its table."""

from __future__ import annotations

import pytest
from sklearn.base import BaseEstimator

import svsieve
from tests.peers import __main__ as peers
from tests.peers import adapters
from tests.peers.checks import ESTIMATORS
from tests.peers.table import NOT_APPLICABLE, PASSED, Outcome, Row, compare, lost, matches, read

ROW = Row(["a.py::test[*-x]"], "no such kernel", "why", "svsieve.SVC", "support vector")
FAILED = Outcome("failed", "first line\nValueError: no such kernel")


def test_what_the_table_says_is_no_difference():
    found = {"a.py::test[1-x]": FAILED, "a.py::test[1-y]": Outcome(PASSED)}
    assert compare(found, [ROW]) == []


@pytest.mark.parametrize(
    ("found", "rows", "said"),
    [
        (
            {"a.py::other": FAILED},
            [],
            "failed, and not in the table. ValueError: no such",
        ),
        ({"a.py::other": Outcome("skipped", "no array API")}, [], "skipped, and not in the table"),
        ({"a.py::test[1-x]": Outcome(PASSED)}, [ROW], "passed, take it out of the table"),
        ({"a.py::test[1-x]": Outcome(NOT_APPLICABLE)}, [ROW], "not applicable, take it out"),
        ({"a.py::test[1-x]": Outcome("failed", "crash")}, [ROW], "otherwise than the table says"),
        ({"a.py::test[1-x]": FAILED}, [ROW, ROW], "in the table more than once"),
        ({}, [ROW], "a.py::test[*-x]: no such test, take it out"),
    ],
)
def test_differences(found, rows, said: str):
    (line,) = compare(found, rows)
    assert said in line


def test_brackets_are_meant_as_they_are():
    assert matches("a.py::test[*]", "a.py::test[1[2]-x]")
    assert not matches("a.py::test[*]", "a.py::test1")
    assert not matches("a.py::test", "a.py::test[1]")


def test_a_sentence_that_is_gone():
    gone = Row([], "", "", "svsieve.SVC", "has never been said")
    nowhere = Row([], "", "", "how_to/no_such_page.md", "anything")
    assert lost([ROW, gone, nowhere]) == [
        "svsieve.SVC: does not say 'has never been said'.",
        "how_to/no_such_page.md: does not say 'anything'.",
    ]


def test_every_sentence_of_the_table_is_said():
    _, rows = read()
    assert lost(rows) == []
    assert all(row.tests and row.fails and row.reason for row in rows)


@pytest.mark.parametrize(("meant", "code"), [("here", 1), ("another", 0)])
def test_another_version_of_scikit_learn_is_told_only(monkeypatch, capsys, meant: str, code: int):
    monkeypatch.setattr(peers, "version", lambda name: "here")
    monkeypatch.setattr(peers, "read", lambda: (meant, [ROW]))
    monkeypatch.setattr(peers, "run", lambda jobs: {"test_svm.py::test": FAILED})
    monkeypatch.setattr("sys.argv", ["peers"])
    assert peers.main() == code
    said = capsys.readouterr().out
    assert "test_svm.py::test: failed, and not in the table" in said
    assert "2 differences" in said
    assert ("told only" in said) == (code == 0)


def test_every_estimator_is_checked():
    public = {getattr(svsieve, name) for name in svsieve.__all__}
    wanted = {one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)}
    assert wanted == {type(one) for one in ESTIMATORS}


def test_adapters_rename_parameters():
    rfe = adapters.RFE(adapters.linear_svc(), n_features_to_select=3, step=0.5, verbose=1)
    assert (rfe.n_features_to_select, rfe.step.share, rfe.progress) == (3, 0.5, True)
    assert adapters.RFECV(rfe.estimator, step=2).cv == 5
    with pytest.raises(TypeError, match="importance_getter"):
        adapters.RFE(rfe.estimator, importance_getter="coef_")
