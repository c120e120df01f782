"""Objectives: known digits, plain references, central differences, invariances, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from svsieve import kernels
from svsieve.errors import IncompatiblePartsError
from svsieve.machines import CSvm, L2Svm, OneClass, fit_sigmoid, solve
from svsieve.selection.objectives import (
    CrossValidation,
    Judge,
    Judgement,
    PosteriorError,
    RadiusMargin,
    Span,
    SupportVectorCount,
    ValidationError,
    resolve_objective,
    summed,
)
from tests.criteria.plain import Bounds
from tests.oracles import library, numbers
from tests.reference import programs
from tests.selection.objective_cases import (
    HELD_OUT,
    KERNELS,
    LABELS,
    LABELS_OTHER,
    MACHINES,
    SLOPED,
    WEIGHTS,
    X_OTHER,
    X,
    by_C,
    by_params,
    by_scales,
    judge_of,
)

EVERY_MACHINE = pytest.mark.parametrize("slack", MACHINES)
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
EVERY_SLOPED = pytest.mark.parametrize("name", SLOPED)

# ---- known digits: eight rows, of which every digit was found by enumerating active sets

ORACLE_HELD_OUT = (
    np.array([[0.5, 0.2, 1.0], [-0.8, -0.3, 0.4], [1.0, -0.6, -0.5], [-0.4, 0.7, -1.0]]),
    np.array([1.0, -1.0, 1.0, -1.0]),
)
# value, d/d ln C, derivatives in the kernel's parameters, d/d ln v; bounds per row
ORACLES = {
    ("radius-margin", "l2", "linear"): (
        19.96777427, 8.726844148, {}, [2.879156664, 3.448758177, 11.12577346],
    ),
    ("radius-margin", "l2", "polynomial"): (
        17.22345041, 6.840268170, {"log_gamma": 10.11589920, "coef0": 3.564637136},
        [2.657904000, 4.372831671, 13.20106274],
    ),
    ("radius-margin", "l2", "gaussian"): (
        7.295660195, 0.9692300164, {"log_gamma": 0.4080083471},
        [-0.9584299361, 0.7969546885, 0.9774919419],
    ),
    ("radius-margin", "l1", "polynomial"): (
        8 * 4.138365777, 8 * 1.043743753, {"log_gamma": 8 * 1.647654447},
        [8 * -0.04359754311, 8 * 0.4813936395, 8 * 2.857512797],
    ),
    ("radius-margin", "l1", "gaussian"): (
        8 * 1.867594308, 8 * -0.05922233320, {"log_gamma": 8 * -0.1309800636},
        [8 * -0.4674116211, 8 * 0.008043915826, 8 * 0.1974075780],
    ),
    ("span", "l2", "linear"): (
        5.199949465, -0.5855451693, {}, [-1.621192427, 0.2413085960, 0.2087934921],
    ),
    ("span", "l2", "polynomial"): (
        6.407736261, -0.4861046849, {"log_gamma": 0.6959428203, "coef0": -1.668152190},
        [-1.785347551, 1.587497776, 1.589735416],
    ),
    ("span", "l2", "gaussian"): (
        7.593255453, -0.7031177326, {"log_gamma": 1.459799696},
        [-0.1241318218, 1.437915120, 1.605816094],
    ),
    ("validation", "l2", "gaussian"): (
        0.2896042495, -0.05750911672, {"log_gamma": 0.01069363755},
        [-0.09370789972, 0.08601870179, 0.02907647303],
    ),
    ("validation", "l1", "gaussian"): (
        0.2119149661, -0.02409663863, {"log_gamma": 0.03019783939},
        [-0.1345048559, 0.1261916095, 0.06870892522],
    ),
    ("posterior", "l2", "gaussian"): (
        0.2907414964, 0.005444190546, {"log_gamma": 0.01545039487},
        [-0.07208809409, 0.06276824438, 0.04022063945],
    ),
    ("posterior", "l1", "gaussian"): (
        0.2894071845, 0.006633375749, {"log_gamma": 0.01636946265},
        [-0.07106825014, 0.06235092581, 0.04145624963],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ORACLES, ids="-".join)
def test_known_digits(case: tuple[str, str, str]) -> None:
    name, slack, kernel = case
    value, log_C, params, log_v = ORACLES[case]
    rows = 8.0 if name in ("radius-margin", "span") else 1.0
    judge = Judge(SLOPED[name], numbers.X, numbers.Y, held_out=ORACLE_HELD_OUT, tol=1e-13)
    machine = library.L1_SVM if slack == "l1" else library.L2_SVM
    found = judge(machine, library.KERNELS[kernel], slopes=True)
    near = {"rel": 2e-9, "abs": 1e-12}
    assert rows * found.value == pytest.approx(value, **near)
    assert rows * found.log_C == pytest.approx(log_C, **near)
    for parameter, slope in params.items():
        assert rows * found.params[parameter] == pytest.approx(slope, **near)
    np.testing.assert_allclose(rows * found.log_v, log_v, rtol=2e-9)


def test_known_digits_of_the_hard_margin() -> None:
    machine = L2Svm(C=math.inf)
    for objective, value, log_v in (
        (RadiusMargin(), 12.78055617, [-10.32305157, 1.235192001, -1.497708009]),
        (Span(), 7.624099195, [3.284996855, 2.067247793, 1.231815099]),
    ):
        judge = Judge(objective, numbers.X, numbers.Y, tol=1e-13)
        found = judge(machine, library.GAUSSIAN, slopes=True)
        assert 8 * found.value == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(8 * found.log_v, log_v, rtol=1e-8)


# ---- plain references


@EVERY_MACHINE
@EVERY_KERNEL
@pytest.mark.parametrize("name", ["radius-margin", "span"])
def test_bounds_agree_with_programs_solved_plainly(kernel, name: str, slack: str) -> None:
    machine = MACHINES[slack]
    bounds = Bounds("c" if slack == "l1" else "l2", machine.C)
    K = kernel.gram(X)
    expected = bounds.trained(name.replace("-", " "), LABELS)(K)
    if name == "span" and slack == "l1":
        expected += bounds.penalty(K, bounds.coefficients(K, LABELS)) / (2 * machine.C)
    if name == "span" or slack == "l2":
        expected /= len(LABELS)
    assert judge_of(SLOPED[name])(machine, kernel).value == pytest.approx(expected, rel=1e-8)


def decision_values(machine, kernel) -> np.ndarray:
    """What a machine, solved plainly, makes of the rows held out."""
    K = kernel.gram(X)
    squared = isinstance(machine, L2Svm)
    program = (
        programs.l2_svm(LABELS, 1 / machine.C) if squared else programs.c_svm(LABELS, machine.C)
    )
    u = programs.refine(K, program)
    margin = LABELS - K @ u - (u / machine.C if squared else 0.0)
    alpha = np.abs(u)
    free = (alpha > 1e-7) & (squared | (alpha < machine.C * (1 - 1e-7)))
    return kernel.cross(X_OTHER, X) @ u + margin[free].mean()


@EVERY_MACHINE
@EVERY_KERNEL
def test_errors_on_held_out_rows_agree_with_programs_solved_plainly(kernel, slack: str) -> None:
    machine = MACHINES[slack]
    f = decision_values(machine, kernel)
    smooth = np.mean(
        [1 / (1 + math.exp(2.0 * t * v)) for t, v in zip(LABELS_OTHER, f, strict=True)]
    )
    assert judge_of(SLOPED["validation"])(machine, kernel).value == pytest.approx(smooth, rel=1e-6)
    sigmoid = fit_sigmoid(f, LABELS_OTHER)
    p = 1 / (1 + np.exp(sigmoid.slope * f + sigmoid.offset))
    wrong = np.where(LABELS_OTHER > 0, 1 - p, p).mean()
    assert judge_of(SLOPED["posterior"])(machine, kernel).value == pytest.approx(wrong, rel=1e-6)


def test_counts_agree_with_another_library() -> None:
    peer = SVC(C=1.3, gamma=0.3, tol=1e-10).fit(X, LABELS)
    share = len(peer.support_) / len(LABELS)
    assert judge_of(SupportVectorCount())(CSvm(1.3), kernels.Rbf(0.3)).value == pytest.approx(share)
    wrong = 0
    for train, rest in StratifiedKFold(4, shuffle=True, random_state=6).split(X, LABELS):
        peer.fit(X[train], LABELS[train])
        wrong += int((peer.predict(X[rest]) != LABELS[rest]).sum())
    judge = judge_of(CrossValidation(folds=4, seed=6))
    assert judge(CSvm(1.3), kernels.Rbf(0.3)).value == pytest.approx(wrong / len(LABELS))
    assert judge.n_trainings == 4


@EVERY_MACHINE
@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_the_span_estimate_bounds_the_leave_one_out_error(C: float, slack: str) -> None:
    machine, kernel = type(MACHINES[slack])(C=C), kernels.Rbf(gamma=0.3)
    wrong = 0
    for out in range(len(LABELS)):
        rest = np.delete(np.arange(len(LABELS)), out)
        K = kernel.gram(X[rest])
        found = solve(machine.problem(np.diag(K), LABELS[rest]), K)
        value = kernel.cross(X[[out]], X[rest])[0] @ found.coefficients + found.offset
        wrong += int(value * LABELS[out] <= 0)
    assert wrong / len(LABELS) <= judge_of(Span())(machine, kernel).value


# ---- central differences, every program solved anew


def scale_of(slopes) -> float:
    return 1e-5 * float(np.abs(slopes).max(initial=0.0)) + 1e-9


@EVERY_SLOPED
@EVERY_MACHINE
@EVERY_KERNEL
def test_slopes(kernel, slack: str, name: str) -> None:
    check_slopes(judge_of(SLOPED[name]), MACHINES[slack], kernel)


@EVERY_SLOPED
@EVERY_MACHINE
@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_slopes_with_weighted_rows(kernel: str, slack: str, name: str) -> None:
    check_slopes(judge_of(SLOPED[name], WEIGHTS), MACHINES[slack], KERNELS[kernel])


def check_slopes(judge: Judge, machine, kernel) -> None:
    found = judge(machine, kernel, slopes=True)

    def value(m, k) -> float:
        return judge(m, k).value

    assert found.log_C == pytest.approx(by_C(value, machine, kernel), rel=1e-5, abs=1e-9)
    expected = by_params(value, machine, kernel)
    assert found.params.keys() == expected.keys()
    for parameter, slope in expected.items():
        assert found.params[parameter] == pytest.approx(slope, rel=1e-5, abs=1e-8), parameter
    expected_v = by_scales(value, machine, kernel)
    np.testing.assert_allclose(found.log_v, expected_v, rtol=1e-5, atol=scale_of(expected_v))


@pytest.mark.parametrize("name", ["radius-margin", "span"])
def test_slopes_of_the_hard_margin(name: str) -> None:
    judge, machine, kernel = judge_of(SLOPED[name]), L2Svm(C=math.inf), kernels.Rbf(gamma=1.0)
    found = judge(machine, kernel, slopes=True)
    expected = by_params(lambda m, k: judge(m, k).value, machine, kernel)
    assert found.params["log_gamma"] == pytest.approx(expected["log_gamma"], rel=1e-5)
    assert found.log_C == 0.0


def test_slopes_where_columns_do_not_determine_the_coefficients() -> None:
    """Two columns and a linear kernel: more free rows than the system can tell apart."""
    table, other = np.repeat(X[:, :2], 2, axis=0), X_OTHER[:, :2]
    labels = np.repeat(LABELS, 2)
    judge = Judge(ValidationError(), table, labels, held_out=(other, LABELS_OTHER), tol=1e-12)
    found = judge(CSvm(C=1.3), kernels.Linear(), slopes=True)
    single = Judge(ValidationError(), X[:, :2], LABELS, held_out=(other, LABELS_OTHER), tol=1e-12)(
        CSvm(C=2.6), kernels.Linear(), slopes=True
    )
    assert found.value == pytest.approx(single.value, rel=1e-8)
    np.testing.assert_allclose(found.log_v, single.log_v, rtol=1e-5, atol=1e-8)


# ---- rules that hold for all


@EVERY_MACHINE
def test_a_row_of_weight_two_is_two_rows(slack: str) -> None:
    weights = np.where(np.arange(len(LABELS)) % 4 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(LABELS)), weights.astype(int))
    kernel = kernels.Rbf(gamma=0.3)
    for objective in (RadiusMargin(), ValidationError(), PosteriorError()):
        weighted = Judge(objective, X, LABELS, weights=weights, held_out=HELD_OUT, tol=1e-12)
        repeated = Judge(objective, X[twice], LABELS[twice], held_out=HELD_OUT, tol=1e-12)
        one = weighted(MACHINES[slack], kernel, slopes=True)
        two = repeated(MACHINES[slack], kernel, slopes=True)
        assert one.value == pytest.approx(two.value, rel=1e-7)
        assert one.log_C == pytest.approx(two.log_C, rel=1e-5, abs=1e-8)
        np.testing.assert_allclose(one.log_v, two.log_v, rtol=1e-5, atol=1e-8)


@given(st.integers(0, 1000), st.sampled_from(list(SLOPED)), st.sampled_from(list(MACHINES)))
def test_the_order_of_rows_and_columns_does_not_matter(seed: int, name: str, slack: str) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(LABELS)), rng.permutation(X.shape[1])
    kernel = kernels.Rbf(gamma=0.3)
    plain = judge_of(SLOPED[name])(MACHINES[slack], kernel, slopes=True)
    mixed = Judge(
        SLOPED[name],
        X[rows][:, columns],
        LABELS[rows],
        held_out=(X_OTHER[:, columns], LABELS_OTHER),
        tol=1e-12,
    )(MACHINES[slack], kernel, slopes=True)
    assert mixed.value == pytest.approx(plain.value, rel=1e-9)
    np.testing.assert_allclose(mixed.log_v, plain.log_v[columns], rtol=1e-6, atol=1e-9)


@EVERY_SLOPED
@EVERY_MACHINE
def test_earlier_calls_change_nothing(name: str, slack: str) -> None:
    used, kernel = judge_of(SLOPED[name]), kernels.Rbf(gamma=0.3)
    for C in (0.01, 50.0):
        used(type(MACHINES[slack])(C=C), kernels.Rbf(gamma=C))
    again, fresh = (judge(MACHINES[slack], kernel) for judge in (used, judge_of(SLOPED[name])))
    assert again.value == pytest.approx(fresh.value, rel=1e-9)
    assert again.log_C == pytest.approx(fresh.log_C, rel=1e-6)
    assert used.n_trainings == 3


@EVERY_SLOPED
def test_sparse_tables(name: str) -> None:
    kernel, machine = kernels.Rbf(gamma=0.3), L2Svm(C=1.3)
    dense = judge_of(SLOPED[name])(machine, kernel, slopes=True)
    thin = Judge(
        SLOPED[name],
        sparse.csr_array(X),
        LABELS,
        held_out=(sparse.csr_array(X_OTHER), LABELS_OTHER),
        tol=1e-12,
    )(machine, kernel, slopes=True)
    assert thin.value == pytest.approx(dense.value, rel=1e-10)
    np.testing.assert_allclose(thin.log_v, dense.log_v, rtol=1e-8, atol=1e-12)


def test_rows_are_held_out_in_proportion() -> None:
    train, rest = ValidationError(share=0.25, seed=3).split(LABELS)
    assert len(rest) == 7
    assert sorted([*train, *rest]) == list(range(len(LABELS)))
    assert abs((LABELS[rest] > 0).mean() - (LABELS > 0).mean()) < 0.1
    assert not np.array_equal(rest, ValidationError(share=0.25, seed=4).split(LABELS)[1])
    by_judge = Judge(ValidationError(share=0.25, seed=3), X, LABELS)(L2Svm(1.0), kernels.Rbf(0.3))
    by_hand = Judge(ValidationError(), X[train], LABELS[train], held_out=(X[rest], LABELS[rest]))(
        L2Svm(1.0), kernels.Rbf(0.3)
    )
    assert by_judge.value == pytest.approx(by_hand.value, rel=1e-10)


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_both_parts_have_rows_of_both_classes_whatever_the_share(share: float) -> None:
    parts = ValidationError(share=share).split(LABELS)
    assert min(len(part) for part in parts) == 2
    for part in parts:
        assert set(LABELS[part]) == {-1.0, 1.0}


# ---- where there is no value


def test_no_value_is_infinite() -> None:
    hard = L2Svm(C=math.inf)
    assert judge_of(RadiusMargin())(hard, kernels.Linear()).value == math.inf
    steep = kernels.Polynomial(degree=300, gamma=1e3)
    found = judge_of(RadiusMargin())(L2Svm(1.0), steep)
    assert found.value == math.inf
    assert math.isnan(found.log_C)
    assert found.params == {}
    # the smallest C leaves no coefficient between its bounds where the classes are equally large
    even = np.where(np.arange(len(X)) % 2 == 0, 1.0, -1.0)
    assert Judge(Span(), X, even)(CSvm(1e-6), kernels.Rbf(0.3)).value == math.inf


def test_judgements_add_up() -> None:
    one = Judgement(1.0, 2.0, {"log_gamma": 3.0}, np.array([1.0, 2.0]))
    total = summed([one, one, one])
    assert (total.value, total.log_C, total.params) == (3.0, 6.0, {"log_gamma": 9.0})
    np.testing.assert_array_equal(total.log_v, [3.0, 6.0])
    assert summed([one, Judgement(math.inf)]).value == math.inf


# ---- refusals


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"slope of ValidationError must be positive.*Got 0"):
        ValidationError(slope=0)
    with pytest.raises(ValueError, match=r"share of PosteriorError must lie in \(0, 1\)"):
        PosteriorError(share=1.0)
    with pytest.raises(ValueError, match=r"folds of CrossValidation .* at least 2. Got 1"):
        CrossValidation(folds=1)
    small = np.where(np.arange(len(X)) < 9, -1.0, 1.0)
    with pytest.raises(ValueError, match=r"smaller class, 9. Got 12"):
        Judge(CrossValidation(folds=12), X, small)(CSvm(1.0), kernels.Linear())
    with pytest.raises(ValueError, match=r"at least two of each. Got a class of 1"):
        Judge(ValidationError(), X, np.where(np.arange(len(X)) < 1, -1.0, 1.0))
    with pytest.raises(ValueError, match=r"X of held_out must have 4 columns.*Got 2"):
        Judge(ValidationError(), X, LABELS, held_out=(X_OTHER[:, :2], LABELS_OTHER))
    with pytest.raises(ValueError, match="must have a weight"):
        Judge(ValidationError(), X, LABELS, held_out=(*HELD_OUT, np.zeros(len(LABELS_OTHER))))
    with pytest.raises(IncompatiblePartsError, match=r"RadiusMargin\(.*\) needs a machine"):
        judge_of(RadiusMargin())(OneClassWithC(), kernels.Rbf(0.3))
    with pytest.raises(ValueError, match=r"'objective' parameter of Y must be one of"):
        resolve_objective("loo", owner="Y")
    assert resolve_objective("span") == Span()


class OneClassWithC(OneClass):
    C = 1.0


@pytest.mark.parametrize(
    ("objective", "is_bound", "has_slopes"),
    [
        (RadiusMargin(), True, True),
        (Span(), True, True),
        (ValidationError(), False, True),
        (PosteriorError(), False, True),
        (CrossValidation(), False, False),
        (SupportVectorCount(), False, False),
    ],
    ids=repr,
)
def test_what_objectives_say_of_themselves(objective, is_bound: bool, has_slopes: bool) -> None:
    """Of a bound the logarithm is descended: a share of errors may be zero."""
    assert (objective.is_bound, objective.has_slopes) == (is_bound, has_slopes)
