"""Changes the code at places drawn by a seed and lists the changes that no test notices.

Called by ``make mutants``. A change of Python is tried on a copy of the package against the tests
that execute its line, the quickest first; which those are is found by one run of all tests and kept
in ``build/mutants`` until the package or the tests change. A change of the core is tried on a copy
that is built again, against the C++ tests and `CORE_TESTS`. What hangs counts as noticed.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from coverage import CoverageData

from tests.mutants.places import ROOT, Change, core_places, drawn, places, python_places

WORK = ROOT / "build" / "mutants"
COVERAGE, SECONDS = WORK / "coverage", WORK / "seconds.json"
COPIES = WORK / f"copies-{os.getpid()}"  # of this run; its processes are forks
CORE_TESTS = ("kernels", "machines", "criteria", "elimination", "property", "agreement")
PRELOADED = ("scipy.stats", "scipy.optimize", "sklearn.svm", "sklearn.model_selection", "pandas")
SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "SCIPY_ARRAY_API": "1"}
MOST_BYTES = 8 << 30
QUIET = ("-q", "-p", "no:cacheprovider", "--no-header")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Selection:
    """A plugin of pytest: runs the tests named, in their order, and notes how long each takes."""

    def __init__(self, names: Sequence[str] | None = None) -> None:
        self.place = None if names is None else {name: at for at, name in enumerate(names)}
        self.seconds: dict[str, float] = defaultdict(float)
        self.unfit: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.place is not None:
            items[:] = [item for item in items if item.nodeid in self.place]
            items.sort(key=lambda item: self.place[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.unfit.add(report.nodeid)

    def pytest_sessionfinish(self, session: Any) -> None:
        if self.place is None and not hasattr(session.config, "workerinput"):
            fit = {k: seconds for k, seconds in self.seconds.items() if k not in self.unfit}
            SECONDS.write_text(json.dumps(fit))


def copy_of_package(folder: Path) -> Path:
    """Make a copy of the package with its native module, compiled so that changes are seen."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    installed = importlib.util.find_spec("svsieve")
    assert installed is not None
    for native in Path(str(installed.origin)).parent.glob("_core*"):
        shutil.copy2(native, folder / "src" / "svsieve")
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder / "src", quiet=2, invalidation_mode=checked)
    return folder


def run_pytest(folder: Path, arguments: Sequence[str], plugin: Selection, limit: int) -> int | None:
    """Run tests on a copy, in a fork that has the libraries loaded; None if it took too long."""
    child = os.fork()
    if not child:
        code = 3
        try:
            os.setsid()
            log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            # What a test leaves behind ends by these.
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
            os.environ["PYTHONPATH"] = str(folder / "src")
            sys.path.insert(0, str(folder / "src"))
            code = int(pytest.main([*QUIET, *arguments], [plugin]))
        finally:
            os._exit(code)
    until, status = time.monotonic() + limit, None
    try:
        while status is None and time.monotonic() < until:
            time.sleep(0.05)
            done, encoded = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(encoded) if done else None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def collect(jobs: int, tests: Sequence[str]) -> None:
    """Run all tests once, to know which lines each executes, unless that is known."""
    files = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")])
    files = [file for file in files if file.parent != Path(__file__).parent]
    state, key = hashlib.sha256(" ".join(tests).encode()), WORK / "key"
    for file in files:
        state.update(file.read_bytes())
    if key.exists() and key.read_text() == state.hexdigest():
        return
    say(f"running {' '.join(tests)} once, to see which lines each test executes")
    WORK.mkdir(parents=True, exist_ok=True)
    os.environ["COVERAGE_FILE"] = str(COVERAGE)
    options = ("--cov=svsieve", "--cov-context=test", "--cov-report=", "-n", str(jobs), *tests)
    code = run_pytest(copy_of_package(COPIES / "unchanged"), options, Selection(), 6 * 3600)
    if code not in (0, 1):
        raise SystemExit(f"the tests could not be run: see {COPIES / 'unchanged' / 'log'}.")
    key.write_text(state.hexdigest())


def tests_of(change: Change, seconds: dict[str, float]) -> list[str]:
    """Return the tests that execute the line of a change; if none is known, those of its layer."""
    data = CoverageData(str(COVERAGE))
    data.read()
    file = next((one for one in data.measured_files() if one.endswith(change.file[4:])), "")
    first, last = change.watched or (1, sys.maxsize)
    found = set()
    for line, contexts in data.contexts_by_lineno(file).items() if file else ():
        if first <= line <= last:
            found |= {context.rpartition("|")[0] for context in contexts}
    layer = f"tests/{Path(change.file).parts[2]}/"
    known = [name for name in seconds if name in found]
    return known or [name for name in seconds if name.startswith(layer)]


