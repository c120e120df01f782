"""Machines as instances of one quadratic program, and its solver.

min_b  1/2 b'(K + Diag(ridge)) b + linear'b     s.t.  lower <= b <= upper,  sum(b) = total
"""

from svsieve.machines.classifiers import CSvm, L2Svm
from svsieve.machines.coupling import coupled_probabilities
from svsieve.machines.descriptions import (
    EnclosingSphere,
    NegativeSvdd,
    OneClass,
    Sphere,
    SquaredSvdd,
    Svdd,
    squared_radius,
)
from svsieve.machines.linear_primal import LinearPrimal, LinearSolution
from svsieve.machines.multiclass import BinaryTask, one_vs_one, one_vs_rest
from svsieve.machines.penalised_bias import FreeSum
from svsieve.machines.platt import Sigmoid, fit_sigmoid
from svsieve.machines.problem import DualProblem, DualSolution, Machine, solve
from svsieve.machines.side_problems import solve_each
from svsieve.machines.starts import feasible_start, rescale_start

__all__ = [
    "BinaryTask",
    "CSvm",
    "DualProblem",
    "DualSolution",
    "EnclosingSphere",
    "FreeSum",
    "L2Svm",
    "LinearPrimal",
    "LinearSolution",
    "Machine",
    "NegativeSvdd",
    "OneClass",
    "Sigmoid",
    "Sphere",
    "SquaredSvdd",
    "Svdd",
    "coupled_probabilities",
    "feasible_start",
    "fit_sigmoid",
    "one_vs_one",
    "one_vs_rest",
    "rescale_start",
    "solve",
    "solve_each",
    "squared_radius",
]
