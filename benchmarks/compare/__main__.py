"""``python -m benchmarks.compare [names...] [--repeat N] [--threads T] [--only TEXT] ...``."""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence

from threadpoolctl import threadpool_limits

from benchmarks.compare.timing import Options, Report

NAMES = (
    "svc_fit",
    "tight_gap",
    "gram",
    "contract_without",
    "contract_slopes",
    "warm_start",
    "memory",
    "rank_wide",
    "rank_growth",
    "rank_tall",
    "rank_kernel",
    "rank_first_order",
    "rank_cv",
    "validate_sizes",
    "rank_shares",
    "rank_memory",
    "criteria_cost",
    "rank_retrained",
    "combination",
    "tune_german",
    "one_class_fit",
    "one_class_auc",
    "rank_shapes",
    "fit_shapes",
)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(NAMES)}")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds per side (default 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of both sides (default 1)")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="of rank_shapes and fit_shapes: the shapes with this in their description; repeatable",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="rankings and combination on small tables, to try out"
    )
    size.add_argument(
        "--full", action="store_true", help="also the peers of rankings that take many minutes"
    )
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if name not in NAMES:
            parser.error(f"no benchmark is called {name!r}; there are {', '.join(NAMES)}")
    if asked.repeat < 1 or asked.threads < 1:
        parser.error("--repeat and --threads must be at least 1")
    return asked


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks asked for, print their tables and store them as JSON."""
    asked = parse(arguments)
    options = Options(
        asked.repeat, asked.threads, quick=asked.quick, full=asked.full, only=tuple(asked.only)
    )
    for name in asked.names or NAMES:
        # Imported before the limit is set, so that every thread pool of both sides exists by then.
        try:
            module = importlib.import_module(f"benchmarks.compare.{name}")
        except ModuleNotFoundError as missing:
            raise SystemExit(
                f"{name} needs {missing.name}: install svsieve with its bench extra, "
                "and run from the repository root"
            ) from missing
        started = time.perf_counter()
        with threadpool_limits(limits=options.threads):
            report: Report = module.run(options)
            if options.quick:
                report.notes.append("tried out on small tables: the targets are for large ones")
            path = report.save(name, options)
        report.show()
        print(f"{time.perf_counter() - started:.0f} s; written to {path}\n")


if __name__ == "__main__":
    main()
