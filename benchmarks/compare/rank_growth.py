"""How the time of a wide ranking grows with the columns and with the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from benchmarks.compare.data import wide
from benchmarks.compare.rank_wide import ranking
from benchmarks.compare.timing import Options, Report, Row, alone, race, say, verdict

AT_MOST = 1.2  # exponent of the number of columns


def run(options: Options) -> Report:
    """Time whole rankings, one column at a time, and fit the exponents."""
    columns = options.pick((2_500, 5_000, 10_000, 20_000, 40_000, 60_000), (200, 400, 800))
    rows = options.pick((50, 100, 200, 400), (20, 30, 40))
    report = Report(
        f"growth of a whole linear ranking, step 1, C=1, ours alone, {options.threads} thread(s)",
        columns=("what", "ours s", "us per column", "exponent", "target", "reached"),
        notes=[
            "exponent: slope of log time over log size, in a row of the table between it and the "
            "row before, in the summary of all sizes by least squares"
        ],
    )
    fixed_rows, fixed_columns = options.pick((100, 10_000), (30, 300))
    report.rows += growth("columns", [(fixed_rows, each) for each in columns], options)
    exponent = report.rows[-1]["exponent"]
    assert isinstance(exponent, float)
    report.rows[-1] |= {"target": f"<= {AT_MOST:g}", "reached": verdict(exponent <= AT_MOST)}
    report.rows += growth("rows", [(each, fixed_columns) for each in rows], options)
    return report


def growth(what: str, shapes: Sequence[tuple[int, int]], options: Options) -> Iterator[Row]:
    """Yield a row for each shape, then the exponent in what changes."""
    sizes = [shape[1 if what == "columns" else 0] for shape in shapes]
    times: list[float] = []
    for shape, size in zip(shapes, sizes, strict=True):
        say(f"growth with the {what}: {shape[0]} x {shape[1]}")
        call = partial(ranking, wide(*shape))
        seconds = race({"ours": call}, options.repeat, seconds=8.0)["ours"]
        row = alone(f"{shape[0]} x {shape[1]}", seconds)
        row["us per column"] = 1e6 * seconds.wall / shape[1]
        if times:
            before = sizes[len(times) - 1]
            row["exponent"] = math.log(seconds.wall / times[-1]) / math.log(size / before)
        times.append(seconds.wall)
        yield row
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    yield {"what": f"all: time ~ {what} ** exponent", "exponent": slope}
