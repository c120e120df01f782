"""Peak memory of whole rankings, each in a process of its own, against a budget."""

from __future__ import annotations

from benchmarks.compare.memory import child
from benchmarks.compare.timing import Options, Report, Row, say, verdict

ALLOWANCE_MB = 100.0
Ranking = tuple[str, int, int, float]  # what to rank with, rows, columns, step


def run(options: Options) -> Report:
    """Measure a wide linear ranking and kernel rankings."""
    usual: list[Ranking] = [
        ("linear", 100, 60_000, 1),
        ("rbf", 1714, 500, 20),
        ("rbf", 4000, 200, 0.2),
    ]
    quick: list[Ranking] = [("linear", 30, 1000, 1), ("rbf", 200, 60, 20)]
    report = Report(
        f"peak memory of a whole ranking beyond that of the imports, {options.threads} thread(s)",
        columns=("what", "table MB", "used MB", "budget MB", "reached", "ours s", "imports MB"),
        notes=[
            "used: peak of the process, table included, less its peak after the imports",
            f"budget: 4 n^2 + 2 n d doubles + {ALLOWANCE_MB:g} MB for n rows and d columns",
        ],
    )
    report.rows = [_measured(each, options) for each in options.pick(usual, quick)]
    return report


def _measured(ranking: Ranking, options: Options) -> Row:
    kernel, rows, columns, step = ranking
    what = f"{rows} x {columns}, {kernel}, step {step:g}"
    say(f"{what}: peak memory")
    peaks = child("rank", kernel, rows, columns, step, options.threads)
    budget = 8 * (4 * rows * rows + 2 * rows * columns) / 1e6 + ALLOWANCE_MB
    used = peaks["peak"] - peaks["before"]
    return {
        "what": what,
        "table MB": 8 * rows * columns / 1e6,
        "used MB": used,
        "budget MB": budget,
        "reached": verdict(used <= budget),
        "ours s": peaks["seconds"],
        "imports MB": peaks["before"],
    }
