"""The picture of a boundary in the plane: what it holds, what is drawn, what is refused."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.contour import QuadContourSet
from sklearn.exceptions import NotFittedError

from svsieve import SVC, SVDD, OneClassSVC
from svsieve.reports import BoundaryDisplay
from svsieve.reports.figures import BLUE, GREY

mpl.use("Agg")


@pytest.fixture(autouse=True)
def nothing_left_behind():
    assert plt.get_fignums() == []
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 2))


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]


@pytest.mark.parametrize("make", [SVDD, OneClassSVC])
def test_values_are_decision_values_on_a_grid(X, make):
    model = make(nu=0.2, gamma=0.2).fit(X)
    display = BoundaryDisplay.from_estimator(model, X, n_points=20, margin=0.5)
    assert display.level == 0.0
    assert display.values.shape == (20, 20)
    for i, j in ((0, 0), (3, 17), (19, 5)):
        at = model.decision_function([[display.across[j], display.up[i]]])[0]
        assert display.values[i, j] == pytest.approx(at, abs=1e-12)
    spread = np.ptp(X, axis=0)
    assert display.across[0] == pytest.approx(X[:, 0].min() - 0.5 * spread[0])
    assert display.up[-1] == pytest.approx(X[:, 1].max() + 0.5 * spread[1])
    np.testing.assert_array_equal(display.support, model.support_vectors_)
    assert labels_of(display.ax_) == ["boundary", "rows", "support vectors"]
    assert display.ax_.get_xlabel() == "column 0"


def test_distances_of_a_sphere_are_distances(X):
    model = SVDD("linear", C=1.0).fit(X)
    display = BoundaryDisplay.from_estimator(model, X, show="distance", n_points=15)
    assert display.level == model.radius_
    at = np.array([display.across[4], display.up[9]])
    assert display.values[9, 4] == pytest.approx(np.linalg.norm(at - model.center_))
    assert len(display.figure_.axes) == 2  # the scale of the distances


@pytest.mark.parametrize(("show", "colour"), [("boundary", BLUE), ("distance", GREY)])
def test_rows_have_a_colour_that_is_seen_on_the_filling(X, show, colour):
    display = BoundaryDisplay.from_estimator(SVDD(gamma=0.2).fit(X), X, show=show, n_points=10)
    rows = next(one for one in display.ax_.collections if one.get_label() == "rows")
    np.testing.assert_array_equal(rows.get_offsets(), X)
    np.testing.assert_array_equal(rows.get_facecolor()[0], mpl.colors.to_rgba(colour))
    assert len(display.figure_.axes) == (2 if show == "distance" else 1)


def test_drawing_again_asks_nobody(X):
    model = SVDD(gamma=0.2).fit(X)
    display = BoundaryDisplay.from_estimator(model, X, n_points=10)
    ax = plt.subplots()[1]
    again = display.plot(ax)
    assert again.ax_ is ax
    assert labels_of(ax) == ["boundary", "rows", "support vectors"]


def test_names_of_a_frame_are_shown_and_known_to_the_machine(X):
    frame = pd.DataFrame(X, columns=["width", "price in $"])
    display = BoundaryDisplay.from_estimator(SVDD(gamma=0.2).fit(frame), frame, n_points=10)
    assert display.ax_.get_xlabel() == "width"
    assert display.ax_.get_ylabel() == r"price in \$"


def test_two_classes_have_a_boundary_too(X):
    display = BoundaryDisplay.from_estimator(SVC().fit(X, X[:, 0] > 0), X, n_points=10)
    assert display.values.min() < 0 < display.values.max()


def test_a_picture_in_which_nothing_is_accepted_can_be_drawn():
    points = np.linspace(0.0, 1.0, 4)
    BoundaryDisplay(
        points, points, -np.ones((4, 4)), 0.0, np.zeros((1, 2)), np.empty((0, 2))
    ).plot()


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_level_that_the_values_only_touch_has_no_line(level):
    # A line would be nowhere, or at the frame; some versions of matplotlib warn of it.
    points = np.linspace(0.0, 1.0, 4)
    values = np.outer(points, points)
    display = BoundaryDisplay(points, points, values, level, np.zeros((1, 2)), np.empty((0, 2)))
    display.plot()
    drawn = [one for one in display.ax_.collections if isinstance(one, QuadContourSet)]
    assert all(one.filled for one in drawn)
    assert labels_of(display.ax_) == ["boundary", "rows", "support vectors"]


def test_what_cannot_be_drawn_is_refused(X):
    model = SVDD(gamma=0.2).fit(X)
    with pytest.raises(ValueError, match=r"X of .* must have two columns. Got shape \(60, 1\)"):
        BoundaryDisplay.from_estimator(model, X[:, :1])
    with pytest.raises(ValueError, match=r"'show' parameter of .* one of 'boundary', 'distance'"):
        BoundaryDisplay.from_estimator(model, X, show="both")
    with pytest.raises(ValueError, match=r"without radius_.*Got OneClassSVC"):
        BoundaryDisplay.from_estimator(OneClassSVC().fit(X), X, show="distance")
    with pytest.raises(ValueError, match=r"one decision value per row; SVC gives 3"):
        BoundaryDisplay.from_estimator(SVC().fit(X, np.arange(60) % 3), X)
    with pytest.raises(NotFittedError):
        BoundaryDisplay.from_estimator(SVDD(), X)
    with pytest.raises(ValueError, match=r"'n_points' parameter"):
        BoundaryDisplay.from_estimator(model, X, n_points=1)
