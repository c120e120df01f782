"""The perceptron: against its definition written out, its bound, and its two forms."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron

from svsieve import SVC, KernelPerceptron, kernels


def separable(rows=40, columns=3, seed=0, gap=0.3):
    rng = np.random.default_rng([rows, columns, seed])
    w, X = rng.normal(size=columns), rng.normal(size=(3 * rows, columns))
    distance = X @ w / np.linalg.norm(w) + 0.2
    keep = np.abs(distance) > gap
    return X[keep][:rows], (distance[keep] > 0)[:rows].astype(int)


def written_out(K, signs, eta, epochs):
    """The dual algorithm, line by line."""
    alpha, mistakes = np.zeros(len(signs)), []
    for _ in range(epochs):
        errors = 0
        for i in range(len(signs)):
            if signs[i] * sum(alpha[j] * signs[j] * K[j, i] for j in range(len(signs))) <= 0:
                alpha[i] += eta
                errors += 1
        mistakes.append(errors)
        if errors == 0:
            break
    return alpha, mistakes


@pytest.mark.parametrize("eta", [1.0, 0.25])
@pytest.mark.parametrize(
    "kernel",
    [kernels.Linear(), kernels.Rbf(gamma=0.5), kernels.Polynomial(2, 1.0, 1.0)],
    ids=str,
)
def test_mistakes_are_those_of_the_definition(kernel, eta):
    X, y = separable()
    model = KernelPerceptron(kernel, eta=eta).fit(X, y)
    alpha, mistakes = written_out(kernel.gram(X) + 1.0, np.where(y == 1, 1, -1), eta, 1000)
    np.testing.assert_array_equal(model.alpha_, alpha)
    assert model.mistakes_.tolist() == mistakes
    assert model.converged_
    assert model.n_updates_ == sum(mistakes)
    assert model.n_epochs_ == len(mistakes)
    assert model.score(X, y) == 1.0


@pytest.mark.filterwarnings("ignore:KernelPerceptron still:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_both_forms_make_the_same_mistakes(form, fit_intercept):
    X, y = separable(seed=1)
    options = {"fit_intercept": fit_intercept, "max_epochs": 30}
    primal = KernelPerceptron(form="primal", **options).fit(form(X), y)
    dual = KernelPerceptron(**options).fit(form(X), y)
    np.testing.assert_array_equal(primal.alpha_, dual.alpha_)
    np.testing.assert_allclose(primal.coef_, dual.coef_, rtol=1e-12)
    signs = np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose(primal.coef_[0], (signs * primal.alpha_) @ X, atol=1e-9)
    expected = X @ primal.coef_[0] + primal.intercept_
    np.testing.assert_allclose(primal.decision_function(form(X)), expected, atol=1e-9)


def test_weights_are_those_of_scikit_learns_perceptron():
    X, y = separable(seed=2)
    theirs = Perceptron(shuffle=False, tol=None, max_iter=200).fit(X, y)
    ours = KernelPerceptron(form="primal").fit(X, y)
    # Theirs starts from nothing too, but counts a row on the boundary as right once it is there.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.3, 0.6]))
def test_corrections_are_at_most_the_squared_ratio_of_radius_and_margin(seed, gap):
    X, y = separable(30, 2, seed, gap)
    assume(len(np.unique(y)) == 2)
    model = KernelPerceptron(form="primal").fit(X, y)
    # The widest margin through the origin of the rows with their constant, by the hard margin on
    # rows and their mirror images.
    longer = np.column_stack([X, np.ones(len(X))]) * np.where(y == 1, 1.0, -1.0)[:, None]
    both, sides = np.vstack([longer, -longer]), np.repeat([1, -1], len(X))
    widest = SVC(kernel="linear", slack="l2", C=np.inf, tol=1e-10).fit(both, sides)
    margin = 1.0 / np.linalg.norm(widest.coef_)
    radius = np.linalg.norm(longer, axis=1).max()
    assert model.n_updates_ <= (radius / margin) ** 2 * (1 + 1e-6)


def test_the_size_of_a_correction_changes_nothing_but_the_scale():
    X, y = separable()
    small, large = (KernelPerceptron("rbf", eta=eta).fit(X, y) for eta in (0.5, 4.0))
    np.testing.assert_allclose(
        8.0 * small.decision_function(X), large.decision_function(X), rtol=1e-12
    )


def test_a_search_without_end_is_given_up():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    with pytest.warns(ConvergenceWarning, match=r"still made \d mistakes in pass 7.*max_epochs=7"):
        model = KernelPerceptron(max_epochs=7).fit(X, y)
    assert not model.converged_
    assert model.n_epochs_ == 7
    assert KernelPerceptron("rbf").fit(X, y).converged_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "both"}, r"'form' parameter of KernelPerceptron must be one of 'dual', 'primal'"),
        ({"form": "primal", "kernel": "rbf"}, r"must be 'dual' with the kernel 'rbf'"),
        ({"eta": 0.0}, r"'eta' parameter of KernelPerceptron"),
        ({"fit_intercept": 1}, r"'fit_intercept' parameter of KernelPerceptron"),
        ({"max_epochs": 0}, r"'max_epochs' parameter of KernelPerceptron"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**options).fit(*separable())


def test_more_classes_are_refused():
    X, _ = separable()
    with pytest.raises(ValueError, match=r"Only binary classification.* 4 classes"):
        KernelPerceptron().fit(X, np.arange(len(X)) % 4)


def test_coef_needs_a_linear_kernel():
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = KernelPerceptron("rbf").fit(*separable()).coef_
