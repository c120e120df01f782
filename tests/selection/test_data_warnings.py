"""What is odd about a table is found, and nothing else is."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from svsieve.selection.data_warnings import (
    constant_columns,
    data_warnings,
    duplicated_columns,
    fold_warnings,
    leaking_columns,
    repeated_rows,
)


def noise(rows=60, columns=8, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def names(columns):
    return [f"x{j}" for j in range(columns)]


def warned(X, codes, classes=("a", "b")):
    return data_warnings(X, codes, names(X.shape[1]), classes)


CODES = np.arange(60) % 2


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_nothing_is_said_about_plain_data(form):
    assert warned(form(noise()), CODES) == ()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_each_oddity_is_named(form):
    X = noise(columns=10)
    X[:, 1] = 3.0
    X[:, 4] = 0.0
    X[:, 5] = X[:, 2]
    X[:, 7] = 10.0 * CODES + X[:, 7]
    X[59] = X[57]
    said = "\n".join(warned(form(X), CODES))
    assert "2 columns are constant and tell nothing: 'x1', 'x4'." in said
    assert "1 column is a copy of another, such as 'x5' of 'x2'" in said
    assert "1 column tells the classes apart alone, without a single error: 'x7'" in said
    assert "1 of 60 rows are copies of earlier ones" in said


def test_against_plain_loops():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(6, 40)).astype(float)
    constant = [j for j in range(40) if len(set(X[:, j])) == 1]
    assert constant_columns(X).tolist() == constant
    first = {}
    copies = []
    for j in range(40):
        key = tuple(X[:, j])
        if key in first:
            copies.append((first[key], j))
        first.setdefault(key, j)
    assert duplicated_columns(X) == copies
    assert repeated_rows(X) == 6 - len({tuple(row) for row in X})


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_that_separate_all_classes_leak(n_classes):
    codes = np.arange(60) % n_classes
    X = noise()
    X[:, 3] = [7.0, -2.0, 3.0][:n_classes] @ np.eye(n_classes)[:, codes] + 0.1 * X[:, 3]
    X[:, 4] = codes == 0  # only one of three
    expected = [3, 4] if n_classes == 2 else [3]
    assert leaking_columns(X, codes).tolist() == expected


def test_equal_values_in_two_classes_do_not_separate():
    column = np.where(CODES == 0, 0.0, 1.0)
    column[1] = 0.0
    assert not len(leaking_columns(column[:, None], CODES))


def test_separation_by_chance_is_no_leak():
    X = noise(rows=8, columns=5000)
    codes = np.arange(8) % 2
    separating = [
        j
        for j in range(5000)
        if X[codes == 0, j].max() < X[codes == 1, j].min()
        or X[codes == 1, j].max() < X[codes == 0, j].min()
    ]
    assert len(separating) > 50  # as many as chance brings
    assert not len(leaking_columns(X, codes))


def test_unequal_classes():
    codes = (np.arange(60) < 6).astype(int)
    said = " ".join(warned(noise(), codes, ("common", "rare")))
    assert "54 rows of 'common', 6 of 'rare'" in said
    assert "0.90" in said


@given(st.integers(1, 40), st.integers(2, 12), st.integers(2, 12))
def test_folds_are_as_many_as_there_are_rows_for(smallest, outer, inner):
    if smallest < 3:
        with pytest.raises(ValueError, match="at least 3 of every class"):
            fold_warnings(smallest, "a", (outer, inner))
        return
    (used, used_inner), said = fold_warnings(smallest, "a", (outer, inner))
    assert 2 <= used <= min(max(outer, 3), smallest)
    # Every outer fold leaves a row of the class for each inner fold.
    assert 2 <= used_inner <= smallest - int(np.ceil(smallest / used))
    assert bool(said) == ((used, used_inner) != (outer, inner))


@pytest.mark.parametrize(("constant", "end"), [(5, "'x4'."), (6, "'x4' and 1 more.")])
def test_up_to_five_columns_are_named(constant, end):
    X = noise(columns=10)
    X[:, :constant] = 1.0
    (said,) = warned(X, CODES)
    assert said.startswith(f"{constant} columns are constant")
    assert said.split(": ")[1].startswith("'x0', 'x1', 'x2', 'x3', " + end)
