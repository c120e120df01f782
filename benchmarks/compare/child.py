"""What runs in a process of its own: a fit or a ranking with its peak of memory, or the imports.

``python -m benchmarks.compare.child TASK`` prints one JSON object. Tasks:
``fit peer|ours ROWS COLUMNS THREADS``, ``rank KERNEL ROWS COLUMNS STEP THREADS``, ``imports``.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Return the peak resident memory of this process in MB (1e6 bytes).

    Linux counts the peak of the starting process into ``ru_maxrss``, so its own record
    ("VmHWM") is read where there is one.
    """
    if STATUS.exists():
        for line in STATUS.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def fit(side: str, rows: int, columns: int, threads: int) -> dict[str, float]:
    """Fit one machine and return peaks before and after, seconds and support vectors."""
    from threadpoolctl import threadpool_limits

    from benchmarks.compare.data import blobs

    package = importlib.import_module("svsieve" if side == "ours" else "sklearn.svm")
    data = blobs(rows, columns)
    model = package.SVC(C=1.0, kernel="rbf", gamma=1.0 / columns)
    before = peak_mb()
    started = time.perf_counter()
    with threadpool_limits(limits=threads):
        model.fit(data.X, data.y)
    return {
        "seconds": time.perf_counter() - started,
        "before": before,
        "peak": peak_mb(),
        "support": len(model.support_),
    }


def rank(kernel: str, rows: int, columns: int, step: float, threads: int) -> dict[str, float]:
    """Rank all columns and return peaks after the imports and at the end, and seconds."""
    from threadpoolctl import threadpool_limits

    from benchmarks.compare.data import wide
    from svsieve import SVC, SVMRFE

    before = peak_mb()
    data = wide(rows, columns)
    machine = SVC(kernel=kernel, gamma="auto")
    schedule = step if step < 1 else int(step)
    started = time.perf_counter()
    with threadpool_limits(limits=threads):
        SVMRFE(machine, n_features_to_select=1, step=schedule).fit(data.X, data.y)
    return {"seconds": time.perf_counter() - started, "before": before, "peak": peak_mb()}


def imports() -> dict[str, float]:
    """Return the seconds of importing sklearn.svm, and of svsieve after it."""
    started = time.perf_counter()
    import sklearn.svm  # noqa: F401

    between = time.perf_counter()
    import svsieve  # noqa: F401

    return {"sklearn.svm": between - started, "svsieve": time.perf_counter() - between}


def answer(task: str, *arguments: str) -> dict[str, float]:
    """Do a task of the command line."""
    if task == "imports":
        return imports()
    if task == "rank":
        kernel, rows, columns, step, threads = arguments
        return rank(kernel, int(rows), int(columns), float(step), int(threads))
    return fit(arguments[0], *map(int, arguments[1:]))


if __name__ == "__main__":
    print(json.dumps(answer(*sys.argv[1:])))