def built(change: Change, copy: Path) -> Path | None:
    """Build a copy of the package with a changed core; None if the change does not compile."""
    tree = COPIES / f"tree-{os.getpid()}"
    build = tree / "build"
    if not build.exists():
        for name in ("core", "bindings"):
            shutil.copytree(ROOT / name, tree / name)
        shutil.copy2(ROOT / "CMakeLists.txt", tree)
        made = [f"-DPython_EXECUTABLE={sys.executable}", "-DSVSIEVE_BUILD_TESTS=ON", "-GNinja"]
        subprocess.run(["cmake", "-S", tree, "-B", build, *made], check=True, capture_output=True)
        subprocess.run(["ninja", "-j1", "-C", build], check=True, capture_output=True)
    change.write(tree)
    done = subprocess.run(["ninja", "-j1", "-C", build], check=False, capture_output=True)
    change.undo(tree)
    for native in build.glob("_core*.so"):
        shutil.copy2(native, copy / "src" / "svsieve")
    return None if done.returncode else build


def attempt(change: Change, seconds: dict[str, float], most: float) -> tuple[str, list[str]]:
    """Try one change; return what came of it and the tests that were run."""
    in_core = not change.file.endswith(".py")
    copy = COPIES / f"{'core' if in_core else 'python'}-{os.getpid()}"
    if not copy.exists():
        copy_of_package(copy)
    if in_core:
        build = built(change, copy)
        if build is None:
            return "not built", []
        try:
            subprocess.run([build / "core/tests/core_tests"], check=True, timeout=300,
                           capture_output=True)  # fmt: skip
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return "noticed", []
        names = [name for name in seconds if name.split("/")[1] in CORE_TESTS]
    else:
        names = tests_of(change, seconds)
    total, chosen = 0.0, []
    for name in sorted(names, key=seconds.__getitem__):
        total += seconds[name]
        if total > most and chosen:
            break
        chosen.append(name)
    if not chosen:
        return "survived", []
    if not in_core:
        change.write(copy)
    files = sorted({name.partition("::")[0] for name in chosen})
    limit = int(3 * min(total, most) + 60)
    code = run_pytest(copy, ["-x", *files], Selection(chosen), limit)
    if not in_core:
        change.undo(copy)
    if code == pytest.ExitCode.USAGE_ERROR and "loading conftest" not in (copy / "log").read_text():
        raise RuntimeError(f"pytest did not understand what to run: see {copy / 'log'}.")
    unnoticed = code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    left_out = ["(not run)"] * (len(names) - len(chosen))
    return "survived" if unnoticed else "noticed", chosen + left_out


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    ask.add_argument("--seed", type=lambda text: int(text, 0), default=1, help="decimal or 0x...")
    ask.add_argument("--python", type=int, default=150, help="changes of Python to try")
    ask.add_argument("--core", type=int, default=20, help="changes of the core to try")
    ask.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    ask.add_argument("--tests", nargs="+", default=["tests"], help="folders of tests to draw on")
    ask.add_argument("--most", type=float, default=120.0, help="seconds of tests for one change")
    asked = ask.parse_args()
    os.chdir(ROOT)
    os.environ.update(SETTINGS)
    for name in PRELOADED:
        importlib.import_module(name)
    collect(asked.jobs, asked.tests)
    seconds = json.loads(SECONDS.read_text())
    core, python = places("core/src", "*.?pp", core_places), places("src", "*.py", python_places)
    todo = [*islice(drawn(core, asked.seed), asked.core)]
    todo += islice(drawn(python, asked.seed), asked.python)
    counts: Counter[str] = Counter()
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("fork")) as pool:
        waiting = {pool.submit(attempt, change, seconds, asked.most): change for change in todo}
        for done in as_completed(waiting):
            verdict, names = done.result()
            counts[verdict] += 1
            if verdict == "survived":
                files = Counter(name.partition("::")[0] for name in names)
                ran = ", ".join(f"{file} {count}" for file, count in sorted(files.items()))
                say(f"{waiting[done]}\n    ran: {ran or 'no test'}")
    shutil.rmtree(COPIES, ignore_errors=True)
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    say(f"{len(todo)} changes (seed {asked.seed}): {said}")


if __name__ == "__main__":
    main()
