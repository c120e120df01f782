"""Grid: its cells are those of SVMRFECV, whoever computes them, and kept."""

from __future__ import annotations

import pickle
import statistics

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC, SVMRFECV, Grid, RunStore, rules, samplers, schedules
from svsieve.criteria import WeightNorm
from svsieve.estimators import grid_run, progress
from svsieve.estimators.grid_cell import GridCell, best_cell
from svsieve.selection import Curve
from tests.estimators.dask_cluster import cluster_that_loses_a_worker

VALUES = {"C": [0.1, 10.0], "step": [3, 0.5]}


def table(n_classes=2, rows=60, columns=12, seed=0):
    return make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=5,
        n_redundant=2,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.1,
        random_state=seed,
    )


def same(one, other):
    """Tell whether two grids hold the same paths and curves."""
    for a, b in zip(one.cells_, other.cells_, strict=True):
        assert a.settings == b.settings
        np.testing.assert_array_equal(a.curve.scores(), b.curve.scores())
        for x, y in zip([a.path, *a.paths], [b.path, *b.paths], strict=True):
            assert x.same_ranking(y)
            # How many threads a sum is spread over may change its last digit.
            np.testing.assert_allclose(x.importances, y.importances, rtol=1e-7)
    return True


# --- cells -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "file"])
def test_cells_are_cross_validated_eliminations(tmp_path, kept):
    X, y = table()
    cv = ShuffleSplit(3, test_size=0.3, random_state=0)
    values = {
        "C": [1.0, 10.0],
        "criterion": ["weight", WeightNorm(order=1)],
        "sampler": [None, 0.7],
        "step": [4],
    }
    file = tmp_path / "grid.db" if kept else None
    grid = Grid(SVC(), values, cv=cv, store=file, random_state=3).fit(X, y)
    assert len(grid.cells_) == 8
    for cell in grid.cells_:
        parts = {name: value for name, value in cell.settings.items() if name != "C"}
        machine = SVC(C=cell.settings["C"])
        selector = SVMRFECV(machine, cv=cv, random_state=3, **parts).fit(X, y)
        np.testing.assert_array_equal(cell.curve.scores(), selector.curve_.scores())
        np.testing.assert_array_equal(cell.curve.sizes, selector.curve_.sizes)
        assert cell.curve.chance == selector.curve_.chance
        assert (cell.curve.train is None) == (selector.curve_.train is None)
        assert cell.path.same_ranking(selector.path_)
        assert [p.order.tolist() for p in cell.paths] == [p.order.tolist() for p in selector.paths_]
        assert cell.choice("one-se") == rules.OneStandardError().choose(selector.curve_)
        selector.select(5)
        np.testing.assert_array_equal(cell.stability(5).frequency, selector.stability_.frequency)
        assert cell.facts["size"] == cell.choice().size
        at = cell.curve.sizes.tolist().index(cell.facts["size"])
        of_folds = [float(fold[at]) for fold in cell.curve.scores()]
        assert cell.facts["score"] == pytest.approx(statistics.fmean(of_folds), rel=1e-12)
        assert cell.facts["std"] == pytest.approx(statistics.pstdev(of_folds), abs=1e-12)
        gaps = [max(*path.kkt_gap, path.final_kkt_gap) for path in (cell.path, *cell.paths)]
        assert cell.facts["kkt_gap"] == max(gaps) > min(gaps)
        assert cell.facts["engine"] == cell.path.engine


def test_settings_reach_where_they_are_meant_for():
    X, y = table()
    machine = make_pipeline(StandardScaler(), PeerSVC())
    values = {
        "C": [2.0],
        "gamma": [0.1],
        "standardscaler__with_mean": [False],
        "min_features_to_select": [4],
        "keep": [[0, 1]],
        "step": [schedules.Sqrt()],
    }
    grid = Grid(machine, values, cv=2).fit(X, y)
    made = grid.selector(grid.cells_[0])
    assert (made.estimator[-1].C, made.estimator[-1].gamma) == (2.0, 0.1)
    assert not made.estimator[0].with_mean
    assert machine[-1].C == 1.0
    assert (made.keep, made.step, made.cv) == ([0, 1], schedules.Sqrt(), 2)
    made.fit(X, y)
    assert made.path_.same_ranking(grid.cells_[0].path)
    assert made.path_.sizes[-1] == 4
    np.testing.assert_array_equal(made.curve_.scores(), grid.cells_[0].curve.scores())


