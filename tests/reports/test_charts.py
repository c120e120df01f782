"""What the charts of the page draw: their lines, axes and numbers."""

import dataclasses

import numpy as np
import pytest

from svsieve.elimination import Path
from svsieve.reports import Candidate
from svsieve.selection import Choice, Curve
from tests.reports.made import Page, small


def charts_of(report):
    return Page(report.to_html()).json("charts-data")


def layers(chart):
    return [layer for layer in chart["layer"] if "encoding" in layer]


def with_others(count):
    best = small().best
    others = [dataclasses.replace(best, label=f"other {k}") for k in range(count)]
    return small(candidates=(best, *others))


def test_every_line_has_a_colour_and_the_dash_of_its_kind():
    chart = charts_of(with_others(3))["accuracy"]
    (lines,) = [layer for layer in layers(chart) if "strokeDash" in layer["encoding"]]
    dash, colour = (lines["encoding"][name]["scale"] for name in ("strokeDash", "color"))
    assert dash["domain"] == colour["domain"]
    assert dict(zip(dash["domain"], dash["range"], strict=True)) == {
        "linear SVM, held out": [1, 0],
        "training rows": [6, 4],
        "chance": [2, 3],
        **{f"other {k}, held out": [1, 0] for k in range(3)},
    }
    assert len(set(colour["range"])) == 6


def test_training_rows_and_chance_have_a_line_only_where_they_are_known():
    best = small().best
    plain = Curve([1, 2, 3], {"accuracy": best.curve.scores()})
    nested = dataclasses.replace(small().nested, chance=None)
    report = small(candidates=(dataclasses.replace(best, curve=plain),), nested=nested)
    (lines,) = [
        one for one in layers(charts_of(report)["accuracy"]) if "strokeDash" in one["encoding"]
    ]
    assert lines["encoding"]["color"]["scale"]["domain"] == ["linear SVM, held out"]


def test_the_line_of_chance_goes_from_the_first_size_to_the_last():
    chart = charts_of(small())["accuracy"]
    rows = [row for rows in chart["datasets"].values() for row in rows]
    chance = [(row["size"], row["score"]) for row in rows if row.get("line") == "chance"]
    assert chance == [(1, 0.5), (3, 0.5)]


def walked(scores):
    """A report whose columns were dropped one at a time at these scores."""
    steps = len(scores)
    path = Path(
        n_columns=steps + 1,
        counts=np.ones(steps, dtype=np.int64),
        following=np.full(steps, np.nan),
        kkt_gap=np.zeros(steps),
        accuracy=np.ones(steps),
        seconds=np.zeros(steps),
        tied=np.zeros(steps, dtype=bool),
        dropped=np.arange(steps),
        scores=np.array(scores, dtype=float),
        survivors=np.array([steps]),
        survivor_scores=np.array([np.nan]),
    )
    sizes = range(1, steps + 2)
    shares = [[0.5 + 0.4 * k / steps for k in range(steps + 1)]] * 2
    curve = Curve(sizes, {"accuracy": shares}, chance=0.5)
    supports = np.tile(np.arange(steps + 1) == steps, (2, 1))
    return small(
        names=tuple(f"c{j}" for j in range(steps + 1)),
        candidates=(Candidate("linear SVM", path, curve, Choice(1, "One is best.")),),
        nested=dataclasses.replace(small().nested, supports=supports, chance=0.5),
        chosen=1,
        selected=[steps],
        frequencies=supports.mean(axis=0),
    )


@pytest.mark.parametrize(
    ("scores", "powers"),
    [
        ([1.0, 2.0, 99.0], None),
        ([0.0, 1e-6, 5.0], None),  # nothing of a logarithm at zero
        ([-1.0, 1e-6, 5.0], None),
        ([1.0, 2.0, 100.0], [1.0, 10.0, 100.0]),
        ([0.02, 3.0, 40.0], [0.01, 0.1, 1.0, 10.0, 100.0]),
        ([1e-9, 1.0, 1e9], [10.0**k for k in range(-9, 10, 3)]),
    ],
)
def test_scores_far_apart_have_an_axis_of_powers_of_ten(scores, powers):
    chart = charts_of(walked(scores))["elimination"]
    axes = [one["encoding"]["y"] for one in layers(chart) if "y" in one["encoding"]]
    assert axes
    for axis in axes:
        assert axis.get("scale", {}).get("type") == (None if powers is None else "log")
        if powers is not None:
            np.testing.assert_allclose(axis["axis"]["values"], powers, rtol=1e-12)
    rows = [row for rows in chart["datasets"].values() for row in rows if "dropped" in row]
    assert [(row["size"], row["score"], row["dropped"]) for row in rows] == [
        (4, scores[0], 1),
        (3, scores[1], 1),
        (2, scores[2], 1),
    ]
