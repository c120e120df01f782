"""A walk that is taken up again from a file goes on in the same bits, whatever did the work."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svsieve import criteria, kernels
from svsieve.elimination import Constant, Data, Parts, Path, PathRecorder, Subsample
from svsieve.elimination.loop import record, walk
from svsieve.elimination.path_file import read_path, write_path
from svsieve.elimination.schedules import Fraction
from svsieve.machines import CSvm, L2Svm, Svdd
from tests.elimination.walks import several_classes, table, two_classes

EXACT = ("counts", "dropped", "scores", "following", "kkt_gap", "accuracy", "tied", "survivors")
EXACT += ("survivor_scores", "resolution")


def wide(**options) -> Parts:
    return Parts(kernels.Linear(), CSvm(1.0), engine="wide-linear", **options)


def tall(machine, **options) -> Parts:
    return Parts(kernels.Linear(), machine, engine="tall-linear", **options)


def sparse_rows(machine, **options) -> Parts:
    return Parts(kernels.Linear(), machine, engine="sparse-linear", **options)


def in_rows(data: Data) -> Data:
    return Data(sp.csr_array(data.X), data.tasks, data.groups)


def rbf(**options) -> Parts:
    return Parts(kernels.Rbf(gamma=0.05), CSvm(2.0), engine="kernel", **options)


class Alternating:
    """Another C at every second step."""

    every = 2

    def tune(self, data, parts, kept):
        return CSvm(1.0 + len(kept) % 3), parts.kernel


WIDE, TALL = table("plain", 30, 60), table("plain", 400, 12)
SPARSE = sp.csr_array(table("mostly zero", 300, 20))
# Large C and columns of two scales: weights are settled in twice the precision.
UNEVEN = np.round(table("plain", 14, 24) * 256) / 256 * np.where(np.arange(24) % 2, 2**-10, 2**10)
HARD = CSvm(2.0**25)
CASES = {
    "wide": (two_classes(WIDE), wide()),
    "wide, three classes": (several_classes(WIDE, 3, "one-vs-one"), wide(schedule=Constant(2))),
    "wide, many columns": (two_classes(table("plain", 20, 400)), wide()),
    "wide, scales": (two_classes(table("scales", 40, 50)), wide()),
    "wide, squared slack": (
        two_classes(WIDE),
        Parts(kernels.Linear(), L2Svm(0.5), engine="wide-linear", bias=1.0),
    ),
    "wide, refined": (
        two_classes(UNEVEN),
        Parts(kernels.Linear(), HARD, engine="wide-linear"),
    ),
    "linear, refined": (two_classes(UNEVEN), Parts(kernels.Linear(), HARD, engine="kernel")),
    "tall, refined": (two_classes(UNEVEN), tall(CSvm(2.0**12))),
    "tall": (two_classes(TALL), tall(CSvm(1.0))),
    "tall, squared slack": (two_classes(TALL), tall(L2Svm(0.3))),
    "tall, a factor used again": (
        two_classes(table("plain", 400, 200)),
        tall(L2Svm(0.3), schedule=Fraction(0.4)),
    ),
    "tall, many columns": (two_classes(table("plain", 40, 90)), tall(L2Svm(0.3), bias=1.0)),
    "tall, sparse": (two_classes(SPARSE.toarray()), tall(CSvm(0.5), bias=1.0)),
    "tall, three classes": (several_classes(TALL, 3, "one-vs-rest"), tall(CSvm(1.0))),
    "sparse": (in_rows(two_classes(SPARSE.toarray())), sparse_rows(CSvm(0.5))),
    "sparse, penalised bias": (
        in_rows(two_classes(SPARSE.toarray())),
        sparse_rows(L2Svm(0.5), bias=1.0, schedule=Fraction(0.1)),
    ),
    "sparse, many columns": (
        in_rows(two_classes(table("mostly zero", 30, 60))),
        sparse_rows(L2Svm(0.5)),
    ),
    "sparse, refined": (in_rows(two_classes(UNEVEN)), sparse_rows(CSvm(2.0**12))),
    "sparse, three classes": (
        in_rows(several_classes(table("mostly zero", 80, 30), 3, "one-vs-one")),
        sparse_rows(CSvm(1.0), schedule=Constant(2)),
    ),
    "linear": (two_classes(WIDE), Parts(kernels.Linear(), CSvm(1.0), engine="kernel")),
    "rbf": (two_classes(WIDE), rbf()),
    "rbf, scale": (two_classes(WIDE), Parts(kernels.Rbf(gamma="scale"), CSvm(2.0))),
    "rbf, large": (two_classes(table("plain", 300, 24)), rbf(schedule=Constant(2))),
    "rbf, sparse": (two_classes(SPARSE.toarray()), rbf()),
    "rbf, three classes": (several_classes(WIDE, 3, "one-vs-one"), rbf(schedule=Fraction(0.1))),
    "rbf, subsamples": (two_classes(WIDE), rbf(sampler=Subsample(0.7), seed=3)),
    "rbf, tuned": (two_classes(WIDE), rbf(retune=Alternating())),
    "laplace": (two_classes(WIDE), Parts(kernels.Laplace(gamma=0.05), CSvm(2.0))),
    "polynomial": (two_classes(WIDE), Parts(kernels.Polynomial(3, 0.1, 1.0), CSvm(2.0))),
    "sum": (
        two_classes(WIDE),
        Parts(kernels.Sum([kernels.Rbf(gamma=0.1), kernels.Linear()]), CSvm(2.0)),
    ),
    "radius/margin": (two_classes(WIDE), rbf(criterion=criteria.RadiusMargin())),
    "radius/margin, order 1": (two_classes(WIDE), rbf(criterion=criteria.RadiusMargin(order=1))),
    "span": (two_classes(WIDE), rbf(criterion=criteria.Span())),
    "description": (
        Data(WIDE, (two_classes(WIDE).tasks[0].__class__(),), np.zeros(30, dtype=np.int64)),
        Parts(kernels.Rbf(gamma=0.05), Svdd(nu=0.2)),
    ),
}
CASES["tall, sparse"] = (
    Data(SPARSE, CASES["tall, sparse"][0].tasks, CASES["tall, sparse"][0].groups),
    CASES["tall, sparse"][1],
)
CASES["rbf, sparse"] = (
    Data(SPARSE, CASES["rbf, sparse"][0].tasks, CASES["rbf, sparse"][0].groups),
    CASES["rbf, sparse"][1],
)


def run_to(data: Data, parts: Parts, stretches: int | None, begin=(None, None)):
    """The path after so many stretches from a beginning, or at the end, with the engine's state."""
    recorder, state = PathRecorder(data.n_columns, start=begin[0]), begin[1]
    steps = record(recorder, walk(data, parts, resume=begin[0], state=state, states=True))
    for made, stretch in enumerate(steps, 1):
        state = stretch.state
        if made == stretches:
            break
    return recorder.path(), state