def test_several_grids_and_several_estimators():
    X, y = table()
    values = [
        {"estimator": [SVC(kernel="linear"), make_pipeline(StandardScaler(), SVC())], "C": [2.0]},
        {"step": [6]},
    ]
    grid = Grid(SVC(C=3.0), values, cv=2).fit(X, y)
    made = [grid.selector(cell).estimator for cell in grid.cells_]
    assert (made[0].C, made[0].kernel, made[1][-1].C, made[2].C) == (2.0, "linear", 2.0, 3.0)
    assert grid.to_frame()["estimator"].str.startswith(("SVC(", "Pipeline(")).tolist()[:2] == [
        True,
        True,
    ]


def test_names_of_columns_weights_groups_and_sparse_rows():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    grid = Grid(grid={"step": [5], "keep": [["c3"], None]}, cv=3).fit(frame, y)
    assert [cell.path.column_names for cell in grid.cells_] == [tuple(frame.columns)] * 2
    assert 3 in grid.cells_[0].path.top(1)
    weights, groups = np.arange(60) % 3, np.arange(60) // 6
    weighted = Grid(grid={"step": [5]}, cv=GroupKFold(3)).fit(X, y, weights, groups)
    expected = SVMRFECV(step=5, cv=GroupKFold(3)).fit(X, y, weights, groups)
    np.testing.assert_array_equal(weighted.cells_[0].curve.scores(), expected.curve_.scores())
    dense = Grid(grid={"step": [5]}, cv=3).fit(X, y)
    assert same(dense, Grid(grid={"step": [5]}, cv=3).fit(sparse.csr_array(X), y))


def test_several_metrics():
    X, y = table()
    grid = Grid(grid=VALUES, cv=3, scoring=["accuracy", "roc_auc"]).fit(X, y)
    for metric in ("accuracy", "roc_auc"):
        frame = grid.to_frame(metric=metric)
        expected = [cell.curve.mean(metric).max() for cell in grid.cells_]
        np.testing.assert_allclose(frame["score"].astype(float), expected, rtol=1e-12)
        best = grid.best(metric=metric)
        assert best.curve.mean(metric).max() == pytest.approx(max(expected), rel=1e-12)


# --- choosing --------------------------------------------------------------------------------


def cell(name, scores, sizes=(1, 2, 4)):
    return GridCell({"name": name}, name, Curve(sizes, {"accuracy": scores}, n_columns=4), {})


def test_the_best_cell():
    cells = [
        cell("a", [[0.5, 0.7, 0.9]]),
        cell("b", [[0.5, 0.9, 0.9]]),
        cell("c", [[0.8, 0.9, 0.8]]),
        GridCell({}, "d", None, {}, "It failed."),
    ]
    assert best_cell(cells, rules.Best(), None).key == "b"  # as good as a and smaller, before c
    assert best_cell(cells[::-1], rules.Best(), None).key == "c"
    assert best_cell(cells, rules.AtMost(1), None).key == "c"
    # Costs: a 0.28 (4), b 0.18 (2), c 0.18 (2) or 0.21 (1).
    assert best_cell(cells, rules.Scalarised(0.8, 0.2), None).key == "b"
    assert best_cell(cells, rules.Scalarised(0.5, 0.5), None).key == "c"
    assert best_cell(cells, rules.AtMost(3, rules.Scalarised(0.5, 0.5)), None).key == "c"
    losses = [
        cell("a", [[-5.0, -3.0, -2.0]]),
        cell("b", [[-4.0, -3.0, -2.5]]),
    ]
    assert best_cell(losses, rules.Best(), None).key == "a"
    assert best_cell(losses, rules.AtMost(1), None).key == "b"


def test_the_table():
    X, y = table()
    grid = Grid(SVC(), {"gamma": [0.1, "scale"], "step": [schedules.Fraction(0.5)]}, cv=4)
    with pytest.raises(NotFittedError):
        grid.best()
    frame = grid.fit(X, y).to_frame("one-se")
    assert list(frame.columns) == [
        *("gamma", "step", "size", "score", "std", "standard_error"),
        *("kkt_gap", "seconds", "failure"),
    ]
    assert frame["gamma"].tolist() == [0.1, "scale"]
    assert frame["step"].tolist() == ["Fraction(share=0.5)"] * 2
    for row, one in zip(frame.itertuples(), grid.cells_, strict=True):
        assert row.size == one.choice("one-se").size
        at = one.curve.sizes.tolist().index(row.size)
        assert row.score == one.curve.mean()[at]
        assert row.std == one.curve.std()[at]
        assert row.standard_error == one.curve.standard_error()[at]
    assert (frame["kkt_gap"] < 1e-7).all()
    again = pickle.loads(pickle.dumps(grid))
    assert same(grid, again)
    assert clone(grid).grid == grid.grid


