"""Unusual input: what must work works, what cannot is refused with a sentence that says where."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import DataConversionWarning, NotFittedError

from svsieve import SVC, SVDD, SVMRFE, KernelPerceptron, OneClassSVC, kernels
from svsieve.estimators import one_class_base, svc

# --- cells -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.usefixtures("no_computing")
def test_cell_that_is_not_finite(X, y, value, word, layout, refused):
    X[5, 2] = value
    refused(rf"{word}.*column 2, row 5", layout(X), y)


@pytest.mark.usefixtures("no_computing")
def test_missing_cell_of_a_named_column(X, y, refused):
    frame = pd.DataFrame(X, columns=["a", "b", "größe"])
    frame.loc[3, "größe"] = np.nan
    refused(r"NaN: column 2 \('größe'\), row 3", frame, y)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.usefixtures("no_computing")
def test_text_column(X, y, make, refused):
    colours = ["red", "blue"] * 6
    frame = make({"length": X[:, 0], "colour": colours})
    refused(r"Column 1 \('colour'\) of X holds text, 'red' in row 0.*numeric", frame, y)


@pytest.mark.usefixtures("no_computing")
def test_text_cell_without_names(X, y, refused):
    cells = X.astype(object)
    cells[7, 1] = "n/a"
    refused(r"Column 1 of X holds text, 'n/a' in row 7", cells, y)


def test_numbers_written_as_text_are_read(X, y):
    model = SVC().fit(X.astype(str).astype(object), y)
    np.testing.assert_array_equal(model.dual_coef_, SVC().fit(X, y).dual_coef_)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("size", "word"), [(1e300, "overflow"), (1e-300, "vanish")])
@pytest.mark.usefixtures("no_computing")
def test_column_whose_squares_leave_the_range(X, y, size, word, layout, refused):
    X[:, 1] *= size
    refused(rf"Column 1 of X.*{word}.*Scale the column", layout(X), y)


@pytest.mark.usefixtures("no_computing")
def test_named_column_whose_squares_overflow(X, y, refused):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["b"] = frame["b"] * 1e200
    refused(r"Column 1 \('b'\) of X.*overflow", frame, y)


@pytest.mark.parametrize("size", [1e-150, 1e-100, 1e100, 1e150])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_columns_of_any_squarable_size_work(X, y, size, kernel):
    C = 1.0 if kernel == "rbf" else size**-2
    model = SVC(kernel=kernel, C=C).fit(X * size, y)
    expected = SVC(kernel=kernel).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X * size), expected.decision_function(X), atol=1e-6
    )


def test_tiny_cells_beside_ordinary_ones_work(X, y):
    X[::2, 1] = 1e-300
    zeroed = np.where(X == 1e-300, 0.0, X)
    np.testing.assert_allclose(
        SVC().fit(X, y).decision_function(X), SVC().fit(zeroed, y).decision_function(zeroed)
    )


def test_column_of_zeros_works(X, y):
    X[:, 1] = 0.0
    assert SVC().fit(X, y).score(X, y) > 0.5
    assert SVC().fit(sparse.csr_array(X), y).score(X, y) > 0.5


def test_huge_cell_in_prediction_is_refused_and_tiny_ones_are_not(X, y):
    model = SVC().fit(X, y)
    Z = X.copy()
    Z[:, 0] = 1e-300
    assert np.isfinite(model.decision_function(Z)).all()
    Z[2, 1] = 1e300
    with pytest.raises(ValueError, match=r"Column 1 of X.*overflow"):
        model.predict(Z)


# --- shapes ----------------------------------------------------------------------------------


def test_two_rows():
    model = SVC(kernel="linear").fit([[0.0], [2.0]], ["no", "yes"])
    assert model.predict([[0.5], [1.5]]).tolist() == ["no", "yes"]
    np.testing.assert_allclose(model.decision_function([[0.0], [1.0], [2.0]]), [-1, 0, 1])


def test_one_column(X, y):
    X[:, 0] = 3 * y - 1
    model = SVC().fit(X[:, :1], y)
    assert model.n_features_in_ == 1
    assert model.score(X[:, :1], y) == 1.0


def test_class_with_one_row(X):
    y = np.array(["common"] * 11 + ["rare"])
    X[11] = 9.0
    model = SVC().fit(X, y)
    assert model.n_support_.tolist()[1] == 1
    assert model.predict(X)[11] == "rare"
    many = np.array([0, 1, 2, 3] + [4] * 8)
    assert SVC(C=1e4, gamma=1.0).fit(X, many).score(X, many) == 1.0


def test_every_row_its_own_class(X):
    y = np.arange(len(X))
    model = SVC().fit(X, y)
    assert model.dual_coef_.shape == (11, 12)
    assert model.intercept_.shape == (66,)
    np.testing.assert_array_equal(model.predict(X), y)


def test_constant_columns_change_nothing(X, y):
    wider = np.column_stack([X, np.full(12, 5.0)])
    np.testing.assert_allclose(
        SVC(gamma=0.4).fit(wider, y).decision_function(wider),
        SVC(gamma=0.4).fit(X, y).decision_function(X),
        atol=1e-8,
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_nothing_but_a_constant(y, kernel):
    model = SVC(kernel=kernel).fit(np.full((12, 3), 2.0), np.r_[y[:-1], 0])
    assert (model.predict(np.full((4, 3), 2.0)) == 0).all()


def test_duplicated_columns_double_their_weight(X, y):
    doubled = SVC(kernel="linear").fit(np.column_stack([X, X]), y)
    weighted = SVC(kernel=kernels.Linear(weights=[2.0, 2.0, 2.0])).fit(X, y)
    np.testing.assert_allclose(doubled.coef_[:, :3], doubled.coef_[:, 3:], atol=1e-12)
    np.testing.assert_allclose(doubled.coef_[:, :3] * 2, weighted.coef_, atol=1e-8)


def test_duplicated_rows_of_both_classes(X, y):
    both = np.concatenate([X, X])
    model = SVC(C=5.0).fit(both, np.concatenate([y, 1 - y]))
    np.testing.assert_allclose(model.decision_function(X), 0.0, atol=1e-8)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplace"])
def test_rows_of_zeros(X, y, layout, kernel):
    X[:4] = 0.0
    model = SVC(kernel=kernel).fit(layout(X), y)
    assert np.isfinite(model.decision_function(layout(np.zeros((2, 3))))).all()


def test_only_rows_of_zeros(y):
    model = SVC().fit(sparse.csr_array((12, 3)), np.r_[y[:-1], 0])
    assert (model.predict(np.zeros((2, 3))) == 0).all()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros((12, 0)), r"0 feature\(s\)"),
        (np.zeros(12), "Expected 2D array"),
        (np.zeros((12, 2, 2)), "dim 3"),
        (np.zeros((11, 3)), r"inconsistent numbers of samples: \[11, 12\]"),
    ],
)
@pytest.mark.usefixtures("no_computing")
def test_wrong_shape(X, y, message, refused):
    refused(message, X, y)


# --- storage ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16, bool, np.float32, np.float16])
def test_other_types_of_numbers(y, dtype):
    X = np.random.default_rng(1).integers(0, 5, (12, 3)).astype(dtype)
    model = SVC().fit(X, y)
    expected = SVC().fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_sparse_matrix_with_wide_indices(X, y, index_type):
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(index_type), csr.indptr.astype(index_type)
    np.testing.assert_allclose(
        SVC().fit(csr, y).decision_function(csr), SVC().fit(X, y).decision_function(X), atol=1e-8
    )


def test_memory_in_any_order(X, y):
    expected = SVC().fit(X, y).decision_function(X)
    wide = np.zeros((24, 6))
    wide[::2, ::2] = X
    for view in (np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1]):
        np.testing.assert_array_equal(SVC().fit(view, y).decision_function(view), expected)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_read_only_memory(X, y, layout):
    Z = layout(X)
    weights = np.ones(len(y))
    arrays = [Z.data, Z.indices, Z.indptr] if sparse.issparse(Z) else [Z]
    for array in [*arrays, y, weights]:
        array.flags.writeable = False
    model = SVC().fit(Z, y, sample_weight=weights)
    assert model.predict(Z).shape == (12,)
    assert SVC(cache_size=0.0005).fit(Z, y).predict(Z).shape == (12,)


def test_input_is_left_alone(X, y):
    before = X.copy(), y.copy()
    SVC(class_weight="balanced").fit(X, y, sample_weight=np.ones(12)).predict(X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(X, y, make):
    frame = make({name: X[:, i] for i, name in enumerate(["a", "b", "c"])})
    model = SVC().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(
        model.decision_function(frame), SVC().fit(X, y).decision_function(X)
    )
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a", "c"]])


def test_frame_of_mixed_types(y):
    frame = pd.DataFrame(
        {"whole": range(12), "yes": [True, False] * 6, "single": np.ones(12, np.float32)}
    )
    assert SVC(kernel="linear", C=10).fit(frame, y).score(frame, y) == 1.0


def test_hostile_column_names(X, y, refused):
    names = ["", "naïve \N{SNOWMAN}", "'; DROP TABLE x; --\n\x00"]
    model = SVC().fit(pd.DataFrame(X, columns=names), y)
    assert model.feature_names_in_.tolist() == names
    broken = pd.DataFrame(X, columns=names)
    broken.iloc[0, 2] = np.nan
    refused(r"NaN: column 2 \(.*DROP TABLE.*\\n\\x00.*\), row 0", broken, y)


@pytest.mark.usefixtures("no_computing")
def test_repeated_column_names(X, y, refused):
    frame = pd.DataFrame(X, columns=["a", "b", "a"])
    refused("Column names must be unique; 2 columns of X are named 'a'", frame, y)


def test_names_that_are_not_all_text(X, y, refused):
    assert not hasattr(SVC().fit(pd.DataFrame(X), y), "feature_names_in_")
    refused(
        "Feature names are only supported", pd.DataFrame(X, columns=["a", 1, 2]), y, error=TypeError
    )


# --- target ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_computing")
def test_missing_target(X, refused):
    refused("requires y to be passed", X, None)


@pytest.mark.parametrize("label", ["same", 3, True])
@pytest.mark.usefixtures("no_computing")
def test_one_class(X, label, refused):
    refused(rf"at least two classes.*only one class: {label!r}", X, [label] * 12)


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
@pytest.mark.usefixtures("no_computing")
def test_missing_label(X, hole, refused):
    labels = pd.Series(["a", "b"] * 6, dtype=object)
    labels[4] = hole
    refused("y contains missing.*row 4", X, labels)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.usefixtures("no_computing")
def test_label_that_is_not_finite(X, y, value, refused):
    refused("y contains missing or infinite.*row 4", X, np.where(np.arange(12) == 4, value, y))


@pytest.mark.usefixtures("no_computing")
def test_continuous_target(X, refused):
    refused("Unknown label type: continuous", X, np.linspace(0, 1, 12))


@pytest.mark.usefixtures("no_computing")
def test_several_targets(X, y, refused):
    refused("1d array", X, np.column_stack([y, y]))


@pytest.mark.usefixtures("no_computing")
def test_labels_of_mixed_types(X, refused):
    refused("Unknown label type", X, np.array([1, "a"] * 6, dtype=object))


@pytest.mark.usefixtures("no_computing")
def test_labels_of_bytes(X, refused):
    # scikit-learn 1.6 only warns of them, which is an error here.
    refused("bytes", X, np.array([b"x", b"y"] * 6), error=(TypeError, FutureWarning))


def test_target_as_a_column_is_taken_with_a_warning(X, y):
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = SVC().fit(X, y[:, None])
    np.testing.assert_array_equal(model.dual_coef_, SVC().fit(X, y).dual_coef_)


@pytest.mark.parametrize(
    "labels",
    [
        ["ja", "nein"] * 6,
        [True, False] * 6,
        [1.0, -1.0] * 6,
        pd.Series(["x", "y"] * 6, dtype="category"),
        pd.Series(["x", "y"] * 6, index=range(5, 17)),
        pl.Series(["x", "y"] * 6),
        np.array([2**40, -(2**40)] * 6),
        ["", "\N{SNOWMAN}"] * 6,
    ],
    ids=str,
)
def test_labels_of_any_kind(X, labels):
    model = SVC(C=1e3).fit(X, labels)
    assert model.predict(X).tolist() == np.asarray(labels).tolist()


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(11), r"one number per row of X, shape \(12,\). Got shape \(11,\) instead"),
        (np.ones((12, 1)), r"Got shape \(12, 1\) instead"),
        (np.r_[np.ones(11), -0.5], r"must not be negative. Got -0.5 in row 11 instead"),
        (np.zeros(12), "sample_weight is zero in every row"),
        (np.array([0.0, 1.0] * 6), r"sample_weight is zero in every row of class 0"),
        (np.r_[np.ones(11), np.nan], "sample_weight.*contains NaN"),
        (np.r_[np.ones(11), np.inf], "sample_weight.*contains infinity"),
        (["heavy"] * 12, "sample_weight.*could not convert string to float"),
        (2.0, "sample_weight must hold one finite number per row"),
    ],
)
@pytest.mark.usefixtures("no_computing")
def test_bad_sample_weight(X, y, weights, message, refused):
    refused(message, X, y, sample_weight=weights)


# --- prediction ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_prediction_before_fit(X, method):
    with pytest.raises(NotFittedError, match="This SVC instance is not fitted yet"):
        getattr(SVC(), method)(X)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_prediction_with_the_wrong_number_of_columns(X, y, method, layout):
    model = SVC().fit(layout(X), y)
    with pytest.raises(ValueError, match="X has 2 features, but SVC is expecting 3 features"):
        getattr(model, method)(layout(X[:, :2]))


def test_prediction_of_a_missing_cell(X, y):
    model = SVC().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[2, "b"] = np.nan
    with pytest.raises(ValueError, match=r"NaN: column 1 \('b'\), row 2"):
        model.predict(frame)


def test_options_changed_into_nonsense_after_fit():
    X, y = make_classification(40, n_classes=3, n_informative=4, random_state=0)
    model = SVC(break_ties=True).fit(X, y)
    model.set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="break_ties must be False"):
        model.predict(X)


def test_failed_fit_leaves_the_estimator_unfitted(X, y):
    model = SVC()
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(12))
    with pytest.raises(NotFittedError):
        model.predict(X)


# --- kernels whose values overflow -------------------------------------------------------------

NORMALISED = kernels.Normalised(kernels.Polynomial(2, 1.0, 1.0))
MACHINES = [SVC(kernel=NORMALISED), KernelPerceptron(kernel=NORMALISED)]
MACHINES += [SVDD(kernel=NORMALISED), OneClassSVC(kernel=NORMALISED)]


@pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)
def test_rows_on_which_a_composed_kernel_overflows_are_refused(model, X, y):
    with pytest.raises(ValueError, match=r"value of row 0 with itself is not finite under Normal"):
        model.fit(X * 1e120, np.abs(y))
    fitted = model.fit(X, np.abs(y))
    Z = np.vstack([X, X[:1] * 1e120])
    with pytest.raises(ValueError, match=r"values of row 12 are not finite under Normalised"):
        fitted.decision_function(Z)


def test_the_row_that_overflows_is_counted_over_blocks(X, y, monkeypatch):
    monkeypatch.setattr(svc, "PREDICTION_BLOCK_BYTES", 200)
    monkeypatch.setattr(one_class_base, "PREDICTION_BLOCK_BYTES", 200)
    Z = np.vstack([X, X[:1] * 1e120])
    for model in (MACHINES[0], MACHINES[3]):
        with pytest.raises(ValueError, match="values of row 12 are not finite"):
            model.fit(X, np.abs(y)).decision_function(Z)


def test_an_elimination_refuses_them_too(X, y):
    with pytest.raises(ValueError, match=r"kernel must be finite.* Scale the columns"):
        SVMRFE(SVC(kernel=NORMALISED)).fit(X * 1e120, y)