def through_a_file(path: Path, state, folder) -> tuple[Path, dict]:
    write_path(folder / "kept.npz", path, state)
    return read_path(folder / "kept.npz", Path)


@pytest.mark.parametrize("name", CASES)
def test_same_bits(name: str, tmp_path, monkeypatch) -> None:
    # Two engines make many steps at a call; here they return after each.
    monkeypatch.setattr("svsieve.elimination.engines.wide_linear.MOST_SECONDS", 0.0)
    monkeypatch.setattr("svsieve.elimination.engines.sparse_linear.MOST_SECONDS", 0.0)
    data, parts = CASES[name]
    whole, _ = run_to(data, parts, None)
    for first, second in ((1, 1), (3, 4), (whole.n_steps // 2, 2), (whole.n_steps - 1, 5)):
        begin = through_a_file(*run_to(data, parts, first), tmp_path)
        begin = through_a_file(*run_to(data, parts, second, begin), tmp_path)
        again, _ = run_to(data, parts, None, begin)
        for field in EXACT:
            np.testing.assert_array_equal(
                getattr(again, field), getattr(whole, field), err_msg=f"{field}, from {first}"
            )
        for one, two in zip(again.final_solutions, whole.final_solutions, strict=True):
            np.testing.assert_array_equal(one.values, two.values)
            assert one.offset == two.offset
