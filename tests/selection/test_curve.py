"""Scores against size."""

import numpy as np
import pytest

from svsieve.selection import Curve

SCORES = [[0.7, 0.9, 0.9], [0.5, 0.7, 0.9], [0.6, 0.8, 0.6]]


def test_statistics_are_over_the_folds():
    curve = Curve([1, 2, 4], {"accuracy": SCORES}, n_columns=9)
    np.testing.assert_allclose(curve.mean(), [0.6, 0.8, 0.8])
    np.testing.assert_allclose(curve.std(), np.std(SCORES, axis=0))
    deviation = [np.sqrt(0.02 / 2), np.sqrt(0.02 / 2), np.sqrt(0.06 / 2)]
    np.testing.assert_allclose(curve.standard_error(), np.array(deviation) / np.sqrt(3))
    assert curve.n_folds == 3
    assert curve.n_columns == 9


def test_one_fold_has_no_standard_error():
    curve = Curve([1, 2], {"accuracy": [[0.5, 0.6]]})
    assert np.isnan(curve.standard_error()).all()
    assert (curve.std() == 0).all()


def test_the_first_metric_is_the_one_meant():
    curve = Curve([1, 2], {"auc": [[0.5, 0.6]], "accuracy": [[0.7, 0.8]]})
    assert curve.metrics == ["auc", "accuracy"]
    np.testing.assert_array_equal(curve.mean(), [0.5, 0.6])
    np.testing.assert_array_equal(curve.mean("accuracy"), [0.7, 0.8])
    with pytest.raises(ValueError, match=r"metric must be one of \['auc', 'accuracy'\]. Got 'f1'"):
        curve.mean("f1")


def test_a_part_of_the_curve():
    scores = {"accuracy": SCORES}
    part = Curve([1, 2, 4], scores, scores, 9, 0.6).up_to(3)
    assert part.sizes.tolist() == [1, 2]
    assert part.n_columns == 9
    assert part.chance == 0.6
    np.testing.assert_array_equal(part.train["accuracy"], np.array(SCORES)[:, :2])
    with pytest.raises(ValueError, match="no size of 0 columns or less; its smallest is 1"):
        part.up_to(0)


def test_frame():
    scores = {"accuracy": SCORES, "auc": np.array(SCORES) / 2}
    frame = Curve([1, 2, 4], scores, n_columns=9).to_frame()
    assert frame["metric"].tolist() == ["accuracy"] * 3 + ["auc"] * 3
    assert frame["size"].tolist() == [1, 2, 4] * 2
    np.testing.assert_allclose(frame["mean"][3:], [0.3, 0.4, 0.4])
    assert frame["train_mean"].isna().all()
    frame = Curve([1, 2, 4], scores, scores, 9).to_frame()
    np.testing.assert_allclose(frame["train_mean"], frame["mean"])
    np.testing.assert_allclose(frame["train_std"], frame["std"])


def test_the_largest_size_is_all_columns_unless_told():
    assert Curve([1, 2], {"accuracy": [[0.5, 0.6]]}).n_columns == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sizes": [2, 1, 3]}, r"sizes must rise.*Got \[2, 1, 3\]"),
        ({"sizes": [1, 1, 3]}, "sizes must rise"),
        ({"sizes": [0, 1, 3]}, "from 1 or more"),
        ({"sizes": []}, "sizes must rise"),
        ({"sizes": [1.0, 2.0, 3.0]}, "whole numbers"),
        ({"n_columns": 3}, "no more than the 3 columns"),
        ({"held_out": {}}, "at least one metric"),
        ({"held_out": {"a": [0.5, 0.6, 0.7]}}, r"held_out\['a'\].*Got shape \(3,\)"),
        ({"held_out": {"a": [[0.5, 0.6]]}}, r"each of 3 sizes. Got shape \(1, 2\)"),
        ({"train": {"b": SCORES}}, r"metrics of held_out, \['a'\]. Got \['b'\]"),
        ({"train": {"a": SCORES[:2]}}, r"same folds. Got \[2, 3\]"),
    ],
)
def test_refusals(changed, message):
    given = {"sizes": [1, 2, 4], "held_out": {"a": SCORES}, "train": None, "n_columns": 9}
    with pytest.raises(ValueError, match=message):
        Curve(**given | changed)
