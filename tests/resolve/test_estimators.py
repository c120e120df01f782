"""scikit-learn's machines as specifications."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC

from svsieve.kernels import Linear, PerFeature, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm
from svsieve.resolve import resolve_estimator


@pytest.mark.parametrize(
    ("estimator", "kernel"),
    [
        (SVC(), Rbf(gamma="scale")),
        (SVC(gamma="auto"), Rbf(gamma=PerFeature(1.0))),
        (SVC(gamma=0.5), Rbf(gamma=0.5)),
        (SVC(kernel="linear", gamma=-1, degree=-1, coef0=-1), Linear()),
        (
            SVC(kernel="poly", gamma=2.0, degree=4, coef0=1.0),
            Polynomial(degree=4, gamma=2.0, coef0=1.0),
        ),
    ],
)
def test_kernels_of_svc(estimator, kernel):
    assert resolve_estimator(estimator).kernel == kernel


def test_the_rest_of_svc():
    found = resolve_estimator(SVC(C=3, tol=1e-5, max_iter=7, class_weight={1: 2}))
    assert found.machine == CSvm(3.0)
    assert (found.tol, found.max_iter, found.class_weight) == (1e-5, 7, {1: 2})
    assert found.bias is None
    assert not found.one_vs_rest


@pytest.mark.parametrize(
    ("estimator", "machine", "bias"),
    [
        (LinearSVC(C=3), L2Svm(6.0), 1.0),
        (LinearSVC(C=3, loss="hinge", intercept_scaling=4), CSvm(3.0), 4.0),
        (LinearSVC(fit_intercept=False), L2Svm(2.0), 0.0),
    ],
)
def test_linear_svc(estimator, machine, bias):
    found = resolve_estimator(estimator)
    assert (found.machine, found.bias, found.kernel) == (machine, bias, Linear())
    assert found.one_vs_rest
    assert found.max_iter == -1  # liblinear counts passes, not steps


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SVC(kernel="sigmoid"), r"'kernel' parameter of SVC.*'linear', 'poly', 'rbf'.*'sigmoid'"),
        (SVC(kernel="precomputed"), r"'kernel' parameter of SVC.*Got 'precomputed'.*left out"),
        (SVC(kernel=max), r"'kernel' parameter of SVC.*built-in function max"),
        (SVC(kernel="poly", coef0=-1.0), r"'coef0' parameter of SVC"),
        (SVC(gamma=0.0), r"'gamma' parameter of SVC"),
        (SVC(C=0), r"'C' parameter of SVC"),
        (SVC(max_iter=0), r"'max_iter' parameter of SVC must be -1 \(no limit\) or a positive"),
        (LinearSVC(penalty="l1"), r"'penalty' parameter of LinearSVC must be 'l2'.*'l1'"),
        (LinearSVC(multi_class="crammer_singer"), r"'multi_class' parameter.*'crammer_singer'"),
        (LinearSVC(loss="huber"), r"'loss' parameter of LinearSVC.*'squared_hinge'"),
        (LinearSVC(intercept_scaling=0), r"'intercept_scaling' parameter of LinearSVC"),
        (NuSVC(), r"'estimator' parameter of SVMRFE must be a classifier.*NuSVC"),
        (SVR(), r"'estimator' parameter of SVMRFE must be a classifier.*SVR"),
        (LogisticRegression(), r"scikit-learn's SVC or LinearSVC.*Got LogisticRegression"),
        (SVC, r"Got SVC instead. Give an object, SVC\(\)"),
        ("svc", r"Got str"),
    ],
)
def test_what_cannot_rank(estimator, message):
    with pytest.raises(ValueError, match=message):
        resolve_estimator(estimator)
