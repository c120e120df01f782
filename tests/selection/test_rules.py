"""Hand-made curves, the reasons given, and refusals. What holds for all is in tests/property."""

import numpy as np
import pytest

from svsieve.selection import Curve, rules
from svsieve.selection.rules import resolve_rule


def curve_of(means, sizes=None, spread=0.0, n_columns=0, metric="accuracy"):
    means = np.array(means)
    sizes = range(1, len(means) + 1) if sizes is None else sizes
    return Curve(list(sizes), {metric: [means - spread, means + spread]}, None, n_columns)


@pytest.mark.parametrize(
    ("rule", "means", "spread", "size"),
    [
        (rules.Best(), [0.6, 0.9, 0.9, 0.8], 0.0, 2),
        (rules.Best(), [-3.0, -1.0, -2.0, -1.0], 0.0, 2),
        # two folds, m - s and m + s: the standard error is s
        (rules.OneStandardError(), [0.6, 0.81, 0.8, 0.9], 0.1, 2),
        (rules.OneStandardError(), [0.6, 0.79, 0.8, 0.9], 0.1, 3),
        (rules.OneStandardError(), [-4.0, -3.1, -2.9, -2.0], 1.0, 3),
        (rules.Tolerance(0.05), [0.6, 0.85, 0.8, 0.9], 0.0, 2),
        (rules.Tolerance(0.0), [0.6, 0.85, 0.8, 0.9], 0.0, 4),
        (rules.Tolerance(0.1, relative=True), [0.4, 0.44, 0.45, 0.5], 0.0, 3),
        (rules.Tolerance(0.1, relative=True), [-0.4, -0.23, -0.22, -0.2], 0.0, 3),
        (rules.Knee(), [0.5, 0.8, 0.85, 0.9], 0.0, 2),
        (rules.Knee(), [0.9, 0.8, 0.7, 0.6], 0.0, 1),
        (rules.Knee(), [0.6, 0.7, 0.8, 0.9], 0.0, 4),  # straight: no knee, so the best
        (rules.Knee(), [0.5, 0.5, 0.6, 0.9], 0.0, 4),
        (rules.AtMost(3), [0.6, 0.7, 0.8, 0.9], 0.0, 3),
        (rules.AtMost(3, rules.Tolerance(0.15)), [0.6, 0.7, 0.8, 0.9], 0.0, 2),
        (rules.AtMost(30), [0.6, 0.7, 0.8, 0.9], 0.0, 4),
    ],
)
def test_choices(rule, means, spread, size):
    assert rule.choose(curve_of(means, spread=spread)).size == size


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (0.0, "0"),
        (1e-5, "1e-05"),
        (1e-4, "0.0001"),
        (0.98765, "0.9877"),
        (-123456.7, "-123457"),
        (-1e6, "-1e+06"),
        (-1234567.0, "-1.23e+06"),
    ],
)
def test_scores_in_reasons_are_short(score, shown):
    assert rules.Best().choose(curve_of([score])).reason.endswith(f", {shown}.")


def test_the_scalarised_cost_of_the_published_examples():
    """The two tables of estimated accuracies and their costs, for sizes 1 to 5 of 5 columns."""
    rule = rules.Scalarised(0.8, 0.2)
    first = curve_of([0.857143, 0.946429, 0.973214, 0.991071, 1.0])
    expected = [0.154286, 0.122857, 0.141429, 0.167143, 0.2]
    np.testing.assert_allclose(rule.cost(first), expected, atol=1e-6)
    assert rule.choose(first).size == 2
    second = curve_of([0.7, 0.869231, 0.92, 0.94, 0.95])
    np.testing.assert_allclose(rule.cost(second), [0.28, 0.184615, 0.184, 0.208, 0.24], atol=1e-6)
    assert rule.choose(second).size == 3


def test_equal_costs_go_to_the_smaller_size():
    # 0.8 * 0.05 = 0.2 * 2 / 10: two columns more pay for 0.05 exactly
    curve = curve_of([0.7, 0.75, 0.8], sizes=[2, 4, 6], n_columns=10)
    assert rules.Scalarised(0.8, 0.2).choose(curve).size == 2


def test_the_share_is_one_of_all_columns_not_of_the_largest_size():
    means = [0.80, 0.84]
    rule = rules.Scalarised(0.8, 0.2)
    assert rule.choose(curve_of(means, sizes=[10, 20], n_columns=20)).size == 10
    assert rule.choose(curve_of(means, sizes=[10, 20], n_columns=2000)).size == 20


