"""Runs scikit-learn's own tests and estimator checks on the classes of svsieve.

Called by ``make peers``. The test files are those of the installed scikit-learn; adapters have
taken the place of its classes in them. What does not pass must be what ``table.toml`` says, in the
way it says; with another version of scikit-learn than the table is for, differences are told only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections import Counter
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.peers.table import NOT_APPLICABLE, PASSED, TABLE, Outcome, compare, lost, read

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "build" / "peers" / "log"
CHECKS = "tests/peers/checks.py"
TESTS = (
    "feature_selection/tests/test_rfe.py",
    "feature_selection/tests/test_base.py",
    "svm/tests/test_svm.py",
    "svm/tests/test_sparse.py",
)
QUIET = (
    "-q",
    "-p",
    "no:cacheprovider",
    "--no-header",
    "--tb=short",
    "-o",
    "filterwarnings=default",
)


class Outcomes:
    """A plugin of pytest: what came of every test."""

    def __init__(self) -> None:
        self.found: dict[str, Outcome] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        noted = dict(report.user_properties)
        name = noted["name"]
        if not report.passed or hasattr(report, "wasxfail"):
            self.found[name] = Outcome(report.outcome, report.longreprtext)
        elif report.when == "call":
            self.found[name] = Outcome(PASSED)
        if report.when == "call" and not noted["made"] and not name.startswith("checks.py"):
            self.found[name] = Outcome(NOT_APPLICABLE)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(jobs: int) -> dict[str, Outcome]:
    """Run all tests, their output into a file."""
    spec = find_spec("sklearn")
    assert spec is not None
    folder = Path(str(spec.origin)).parent
    outcomes = Outcomes()
    # Processes of their own, in which scikit-learn finds the settings of `main` when it is loaded.
    arguments = [*QUIET, "-n", str(max(1, jobs)), "-p", "tests.peers.plugin"]
    arguments += [CHECKS, *(str(folder / name) for name in TESTS)]
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("w", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        code = pytest.main(arguments, [outcomes])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"The tests could not be run: see {LOG}.")
    return outcomes.found


def counted(found: dict[str, Outcome]) -> list[str]:
    """Return a line for each file: passed, not passed, not applicable."""
    lines = []
    for file in (*(Path(name).name for name in TESTS), Path(CHECKS).name):
        counts: Counter[str] = Counter()
        for name, outcome in found.items():
            if name.startswith(f"{file}::"):
                known = outcome.kind in (PASSED, NOT_APPLICABLE)
                counts[outcome.kind if known else "not passed"] += 1
        said = ", ".join(
            f"{counts[kind]} {kind}" for kind in (PASSED, "not passed", NOT_APPLICABLE)
        )
        lines.append(f"  {file:14} {said}")
    return lines


def main() -> int:
    ask = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    ask.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    jobs = ask.parse_args().jobs
    os.chdir(ROOT)
    # Without it scikit-learn leaves its checks of array API input out.
    os.environ.update(SCIPY_ARRAY_API="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    begun = time.monotonic()
    meant, rows = read()
    here = version("scikit-learn")
    say(f"running the tests of scikit-learn {here} on svsieve (output: {LOG.relative_to(ROOT)})")
    wrong = lost(rows)  # first: the pages of differences are made with scikit-learn's own classes
    found = run(jobs)
    wrong += compare(found, rows)
    for line in (*counted(found), *wrong):
        say(line)
    verdict = f"{len(wrong)} differences from {TABLE.name}" if wrong else "as the table says"
    say(f"{len(found)} tests, {len(rows)} reasons, {time.monotonic() - begun:.0f} s: {verdict}")
    if wrong and here != meant:
        say(f"The table is for scikit-learn {meant}: told only.")
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
