"""What cannot fit is refused before it is begun: bytes, and what to do instead."""

import resource
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from svsieve import SVC, SVMRFE, FeatureScaling, GradientSearch, criteria, memory, samplers
from svsieve.criteria import RedundancyAware, Span, WeightNorm
from svsieve.elimination import engines
from svsieve.kernels import (
    KernelState,
    Laplace,
    Linear,
    Normalised,
    PairingKernel,
    Rbf,
    kernel_values,
)
from svsieve.native import core

MB = 10**6


@pytest.fixture
def available(monkeypatch):
    """Sets how much there is; every table counts."""
    monkeypatch.setattr(memory, "SMALL_BYTES", 0)

    def there_are(size):
        monkeypatch.setattr(memory, "available_bytes", lambda: float(size))

    return there_are


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 4)), np.arange(300) % 2


# A table of all pairs of 300 rows.
PAIRS = 8 * 300**2


@pytest.mark.parametrize(
    ("kernel", "tables"),
    [(Rbf(0.1), 1), (Laplace(0.1), 1), (Rbf(0.1) + Linear(), 4), (Normalised(Linear()), 3)],
)
def test_a_kernel_matrix_is_refused_where_its_tables_do_not_fit(kernel, tables, available, table):
    X, _ = table
    available(tables * PAIRS - 1)
    with pytest.raises(MemoryError, match=r"kernel matrix of 300 rows needs .* Use fewer rows"):
        kernel.gram(X)
    available(tables * 8 * 300 * 200 - 1)
    with pytest.raises(MemoryError, match=r"kernel matrix of 300 x 200 rows needs .* of memory"):
        kernel.cross(X, X[:200])
    available(tables * PAIRS)
    assert kernel.gram(X).shape == (300, 300)


def test_a_kernel_that_numpy_computes_counts_what_numpy_makes(available, table):
    class Cauchy(PairingKernel):
        pairing = "squared-difference"

        def value(self, s):
            return 1.0 / (1.0 + s)

        def slope(self, s):
            return -1.0 / (1.0 + s) ** 2

        def param_slopes(self, s):
            return {}

    available(3 * PAIRS - 1)
    with pytest.raises(MemoryError):
        Cauchy().gram(table[0])


@pytest.mark.parametrize(
    ("kernel", "tables"), [(Rbf("scale"), 2), (0.5 * Rbf(0.1) + Normalised(Linear()) * Linear(), 8)]
)
def test_a_state_counts_its_gram_matrix(kernel, tables, available, table):
    available(tables * PAIRS - 1)
    with pytest.raises(MemoryError, match="kernel matrix of 300 rows"):
        KernelState(kernel, table[0])
    available(tables * PAIRS)
    assert KernelState(kernel, table[0]).gram().shape == (300, 300)


@pytest.mark.parametrize("search", [FeatureScaling(SVC()), GradientSearch(SVC())])
def test_searches_refuse_too(search, available, table):
    available(PAIRS)
    with pytest.raises(MemoryError, match="kernel matrix of 300 rows"):
        search.fit(*table)


def test_rows_come_on_demand_where_the_matrix_does_not_fit(available):
    X = np.random.default_rng(0).normal(size=(300, 200))
    assert isinstance(kernel_values(Rbf(0.1), X), np.ndarray)
    available(PAIRS - 1)
    assert isinstance(kernel_values(Rbf(0.1), X), core.CachedRows)
    y = np.arange(300) % 2
    found = SVC().fit(X, y).decision_function(X[:10])
    available(100 * MB)
    np.testing.assert_allclose(found, SVC().fit(X, y).decision_function(X[:10]), atol=1e-2)


# ---- eliminations


@pytest.mark.parametrize(
    ("criterion", "tables", "instead"),
    [
        (WeightNorm(), 2.5, r"Use fewer rows, .*Subsample\(0.1\), or a linear kernel"),
        (criteria.RadiusMargin(), 2.5, "linear kernel with the criterion WeightNorm"),
        (criteria.RadiusMargin(retrain=True), 5.0, r"the criterion RadiusMargin\(order=1\)"),
        (Span(), 8.0, r"the criterion Span\(order=1\)"),
        (Span(order=1), 2.5, "Use fewer rows"),
        (RedundancyAware(Span()), 8.0, r"the criterion Span\(order=1\)"),
    ],
)
def test_an_elimination_is_refused_before_it_begins(
    criterion, tables, instead, available, table, monkeypatch
):
    X, y = table
    monkeypatch.setattr(engines.KernelEngine, "__init__", None)  # not even made
    available(tables * PAIRS + 2 * X.nbytes - 1)
    with pytest.raises(MemoryError, match=rf"kernel matrix of 300 rows needs .*{instead}"):
        SVMRFE(SVC(), criterion=criterion).fit(X, y)


def test_one_that_fits_runs(available, table):
    X, y = table
    available(2.5 * PAIRS + 2 * X.nbytes)
    assert SVMRFE(SVC()).fit(X, y).path_.engine == "kernel"


