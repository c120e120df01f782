"""The toy tables of the benchmarks, on one cell: that they run and judge, not what they find."""

import math

import numpy as np
import pytest

from benchmarks import toy_tables
from svsieve.criteria import Context
from svsieve.kernels import KernelState, Linear
from svsieve.machines import L2Svm, solve

NAMES = ("svm_all", "corr", "w2", "r2w2", "span_left")


def test_one_cell_of_the_non_linear_table():
    toy = toy_tables.TOYS[2]
    found = toy_tables.measured([toy], [10], NAMES, trials=2, jobs=1)
    (cell,) = found.values()
    assert list(found) == [(2, 10)]
    assert list(cell) == list(NAMES)
    for errors in cell.values():
        assert errors.shape == (2,)
        assert (errors > 0.0).all()
        assert (errors < 0.7).all()


def test_a_trial_depends_on_its_number_alone():
    toy = toy_tables.TOYS[2]
    first = toy_tables.trial(toy, 10, 3, ["corr", "w2"])
    assert toy_tables.trial(toy, 10, 3, ["w2"]) == {"w2": first["w2"]}
    assert toy_tables.trial(toy, 10, 4, ["w2"])["w2"] != first["w2"]


@pytest.mark.parametrize(
    ("mean", "verdict"), [(0.30, "within"), (0.305, "within"), (0.2, "better"), (0.4, "WORSE")]
)
def test_verdicts_count_both_standard_errors(mean, verdict):
    errors = mean + 0.01 * np.tile([-1.0, 1.0], 50)
    own = 0.01 * math.sqrt(100 / 99) / 10
    row = toy_tables.judged("w2", 10, errors, toy_tables.Printed(0.3, 0.002))
    assert row["verdict"] == verdict
    assert float(row["apart"]) == pytest.approx(
        (mean - 0.3) / math.hypot(own, 0.002), rel=0.01, abs=0.06
    )


def test_cells_that_were_not_published_are_not_judged():
    assert toy_tables.judged("w2", 10, np.array([0.1, 0.2]), None)["verdict"] == "-"


def test_an_absent_table_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SVSIEVE_PUBLISHED", str(tmp_path))
    with pytest.raises(SystemExit, match=r"rakotomamonjy_1\.csv is not in .* SVSIEVE_PUBLISHED"):
        toy_tables.published(1)


def test_published_cells_are_read_and_empty_ones_left_out(monkeypatch, tmp_path):
    (tmp_path / "rakotomamonjy_1.csv").write_text(
        "method,train_size,error,std\nw2,10,0.3239,0.15\nspan_retrain,100,,\n", encoding="utf-8"
    )
    monkeypatch.setenv("SVSIEVE_PUBLISHED", str(tmp_path))
    assert toy_tables.published(1) == {("w2", 10): toy_tables.Printed(0.3239, 0.015)}


def test_the_bound_left_is_that_of_the_kept_coefficients():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.where(np.arange(12) % 2, 1.0, -1.0)
    state, machine = KernelState(Linear(), X), L2Svm(C=10.0)
    problem = machine.problem(state.diagonal(), y)
    context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    u = context.solution.coefficients
    spread = toy_tables.smallest_sphere(
        context.gram(), toy_tables.Slack.of(context, None), context.tol
    )
    expected = []
    for j in range(4):
        K = np.delete(X, j, axis=1) @ np.delete(X, j, axis=1).T + 0.1 * np.eye(12)
        radius = spread.b @ np.diagonal(K) - spread.b @ K @ spread.b
        expected.append(radius * (2.0 * np.abs(u).sum() - u @ K @ u))
    np.testing.assert_allclose(toy_tables.BoundLeft().scores(context), expected, rtol=1e-7)


@pytest.mark.parametrize(
    "arguments", [["--tables", "3"], ["--sizes", "7"], ["--rows", "w3"], ["--trials", "0"]]
)
def test_unknown_tables_sizes_and_rows_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        toy_tables.parse(arguments)
    assert "error:" in capsys.readouterr().err
