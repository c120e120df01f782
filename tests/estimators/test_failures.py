"""A fold or a cell that fails unexpectedly: its own exception, its name, the others kept."""

import json

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from svsieve import SVC, SVMRFE, SVMRFECV, Grid, RunStore, analyse, evaluate, validate
from svsieve.estimators import eliminations

MARK = 77.0
CASES = [("sequential", 1), ("loky", 2), ("threading", 2)]


class NeedsMarkedRow(TransformerMixin, BaseEstimator):
    """Leaves rows alone and fails where the marked one is not among them."""

    def __init__(self, strict=True):
        self.strict = strict

    def fit(self, X, y=None):
        if self.strict and not (X[:, 0] == MARK).any():
            raise KeyError("no such row")
        self.fitted_ = True
        return self

    def transform(self, X):
        return X


@pytest.fixture
def table():
    """Rows of which one, held out by the third of five folds, is marked."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 8)), np.arange(50) % 2
    third = list(StratifiedKFold(5).split(X, y))[2][1]
    X[third[0], 0] = MARK
    return X, y


def machine(strict=True):
    return make_pipeline(NeedsMarkedRow(strict), SVC(kernel="linear"))


def done(file):
    with RunStore(file) as store:
        return {json.loads(key)["elimination"] for key in store.done()}


@pytest.mark.parametrize(("backend", "n_jobs"), CASES)
def test_a_fold_of_a_selection(table, tmp_path, backend, n_jobs):
    file = tmp_path / "run"
    selector = SVMRFECV(machine(), n_jobs=n_jobs, checkpoint=file)
    with joblib.parallel_config(backend=backend), pytest.raises(KeyError, match="no such row") as e:
        selector.fit(*table)
    assert e.value.__notes__ == ['This happened in the run {"elimination": "fold 3"}.']
    kept = done(file)
    assert "fold 3" not in kept
    if n_jobs == 1:
        assert kept == {"all rows", "fold 1", "fold 2"}


@pytest.mark.parametrize(("backend", "n_jobs"), CASES)
def test_a_cell_of_a_grid(table, tmp_path, backend, n_jobs):
    values = {"C": [0.1, 1.0], "needsmarkedrow__strict": [True, False]}
    grid = Grid(machine(), values, n_jobs=n_jobs, store=tmp_path / "grid")
    with (
        joblib.parallel_config(backend=backend),
        pytest.warns(UserWarning, match=r"2 of 4 cells of the grid failed; .*KeyError.*fold 3"),
    ):
        grid.fit(*table)
    failed = [cell.settings["needsmarkedrow__strict"] for cell in grid.cells_ if cell.failure]
    assert failed == [True, True]
    assert sum(cell.curve is not None for cell in grid.cells_) == 2


@pytest.mark.parametrize(("backend", "n_jobs"), CASES)
def test_a_cell_for_which_memory_is_short_is_named(table, backend, n_jobs):
    selector = make_pipeline(ShortOfMemory(), SVC(kernel="linear"))
    with joblib.parallel_config(backend=backend), pytest.raises(MemoryError) as caught:
        Grid(selector, {"C": [2.0]}, n_jobs=n_jobs).fit(*table)
    assert caught.value.__notes__[-1] == 'This happened in the cell {"C": 2.0}.'


class ShortOfMemory(NeedsMarkedRow):
    """Fails as a table that is too large does."""

    def fit(self, X, y=None):
        raise MemoryError


def test_an_outer_fold_of_an_evaluation(table):
    X, y = table
    with pytest.raises(KeyError) as caught:
        evaluate(SVMRFE(machine(), n_features_to_select=X.shape[1]), X, y, cv=5)
    assert caught.value.__notes__[-1] == "This happened in outer fold 3."


def test_a_fold_of_a_validation(table):
    X, y = table
    with pytest.raises(KeyError) as caught:
        validate([3, 1, 0], AsksForMark(), X, y, sizes=[3], cv=5)
    assert caught.value.__notes__ == ["This happened in fold 3."]


class AsksForMark(BaseEstimator):
    """Says the same of all rows, and wants the marked one among those it learns from."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        if not (X == MARK).any():
            raise KeyError("no such row")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))

    def score(self, X, y):
        return float((self.predict(X) == y).mean())


@pytest.fixture
def broken_fold(monkeypatch):
    """Let the second inner fold fail wherever there is one."""
    plain = eliminations.run_fold

    def run_fold(plan, X, y, weights, fold):
        if fold.number == 2:
            raise ZeroDivisionError("a slip")
        return plain(plan, X, y, weights, fold)

    monkeypatch.setattr(eliminations, "run_fold", run_fold)


def test_a_fold_of_an_analysis(table, broken_fold, tmp_path):
    file = tmp_path / "run"
    with pytest.raises(ZeroDivisionError, match="a slip") as caught:
        analyse(*table, kernels=("linear",), folds=3, inner_folds=3, checkpoint=file)
    (note,) = caught.value.__notes__
    assert "fold 2" in note
    assert "all rows" in note
    with RunStore(file) as store:
        assert len(store.done()) == 2


def test_a_fold_of_the_command(broken_fold, table, tmp_path, capsys):
    pytest.importorskip("typer")
    from svsieve.cli.app import run

    X, y = table
    file = tmp_path / "table.csv"
    rows = np.column_stack([X, y])
    names = [*(f"x{j}" for j in range(X.shape[1])), "kind"]
    np.savetxt(file, rows, fmt="%.4f", delimiter=",", header=",".join(names), comments="")
    code = run(["rank", str(file), "--target", "kind", "--kernel", "linear", "--folds", "3"])
    said = capsys.readouterr()
    assert code == 1
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError: a slip" in said.err
    assert '"elimination": "fold 2"' in said.err