def test_a_problem_on_some_of_the_rows_has_a_matrix_of_its_own(available, table):
    X = table[0]
    available(2 * PAIRS + 1.5 * 8 * 200**2 + 2 * X.nbytes - 1)
    with pytest.raises(MemoryError, match="kernel matrix of 300 rows"):
        SVMRFE(SVC()).fit(X, np.arange(300) % 3)


def test_a_sampler_needs_what_its_draws_need(available, table):
    available(0.2 * PAIRS)
    found = SVMRFE(SVC(), sampler=samplers.Subsample(0.3)).fit(*table)
    assert len(found.ranking_) == 4
    available(0.1 * PAIRS)
    with pytest.raises(MemoryError, match="kernel matrix of 90 rows"):
        SVMRFE(SVC(), sampler=samplers.Subsample(0.3)).fit(*table)


def test_a_sparse_table_is_written_out_only_where_it_fits(available):
    X = sparse.random_array((40, 500), density=0.05, random_state=np.random.default_rng(0))
    X, y = sparse.csr_array(X), np.arange(40) % 2
    wide = SVMRFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y).path_
    available(2 * 8 * 40 * 500 - 1)
    other = SVMRFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y).path_
    assert (wide.engine, other.engine) == ("wide-linear", "sparse-linear")
    np.testing.assert_array_equal(other.order, wide.order)


def test_a_wide_table_that_does_not_fit_twice_is_refused(available):
    X = np.random.default_rng(0).normal(size=(40, 500))
    available(X.nbytes - 1)
    with pytest.raises(MemoryError, match=r"500 columns on 40 rows needs .* Use fewer columns"):
        SVMRFE(SVC(kernel="linear")).fit(X, np.arange(40) % 2)
    available(X.nbytes)
    assert SVMRFE(SVC(kernel="linear")).fit(X, np.arange(40) % 2).path_.engine == "wide-linear"


# ---- how much there is


def test_nobody_asks_for_little(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", None)
    memory.check_fits(memory.SMALL_BYTES, "Nothing", "Nothing.")
    assert memory.fits(memory.SMALL_BYTES)


def test_a_hundred_million_bytes_are_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10.0 * MB)
    with pytest.raises(MemoryError, match=r"needs 100 MB of memory, 10\.0 MB are available"):
        memory.check_fits(100 * MB, "The table", "Use fewer rows.")
    assert not memory.fits(100 * MB)


def test_the_least_limit_counts(monkeypatch):
    for machine, process, groups, least in (
        (3.0, [5.0], [4.0], 3.0),
        (3.0, [2.0, 9.0], [], 2.0),
        (3.0, [], [8.0, 1.0], 1.0),
        (3.0, [-5.0], [], 0.0),
    ):
        monkeypatch.setattr(memory, "_of_machine", lambda it=machine: it)
        monkeypatch.setattr(memory, "_of_process", lambda it=process: it)
        monkeypatch.setattr(memory, "_of_groups", lambda it=groups: it)
        assert memory.available_bytes() == least


def test_limits_of_the_process(monkeypatch):
    limits = {resource.RLIMIT_AS: 10**12, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], limits[which]))
    (left,) = memory._of_process()
    assert 0 < left < 10**12


def test_limits_of_control_groups(tmp_path):
    """Of both versions, of the groups around, and where a container sees another path."""

    def write(folder, **files):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (place / name.replace("__", ".")).write_text(text)

    stat = "anon 5\ninactive_file 30\nactive_file 4\n"
    write("a/b", memory__max="max\n", memory__current="70\n", memory__stat=stat)
    write("a", memory__max="100\n", memory__current="70\n", memory__stat=stat)
    write(".", memory__current="70\n")
    old = "inactive_file 1\ntotal_inactive_file 20\ntotal_active_file 2\n"
    names = {"memory__limit_in_bytes": "1000\n", "memory__usage_in_bytes": "900\n"}
    write("memory", **names, memory__stat=old)
    own = tmp_path / "cgroup"
    own.write_text("4:cpu:/x\n3:memory,hugetlb:/not/here\n0::/a/b\n")
    assert sorted(memory._of_groups(own, tmp_path)) == [64.0, 122.0]
    assert list(memory._of_groups(tmp_path / "none", tmp_path)) == []


def test_this_machine():
    assert MB < memory.available_bytes() < 1e15
    assert not Path("/proc/meminfo").exists() or memory._of_machine() < np.inf


def test_numbers_of_bytes_in_words():
    shown = [memory.in_words(size) for size in (12, 1234, 56 * MB, 7.84e9, 320e9, 8e13)]
    assert shown == ["12 bytes", "1.2 kB", "56.0 MB", "7.8 GB", "320 GB", "80.0 TB"]


def test_memory_that_runs_out_in_the_core_is_told_in_a_sentence():
    with pytest.raises(MemoryError, match=r"no memory for what the core was .*\. Use fewer"):
        core.empty_table(10**8, 10**8)
