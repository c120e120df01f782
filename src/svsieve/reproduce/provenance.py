"""What decides the result of an experiment: its code, the native core, the data, the libraries."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from svsieve.datasets.public import FILES, public_folder
from svsieve.reproduce.experiment import Experiment

PACKAGE = "svsieve"
FRAMEWORK = f"{PACKAGE}.reproduce"
LIBRARIES = ("numpy", "scipy", "scikit-learn")
DIGITS = 12
# What modules of experiments say about results that are there; it decides none of them.
TELLING = {
    *("notes", "title", "settled", "also", "x", "series", "y", "panels", "log_x"),
    *("reason", "why_not_comparable", "tolerance", "sample", "cells", "few", "twice"),
    *("one_run", "again", "noise_by", "same_splits", "folds"),
}

MODULES, CORE, DATA, VERSIONS = "the code", "the native core", "the data", "the libraries"


def fingerprint(experiment: Experiment) -> dict[str, str]:
    """Return what the result of an experiment depends on, by name: digests, and versions.

    Examples
    --------
    >>> from svsieve.reproduce import find
    >>> from svsieve.reproduce.provenance import fingerprint
    >>> list(fingerprint(find("planas-fig-5.2")))
    ['the code', 'the native core', 'the data', 'the libraries']
    """
    return {
        MODULES: _digest(_meaning(name).encode() for name in modules_of(experiment)),
        CORE: core_digest(),
        DATA: _digest(_data(experiment)) if experiment.data_sets else "none",
        VERSIONS: ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    }


def short(found: dict[str, str]) -> str:
    """Return a fingerprint as one short word."""
    return _digest(f"{name}={value};".encode() for name, value in found.items())


def modules_of(experiment: Experiment) -> list[str]:
    """Return the modules of this package that an experiment is made of, sorted by name.

    A name that is imported from a package stands for the module that defines it. What all
    experiments share (running, comparing, pages) decides no result and is left out.
    """
    found, left = set[str](), [type(experiment).__module__]
    while left:
        name = left.pop()
        if name in found or not _decides(name):
            continue
        found.add(name)
        left += _imports(name)
    return sorted(found)


def commit() -> str:
    """Return the commit that this code is checked out at; empty where that is not known."""
    folder = Path(__file__).parent
    try:
        at = _git(folder, "rev-parse", "--short=12", "HEAD")
        tracked = _git(folder, "ls-files", Path(__file__).name)  # not that of a project around it
        changed = _git(folder.parent, "status", "--porcelain", "--untracked-files=no", ".")
    except (OSError, subprocess.CalledProcessError):
        return ""
    if not tracked:
        return ""
    return f"{at} with changes" if changed else at


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _decides(name: str) -> bool:
    """Tell whether a module decides results: not if it belongs to what all experiments share."""
    is_shared = name == FRAMEWORK or name.rpartition(".")[0] == FRAMEWORK
    return name.partition(".")[0] == PACKAGE and not is_shared


def _source(name: str) -> str:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""  # the native core has a digest of its own
    return Path(spec.origin).read_text(encoding="utf-8")


@cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules of this package that the statements of a module import from."""
    found = list[str]()
    for node in ast.walk(ast.parse(_source(name))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith(PACKAGE)]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            module = importlib.import_module(str(node.module))
            found += [_home(module, alias.name) for alias in node.names]
    return tuple(found)


def _home(module: ModuleType, name: str) -> str:
    """The module that defines what is imported from another one."""
    given = getattr(module, name, None)
    if isinstance(given, ModuleType):
        return given.__name__
    if hasattr(module, "__path__") and hasattr(given, "__qualname__"):
        return str(given.__module__)  # a package only hands on what its modules define
    return module.__name__


@cache
def _meaning(name: str) -> str:
    """What a module does, as text: without comments, docstrings and what only tells."""
    tree = ast.parse(_source(name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kept = [one for one in node.body if not _only_tells(one, name)]
            node.body = kept or [ast.Pass()]
    return f"{name}\n{ast.dump(tree)}"


def _only_tells(node: ast.stmt, module: str) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if not module.startswith(FRAMEWORK):
        return False
    if isinstance(node, ast.Assign):
        return all(isinstance(one, ast.Name) and one.id in TELLING for one in node.targets)
    return isinstance(node, ast.FunctionDef) and node.name in TELLING


@cache
def core_digest() -> str:
    """Return a digest of the native core, as it was built."""
    spec = importlib.util.find_spec(f"{PACKAGE}._core")
    if spec is None or spec.origin is None:
        return "none"
    return _digest([Path(spec.origin).read_bytes()])


def _data(experiment: Experiment) -> Iterator[bytes]:
    for name in experiment.data_sets:
        yield name.encode()
        yield _file_digest(public_folder() / FILES[name])


@cache
def _file_digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest() if file.is_file() else b"missing"


def _digest(chunks: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest()[:DIGITS]
