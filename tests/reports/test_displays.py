"""Pictures: what is drawn, where, and what is left behind."""

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from svsieve import SVMRFE, SVMRFECV, rules, schedules, stability
from svsieve.elimination import Path
from svsieve.reports import (
    CurveDisplay,
    ParetoDisplay,
    RankingDisplay,
    ScheduleDisplay,
    StabilityDisplay,
)
from svsieve.selection import Choice, Curve
from tests.elimination.paths import finished

mpl.use("Agg")

HELD_OUT = [[0.55, 0.80, 0.75, 0.92, 0.90], [0.65, 0.86, 0.85, 0.88, 0.90]]
TRAIN = [[0.60, 0.90, 0.95, 1.00, 1.00], [0.70, 0.90, 0.95, 0.98, 1.00]]
SIZES = [1, 2, 4, 8, 16]


@pytest.fixture(autouse=True)
def nothing_left_behind():
    settings = dict(mpl.rcParams)
    assert plt.get_fignums() == []
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()  # what cannot be drawn fails here, warnings included
    plt.close("all")
    assert dict(mpl.rcParams) == settings


@pytest.fixture
def curve():
    return Curve(SIZES, {"accuracy": HELD_OUT}, {"accuracy": TRAIN}, 20, 0.5)


@pytest.fixture(scope="module")
def fitted():
    import pandas as pd

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 12)), np.repeat([0, 1], 30)
    X[:, :2] += 1.2 * y[:, None]
    table = pd.DataFrame(X, columns=[f"gene {j}" for j in range(12)])
    scoring = ["accuracy", "roc_auc"]
    return SVMRFECV(rule=rules.Scalarised(0.8, 0.2), cv=4, scoring=scoring).fit(table, y)


def labelled(ax):
    """Artists by their label in the legend."""
    return dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))