# --- the store -------------------------------------------------------------------------------


def test_nothing_is_computed_twice(tmp_path, monkeypatch):
    X, y = table()
    file = tmp_path / "grid.db"
    first = Grid(grid=VALUES, cv=3, store=file).fit(X, y)
    begun = []
    run_cell = grid_run.run_cell
    monkeypatch.setattr(
        grid_run, "run_cell", lambda one, *rest: begun.append(one) or run_cell(one, *rest)
    )
    again = Grid(grid=VALUES, cv=3, store=file, rule="one-se").fit(X, y)
    assert not begun
    assert same(first, again)
    more = Grid(grid={"C": [0.1, 1.0, 10.0], "step": [0.5]}, cv=3, store=file).fit(X, y)
    assert [one.estimator.C for one in begun] == [1.0]
    assert [cell.settings["C"] for cell in more.cells_] == [0.1, 1.0, 10.0]
    with RunStore(file) as store:
        frame = store.to_frame()
    assert len(frame) == 5
    assert (frame["state"] == "done").all()
    for one in more.cells_:
        row = frame[(frame["C"] == one.settings["C"]) & (frame["step"] == 0.5)].iloc[0]
        assert row["score"] == one.curve.mean().max()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": 1}, r"the data \(X\) differ"),
        ({"y": 1}, r"the labels or weights of the rows \(y, sample_weight\) differ"),
        ({"weights": 1}, r"the labels or weights of the rows"),
        ({"cv": 4}, r"the folds \(cv\) differ"),
        ({"estimator": SVC(kernel="linear", tol=1e-4)}, "the options differ"),
        ({"scoring": "roc_auc"}, "the options differ"),
        ({"seed_size": True}, "the options differ"),
        ({"random_state": 1}, r"the seed \(random_state\) \(0 there, 1 here\) differ"),
        ({"version": 1}, r"the version of svsieve \(0\.[0-9.]+ there, 99\.0 here\) differ"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_store_of_something_else_is_refused_by_name(tmp_path, monkeypatch, change, message):
    X, y = table()
    file = tmp_path / "grid.db"
    cv = StratifiedKFold(3)  # folds that do not follow from the labels would be the same
    Grid(grid={"C": [1.0]}, cv=list(cv.split(X, y)), store=file).fit(X, y)
    before = file.read_bytes()
    options = {
        name: change[name] for name in change if name not in ("X", "y", "weights", "version")
    }
    options = {"cv": list(cv.split(X, y))} | options
    if "version" in change:
        monkeypatch.setattr("svsieve.__version__", "99.0")
    X, y = X + ("X" in change) * 1e-9, 1 - y if "y" in change else y
    weights = np.arange(60) % 2 + 1.0 if "weights" in change else None
    with pytest.raises(ValueError, match=r"grid\.db' belongs to another run: " + message):
        Grid(grid={"C": [1.0]}, store=file, **options).fit(X, y, weights)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["grid.db"]


def test_the_fixed_options_belong_to_the_store(tmp_path):
    X, y = table()
    file = tmp_path / "grid.db"
    Grid(SVC(C=5.0), {"C": [1.0]}, cv=2, store=file).fit(X, y)
    Grid(SVC(C=7.0), {"C": [1.0, 2.0]}, cv=2, store=file).fit(X, y)  # every cell has its own C
    with pytest.raises(ValueError, match="the options differ"):
        Grid(SVC(C=5.0), [{"C": [1.0]}, {"step": [3]}], cv=2, store=file).fit(X, y)


def test_cells_that_fail_are_told(tmp_path):
    X, y = table()
    splits = [(np.flatnonzero(y == 0), np.flatnonzero(y == 1))]
    with pytest.raises(
        ValueError, match=r"All 1 cells of the grid failed; .* trained on one class"
    ):
        Grid(grid={"C": [1.0]}, cv=splits).fit(X, y)

    values = {"criterion": ["weight", Broken()], "C": [1.0, 2.0]}
    file = tmp_path / "grid.db"
    for _ in range(2):
        with pytest.warns(UserWarning, match=r"2 of 4 cells of the grid failed; .*no such thing"):
            grid = Grid(grid=values, cv=2, store=file).fit(X, y)
    frame = grid.to_frame()
    assert frame["failure"].isna().tolist() == [True, False, True, False]
    where = 'This happened in the run {"elimination": "all rows"}.'
    assert frame["failure"][1] == f"RuntimeError: no such thing. {where}"
    assert frame["size"].isna().tolist() == [False, True, False, True]
    assert grid.best().failure is None
    for ask in ("choice", "path", "paths"):
        with pytest.raises(ValueError, match="failed and has no curve: RuntimeError"):
            getattr(grid.cells_[1], ask)()
    Broken.mended = True
    try:
        with RunStore(file) as store:
            store.reopen(store.failures())
        assert Grid(grid=values, cv=2, store=file).fit(X, y).to_frame()["failure"].isna().all()
    finally:
        Broken.mended = False


class Broken(WeightNorm):
    mended = False

    def scores(self, context):
        if not self.mended:
            raise RuntimeError("no such thing")
        return super().scores(context)


def test_an_error_of_the_machine_leaves_the_cell_open(tmp_path, monkeypatch):
    X, y = table()
    file = tmp_path / "grid.db"

    def full(*given):
        raise MemoryError

    monkeypatch.setattr(SVMRFECV, "_eliminated", full)
    with pytest.raises(MemoryError):
        Grid(grid=VALUES, cv=2, store=file).fit(X, y)
    with RunStore(file) as store:
        assert list(store.states().values()) == ["open"]


# --- seeding ---------------------------------------------------------------------------------


def test_a_size_seeds_the_next_schedule(monkeypatch):
    X, y = table(columns=30)
    values = {"C": [0.01, 1.0, 100.0], "step": [schedules.Reflective(0.5, 15), 6]}
    rule = rules.Tolerance(0.05)
    grid = Grid(SVC(), values, cv=3, seed_size=True, rule=rule).fit(X, y)
    centres = [cell.facts.get("centre") for cell in grid.cells_]
    chosen = [cell.choice(rule).size for cell in grid.cells_]
    assert centres == [15, None, chosen[1], None, chosen[3], None]
    assert len({15, chosen[1], chosen[3]}) > 1
    for cell, centre in zip(grid.cells_, centres, strict=True):
        if centre is not None:
            sizes = schedules.Reflective(0.5, centre).sizes(30)
            assert cell.path.sizes.tolist() == sizes
            assert grid.selector(cell).step == schedules.Reflective(0.5, centre)
            assert cell.settings["step"] == schedules.Reflective(0.5, centre)
            assert f"centre={centre}" in repr(cell)
    shown = [f"Reflective(centre={centre}, least=1, share=0.5)" for centre in centres[::2]]
    assert grid.to_frame()["step"].tolist()[::2] == shown
    plain = Grid(SVC(), values, cv=3, rule=rule).fit(X, y)
    assert all(cell.path.sizes[1] == 23 for cell in plain.cells_[::2])
    assert same(Grid(SVC(), values, cv=3, seed_size=True, rule=rule, n_jobs=2).fit(X, y), grid)


@pytest.mark.filterwarnings("ignore:1 of 3 cells of the grid failed:UserWarning")
def test_a_failed_cell_seeds_nothing(monkeypatch):
    X, y = table(columns=30)
    run_cell = grid_run.run_cell
    monkeypatch.setattr(
        grid_run,
        "run_cell",
        lambda one, *rest: "No." if one.estimator.C == 2.0 else run_cell(one, *rest),
    )
    values = {"C": [1.0, 2.0, 3.0], "step": [schedules.Reflective(0.5, 20)]}
    cells = Grid(SVC(), values, cv=3, seed_size=True).fit(X, y).cells_
    assert cells[2].facts["centre"] == cells[0].choice().size != 20


# --- side by side ----------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_back_ends_give_the_same(backend, tmp_path):
    X, y = table(3)
    values = {"C": [0.1, 1.0, 10.0], "sampler": [None, samplers.Subsample(0.8)], "step": [4]}
    alone = Grid(SVC(), values, cv=3).fit(X, y)
    with joblib.parallel_backend(backend):
        together = Grid(SVC(), values, cv=3, n_jobs=2, store=tmp_path / "grid.db").fit(X, y)
    assert same(alone, together)


def test_a_dask_cluster_that_loses_a_worker_gives_the_same(tmp_path):
    X, y = table(3, rows=100, columns=30)
    values = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1], "sampler": [None, 0.8]}
    alone = Grid(SVC(), values, cv=3).fit(X, y)
    file = tmp_path / "grid.db"
    with cluster_that_loses_a_worker(file) as killed:
        together = Grid(SVC(), values, cv=3, n_jobs=-1, store=file).fit(X, y)
    assert killed
    assert killed[0] < 12
    assert same(alone, together)


