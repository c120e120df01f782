"""What SVC promises beyond agreement with its peer."""

import dataclasses
import math
import pickle

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC, kernels
from svsieve.estimators import pair_solving
from svsieve.estimators import svc as module


def table(n_classes=2, rows=80, columns=5, seed=0):
    return make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        class_sep=0.6,
        random_state=seed,
    )


# --- layout and prediction -------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 4])
def test_coef_gives_the_decision_values(n_classes):
    X, y = table(n_classes)
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    values = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(values.squeeze(), model.decision_function(X), atol=1e-10)


def test_coef_holds_the_weights_of_the_kernel():
    X, y = table()
    weights = [0.0, 1.0, 2.0, 0.5, 3.0]
    model = SVC(kernel=kernels.Linear(weights=weights)).fit(X, y)
    np.testing.assert_allclose(
        X @ model.coef_[0] + model.intercept_, model.decision_function(X), atol=1e-10
    )
    scaled = SVC(kernel="linear").fit(X * np.sqrt(weights), y)
    np.testing.assert_allclose(model.coef_, scaled.coef_ * np.sqrt(weights), atol=1e-8)


def test_coef_of_sparse_rows_is_dense():
    X, y = table(3)
    dense, csr = SVC(kernel="linear").fit(X, y), SVC(kernel="linear").fit(sparse.csr_array(X), y)
    assert isinstance(csr.coef_, np.ndarray)
    np.testing.assert_allclose(csr.coef_, dense.coef_, atol=1e-8)


def test_coef_is_absent_unless_linear():
    X, y = table()
    assert not hasattr(SVC(kernel="linear"), "coef_")
    assert not hasattr(SVC(kernel="rbf").fit(X, y), "coef_")
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = SVC().fit(X, y).coef_


def test_positive_decision_means_the_second_class():
    X, y = make_blobs(40, centers=[[-3, 0], [3, 0]], random_state=0)
    names = np.array(["before", "after"])[y]
    model = SVC(kernel="linear").fit(X, names)
    assert model.classes_.tolist() == ["after", "before"]
    np.testing.assert_array_equal(model.decision_function(X) > 0, names == "before")
    np.testing.assert_array_equal(model.predict(X), names)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_is_grouped_by_class_and_holds_every_coefficient(n_classes):
    X, y = table(n_classes)
    model = SVC().fit(X, y)
    groups = np.split(model.support_, np.cumsum(model.n_support_)[:-1])
    for label, group in enumerate(groups):
        assert (y[group] == label).all()
        assert (np.diff(group) > 0).all()
    assert (model.dual_coef_ != 0).any(axis=0).all()
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_prediction_in_blocks_changes_nothing(monkeypatch):
    X, y = table(4)
    model = SVC().fit(X, y)
    values, labels = model.decision_function(X), model.predict(X)
    monkeypatch.setattr(module, "PREDICTION_BLOCK_BYTES", 8 * 7 * len(model.support_))
    np.testing.assert_allclose(model.decision_function(X), values, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), labels)


def test_one_row_can_be_predicted():
    X, y = table(3)
    model = SVC().fit(X, y)
    assert model.predict(X[:1]).shape == (1,)
    assert model.decision_function(X[:1]).shape == (1, 3)


# --- forms of the table ----------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplace"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_and_dense_rows_give_the_same(kernel, n_classes):
    X, y = table(n_classes)
    X[X < 0.3] = 0.0
    dense = SVC(kernel=kernel).fit(X, y)
    for layout in (sparse.csr_array, sparse.csc_array, sparse.coo_matrix, sparse.lil_matrix):
        csr = SVC(kernel=kernel).fit(layout(X), y)
        assert sparse.issparse(csr.support_vectors_)
        values = dense.decision_function(X)
        np.testing.assert_allclose(csr.decision_function(layout(X)), values, atol=1e-7)
        np.testing.assert_allclose(csr.decision_function(X), values, atol=1e-7)
        np.testing.assert_allclose(dense.decision_function(layout(X)), values, atol=1e-12)


def test_unsorted_duplicated_csr_is_read_right_and_left_alone():
    X = sparse.csr_array(
        (np.array([2.0, 1.0, 1.0, -4.0, 3.0]), [1, 0, 0, 1, 0], [0, 3, 4, 5]), shape=(3, 2)
    )
    y = [0, 1, 1]
    expected = SVC().fit(X.toarray(), y).decision_function(X.toarray())
    np.testing.assert_allclose(SVC().fit(X, y).decision_function(X), expected, atol=1e-10)
    assert X.indices.tolist() == [1, 0, 0, 1, 0]


