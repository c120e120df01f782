"""The public names of the package: each can be imported in every way that Python knows."""

import contextlib
import dataclasses
import importlib
import pickle
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import svsieve

MODULES = sorted(name for name in svsieve.__all__ if isinstance(getattr(svsieve, name), ModuleType))


def test_all_names_are_there():
    assert sorted(set(svsieve.__all__)) == sorted(svsieve.__all__)
    assert [name for name in svsieve.__all__ if not hasattr(svsieve, name)] == []


def test_modules_are_among_them():
    assert {"criteria", "rules", "samplers", "schedules", "stopping"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_the_same_however_it_is_imported(name):
    assert importlib.import_module(f"svsieve.{name}") is getattr(svsieve, name)


def test_names_are_imported_from_modules_in_a_new_process():
    lines = [
        "import svsieve.rules, svsieve.stopping",
        "from svsieve.samplers import Subsample",
        "from svsieve.schedules import Sqrt",
        "from svsieve import rules",
        "assert rules is svsieve.rules",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_objects_of_the_modules_can_be_pickled():
    rule = svsieve.rules.Tolerance(0.02)
    assert pickle.loads(pickle.dumps(rule)) == rule


def settings_and_facts():
    """Dataclasses of the package but those that are drawn, built up or filled in."""
    found = set()
    for module in pkgutil.walk_packages(svsieve.__path__, "svsieve."):
        if module.name.startswith("svsieve.cli") or module.name.endswith("__main__"):
            continue
        with contextlib.suppress(ImportError):  # of a library that is not installed
            for one in vars(importlib.import_module(module.name)).values():
                if dataclasses.is_dataclass(one) and isinstance(one, type):
                    found.add(one)
    named = {f"{one.__module__}.{one.__qualname__}": one for one in found}
    ours = sorted(name for name in named if name.startswith("svsieve."))
    return [named[name] for name in ours if not name.endswith(CHANGE)]


CHANGE = ("Display", ".Trials", ".Branch", ".Pairs")


def test_what_was_checked_cannot_be_changed_afterwards():
    every = settings_and_facts()
    assert len(every) > 100
    for one in every:
        with pytest.raises(dataclasses.FrozenInstanceError):
            object.__new__(one).C = 1.0


EXTRAS = "altair, anndata, dask, jinja2, matplotlib, pandas, pyarrow, rich, typer, vl_convert"

BARE = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS.split(", ")}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from sklearn.datasets import load_iris
from svsieve import SVMRFECV, Sieve, analyse, evaluate
X, y = load_iris(return_X_y=True)
assert Sieve(budget=1.0).fit(X, y).predict(X).shape == y.shape
assert evaluate(SVMRFECV(cv=2), X, y, cv=2).mean > 0.8
text = analyse(X, y, folds=2, inner_folds=2, kernels=("linear",)).report.to_markdown()
assert "Keep" in text
"""


def test_nothing_beyond_the_dependencies_is_needed_for_the_classes():
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
