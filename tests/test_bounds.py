"""Every bound of a parameter from both sides: the last values taken, the first ones refused."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse

from svsieve import (
    SVC,
    SVDD,
    SVMRFE,
    SVMRFECV,
    FeatureScaling,
    GradientSearch,
    Grid,
    KernelPerceptron,
    OneClassSVC,
    Retune,
    Sieve,
    evaluate,
    kernels,
    machines,
    objectives,
    one_class,
    rules,
    samplers,
    schedules,
    sparing,
    stability,
    stopping,
)
from svsieve.criteria import PowerSum
from svsieve.elimination import Parts
from svsieve.reports import BoundaryDisplay

TINY, HUGE, NAN, INF = 5e-324, 1.7976931348623157e308, math.nan, math.inf
BELOW_ONE, ABOVE_ONE = float(np.nextafter(1.0, 0.0)), float(np.nextafter(1.0, 2.0))

# What is taken, and what is not.
POSITIVE = ((TINY, 1.0, HUGE), (0.0, -TINY, NAN, INF))
POSITIVE_OR_INFINITE = ((TINY, HUGE, INF), (0.0, -TINY, NAN))
NOT_NEGATIVE = ((0.0, TINY, HUGE), (-TINY, NAN, INF))
NOT_NEGATIVE_OR_INFINITE = ((0.0, TINY, HUGE, INF), (-TINY, NAN))
FINITE = ((-HUGE, 0.0, HUGE), (NAN, INF, -INF))
INNER_SHARE = ((TINY, BELOW_ONE), (0.0, 1.0, -TINY, NAN))
SHARE = ((TINY, BELOW_ONE, 1.0), (0.0, ABOVE_ONE, -TINY, NAN))
FROM_NOUGHT = ((0, 1), (-1, 0.5))
FROM_ONE = ((1, 2), (0, -1, 1.5))
FROM_TWO = ((2, 3), (1, 0, 2.5))
LIMIT = ((-1, 1), (0, -2, 1.5))

PARTS = partial(Parts, kernels.Linear(), machines.CSvm())
MADE = [
    (machines.L2Svm, "C", POSITIVE_OR_INFINITE),
    (machines.OneClass, "nu", SHARE),
    (machines.Svdd, "nu", SHARE),
    (machines.Svdd, "C", POSITIVE_OR_INFINITE),
    (machines.SquaredSvdd, "C", POSITIVE),
    (partial(machines.SquaredSvdd, C=1.0), "C_outlier", POSITIVE),
    (partial(machines.NegativeSvdd, C_outlier=1.0), "C_target", POSITIVE),
    (partial(machines.NegativeSvdd, nu=0.5), "C_outlier", POSITIVE),
    (partial(machines.NegativeSvdd, C_outlier=1.0), "nu", SHARE),
    (machines.EnclosingSphere, "ridge", NOT_NEGATIVE),
    (PowerSum, "power", POSITIVE),
    (kernels.Rbf, "gamma", POSITIVE),
    (kernels.Laplace, "gamma", POSITIVE),
    (kernels.Polynomial, "gamma", POSITIVE),
    (kernels.Polynomial, "coef0", FINITE),
    (kernels.Polynomial, "degree", FROM_ONE),
    (kernels.PerFeature, "share", POSITIVE),
    (schedules.Constant, "columns", FROM_ONE),
    (schedules.Fraction, "share", INNER_SHARE),
    (schedules.FractionOfOriginal, "share", INNER_SHARE),
    (partial(schedules.Reflective, centre=5), "share", INNER_SHARE),
    (partial(schedules.Reflective, share=0.5), "centre", FROM_NOUGHT),
    (partial(schedules.Reflective, share=0.5, centre=5), "least", FROM_ONE),
    (schedules.HalveThenOne, "below", FROM_NOUGHT),
    (schedules.Entropy, "below", FROM_NOUGHT),
    (samplers.Subsample, "share", SHARE),
    (partial(samplers.Subsample, 0.5), "below", FROM_NOUGHT),
    (samplers.Bootstrap, "share", SHARE),
    (samplers.Bootstrap, "repeats", FROM_ONE),
    (samplers.Bootstrap, "below", FROM_NOUGHT),
    (sparing.CorrelatedGroups, "threshold", INNER_SHARE),
    (sparing.CorrelatedGroups, "most", FROM_ONE),
    (stopping.AtSize, "columns", FROM_ONE),
    (stopping.WhenScoreAbove, "threshold", NOT_NEGATIVE_OR_INFINITE),
    (stopping.AfterSeconds, "seconds", NOT_NEGATIVE_OR_INFINITE),
    (rules.Tolerance, "tolerance", NOT_NEGATIVE),
    (rules.Scalarised, "w_accuracy", NOT_NEGATIVE),
    (rules.Scalarised, "w_size", NOT_NEGATIVE),
    (rules.AtMost, "size", FROM_ONE),
    (objectives.CrossValidation, "folds", FROM_TWO),
    (objectives.ValidationError, "share", INNER_SHARE),
    (objectives.ValidationError, "slope", POSITIVE),
    (objectives.PosteriorError, "share", INNER_SHARE),
    (Retune, "every", FROM_ONE),
    (Retune, "max_evaluations", FROM_ONE),
    (PARTS, "tol", POSITIVE_OR_INFINITE),
    (PARTS, "max_iter", LIMIT),
    (PARTS, "bias", NOT_NEGATIVE),
]


def name_of(value) -> str | None:
    made = getattr(value, "func", value)
    return getattr(made, "__name__", None)


def refuses(make, name: str, value) -> None:
    """The sentence names the parameter and shows the value."""
    shown = "" if value != value else re.escape(f"{value!r}")  # nan has several faces
    with pytest.raises(ValueError, match=rf"(?s)\b{name}\b.*Got .*{shown}"):
        make(**{name: value})


@pytest.mark.parametrize(("make", "name", "bounds"), MADE, ids=name_of)
def test_parts(make, name: str, bounds) -> None:
    taken, refused = bounds
    for value in taken:
        make(**{name: value})
    for value in refused:
        refuses(make, name, value)


RNG = np.random.default_rng(0)
Y = np.arange(24) % 2
X = RNG.normal(size=(24, 4)) + Y[:, None] * [2.0, 1.0, 0.0, 0.0]
L2 = SVC(slack="l2")
LP = partial(FeatureScaling, L2, n_features_to_select=2, method="lp")

FITTED = [
    (SVC, "C", ((1e-9, 1e3), (0.0, -1.0, NAN))),
    (partial(SVC, slack="l2"), "C", ((1e-9, 1e3, INF), (0.0, -1.0, NAN))),
    (SVC, "gamma", ((1e-9, 1e3), (0.0, -1.0, NAN, INF))),
    (partial(SVC, kernel="poly"), "degree", FROM_ONE),
    (partial(SVC, kernel="poly"), "coef0", ((0.0, 3.0), (-1e-9, NAN, INF))),
    (SVC, "tol", ((1e-12, 1.0), (0.0, -1.0, NAN, INF))),
    (SVC, "cache_size", ((1e-3, 100.0), (0.0, -1.0, NAN, INF))),
    (OneClassSVC, "nu", ((1e-3, 1.0), (0.0, ABOVE_ONE, NAN))),
    (OneClassSVC, "tol", ((1e-12, 1.0), (0.0, -1.0, NAN, INF))),
    (OneClassSVC, "cache_size", ((1e-3, 100.0), (0.0, -1.0, NAN, INF))),
    (SVDD, "nu", ((1e-3, 1.0), (0.0, ABOVE_ONE, NAN))),
    (SVDD, "C", ((0.05, 1e3), (0.0, -1.0, NAN, INF))),
    (KernelPerceptron, "eta", ((1e-9, 1e3), (0.0, -1.0, NAN, INF))),
    (SVMRFE, "n_features_to_select", ((1, 4, 0.25), (0, -1, 0.0))),
    (SVMRFE, "step", ((1, 4, 0.5), (0, -1, 0.0, 1.0))),
    (partial(SVMRFECV, cv=2), "min_features_to_select", ((1, 4), (0, -1))),
    (FeatureScaling, "threshold", ((0.0, 0.5), (-TINY, NAN, INF))),
    (FeatureScaling, "rise", ((0.0, 0.5), (-TINY, NAN, INF))),
    (LP, "penalty", ((0.0, 0.5), (-TINY, NAN, INF))),
    (FeatureScaling, "reach", ((0.5, INF), (0.0, -1.0, NAN))),
    (FeatureScaling, "starts", ((1, 2), (0, 1.5))),
    (partial(GradientSearch, L2), "shrink", ((0.0, 0.5), (-TINY, NAN, INF))),
    (partial(GradientSearch, L2), "starts", ((1, 2), (0, 1.5))),
    (partial(GradientSearch, L2), "max_trainings", ((1, 2), (0, 1.5))),
    (partial(GradientSearch, L2), "tol", ((1e-9, 1.0), (0.0, -1.0, NAN, INF))),
    (partial(Grid, grid={"step": [2]}, cv=2), "random_state", ((0, 1), (-1, 0.5))),
    (Sieve, "budget", ((1e-6,), (0.0, -1.0, NAN, INF))),
    (partial(Sieve, budget=1e-6), "tradeoff", ((0.0, 1.0), (-TINY, ABOVE_ONE, NAN))),
]


@pytest.mark.filterwarnings("ignore")  # a search that is cut short says so
@pytest.mark.parametrize(("make", "name", "bounds"), FITTED, ids=name_of)
def test_estimators(make, name: str, bounds) -> None:
    taken, refused = bounds
    for value in taken:
        make(**{name: value}).fit(X, Y)
    for value in refused:
        refuses(lambda **given: make(**given).fit(X, Y), name, value)


CALLS = [
    (partial(one_class.sigma_grid, X), "factor", ((ABOVE_ONE + 0.1, 2.0), (1.0, 0.5, NAN))),
    (partial(one_class.choose_sigma, X), "nu", ((0.1, 0.5), (0.0, ABOVE_ONE, NAN))),
    (partial(evaluate, SVMRFE(), X, Y, cv=2), "permute", ((0, 1), (-1, 0.5))),
    (partial(stability, [[1, 0, 1], [1, 1, 0]]), "level", ((TINY, BELOW_ONE), (0.0, 1.0, NAN))),
    (
        partial(
            BoundaryDisplay.from_estimator,
            SVDD().fit(X[:, :2]),
            X[:, :2],
            ax=Figure().subplots(),
        ),
        "n_points",
        ((2, 3), (1, 0, 2.5)),
    ),
]


@pytest.mark.parametrize(("call", "name", "bounds"), CALLS, ids=name_of)
def test_functions(call, name: str, bounds) -> None:
    taken, refused = bounds
    for value in taken:
        call(**{name: value})
    for value in refused:
        refuses(call, name, value)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_entries_up_to_the_largest_and_down_to_the_smallest_that_can_be_squared(layout) -> None:
    """Over 24 rows of 4 columns: a quarter of the range is left for sums of differences."""
    limits = np.finfo(np.float64)
    least, most = math.sqrt(limits.tiny * 96.0), math.sqrt(limits.max / (4.0 * 96.0))
    for limit, beyond, word in ((most, INF, "overflow"), (least, 0.0, "vanish")):
        table = X.copy()
        table[:, 2] = np.where(Y == 1, limit, 0.0)
        SVC(gamma=1e-300).fit(layout(table), Y)
        table[3, 2] = np.nextafter(limit, beyond)
        if word == "vanish":
            table[:, 2] = np.minimum(table[:, 2], table[3, 2])
        with pytest.raises(ValueError, match=rf"Column 2 of X.*squares {word}"):
            SVC(gamma=1e-300).fit(layout(table), Y)
