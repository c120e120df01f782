"""Filters beside known digits, scipy and plain loops, and what must not change them."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.feature_selection import SelectKBest, f_classif

import svsieve
from svsieve import (
    SVC,
    SVMRFE,
    fisher_score,
    golub_score,
    kendall_score,
    pearson_score,
    random_score,
    spearman_score,
    svm_score,
    t_score,
)
from svsieve.criteria import filters
from svsieve.elimination import Path
from tests.oracles import numbers
from tests.oracles.numbers import assert_digits

ALL = [fisher_score, golub_score, pearson_score, t_score, spearman_score, kendall_score]
OVER_SPREAD = [fisher_score, golub_score, t_score]
EACH = pytest.mark.parametrize("score", ALL, ids=lambda score: score.__name__)

DIGITS = {
    golub_score: "1.122447496 0.1337122803 0.7322072020",
    fisher_score: "2.144502618 0.03517151541 1.066982810",
    pearson_score: "0.7193281914 0.1314604252 0.5898248153",
    t_score: "2.536436053 0.3248300267 1.789119456",
    spearman_score: "0.7637626158 0.1646463900 0.6037034299",
    kendall_score: "0.6614378278 0.1443375673 0.5292377468",
}


def table(rows: int = 31, columns: int = 7, classes: int = 2, seed: int = 0, ties: bool = False):
    rng = np.random.default_rng([rows, columns, classes, seed])
    y = np.append(np.repeat(np.arange(classes), 2), rng.integers(classes, size=rows - 2 * classes))
    X = rng.normal(size=(rows, columns)) + np.outer(y == 0, rng.normal(size=columns))
    return (np.round(X) if ties else X), y


# ---- two classes


@EACH
def test_known_digits(score) -> None:
    assert_digits(score(numbers.X, numbers.Y), DIGITS[score])


def plain(score, x: np.ndarray, ones: np.ndarray) -> float:
    """The score of one column by definition, or by scipy."""
    a, b = x[ones], x[~ones]
    apart = abs(a.mean() - b.mean())
    return {
        fisher_score: lambda: apart**2 / (a.var() + b.var()),
        golub_score: lambda: apart / (a.std() + b.std()),
        pearson_score: lambda: abs(stats.pearsonr(x, ones)[0]),
        t_score: lambda: abs(stats.ttest_ind(a, b, equal_var=False)[0]),
        spearman_score: lambda: abs(stats.spearmanr(x, ones)[0]),
        kendall_score: lambda: abs(stats.kendalltau(x, ones)[0]),
    }[score]()


@pytest.mark.parametrize("ties", [False, True], ids=["reals", "integers"])
@EACH
def test_two_classes_by_definition(score, ties: bool) -> None:
    X, y = table(ties=ties)
    expected = [plain(score, x, y == 1) for x in X.T]
    np.testing.assert_allclose(score(X, y), expected, rtol=1e-10)


# ---- more classes


@pytest.mark.parametrize("ties", [False, True], ids=["reals", "integers"])
@pytest.mark.parametrize("score", ALL[1:], ids=lambda score: score.__name__)
def test_more_classes_are_the_largest_of_one_against_the_rest(score, ties: bool) -> None:
    X, y = table(classes=4, ties=ties)
    expected = [max(plain(score, x, y == c) for c in range(4)) for x in X.T]
    np.testing.assert_allclose(score(X, y), expected, rtol=1e-10)


def test_fisher_of_more_classes_is_a_multiple_of_the_f_statistic() -> None:
    X, y = table(rows=40, classes=4)
    f, _ = f_classif(X, y)
    np.testing.assert_allclose(fisher_score(X, y), f * (4 - 1) / (40 - 4), rtol=1e-10)


# ---- what must not change them

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS, classes=st.integers(2, 4), score=st.sampled_from(ALL))
def test_units_of_columns_do_not_matter(seed: int, classes: int, score) -> None:
    X, y = table(rows=15, classes=classes, seed=seed)
    rng = np.random.default_rng(seed)
    factors = rng.choice([-1.0, 1.0], 7) * np.exp(rng.normal(0, 3, 7))
    moved = X * factors + rng.normal(0, 3, 7)
    np.testing.assert_allclose(score(moved, y), score(X, y), rtol=1e-8, atol=1e-12)


@given(seed=SEEDS, classes=st.integers(2, 4), score=st.sampled_from(ALL), ties=st.booleans())
def test_order_of_rows_and_names_of_classes_do_not_matter(
    seed: int, classes: int, score, ties: bool
) -> None:
    X, y = table(rows=15, classes=classes, seed=seed, ties=ties)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    names = np.array(["d", "a", "c", "b"])[rng.permutation(4)]
    np.testing.assert_allclose(score(X[order], names[y[order]]), score(X, y), rtol=1e-9, atol=1e-14)


@given(
    seed=SEEDS, classes=st.integers(2, 3), score=st.sampled_from([spearman_score, kendall_score])
)
def test_ranks_see_nothing_but_order(seed: int, classes: int, score) -> None:
    X, y = table(rows=15, classes=classes, seed=seed, ties=True)
    np.testing.assert_array_equal(score(np.exp(X), y), score(X, y))


@given(seed=SEEDS, classes=st.integers(2, 4), score=st.sampled_from(ALL))
def test_sparse_tables(seed: int, classes: int, score) -> None:
    X, y = table(rows=20, columns=9, classes=classes, seed=seed)
    X *= np.random.default_rng(seed).uniform(size=X.shape) < 0.4
    X[:, 3] = 0.0
    X[:, 4] = 0.1
    for make in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        np.testing.assert_allclose(score(make(X), y), score(X, y), rtol=1e-9, atol=1e-14)


@EACH
def test_blocks_of_columns(score, monkeypatch) -> None:
    X, y = table(columns=11, ties=True)
    whole = score(X, y)
    monkeypatch.setattr(filters, "BLOCK_ENTRIES", 4 * len(X))
    np.testing.assert_array_equal(score(X, y), whole)
    np.testing.assert_array_equal(score(sparse.csr_array(X), y) > 0, whole > 0)


# ---- columns without spread


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
@EACH
def test_a_constant_column_is_worth_nothing(score, classes: int, make) -> None:
    X, y = table(classes=classes)
    X[:, :4] = [0.0, 0.1, -1e8 / 3, 1e-300]
    found = score(make(X), y)
    np.testing.assert_array_equal(found[:4], 0.0)
    assert (found[4:] > 0).all()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_column_that_is_the_class(make) -> None:
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    X = make(np.column_stack([0.1 + 0.2 * y, y]))
    for score in OVER_SPREAD:
        np.testing.assert_array_equal(score(X, y), np.inf)
    for score in (pearson_score, spearman_score, kendall_score):
        np.testing.assert_allclose(score(X, y), 1.0, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
@EACH
def test_sizes_whose_squares_leave_the_range(score, size: float) -> None:
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for make in (np.asarray, sparse.csr_array):
            np.testing.assert_allclose(score(make(X * size), y), score(X, y), rtol=1e-9)


@pytest.mark.parametrize("score", [pearson_score, golub_score, fisher_score, t_score])
def test_far_from_zero(score) -> None:
    X, y = table()
    away = np.round(X, 4) + 2.0**20
    np.testing.assert_allclose(score(away, y), score(away - 2.0**20, y), rtol=1e-6)


# ---- refusals


@EACH
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), [0, 1], r"one label for each of 3 rows. Got shape \(2,\)"),
        (np.ones((2, 2)), [[0], [1]], r"one label for each of 2 rows. Got shape \(2, 1\)"),
        (np.ones((2, 2)), [0, 0], "at least two classes. Got only 0"),
        (np.ones((3, 2)), [0.0, 1.0, 0.5], "class labels, not .* continuous.* Got 0.5 in row 2"),
        (np.ones((2, 2)), [0.0, np.nan], "class labels, not missing .* Got nan in row 1"),
        (np.array([[1.0], [np.inf]]), [0, 1], "X must hold finite numbers"),
        (np.ones(2), [0, 1], "X must be a table"),
    ],
)
def test_refused(score, X, y, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(X, y)


def test_t_needs_two_rows_of_a_class() -> None:
    with pytest.raises(ValueError, match=r"t_score needs two rows of each class.* class 'b'"):
        t_score([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    for score in ALL:
        if score is not t_score:
            assert np.isfinite(score([[0.0], [1.0], [2.0]], ["a", "b", "a"])).all()


# ---- company


@EACH
def test_selectors_take_them(score) -> None:
    X, y = table(columns=5, classes=3)
    selector = SelectKBest(score, k=2).fit(pd.DataFrame(X), y)
    np.testing.assert_array_equal(selector.scores_, score(X, y))
    chosen = selector.get_support()
    assert selector.scores_[chosen].min() >= selector.scores_[~chosen].max()
    assert Path.from_scores(score(X, y)).n_columns == 5


def test_random_scores() -> None:
    X, y = table(columns=400)
    one, same, other = (random_score(X, y, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert (one != other).all()
    assert stats.kstest(one, "uniform").pvalue > 1e-3
    assert len(random_score(X)) == 400
    fixed = partial(random_score, random_state=0)
    assert SelectKBest(fixed, k=3).fit(X, y).get_support().sum() == 3
    assert random_score(X, random_state=np.random.default_rng(1)).shape == (400,)


def test_all_are_public() -> None:
    for score in [*ALL, random_score, svm_score]:
        assert getattr(svsieve, score.__name__) is score
        assert score.__name__ in svsieve.__all__


# ---- one iteration of an elimination


@pytest.mark.parametrize(
    "machine",
    [None, SVC(kernel="rbf", gamma=0.1), SVC(kernel="linear", C=0.01)],
    ids=["default", "rbf", "linear"],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_svm_scores_are_those_of_the_first_step(machine, classes: int) -> None:
    X, y = table(classes=classes)
    found = svm_score(X, y, machine)
    path = SVMRFE(machine, n_features_to_select=6).fit(X, y).path_
    assert path.dropped.tolist() == [found.argmin()]
    np.testing.assert_allclose(path.scores[0], found.min(), rtol=1e-6)
    np.testing.assert_allclose(path.following[0], np.sort(found)[1], rtol=1e-6)


def test_svm_scores_of_a_linear_machine_are_squares_of_weights() -> None:
    X, y = table()
    weights = SVC(kernel="linear", tol=1e-10).fit(X, y).coef_[0]
    np.testing.assert_allclose(svm_score(X, y), weights**2, rtol=1e-6)
    np.testing.assert_allclose(svm_score(sparse.csr_array(X), y), weights**2, rtol=1e-6)
    first = svm_score(X, y, criterion="weight-first-order")
    np.testing.assert_allclose(first, 2 * weights**2, rtol=1e-6)


def test_svm_score_refuses_and_warns() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"'criterion' parameter of svm_score.*Got 'margin'"):
        svm_score(X, y, criterion="margin")
    with pytest.raises(ValueError, match="at least two classes"):
        svm_score(X, np.zeros(len(X)))
    with pytest.warns(UserWarning, match="svm_score: the machine did not converge"):
        svm_score(X, y, SVC(kernel="rbf", C=100.0, max_iter=3))
