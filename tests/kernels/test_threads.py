"""The number of threads changes no bit of any result."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from svsieve import kernels
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, Case, as_given, symmetric, table

ROWS, COLUMNS = 330, 70
X = table(ROWS, COLUMNS, density=0.5)


def everything(case: Case, form: str) -> dict[str, np.ndarray]:
    data = as_given(X, form)
    kernel = case.library(COLUMNS)
    state = kernels.KernelState(kernel, data)
    weights = kernels.PairWeights.dense(symmetric(ROWS))
    u = np.random.default_rng(0).normal(size=ROWS)
    outer = kernels.PairWeights.outer(u)
    results = {
        "gram": kernel.gram(data),
        "cross": kernel.cross(data[:100], data),
        "slopes": state.contract_slopes(weights),
        "slopes of an outer product": state.contract_slopes(outer),
        "without": state.contract_without(outer),
        "change": state.contract_without(outer, change=True),
        "params": np.array(list(state.contract_params(weights).values())),
    }
    state.drop([3, 8, 9])
    results["gram after a drop"] = state.gram()
    return results


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("case", [*LEAVES, COMPOSITES[0], COMPOSITES[7]], ids=str)
def test_one_and_two_threads_agree_to_the_bit(case: Case, form: str) -> None:
    with threadpool_limits(limits=1):
        one = everything(case, form)
    with threadpool_limits(limits=2):
        two = everything(case, form)
    for name, result in one.items():
        assert np.array_equal(result, two[name]), name


@pytest.mark.parametrize("case", LEAVES, ids=str)
def test_repeated_calls_agree_to_the_bit(case: Case) -> None:
    first, second = everything(case, "dense"), everything(case, "dense")
    for name, result in first.items():
        assert np.array_equal(result, second[name]), name
