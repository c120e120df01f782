"""scikit-learn's support vector machines as specifications: what to solve at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sklearn.svm import SVC, LinearSVC, OneClassSVM

from svsieve.kernels import Kernel, Linear
from svsieve.machines import CSvm, L2Svm, Machine, OneClass
from svsieve.resolve.machines import resolve_kernel
from svsieve.resolve.options import (
    check_iterations,
    check_option,
    check_real,
    check_share,
    listed,
    refusal,
)

SVC_KERNELS = ("linear", "poly", "rbf")


@dataclass(frozen=True)
class Specification:
    """The machine that an estimator stands for.

    Attributes
    ----------
    kernel : Kernel
        Its gamma may be a rule, evaluated again on the columns of every step.
    machine : CSvm or L2Svm
    tol : float
        The estimator's own.
    bias : float or None
        None: unpenalised; a number: the weight of a constant column of that size, penalised with
        the others; 0: none.
    max_iter : int
        Limit of the solver, -1 for none.
    class_weight : dict, "balanced" or None
    one_vs_rest : bool
        With more than two classes: each class against all others, or each pair.
    weights_count : bool
        A row of weight k counts as k rows in "balanced" and in ``gamma="scale"``, or as one.
    """

    kernel: Kernel
    machine: CSvm | L2Svm
    tol: float
    bias: float | None = None
    max_iter: int = -1
    class_weight: Any = None
    one_vs_rest: bool = False
    weights_count: bool = True


@dataclass(frozen=True)
class OneClassSpecification(Specification):
    """The machine that an estimator of one class stands for.

    Attributes
    ----------
    machine : Machine
        A description of one class, such as Svdd or OneClass.
    negative_machine : Machine or None
        The same where some rows are known negatives; None: they are not told apart.
    """

    machine: Machine  # type: ignore[assignment]
    negative_machine: Machine | None = None


@runtime_checkable
class Specifies(Protocol):
    """An estimator that says itself what it specifies, as svsieve.SVC does in a layer above."""

    def _specification(self) -> Specification:
        """Return what to solve, refusing bad parameters."""


def resolve_estimator(
    estimator: Any, *, owner: str = "SVMRFE", one_class: bool = False
) -> Specification:
    """Return what a support vector machine specifies.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC or sklearn.svm.LinearSVC
        With `one_class` also svsieve.SVDD, svsieve.OneClassSVC or sklearn.svm.OneClassSVM.
    owner : str, default="SVMRFE"
        Whose parameter this is, for the messages.
    one_class : bool, default=False
        Whether the owner can do with machines of one class; they specify a
        `OneClassSpecification`.

    Returns
    -------
    Specification

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from svsieve.resolve import resolve_estimator
    >>> resolve_estimator(LinearSVC(C=3)).machine
    L2Svm(C=6.0)
    """
    found: Specification | None = None
    if isinstance(estimator, Specifies) and not isinstance(estimator, type):
        found = estimator._specification()
    elif isinstance(estimator, SVC):
        found = _from_svc(estimator)
    elif isinstance(estimator, LinearSVC):
        found = _from_linear_svc(estimator)
    elif isinstance(estimator, OneClassSVM):
        found = _from_one_class_svm(estimator)
    if found is not None and (one_class or not isinstance(found, OneClassSpecification)):
        return found
    shown = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    hint = f" Give an object, {shown}()." if isinstance(estimator, type) else ""
    raise ValueError(
        f"The 'estimator' parameter of {owner} must be a classifier: svsieve.SVC, scikit-learn's "
        f"SVC or LinearSVC, {_ONE_CLASS if one_class else ''}or a Pipeline that ends in one of "
        f"them. Got {shown} instead.{hint}"
    )


def overrides(machine: Any, methods: Sequence[str]) -> bool:
    """Tell whether a support vector machine is of a class of the user's own that answers otherwise.

    Parameters
    ----------
    machine : estimator
        One that specifies a machine, or derives from one.
    methods : sequence of str
        Which of its methods are asked about.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svsieve.resolve.estimators import overrides
    >>> class Careful(SVC):
    ...     def predict(self, X):
    ...         return (self.decision_function(X) > 1.0).astype(int)
    >>> overrides(SVC(), ["predict"]), overrides(Careful(), ["predict"])
    (False, True)
    """
    kind = type(machine)
    bases = (SVC, LinearSVC, OneClassSVM)
    own = (base for base in kind.__mro__ if base in bases or "_specification" in vars(base))
    base = next(own, kind)
    return any(getattr(kind, name, None) is not getattr(base, name, None) for name in methods)


_ONE_CLASS = "for one class svsieve.SVDD, svsieve.OneClassSVC or scikit-learn's OneClassSVM, "


def _from_svc(estimator: SVC) -> Specification:
    owner = type(estimator).__name__
    return Specification(
        kernel=_kernel_of(estimator),
        machine=CSvm(check_real(owner, "C", estimator.C, above=0.0, infinite=True)),
        tol=check_real(owner, "tol", estimator.tol, above=0.0),
        max_iter=check_iterations(owner, estimator.max_iter),
        class_weight=estimator.class_weight,
        weights_count=False,
    )


def _from_one_class_svm(estimator: OneClassSVM) -> OneClassSpecification:
    owner = type(estimator).__name__
    return OneClassSpecification(
        kernel=_kernel_of(estimator),
        machine=OneClass(check_share(owner, "nu", estimator.nu)),
        tol=check_real(owner, "tol", estimator.tol, above=0.0),
        max_iter=check_iterations(owner, estimator.max_iter),
        weights_count=False,
    )


def _kernel_of(estimator: SVC | OneClassSVM) -> Kernel:
    owner, kernel = type(estimator).__name__, estimator.kernel
    if not isinstance(kernel, str) or kernel not in SVC_KERNELS:
        raise refusal(
            owner,
            "kernel",
            f"{listed(SVC_KERNELS)} to rank columns",
            kernel,
            "Columns cannot be left out of a precomputed matrix or of a function that is not "
            "known; other kernels are in svsieve.kernels, for the machines of svsieve.",
        )
    # An option that the kernel does not use may hold anything, as in scikit-learn.
    options: dict[str, Any] = {} if kernel == "linear" else {"gamma": estimator.gamma}
    if kernel == "poly":
        options |= {"degree": estimator.degree, "coef0": estimator.coef0}
    return resolve_kernel(kernel, owner=owner, **options)


def _from_linear_svc(estimator: LinearSVC) -> Specification:
    owner = type(estimator).__name__
    C = check_real(owner, "C", estimator.C, above=0.0)
    loss = check_option(owner, "loss", estimator.loss, ("hinge", "squared_hinge"))
    if estimator.penalty != "l2":
        raise refusal(owner, "penalty", "'l2' to rank columns", estimator.penalty)
    if estimator.multi_class != "ovr":
        raise refusal(owner, "multi_class", "'ovr' to rank columns", estimator.multi_class)
    bias = 0.0
    if estimator.fit_intercept:
        bias = check_real(owner, "intercept_scaling", estimator.intercept_scaling, above=0.0)
    return Specification(
        kernel=Linear(),
        # liblinear writes C * sum(xi ** 2), without the half.
        machine=CSvm(C) if loss == "hinge" else L2Svm(2.0 * C),
        tol=check_real(owner, "tol", estimator.tol, above=0.0),
        bias=bias,
        class_weight=estimator.class_weight,
        one_vs_rest=True,
    )