def test_nobody_is_waited_for_where_nobody_else_works(monkeypatch):
    monkeypatch.setattr(grid_run, "LOOK_SECONDS", -1.0)  # which `sleep` refuses
    assert len(Grid(grid=VALUES, cv=2).fit(*table()).cells_) == 4


def test_progress_is_told(capsys, monkeypatch, tmp_path):
    X, y = table()
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    file = tmp_path / "grid.db"
    Grid(grid={"C": [1.0, 2.0, 3.0]}, cv=2, progress=True, store=file).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert "1 of 3 cells, 0 s, about" in lines[0]
    assert "3 of 3 cells, " in lines[-1]
    assert "to go" not in lines[-1]
    Grid(grid={"C": [1.0, 2.0, 3.0, 4.0]}, cv=2, progress=True, store=file).fit(X, y)
    assert "1 of 1 cells, " in capsys.readouterr().err.splitlines()[-1]
    Grid(grid={"C": [1.0, 2.0]}, cv=2).fit(X, y)
    assert capsys.readouterr().err == ""


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": {"Gamma": [1.0]}}, r"setting 'Gamma', which is neither a part .*step.* nor .*C,"),
        ({"grid": {"cv": [3]}}, r"setting 'cv', which is neither a part"),
        ({"grid": {"C": []}}, r"'C'.*non-empty"),
        ({"grid": {"C": [1.0, 1.0]}}, r"'grid' parameter of Grid has the cell .* twice"),
        ({"grid": {"C": [1.0, -1.0]}}, r"'C' parameter of SVC"),
        ({"grid": {"step": [1, 0]}}, r"'step' parameter of SVMRFECV"),
        ({"grid": {"criterion": ["weight", "height"]}}, r"'criterion' parameter of SVMRFECV"),
        ({"grid": {"sampler": [lambda: None]}}, r"The setting 'sampler' has a value that cannot"),
        ({"rule": "worst"}, r"'rule' parameter of Grid must be one of 'best'"),
        ({"scoring": "accurate"}, r"'scoring' parameter of Grid"),
        ({"seed_size": 1}, r"'seed_size' parameter of Grid must be True or False"),
        ({"progress": "yes"}, r"'progress' parameter of Grid must be True or False"),
        ({"random_state": None}, r"'random_state' parameter of Grid must be an int"),
        ({"cv": []}, r"'cv' parameter of Grid must be a way to make at least one fold"),
        ({"store": "none/grid.db"}, r"folder of run store 'none/grid.db' does not exist"),
        ({"estimator": "svc"}, r"'estimator' parameter of Grid"),
        ({"estimator": "svc", "grid": {"C": [1.0]}}, r"'estimator' parameter of Grid .* Got str"),
        ({"estimator": SVC, "grid": {"C": [1.0]}}, r"'estimator' parameter of Grid .* SVC\(\)"),
        ({"grid": {"estimator": [SVC(), 3]}}, r"'estimator' parameter of Grid .* Got int"),
    ],
)
def test_refused_before_anything_is_computed(options, message, monkeypatch):
    def computed(*given):
        raise AssertionError("something was computed before the refusal")

    monkeypatch.setattr(grid_run, "run_cell", computed)
    with pytest.raises(ValueError, match=message):
        Grid(**({"grid": {"step": [5]}} | options)).fit(*table())


def test_rules_are_refused_by_name():
    grid = Grid(grid={"step": [5]}, cv=2).fit(*table())
    with pytest.raises(ValueError, match=r"'rule' parameter of Grid\.best"):
        grid.best("worst")
    with pytest.raises(ValueError, match=r"'rule' parameter of Grid\.to_frame"):
        grid.to_frame("worst")
    with pytest.raises(ValueError, match=r"metric must be one of \['accuracy'\]"):
        grid.to_frame(metric="f1")
