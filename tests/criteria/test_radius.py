"""The radius as a criterion: plain matrices, spheres found again, invariances, refusals."""

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import Radius, WeightNorm
from svsieve.resolve import resolve_criterion
from tests.criteria.contexts import cloud, solved
from tests.reference import programs

X, Y = cloud(24, 4)
MACHINES = [machines.Svdd(nu=0.3), machines.OneClass(nu=0.3), machines.NegativeSvdd(nu=0.3)]
KERNELS = [kernels.Linear(), kernels.Rbf(gamma=0.2), kernels.Polynomial(2, gamma=0.3, coef0=1.0)]
EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def sphere(kernel, table, rows):
    """b and R^2 of the smallest sphere around some rows, by the reference."""
    K = kernel.gram(table[rows])
    b = programs.refine(K, programs.sphere(np.diag(K)))
    return b, b @ np.diag(K) - b @ K @ b


@EACH_KERNEL
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_order_zero_is_the_change_with_the_centre_frozen(kernel, machine):
    context = solved(kernel, X, Y, machine)
    rows = Y > 0 if isinstance(machine, machines.NegativeSvdd) else np.ones(len(Y), dtype=bool)
    b, radius = sphere(kernel, X, rows)
    expected = []
    for column in range(4):
        K = kernel.gram(np.delete(X[rows], column, axis=1))
        expected.append(abs(radius - (b @ np.diag(K) - b @ K @ b)))
    np.testing.assert_allclose(Radius().scores(context), expected, rtol=1e-7)


@EACH_KERNEL
def test_order_one_is_the_slope_of_spheres_found_again(kernel):
    context, rows, step = solved(kernel, X, Y, machines.Svdd(nu=0.3)), np.arange(len(Y)), 1e-4
    found = Radius(order=1).scores(context)
    for column in range(4):
        values = []
        for sign in (1, -1):
            scaled = X.copy()
            scaled[:, column] *= np.exp(sign * step)
            values.append(sphere(kernel, scaled, rows)[1])
        assert found[column] == pytest.approx(abs(values[0] - values[1]) / (2 * step), rel=1e-5)


@EACH_KERNEL
@pytest.mark.parametrize("order", [0, 1])
def test_around_a_rigid_sphere_it_is_the_machines_value(kernel, order):
    context = solved(kernel, X, Y, machines.Svdd(C=1.0))
    found = Radius(order).scores(context)
    np.testing.assert_allclose(found, WeightNorm(order).scores(context), rtol=1e-7)


def test_permuted_columns_permute_the_scores_and_a_constant_is_worth_nothing():
    wide = np.column_stack([X, np.full(len(X), 3.0)])
    scores = Radius().scores(solved(kernels.Rbf(gamma=0.2), wide, Y, machines.Svdd(nu=0.3)))
    order = np.array([4, 2, 0, 3, 1])
    turned = Radius().scores(
        solved(kernels.Rbf(gamma=0.2), wide[:, order], Y, machines.Svdd(nu=0.3))
    )
    np.testing.assert_allclose(turned, scores[order], rtol=1e-7, atol=1e-12)
    assert scores[4] == pytest.approx(0.0, abs=1e-14)


def test_some_rows_of_a_state_are_those_rows_alone():
    rows = np.arange(0, len(Y), 2)
    part = Radius().scores(solved(kernels.Rbf(gamma=0.2), X, Y, machines.Svdd(nu=0.3), rows=rows))
    alone = solved(kernels.Rbf(gamma=0.2), X[rows], Y[rows], machines.Svdd(nu=0.3))
    np.testing.assert_allclose(part, Radius().scores(alone), rtol=1e-9)


@pytest.mark.parametrize("machine", [machines.Svdd(nu=0.3), machines.OneClass(nu=0.3)], ids=str)
@pytest.mark.parametrize("order", [0, 1])
def test_signed_scores_of_the_linear_kernel_are_positive(machine, order):
    """What a column adds to a sphere or to ||w||^2 is a variance or a square."""
    context = solved(kernels.Linear(), X + 1.0, Y, machine)
    scores = WeightNorm(order, signed=True).scores(context)
    assert (scores >= -1e-12).all()
    np.testing.assert_allclose(scores, WeightNorm(order).scores(context), rtol=1e-12)


def test_names_and_refusals():
    assert resolve_criterion("radius") == Radius()
    assert resolve_criterion("radius-first-order") == Radius(order=1)
    with pytest.raises(ValueError, match=r"order of Radius must be 0 or 1\. Got 2"):
        Radius(order=2)
