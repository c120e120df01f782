"""What runs in a process of its own: one fit with its peak of memory, or the imports.

``python -m benchmarks.compare.child fit peer|ours ROWS COLUMNS THREADS`` and
``python -m benchmarks.compare.child imports`` print one JSON object.
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


def imports() -> dict[str, float]:
    """Return the seconds of importing sklearn.svm, and of svsieve after it."""
    started = time.perf_counter()
    import sklearn.svm  # noqa: F401

    between = time.perf_counter()
    import svsieve  # noqa: F401

    return {"sklearn.svm": between - started, "svsieve": time.perf_counter() - between}


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    answer = imports() if task == "imports" else fit(arguments[0], *map(int, arguments[1:]))
    print(json.dumps(answer))
