"""Peak memory of a fit in a process of its own, and what importing the package costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.compare.timing import Options, Report, Row, verdict
from svsieve.kernels.rows import SMALL_GRAM_BYTES

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 20
LIMIT_MB = 4000  # of the largest fit
IMPORT_SECONDS = 0.6


def child(*arguments: object) -> dict[str, float]:
    """Run ``benchmarks.compare.child`` in a fresh process and return what it printed."""
    command = [sys.executable, "-m", "benchmarks.compare.child", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def run(options: Options) -> Report:
    """Measure the fits of three sizes, then the imports."""
    report = Report(
        f"peak memory of an SVC fit (RBF, {COLUMNS} columns, gap 1e-3) and import time, "
        f"peer scikit-learn, {options.threads} thread(s)",
        columns=(
            "what",
            "data MB",
            "Gram MB",
            "peer peak MB",
            "our peak MB",
            "peer s",
            "ours s",
            "ratio",
            "target",
            "reached",
        ),
        notes=[
            "peaks are of the whole process; numpy and scikit-learn alone take the peak before",
            "Gram MB: the whole matrix in doubles; with so few columns it is kept whole up "
            f"to {SMALL_GRAM_BYTES >> 20} MiB, above that rows are computed on demand and cached",
        ],
    )
    report.rows = [_fit(rows, options) for rows in (2_000, 10_000, 50_000)]
    before = report.rows[0]["before MB"]
    report.notes[0] += f" ({before:.0f} MB)"
    report.rows.append(_imports(options))
    return report


def _fit(rows: int, options: Options) -> Row:
    peer = child("fit", "peer", rows, COLUMNS, options.threads)
    ours = child("fit", "ours", rows, COLUMNS, options.threads)
    gram = rows * rows * 8 / 1e6
    storage = "whole Gram matrix" if gram * 1e6 <= SMALL_GRAM_BYTES else "row cache"
    return {
        "what": f"fit {rows} rows, {storage}",
        "data MB": rows * COLUMNS * 8 / 1e6,
        "Gram MB": gram,
        "peer peak MB": peer["peak"],
        "our peak MB": ours["peak"],
        "peer s": peer["seconds"],
        "ours s": ours["seconds"],
        "ratio": peer["seconds"] / ours["seconds"],
        "target": f"< {LIMIT_MB} MB",
        "reached": verdict(ours["peak"] < LIMIT_MB),
        "before MB": ours["before"],
        "peer support vectors": peer["support"],
        "our support vectors": ours["support"],
    }


def _imports(options: Options) -> Row:
    rounds = [child("imports") for _ in range(max(3, options.repeat))]
    peer = min(each["sklearn.svm"] for each in rounds)
    ours = min(each["svsieve"] for each in rounds)
    return {
        "what": "import svsieve, beyond sklearn.svm",
        "peer s": peer,
        "ours s": ours,
        "ratio": peer / ours,
        "target": f"< {IMPORT_SECONDS} s",
        "reached": verdict(ours < IMPORT_SECONDS),
    }
