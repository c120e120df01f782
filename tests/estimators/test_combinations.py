"""Parts can be combined freely: any criterion with any schedule, sampler, kernel, stop and rule."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from svsieve import SVC, SVMRFE, SVMRFECV, kernels, rules, samplers, schedules, sparing, stopping
from svsieve.criteria import RedundancyAware, WeightNorm

COLUMNS = 7

MACHINES = st.builds(
    SVC,
    kernel=st.sampled_from(
        [
            "linear",
            "rbf",
            "poly",
            "laplace",
            kernels.Rbf(0.1) + 0.5 * kernels.Linear(),
            kernels.Normalised(kernels.Polynomial(2)),
        ]
    ),
    C=st.sampled_from([0.5, 10.0]),
    slack=st.sampled_from(["l1", "l2"]),
)
PARTS = {
    "criterion": st.sampled_from(
        [
            "weight",
            "weight-first-order",
            "radius",
            "radius-margin",
            "radius-margin-first-order",
            "span",
            "span-first-order",
            RedundancyAware(WeightNorm()),
        ]
    ),
    "step": st.sampled_from(
        [1, 3, 0.4, "sqrt", "entropy", "halving", schedules.Reflective(0.3, 3)]
    ),
    "sampler": st.sampled_from(
        [None, 0.7, samplers.Subsample(0.6, stratified="balanced"), samplers.Bootstrap(3)]
    ),
    "stop": st.sampled_from(
        [None, stopping.AtSize(3), [stopping.AtSize(2), stopping.WhenScoreAbove(1e9)]]
    ),
    "combine": st.sampled_from(["sum", "max", "mean-rank"]),
    "spare": st.sampled_from([None, sparing.CorrelatedGroups(0.9)]),
    "keep": st.sampled_from([None, [0]]),
}
RULES = [rules.Best(), rules.OneStandardError(), rules.Tolerance(0.05), rules.Knee()]


def table(n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.arange(36) % n_classes
    X = rng.normal(size=(36, COLUMNS))
    X[:, 1] += 1.5 * y
    X[:, 5] = X[:, 1] + 0.1 * rng.normal(size=36)
    return X, y


@settings(max_examples=150)
@given(machine=MACHINES, parts=st.fixed_dictionaries(PARTS), n_classes=st.sampled_from([2, 3]))
def test_any_parts_give_a_ranking_of_all_columns(machine, parts, n_classes):
    X, y = table(n_classes)
    selector = SVMRFE(machine, n_features_to_select=1, random_state=0, **parts).fit(X, y)
    path = selector.path_
    assert sorted(path.order.tolist()) == list(range(COLUMNS))
    assert selector.support_.sum() == selector.n_features_ == len(path.survivors)
    assert (np.diff(path.sizes) < 0).all()
    assert parts["keep"] is None or selector.support_[0]


@settings(max_examples=40)
@given(
    machine=MACHINES,
    parts=st.fixed_dictionaries(PARTS),
    n_classes=st.sampled_from([2, 3]),
    rule=st.sampled_from(RULES),
)
def test_any_parts_choose_a_size(machine, parts, n_classes, rule):
    X, y = table(n_classes)
    selector = SVMRFECV(machine, cv=3, rule=rule, random_state=0, **parts).fit(X, y)
    assert selector.n_features_ in selector.curve_.sizes
    assert np.isfinite(selector.curve_.scores()).all()
    assert selector.choice_ == rule.choose(selector.curve_)
