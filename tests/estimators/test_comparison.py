"""Selectors compared on the same outer folds."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from svsieve import SVC, SVMRFECV, RunStore, evaluate
from svsieve.estimators.comparison import compare, standard_selectors, tried_sizes


def table(rows=40, columns=12):
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, columns))
    X[:, 4] += 2.0 * y
    return X, y


SELECTORS = {kernel: SVMRFECV(SVC(kernel=kernel), cv=3) for kernel in ("linear", "rbf")}


def test_each_is_judged_as_evaluate_judges_it():
    X, y = table()
    found = compare(SELECTORS, X, y, folds=4, seed=3)
    outer = StratifiedKFold(4, shuffle=True, random_state=3)
    for name, selector in SELECTORS.items():
        expected = evaluate(selector, X, y, cv=outer, scoring="accuracy")
        mine = found.evaluations[name]
        np.testing.assert_array_equal(mine.scores, expected.scores)
        np.testing.assert_array_equal(mine.supports, expected.supports)
        np.testing.assert_array_equal(mine.selection_scores, expected.selection_scores)
        assert mine.interval == expected.interval
        assert mine.chance == expected.chance
        assert mine.stability.nogueira == expected.stability.nogueira
    lines = found.rows()
    assert [line["score"] for line in lines] == sorted(one["score"] for one in lines)[::-1]


def test_a_checkpoint_is_gone_on_from(tmp_path, monkeypatch):
    X, y = table()
    whole = compare(SELECTORS, X, y, folds=3)
    compare(SELECTORS, X, y, folds=3, checkpoint=tmp_path / "run")
    with RunStore(tmp_path / "run") as store:
        assert len(store.done()) == 6

    def computed(*_):
        raise AssertionError("a fold was judged again")

    monkeypatch.setattr("svsieve.estimators.comparison.judged_on_fold", computed)
    again = compare(SELECTORS, X, y, folds=3, checkpoint=tmp_path / "run")
    for name in SELECTORS:
        np.testing.assert_array_equal(
            again.evaluations[name].scores, whole.evaluations[name].scores
        )
    with pytest.raises(ValueError, match="the folds differ"):
        compare(SELECTORS, X, y, folds=3, seed=1, checkpoint=tmp_path / "run")


def test_the_standard_ones_all_choose_a_size_inside():
    X, y = table()
    selectors = standard_selectors(12, inner_folds=3)
    found = compare(selectors, X, y, folds=3)
    assert list(found.evaluations) == list(selectors)
    for name, one in found.evaluations.items():
        assert (one.n_features >= 1).all(), name
        assert one.mean > 0.6, name
    assert found.evaluations["SVM-RFE, linear"].supports[:, 4].all()


@pytest.mark.parametrize("columns", [1, 2, 5, 12, 2000])
def test_sizes_that_filters_try(columns):
    sizes = tried_sizes(columns)
    assert sizes == sorted(set(sizes))
    assert (sizes[0], sizes[-1]) == (1, columns)
    assert len(sizes) <= 12