def test_single_precision_gives_nearly_the_same():
    X, y = table(rows=60)
    double = SVC().fit(X, y).decision_function(X)
    single = SVC().fit(X.astype(np.float32), y).decision_function(X.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, double, atol=1e-4)


# --- memory of training ----------------------------------------------------------------------


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("megabytes", [0.005, 0.04])
def test_small_budget_gives_the_same(megabytes, n_classes, layout):
    # 80 rows need 0.049 MB, a pair of three classes about 0.02 MB.
    X, y = table(n_classes)
    X = layout(X)
    expected = SVC().fit(X, y)
    frugal = SVC(cache_size=megabytes).fit(X, y)
    np.testing.assert_allclose(
        frugal.decision_function(X), expected.decision_function(X), atol=1e-8
    )
    np.testing.assert_array_equal(frugal.support_, expected.support_)


def test_the_budget_is_handed_on(monkeypatch):
    X, y = table()
    asked = []

    def spy(kernel, rows, budget_bytes):
        asked.append(budget_bytes)
        return kernels.kernel_values(kernel, rows, budget_bytes)

    monkeypatch.setattr(pair_solving, "values_of", spy)
    SVC(cache_size=0.01).fit(X, y)
    assert asked == [int(0.01 * 2**20)]


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("slack", ["l1", "l2"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_count_rows(n_classes, class_weight, slack):
    X, y = table(n_classes, rows=40)
    counts = np.random.default_rng(2).integers(0, 4, len(y))
    settings = {"slack": slack, "class_weight": class_weight, "C": 0.5}
    weighted = SVC(**settings).fit(X, y, sample_weight=counts)
    repeated = SVC(**settings).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-8
    )
    assert (counts[weighted.support_] > 0).all()
    np.testing.assert_array_equal(weighted.support_vectors_, X[weighted.support_])


def test_weights_bound_the_coefficients():
    X, y = table()
    weights = np.linspace(0.5, 2.0, len(y))
    model = SVC(C=0.1).fit(X, y, sample_weight=weights)
    bounds = 0.1 * weights[model.support_]
    assert (np.abs(model.dual_coef_[0]) <= bounds).all()
    assert np.isclose(np.abs(model.dual_coef_[0]), bounds).any()


# --- machines --------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_l2_slack_meets_its_conditions(C):
    X, y = table()
    model = SVC(slack="l2", C=C).fit(X, y)
    signs = 2 * y - 1
    margins = signs * model.decision_function(X)
    multipliers = np.zeros(len(y))
    multipliers[model.support_] = np.abs(model.dual_coef_[0])
    on = multipliers > 0
    np.testing.assert_allclose(margins[on], 1 - multipliers[on] / C, atol=1e-8)
    assert (margins[~on] >= 1 - 1e-8).all()
    assert abs(model.dual_coef_.sum()) < 1e-10


def test_hard_margin_separates_with_margin_one():
    X, y = make_blobs(60, centers=[[-2, 0, 0], [2, 0, 0]], cluster_std=0.5, random_state=0)
    model = SVC(kernel="linear", slack="l2", C=math.inf).fit(X, y)
    margins = (2 * y - 1) * model.decision_function(X)
    assert margins.min() == pytest.approx(1.0, abs=1e-8)
    assert 2 <= len(model.support_) <= 4


@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_kernel_object_says_the_same_as_its_name(name):
    X, y = table(3)
    kernel = {"rbf": kernels.Rbf(gamma=0.3), "linear": kernels.Linear()}[name]
    by_name = SVC(kernel=name, gamma=0.3).fit(X, y)
    by_object = SVC(kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(by_object.dual_coef_, by_name.dual_coef_)


def test_kernel_object_wins_over_gamma():
    X, y = table()
    model = SVC(kernel=kernels.Rbf(gamma=0.3), gamma=50.0).fit(X, y)
    assert model.kernel_ == kernels.Rbf(gamma=0.3)


@dataclasses.dataclass(frozen=True)
class Cauchy(kernels.PairingKernel):
    """A kernel of a user's own, without native help."""

    pairing = "squared-difference"
    scale: float = 1.0

    def value(self, s):
        return 1.0 / (1.0 + self.scale * s)

    def slope(self, s):
        return -self.scale * self.value(s) ** 2

    def param_slopes(self, s):
        return {"scale": -s * self.value(s) ** 2}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_kernel_of_a_users_own(layout):
    X, y = table(3)
    model = SVC(kernel=Cauchy(scale=0.5)).fit(layout(X), y)
    distances = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    peer = PeerSVC(kernel="precomputed", tol=1e-9).fit(1 / (1 + 0.5 * distances), y)
    np.testing.assert_array_equal(model.support_, peer.support_)
    np.testing.assert_allclose(model.dual_coef_, peer.dual_coef_, atol=1e-3)
    with pytest.raises(ValueError, match=r"Cauchy.*whole Gram matrix"):
        SVC(kernel=Cauchy(), cache_size=0.001).fit(layout(X), y)


def test_gamma_per_feature():
    X, y = table(columns=5)
    assert SVC(gamma=kernels.PerFeature(2.0)).fit(X, y).kernel_.gamma == pytest.approx(0.4)


# --- convergence -----------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [80, 400])
def test_gap_is_reported_and_kept(rows):
    X, y = table(3, rows=rows)
    model = SVC(tol=1e-5).fit(X, y)
    assert 0 <= model.kkt_gap_ <= 1e-5
    assert model.n_iter_.shape == (3,)
    assert (model.n_iter_ >= 1).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_iteration_limit_warns_with_the_gap(n_classes):
    X, y = table(n_classes)
    with pytest.warns(ConvergenceWarning, match=r"iteration-limit.*KKT gap of") as caught:
        model = SVC(max_iter=2).fit(X, y)
    assert len(caught) == 1
    assert f"{model.kkt_gap_:.3g}" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert model.kkt_gap_ > 1e-3


@pytest.mark.parametrize(("gap", "warns"), [(1e-2, True), (1e-6, False)])
def test_precision_floor_warns_only_above_tol(monkeypatch, gap, warns):
    X, y = table()

    def stalled(*args, **kwargs):
        solution = solve(*args, **kwargs)
        return dataclasses.replace(solution, stopped="precision-floor", kkt_gap=gap)

    solve = pair_solving.solve
    monkeypatch.setattr(pair_solving, "solve", stalled)
    if warns:
        with pytest.warns(ConvergenceWarning, match="precision-floor"):
            SVC().fit(X, y)
    else:
        SVC().fit(X, y)


def test_order_of_the_rows_does_not_matter_on_few_rows():
    X, y = table(3)
    order = np.random.default_rng(0).permutation(len(y))
    straight, shuffled = SVC(C=10).fit(X, y), SVC(C=10).fit(X[order], y[order])
    np.testing.assert_allclose(
        straight.decision_function(X), shuffled.decision_function(X), atol=1e-8
    )
    np.testing.assert_array_equal(np.sort(straight.support_), np.sort(order[shuffled.support_]))


# --- company ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", kernels.Polynomial(degree=2, gamma="scale", coef0=1.0)])
def test_clone_and_pickle(kernel):
    X, y = table(3)
    model = SVC(kernel=kernel, C=3.0).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "support_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(copy.fit(X, y).dual_coef_, model.dual_coef_)


def test_fits_in_threads_are_independent():
    X, y = table(3)
    costs = [0.1, 1.0, 10.0, 100.0] * 2
    alone = [SVC(C=C).fit(X, y).decision_function(X) for C in costs]
    together = joblib.Parallel(n_jobs=4, backend="threading")(
        joblib.delayed(lambda C: SVC(C=C).fit(X, y).decision_function(X))(C) for C in costs
    )
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_grid_search_over_kernel_objects():
    X, y = table()
    grid = {"kernel": ["linear", kernels.Rbf(gamma=0.5)], "slack": ["l1", "l2"]}
    search = GridSearchCV(SVC(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.5
    assert len(search.cv_results_["params"]) == 4


def test_refit_forgets_the_former_fit():
    X, y = table(3)
    model = SVC(kernel="linear").fit(X, y)
    model.fit(X[y < 2][:, :3], y[y < 2])
    assert model.coef_.shape == (1, 3)
    assert model.n_features_in_ == 3
    assert len(model.intercept_) == len(model.n_iter_) == 1