def names_on(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


# --- curves ----------------------------------------------------------------------------------


def test_curve_shows_scores_band_and_chance(curve):
    ax = CurveDisplay.from_curve(curve).ax_
    drawn = labelled(ax)
    assert list(drawn) == ["held out", "training rows", "chance"]
    np.testing.assert_array_equal(drawn["held out"].get_xdata(), SIZES)
    np.testing.assert_allclose(drawn["held out"].get_ydata(), np.mean(HELD_OUT, axis=0))
    np.testing.assert_allclose(drawn["training rows"].get_ydata(), np.mean(TRAIN, axis=0))
    assert set(drawn["chance"].get_ydata()) == {0.5}
    assert drawn["held out"].get_marker() == "o"
    (band,) = ax.collections
    corners = band.get_paths()[0].vertices
    error = np.std(HELD_OUT, axis=0, ddof=1) / np.sqrt(2)
    at = SIZES.index(2)
    heights = corners[corners[:, 0] == 2, 1]
    np.testing.assert_allclose(heights.max() - heights.min(), 2 * error[at])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("columns", "accuracy")
    assert ax.get_xscale() == "linear"


def test_chosen_point_lies_on_the_curve_and_below_the_trade_off(curve):
    rule = rules.Scalarised(0.8, 0.2)
    display = CurveDisplay.from_curve(curve, rule=rule)
    drawn = labelled(display.ax_)
    size = rule.choose(curve).size
    assert size == 2
    at = SIZES.index(size)
    ((x, y),) = drawn["2 columns chosen"].get_xydata()
    assert (x, y) == (size, np.mean(HELD_OUT, axis=0)[at])
    # Every point of the line costs what the point chosen costs, and no size costs less.
    line = drawn["trade-off 0.8 : 0.2"].get_xydata()
    cost = 0.8 * (1.0 - line[:, 1]) + 0.2 * line[:, 0] / curve.n_columns
    np.testing.assert_allclose(cost, rule.cost(curve).min(), rtol=1e-12)
    over = np.interp(SIZES, *line.T)
    assert (over - np.mean(HELD_OUT, axis=0) > -1e-12).all()


def test_the_trade_off_does_not_stretch_the_picture(curve):
    plain = CurveDisplay.from_curve(curve).ax_.get_ylim()
    display = CurveDisplay.from_curve(curve, rule=rules.AtMost(3, rules.Scalarised(0.2, 0.8)))
    assert "trade-off 0.2 : 0.8" in labelled(display.ax_)
    assert display.ax_.get_ylim() == plain


def test_a_rule_without_trade_off_and_a_size_not_on_the_curve(curve):
    assert not any("trade" in label for label in labelled(CurveDisplay.from_curve(curve).ax_))
    drawn = labelled(CurveDisplay.from_curve(curve, rule="best").ax_)
    assert "8 columns chosen" in drawn
    assert not any("trade" in label for label in drawn)
    only_size = CurveDisplay.from_curve(curve, rule=rules.Scalarised(0.0, 1.0))
    assert not any("trade" in label for label in labelled(only_size.ax_))
    display = CurveDisplay.from_curve(curve, choice=Choice(5, "asked for"))
    assert set(labelled(display.ax_)["5 columns chosen"].get_xdata()) == {5}


def test_many_sizes_are_marked_at_the_foot_of_a_logarithmic_axis():
    sizes = np.arange(1, 301)
    rng = np.random.default_rng(0)
    curve = Curve(sizes, {"accuracy": rng.random((3, 300))}, n_columns=300)
    ax = CurveDisplay.from_curve(curve).ax_
    assert ax.get_xscale() == "log"
    assert labelled(ax)["held out"].get_marker() == ""
    marks = [line for line in ax.lines if line.get_marker() == "|"]
    np.testing.assert_array_equal(marks[0].get_xdata(), sizes)
    shown = {text.get_text() for text in ax.get_xticklabels()}
    assert {"1", "10", "100"} <= shown


def test_the_best_size_of_one_fold_has_no_band():
    curve = Curve([3], {"neg_log_loss": [[-0.5]]}, chance=0.5)
    ax = CurveDisplay.from_curve(curve, rule="best").ax_
    assert len(ax.collections) == 0
    assert "chance" not in labelled(ax)


def test_curve_of_an_estimator(fitted):
    display = CurveDisplay.from_estimator(fitted)
    drawn = labelled(display.ax_)
    assert "trade-off 0.8 : 0.2" in drawn
    chosen = [label for label in drawn if label.endswith("chosen")]
    assert len(chosen) == 1
    assert drawn[chosen[0]].get_xdata() == [fitted.n_features_]
    # Another metric did not make that choice: its trade-off would be wrong.
    other = CurveDisplay.from_estimator(fitted, metric="roc_auc")
    np.testing.assert_allclose(
        labelled(other.ax_)["held out"].get_ydata(), fitted.curve_.mean("roc_auc")
    )
    assert other.ax_.get_ylabel() == "roc_auc"
    assert not any("trade" in label or label == "chance" for label in labelled(other.ax_))
    best = CurveDisplay.from_estimator(fitted, metric="roc_auc", rule="best")
    assert best.choice == rules.Best().choose(fitted.curve_, "roc_auc")


def test_curve_after_another_choice(fitted):
    before = fitted.n_features_
    try:
        fitted.select(7)
        display = CurveDisplay.from_estimator(fitted)
        assert display.rule is None
        assert "7 columns chosen" in labelled(display.ax_)
    finally:
        fitted.select(before)


def test_front_holds_the_sizes_that_none_beats(curve):
    display = ParetoDisplay.from_curve(curve, choice=Choice(2, ""))
    drawn = labelled(display.ax_)
    assert display.front.tolist() == [1, 2, 8]  # 16 is as good as 8, 4 is worse than 2
    np.testing.assert_array_equal(drawn["Pareto front"].get_xdata(), [1, 2, 8])
    np.testing.assert_array_equal(drawn["other sizes"].get_offsets()[:, 0], [4, 16])
    ((x, y),) = drawn["2 columns chosen"].get_xydata()
    assert (x, y) == (2, np.mean(HELD_OUT, axis=0)[1])
    assert display.ax_.get_ylabel() == "mean accuracy"


@pytest.mark.parametrize("width", [3, 7])
@pytest.mark.parametrize("most", [90, 2000])
def test_numbers_at_the_front_do_not_touch(width, most):
    sizes = np.arange(1, most + 1)
    curve = Curve(sizes, {"accuracy": [np.linspace(0.5, 0.5001, most)]})
    ax = plt.subplots(figsize=(width, 3), layout="constrained")[1]
    display = ParetoDisplay.from_curve(curve, ax=ax)
    display.figure_.canvas.draw()
    boxes = sorted(text.get_window_extent().extents.tolist() for text in display.ax_.texts)
    assert len(boxes) > width
    assert f"{most:,}" in {text.get_text() for text in display.ax_.texts}
    for left, right in pairwise(boxes):
        assert left[2] <= right[0]


def test_front_of_an_estimator(fitted):
    display = ParetoDisplay.from_estimator(fitted, metric="roc_auc")
    assert display.ax_.get_ylabel() == "mean roc_auc"
    assert display.choice == fitted.choice_


# --- rankings and sets -----------------------------------------------------------------------


def test_ranking_shows_the_best_columns_by_name():
    path = finished(column_names=[f"gene {j}" for j in range(9)])
    display = RankingDisplay.from_path(path, n_columns=4)
    assert names_on(display.ax_) == [f"gene {j}" for j in path.order[:4]]
    drawn = labelled(display.ax_)
    np.testing.assert_array_equal(drawn["kept"].get_offsets()[:, 1], [0, 1])
    np.testing.assert_array_equal(drawn["dropped"].get_offsets()[:, 1], [2, 3])
    np.testing.assert_allclose(drawn["kept"].get_offsets()[:, 0], path.survivor_scores)
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the best column is on top
    assert len(RankingDisplay.from_path(path).names) == 9
    with pytest.raises(ValueError, match=r"'n_columns' parameter of RankingDisplay.*Got 0"):
        RankingDisplay.from_path(path, n_columns=0)


def test_columns_without_names_are_numbered():
    display = RankingDisplay.from_path(Path.from_scores([5.0, 9.0, 2.0]), size=2)
    assert names_on(display.ax_) == ["column 1", "column 0", "column 2"]
    assert display.kept.tolist() == [True, True, False]


def test_scores_far_apart_are_shown_on_a_logarithmic_axis():
    far = RankingDisplay.from_path(Path.from_scores([1e-6, 1.0, 1e3]))
    assert far.ax_.get_xscale() == "log"
    for scores in ([0.0, 1.0, 1e3], [-1.0, 1.0, 1e3], [1.0, 2.0, 3.0]):
        assert RankingDisplay.from_path(Path.from_scores(scores)).ax_.get_xscale() == "linear"
    endless = RankingDisplay.from_path(Path.from_scores([1.0, 2.0, np.inf]))
    assert endless.ax_.get_xlim()[1] < 3


def test_hostile_names_are_only_text():
    names = ["$\\frac{1}{", "a\nb\tc", "_x", "long " * 20, "100 % <b>", "\u00e9\u00fc $5"]
    display = RankingDisplay.from_path(Path.from_scores(np.arange(6.0), names))
    display.figure_.canvas.draw()
    shown = names_on(display.ax_)[::-1]
    assert shown[0] == "\\$\\frac{1}{"
    assert shown[1] == "a b c"
    assert len(shown[3]) <= 28


def test_names_that_begin_alike_are_told_apart():
    names = [f"Homo sapiens mRNA for something long, {j} end" for j in range(3)]
    display = RankingDisplay.from_path(Path.from_scores([1.0, 2.0, 3.0], names))
    assert len(set(names_on(display.ax_))) == 3


def test_ranking_of_estimators(fitted):
    display = RankingDisplay.from_estimator(fitted, n_columns=5)
    assert names_on(display.ax_) == [f"gene {j}" for j in fitted.path_.top(5)]
    assert display.kept.sum() == min(fitted.n_features_, 5)


def test_frequencies_of_the_top_columns():
    found = stability([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 0, 1, 0, 0]])
    display = StabilityDisplay.from_stability(found)
    assert display.columns.tolist() == [0, 2, 1]
    assert names_on(display.ax_) == ["column 0", "column 2", "column 1"]
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, [1, 2 / 3, 1 / 3])
    assert set(labelled(display.ax_)["by chance"].get_xdata()) == {0.4}
    assert display.ax_.get_xlim() == (0.0, 1.02)  # all shares, and the end of the longest bar
    low, high = found.interval
    title = display.ax_.get_legend().get_title().get_text()
    assert title == f"stability {found.nogueira:.2f} ({low:.2f} to {high:.2f})"
    assert "3 sets" in display.ax_.get_xlabel()
    assert StabilityDisplay.from_stability(found, n_columns=2).columns.tolist() == [0, 2]
    ranked = StabilityDisplay(found, order=[4, 3, 1, 2, 0], kept=[0, 0, 0, 0, 1])
    assert ranked.columns.tolist() == [0, 2, 1, 4]
    with pytest.raises(ValueError, match=r"names must have an entry for each of 5 columns\. Got 2"):
        StabilityDisplay.from_stability(found, ["a", "b"])