def test_the_knee_does_not_look_beyond_the_best_size():
    means = [0.5, 0.8, 0.9, 0.6, 0.6, 0.6]
    assert rules.Knee().choose(curve_of(means)).size == 2


def test_the_mean_of_the_same_scores_in_another_order_is_a_tie():
    scores = [[0.1, 0.3, 0.7], [0.2, 0.1, 0.2], [0.3, 0.2, 0.1]]
    table = np.array(scores)
    table[:, 2] = table[[2, 0, 1], 0]
    curve = Curve([1, 2, 3], {"accuracy": table})
    assert rules.Best().choose(curve).size == 1
    assert rules.Tolerance(0.0).choose(curve).size == 1


def test_sizes_without_a_score_are_passed_over():
    curve = Curve([1, 2, 3], {"auc": [[np.nan, 0.6, 0.7], [0.9, 0.6, 0.7]]})
    assert rules.Best().choose(curve).size == 3
    assert rules.OneStandardError().choose(curve).size == 3
    assert rules.AtMost(2).choose(curve).size == 2
    curve = Curve([1, 2], {"auc": [[np.nan, np.nan]]})
    with pytest.raises(ValueError, match="the mean of auc is finite at none"):
        rules.Best().choose(curve)


def test_another_metric_can_be_asked_for():
    curve = Curve([1, 2], {"auc": [[0.9, 0.6]], "accuracy": [[0.6, 0.9]]})
    assert rules.Best().choose(curve).size == 1
    assert rules.Best().choose(curve, "accuracy").size == 2
    assert "accuracy" in rules.Best().choose(curve, "accuracy").reason


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (rules.Best(), "4 columns have the best mean accuracy, 0.9."),
        (
            rules.OneStandardError(),
            "2 columns are the smallest size with a mean accuracy (0.85) within one standard error "
            "(0.1) of the best, 0.9 with 4.",
        ),
        (
            rules.Tolerance(0.01),
            "4 columns have the best mean accuracy, 0.9, and no smaller size is at most 0.01 "
            "below it.",
        ),
        (
            rules.Knee(),
            "The curve bends at 2 columns: the mean accuracy, 0.85 there, rises less from there on "
            "than on average before.",
        ),
        (
            rules.Scalarised(),
            "2 columns have the least cost 0.22 of 0.8 (1 - accuracy) + 0.2 size / 4.",
        ),
        (
            rules.AtMost(1),
            "Of sizes up to 1: 1 column has the best mean accuracy, 0.5.",
        ),
    ],
)
def test_reasons(rule, reason):
    choice = rule.choose(curve_of([0.5, 0.85, 0.8, 0.9], spread=0.1))
    assert choice.reason == reason


def test_one_fold_has_no_standard_error_to_go_by():
    with pytest.raises(ValueError, match="OneStandardError needs the scores of at least two folds"):
        rules.OneStandardError().choose(Curve([1, 2], {"accuracy": [[0.5, 0.6]]}))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rules.Tolerance(-0.1), "'tolerance' parameter of Tolerance"),
        (lambda: rules.Tolerance(np.nan), "'tolerance' parameter of Tolerance"),
        (lambda: rules.AtMost(0), r"'size' parameter of AtMost must be an int in \[1, inf\)"),
        (lambda: rules.AtMost(2, "best"), "'rule' parameter of AtMost must be a rule"),
        (lambda: rules.Scalarised(-1.0, 0.2), "'w_accuracy' parameter of Scalarised"),
        (lambda: rules.Scalarised(0.8, "a"), "'w_size' parameter of Scalarised"),
        (lambda: rules.Scalarised(0.0, 0.0), "must not both be zero"),
        (lambda: rules.AtMost(1).choose(curve_of([0.5], sizes=[3])), "no size of 1 columns"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("best", rules.Best()),
        ("one-se", rules.OneStandardError()),
        ("tolerance", rules.Tolerance(0.01)),
        ("knee", rules.Knee()),
        ("scalarised", rules.Scalarised(0.8, 0.2)),
        (rules.AtMost(5), rules.AtMost(5)),
    ],
)
def test_short_names(name, rule):
    assert resolve_rule(name) == rule


@pytest.mark.parametrize("rule", ["worst", None, 3, rules.Best])
def test_names_that_mean_nothing(rule):
    with pytest.raises(ValueError, match=r"'rule' parameter of SVMRFECV must be one of 'best'"):
        resolve_rule(rule)
