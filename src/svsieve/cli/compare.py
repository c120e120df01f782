"""``svsieve compare``: several selectors under the same nested folds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer

from svsieve.cli import options as o
from svsieve.cli.console import bar, note, say, show_table
from svsieve.cli.interruption import resumable, start_workers
from svsieve.cli.results import answer, manifest_facts, write_folder
from svsieve.estimators.comparison import Comparison, standard_selectors
from svsieve.estimators.comparison import compare as compared
from svsieve.io import write_csv
from svsieve.io.folder import check_folder
from svsieve.reports.selectors import SelectorsDisplay
from svsieve.selection.data_warnings import fold_warnings

HEAD = ("selector", "score", "low", "high", "columns", "stability", "seconds")


def compare(
    table: o.TableFile,
    target: o.Target = None,
    labels: o.Labels = None,
    transpose: o.Transpose = False,
    id_column: o.IdColumn = None,
    drop: o.Drop = None,
    only: o.Only = None,
    format: o.Format = None,
    selectors: Annotated[
        list[str] | None,
        typer.Option(
            "--selector",
            metavar="NAME",
            help="Compare this one; a part of its name is enough. Repeatable; all by default.",
            rich_help_panel=o.ANALYSIS,
        ),
    ] = None,
    scoring: o.Scoring = "accuracy",
    folds: o.Folds = 5,
    inner_folds: o.InnerFolds = 5,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    time_limit: o.TimeLimit = None,
    checkpoint: o.CheckpointFile = None,
    out: o.Out = None,
    as_json: o.Json = False,
) -> None:
    """Compare ways to select columns on the same rows: each chooses its size inside.

    SVM-RFE (linear and Gaussian), feature scaling, Fisher score, L1, and scikit-learn's RFECV.
    With --out a table and a picture are written.

    Example: svsieve compare cells.csv --target tissue --out comparison
    """
    given = {name: value for name, value in locals().items() if name != "as_json"}
    begun = datetime.now(UTC)
    o.check_positive("--time-limit", time_limit)
    n_jobs = o.check_jobs(jobs)
    if out is not None:
        check_folder(out)
    with resumable(checkpoint, time_limit):
        data = o.read(table, target, labels, transpose, id_column, drop, only, format)
        counts = data.class_counts
        rarest = min(counts, key=lambda label: counts[label])
        (outer, inner), sentences = fold_warnings(counts[rarest], rarest, (folds, inner_folds))
        known = standard_selectors(
            data.n_columns,
            inner_folds=inner,
            scoring=scoring,
            seed=seed,
            sparse=sp.issparse(data.values),
        )
        chosen = {name: known[name] for name in _asked(selectors, list(known))}
        codes = np.unique(np.asarray(data.labels), return_inverse=True)[1]
        start_workers(n_jobs)
        with bar("folds") as watch:
            found = compared(
                chosen,
                data.values,
                codes,
                folds=outer,
                scoring=scoring,
                seed=seed,
                n_jobs=n_jobs,
                checkpoint=checkpoint,
                watch=watch,
            )
        facts = manifest_facts("compare", given, data, begun, seed)
        for sentence in sentences:
            note(sentence)
        answer(
            lambda: _show(found),
            {"metric": found.metric, "rows": found.rows()} if as_json else None,
            None if out is None else lambda: write_folder(out, _makers(found), facts),
        )


def _asked(parts: list[str] | None, known: list[str]) -> list[str]:
    """The selectors whose names hold what was asked for."""
    if not parts:
        return known
    found = []
    for part in parts:
        mine = [name for name in known if part.lower() in name.lower()]
        if not mine:
            raise typer.BadParameter(
                f"--selector must be part of one of: {'; '.join(known)}. Got {part!r} instead."
            )
        found += mine
    return list(dict.fromkeys(found))


def _makers(found: Comparison) -> dict[str, Callable[[Path], object]]:
    def picture(file: Path) -> None:
        SelectorsDisplay(found.evaluations).plot().figure_.savefig(file, dpi=150)

    def table(file: Path) -> None:
        rows = [[line[name] for name in HEAD] for line in found.rows()]
        file.write_text(write_csv(HEAD, rows), encoding="utf-8")

    return {"comparison.csv": table, "comparison.png": picture}


def _show(found: Comparison) -> None:
    say(f"{found.metric.replace('_', ' ')} on held-out rows, nested cross-validation")
    say()
    rows = [_line(line) for line in found.rows()]
    head = ("selector", "mean", "95% interval", "columns", "stability", "seconds")
    show_table(head, rows, right=(1, 2, 3, 4, 5))


def _line(line: dict[str, Any]) -> tuple[str, ...]:
    return (
        line["selector"],
        f"{line['score']:.3f}",
        f"{line['low']:.3f} to {line['high']:.3f}",
        f"{line['columns']:g}",
        f"{line['stability']:.2f}",
        f"{line['seconds']:.1f}",
    )