def test_frequencies_of_an_estimator(fitted):
    display = StabilityDisplay.from_estimator(fitted)
    assert names_on(display.ax_) == [f"gene {j}" for j in display.columns]
    kept = fitted.support_[display.columns]
    assert kept.sum() == fitted.n_features_
    assert len(labelled(display.ax_)["kept"].patches) == kept.sum()


# --- schedules -------------------------------------------------------------------------------


def test_columns_left_and_dropped():
    display = ScheduleDisplay.from_path(finished())
    left = display.ax_.lines[0].get_xydata()
    np.testing.assert_array_equal(left, [[0, 9], [1, 7], [2, 5], [3, 4], [4, 2]])
    gone = display.step_ax_.lines[0].get_xydata()
    np.testing.assert_array_equal(gone, [[1, 2], [2, 2], [3, 1], [4, 2]])
    assert display.ax_.get_yscale() == "linear"


def test_a_planned_schedule():
    display = ScheduleDisplay.from_schedule(schedules.HalveThenOne(100), 800, 90)
    assert display.sizes.tolist()[:4] == [800, 400, 200, 100]
    assert display.sizes[-1] == 90
    assert display.step_ax_.get_yscale() == "log"
    assert ScheduleDisplay.from_schedule(schedules.Sqrt(), 800).ax_.get_yscale() == "log"
    with pytest.raises(ValueError, match="depend on the scores"):
        ScheduleDisplay.from_schedule(schedules.Entropy(), 10)
    with pytest.raises(ValueError, match=r"sizes must fall. Got \[3, 3\]"):
        ScheduleDisplay([3, 3])


