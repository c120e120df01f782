"""The rule by which sparse tables get their engine, against times that were measured."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from svsieve.elimination import (
    AtSize,
    Constant,
    Data,
    Entropy,
    Fraction,
    Parts,
    Task,
    WhenScoreAbove,
)
from svsieve.elimination.engines import engine_name
from svsieve.elimination.engines.costs import Work, sparse_seconds, wide_seconds
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm

# rows, columns, filled, problems, share dropped (0: one at a time), then CPU seconds as measured by
# `python -m benchmarks.engine_costs`: squared slack by the sparse and the wide engine, linear slack
# by both. Where one was stopped, a number it would not have reached.
MEASURED = [
    (60, 500, 0.1, 1, 0.0, 0.0334, 0.0044, 0.0406, 0.0052),
    (60, 2000, 0.05, 1, 0.0, 0.1437, 0.0095, 0.1753, 0.0093),
    (60, 5000, 0.02, 1, 0.1, 0.0045, 0.0146, 0.0087, 0.0129),
    (200, 1000, 0.1, 1, 0.0, 0.3204, 0.0334, 0.5868, 0.0547),
    (200, 2000, 0.02, 1, 0.0, 0.2536, 0.0564, 0.4824, 0.0723),
    (200, 2000, 0.3, 1, 0.0, 3.2306, 0.0649, 3.3559, 0.0729),
    (200, 2000, 0.02, 1, 0.1, 0.0052, 0.0295, 0.0137, 0.0324),
    (500, 1000, 0.05, 1, 0.0, 0.5259, 0.2618, 2.0702, 0.636),
    (500, 1000, 0.05, 1, 0.1, 0.016, 0.1626, 0.0743, 0.1595),
    (500, 5000, 0.01, 1, 0.1, 0.0149, 0.3836, 0.0493, 0.4346),
    (1000, 300, 0.1, 1, 0.0, 0.178, 1.0387, 1.2545, 0.4673),
    (1000, 300, 0.1, 1, 0.1, 0.0175, 0.598, 0.1125, 0.1411),
    (2000, 100, 0.1, 1, 0.0, 0.0467, 7.0, 0.4492, 0.4496),
    (2000, 1000, 0.02, 1, 0.1, 0.0298, 7.0, 0.2858, 2.7187),
    (2000, 2000, 0.2, 1, 0.2, 0.5868, 8.0, 1.6548, 7.0),
    (100, 300, 0.2, 5, 0.0, 0.1352, 0.017, 0.2053, 0.0157),
    (100, 300, 0.2, 5, 0.1, 0.0138, 0.012, 0.0252, 0.0083),
    (300, 1000, 0.05, 5, 0.1, 0.0352, 0.1933, 0.4373, 0.1218),
    (60, 100, 0.5, 1, 0.0, 0.0058, 0.0023, 0.0114, 0.002),
    (100, 20000, 0.01, 1, 0.01, 0.0941, 0.1725, 0.142, 0.1692),
    (100, 20000, 0.2, 1, 0.01, 0.7707, 0.087, 0.7893, 0.0855),
    (300, 3000, 0.02, 1, 0.01, 0.076, 0.1369, 0.2555, 0.1883),
]


def made(rows, columns, filled, problems, share, squared, **options) -> tuple[Data, Parts]:
    X = sparse.random_array((rows, columns), density=filled, format="csr", rng=0)
    y = np.where(np.arange(rows) % 2, 1.0, -1.0)
    data = Data(X, (Task(labels=y),) * problems, (y > 0).astype(np.int64))
    schedule = Fraction(share) if share else Constant(1)
    machine = L2Svm(0.2) if squared else CSvm(1.0)
    return data, Parts(Linear(), machine, **{"schedule": schedule, **options})


CASES = [
    (*row[:5], squared, *row[at : at + 2])
    for row in MEASURED
    for squared, at in ((True, 5), (False, 7))
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:6])))
def test_the_choice_is_close_to_the_faster(case) -> None:
    *shape, by_sparse, by_wide = case
    chosen = engine_name(*made(*shape))
    taken = {"sparse-linear": by_sparse, "wide-linear": by_wide}[chosen]
    assert taken <= 4.0 * min(by_sparse, by_wide)


def test_all_choices_together_lose_little() -> None:
    best = taken = 0.0
    for *shape, by_sparse, by_wide in CASES:
        chosen = engine_name(*made(*shape))
        taken += {"sparse-linear": by_sparse, "wide-linear": by_wide}[chosen]
        best += min(by_sparse, by_wide)
    assert taken <= 1.3 * best


def test_costs_rise_with_every_kind_of_work() -> None:
    shape = (100, 200, 0.1, 1, 0.1, True)
    for more in (
        (200, 200, 0.1, 1, 0.1, True),
        (100, 400, 0.1, 1, 0.1, True),
        (100, 200, 0.1, 3, 0.1, True),
        (100, 200, 0.1, 1, 0.0, True),
    ):
        few, many = Work.of(*made(*shape)), Work.of(*made(*more))
        assert sparse_seconds(few) < sparse_seconds(many)
        assert wide_seconds(few) < wide_seconds(many)
    thin, full = Work.of(*made(*shape)), Work.of(*made(100, 200, 0.5, 1, 0.1, True))
    assert sparse_seconds(thin) < sparse_seconds(full)


def test_steps_are_those_of_the_walk() -> None:
    data, parts = made(20, 30, 0.2, 1, 0.0, True, stops=[AtSize(10)])
    work = Work.of(data, parts)
    assert work.steps == 20
    assert work.tables == pytest.approx(sum(range(11, 31)) / 30)
    data, parts = made(20, 30, 0.2, 1, 0.5, True)
    sizes = [30, 15, 8, 4, 2]
    assert (Work.of(data, parts).steps, Work.of(data, parts).tables) == (5, sum(sizes) / 30)


def test_many_steps_are_counted_in_part() -> None:
    whole = [Work.of(*made(3, columns, 0.1, 1, 0.0, True)) for columns in (4999, 5002, 9000)]
    for one, next_ in pairwise(whole):
        assert one.steps < next_.steps
        assert one.tables < next_.tables
    assert whole[-1].steps == 8999
    assert whole[-1].tables == pytest.approx(4500.5, rel=0.01)


def test_what_the_wide_engine_cannot_do_is_never_written_out() -> None:
    shape = (60, 500, 0.1, 1, 0.0, True)
    assert engine_name(*made(*shape)) == "wide-linear"
    assert engine_name(*made(*shape, schedule=Entropy())) == "sparse-linear"
    stop = WhenScoreAbove(0.1, relative=True)
    assert engine_name(*made(*shape, stops=[stop])) == "sparse-linear"
