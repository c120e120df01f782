"""Machines and programs that cannot be are refused with the culprit's name."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from svsieve.machines import (
    CSvm,
    DualProblem,
    EnclosingSphere,
    L2Svm,
    NegativeSvdd,
    OneClass,
    SquaredSvdd,
    Svdd,
    solve,
)

DIAGONAL = np.ones(6)
Y = np.array([1, -1, 1, -1, 1, -1])


@pytest.mark.parametrize("make", [CSvm, L2Svm])
@pytest.mark.parametrize("C", [0.0, -1.0, math.nan])
def test_penalty_of_an_svm(make, C: float) -> None:
    with pytest.raises(ValueError, match=r"\bC\b"):
        make(C=C)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.1, math.nan])
@pytest.mark.parametrize("make", [OneClass, Svdd])
def test_nu(make, nu: float) -> None:
    with pytest.raises(ValueError, match="nu"):
        make(nu=nu)


def test_svdd_wants_exactly_one_of_its_two_settings() -> None:
    with pytest.raises(ValueError, match=r"(?=.*\bC\b)(?=.*\bnu\b)"):
        Svdd()
    with pytest.raises(ValueError, match=r"(?=.*\bC\b)(?=.*\bnu\b)"):
        Svdd(C=0.5, nu=0.5)


def test_svdd_bound_too_small_for_the_rows() -> None:
    with pytest.raises(ValueError, match=r"\bC\b"):
        Svdd(C=0.1).problem(DIAGONAL)


def test_negative_svdd_bound_too_small_for_the_targets() -> None:
    with pytest.raises(ValueError, match="C_target"):
        NegativeSvdd(C_target=0.2, C_outlier=1.0).problem(DIAGONAL, Y)


def test_negative_svdd_wants_exactly_one_of_its_two_settings() -> None:
    for settings in ({}, {"C_target": 0.5, "nu": 0.5}):
        with pytest.raises(ValueError, match="either C_target or nu"):
            NegativeSvdd(**settings)
    with pytest.raises(ValueError, match=r"nu of NegativeSvdd.*1\.5"):
        NegativeSvdd(nu=1.5)
    with pytest.raises(ValueError, match=r"C_outlier of NegativeSvdd.*-1"):
        NegativeSvdd(nu=0.5, C_outlier=-1.0)


@pytest.mark.parametrize("machine", [NegativeSvdd(nu=0.5), SquaredSvdd(C=1.0)], ids=str)
def test_a_description_needs_a_target(machine) -> None:
    with pytest.raises(ValueError, match="needs a target"):
        machine.problem(DIAGONAL, -np.ones(6))
    with pytest.raises(ValueError, match="needs a target"):
        machine.problem(DIAGONAL, Y, np.where(Y > 0, 0.0, 1.0))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_penalties_of_squared_svdd(bad: float) -> None:
    with pytest.raises(ValueError, match="C of SquaredSvdd must be positive"):
        SquaredSvdd(C=bad)
    with pytest.raises(ValueError, match="C_outlier of SquaredSvdd must be positive"):
        SquaredSvdd(C=1.0, C_outlier=bad)


@pytest.mark.parametrize("ridge", [-0.1, math.nan, math.inf])
def test_ridge_of_the_sphere(ridge: float) -> None:
    with pytest.raises(ValueError, match="ridge"):
        EnclosingSphere(ridge=ridge)


@pytest.mark.parametrize("machine", [CSvm(), L2Svm(), NegativeSvdd(C_target=1.0, C_outlier=1.0)])
class TestLabels:
    def test_missing(self, machine) -> None:
        with pytest.raises(ValueError, match="labels"):
            machine.problem(DIAGONAL)

    def test_of_another_length(self, machine) -> None:
        with pytest.raises(ValueError, match="labels"):
            machine.problem(DIAGONAL, Y[:5])

    def test_other_than_plus_and_minus_one(self, machine) -> None:
        with pytest.raises(ValueError, match=r"labels.*2"):
            machine.problem(DIAGONAL, np.array([1, -1, 2, 1, -1, 1]))


@pytest.mark.parametrize("machine", [CSvm(), L2Svm()])
@pytest.mark.parametrize("label", [1, -1])
def test_one_class_only(machine, label: int) -> None:
    with pytest.raises(ValueError, match=r"(?i)class|label"):
        machine.problem(DIAGONAL, np.full(6, label))


def good() -> dict:
    return {
        "linear": np.zeros(3),
        "lower": np.zeros(3),
        "upper": np.ones(3),
        "total": 1.0,
        "ridge": np.zeros(3),
    }


def test_a_good_problem() -> None:
    assert DualProblem(**good()).gap_unit == 1.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("linear", np.zeros(2)),
        ("linear", np.array([0.0, np.nan, 0.0])),
        ("lower", np.array([0.0, 2.0, 0.0])),
        ("upper", np.array([1.0, np.nan, 1.0])),
        ("ridge", np.array([0.0, -1.0, 0.0])),
        ("total", np.nan),
        ("gap_unit", 0.0),
    ],
)
def test_a_bad_problem(field: str, value) -> None:
    with pytest.raises(ValueError, match=field):
        DualProblem(**{**good(), field: value})


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("lower", [0.0, 1.0000000001, 0.0], "lower must not exceed upper. Row 1 has 1.0000000001 "),
        ("ridge", [0.0, 0.0, np.inf], "ridge must be finite. Row 2 has inf."),
        ("linear", [np.nan, 0.0, 0.0], "linear must be finite. Row 0 has nan."),
        ("total", np.inf, "total must be finite. Got inf."),
        ("gap_unit", -0.1, "gap_unit must be positive. Got -0.1."),
    ],
)
def test_the_culprit_is_named_with_its_row_and_value(field: str, value, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        DualProblem(**{**good(), field: value})


def test_a_problem_without_rows() -> None:
    none = np.empty(0)
    with pytest.raises(ValueError, match="at least one row"):
        DualProblem(none, none, none, 0.0, none)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("row", [0, 1])
def test_one_entry_of_the_diagonal_that_is_not_finite(bad: float, row: int) -> None:
    gram = np.diag([2.0, 3.0])
    problem = L2Svm().problem(np.diag(gram), np.array([1, -1]))
    gram[row, row] = bad
    with pytest.raises(ValueError, match="the kernel must be finite; its diagonal is not"):
        solve(problem, gram)