def test_schedule_of_an_estimator_that_dropped_nothing():
    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.repeat([0, 1], 4)
    whole = SVMRFE(n_features_to_select=3).fit(X, y)
    assert ScheduleDisplay.from_estimator(whole).sizes.tolist() == [3]


# --- all of them -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "display", [CurveDisplay, ParetoDisplay, RankingDisplay, ScheduleDisplay, StabilityDisplay]
)
def test_common_conventions(display, fitted):
    own = display.from_estimator(fitted)
    assert own.figure_ is own.ax_.figure
    assert plt.get_fignums() == [own.figure_.number]
    figure, ax = plt.subplots()
    assert own.plot(ax) is own
    assert (own.ax_, own.figure_) == (ax, figure)
    assert len(plt.get_fignums()) == 2  # given axes, no figure is made
    styled = display.from_estimator(fitted, color="#123456")
    colours = [
        mpl.colors.to_hex(artist.get_facecolor()[0])
        for artist in styled.ax_.collections
        if len(artist.get_facecolor())
    ]
    colours += [mpl.colors.to_hex(line.get_color()) for line in styled.ax_.lines]
    colours += [mpl.colors.to_hex(bar.get_facecolor()) for bar in styled.ax_.patches]
    assert "#123456" in colours
    with pytest.raises(TypeError, match=r"ax must be the axes of matplotlib.*Got Figure"):
        own.plot(figure)


def test_refused_estimators(fitted):
    with pytest.raises(NotFittedError):
        RankingDisplay.from_estimator(SVMRFE())
    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.repeat([0, 1], 4)
    with pytest.raises(ValueError, match=r"with path_, such as a fitted SVMRFE .*Got RFE without"):
        ScheduleDisplay.from_estimator(RFE(LinearSVC()).fit(X, y))
    with pytest.raises(ValueError, match=r"with curve_, such as a fitted SVMRFECV. Got SVMRFE"):
        CurveDisplay.from_estimator(SVMRFE().fit(X, y))
    one_fold = SVMRFECV(cv=[(np.arange(1, 8), [0])]).fit(X, y)
    with pytest.raises(ValueError, match=r"stability_.*Got SVMRFECV without it"):
        StabilityDisplay.from_estimator(one_fold)
    with pytest.raises(ValueError, match=r"'rule' parameter of CurveDisplay.*Got 'elbow'"):
        CurveDisplay.from_curve(fitted.curve_, rule="elbow")
    with pytest.raises(ValueError, match=r"metric must be one of"):
        ParetoDisplay.from_curve(fitted.curve_, metric="f1")


def test_without_matplotlib_the_extra_is_named(monkeypatch, curve):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"need matplotlib.*pip install 'svsieve\[report\]'"):
        CurveDisplay.from_curve(curve)


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, svsieve, svsieve.reports; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
