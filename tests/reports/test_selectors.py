"""The picture of compared selectors shows what was found."""

import numpy as np
import pytest

from svsieve.reports.selectors import SelectorsDisplay
from svsieve.selection.evaluation import Outcome, evaluation_of

SPLITS = [(np.arange(8), np.arange(8, 10))] * 3


def judged(scores, metric="accuracy"):
    support = np.array([True, False])
    outcomes = [Outcome(score, support, score) for score in scores]
    return evaluation_of(outcomes, SPLITS, metric, 0.5)


def test_the_best_is_on_top_with_mean_interval_and_folds():
    pytest.importorskip("matplotlib").use("agg")
    found = {"low": judged([0.5, 0.6, 0.7]), "high": judged([0.8, 0.9, 0.85])}
    display = SelectorsDisplay(found).plot()
    assert display.order == ["high", "low"]
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["high (1)", "low (1)"]
    lines = display.ax_.get_lines()
    np.testing.assert_allclose(lines[0].get_xdata(), [0.8, 0.9, 0.85])
    np.testing.assert_allclose(lines[1].get_xdata(), found["high"].interval)
    np.testing.assert_allclose(lines[2].get_xdata(), [0.85])
    assert display.ax_.get_xlim()[1] <= 1.02


def test_metrics_are_not_mixed():
    found = {"a": judged([0.5, 0.6, 0.7]), "b": judged([0.5, 0.6, 0.7], "f1")}
    with pytest.raises(ValueError, match="must all have one metric"):
        SelectorsDisplay(found)
