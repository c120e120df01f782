"""``svsieve rank``: which columns matter, how many to keep, how good they are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import numpy as np
import typer

from svsieve.cli import options as o
from svsieve.cli.console import bar, note, say, show_table
from svsieve.cli.interruption import resumable, start_workers
from svsieve.cli.results import (
    answer,
    check_reports,
    manifest_facts,
    provenance,
    write_results,
)
from svsieve.cli.sieving import sieved
from svsieve.estimators import analyse
from svsieve.io.folder import check_folder
from svsieve.reports import Report, sentences


def rank(
    context: typer.Context,
    table: o.TableFile,
    target: o.Target = None,
    labels: o.Labels = None,
    transpose: o.Transpose = False,
    id_column: o.IdColumn = None,
    drop: o.Drop = None,
    only: o.Only = None,
    positive: o.Positive = None,
    format: o.Format = None,
    keep: o.Keep = None,
    kernels: o.Kernels = ["linear", "rbf"],  # noqa: B006
    C: o.Penalty = 1.0,
    gamma: o.Gamma = "scale",
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Find C and gamma by the radius/margin bound.",
            rich_help_panel=o.ANALYSIS,
        ),
    ] = False,
    budget: o.Budget = None,
    step: o.Step = "auto",
    rule: o.RuleName = "one-se",
    at_most: o.Most = None,
    scoring: o.Scoring = "accuracy",
    folds: o.Folds = 5,
    inner_folds: o.InnerFolds = 5,
    seed: o.Seed = 0,
    jobs: o.Jobs = 1,
    time_limit: o.TimeLimit = None,
    checkpoint: o.CheckpointFile = None,
    out: o.Out = None,
    report: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="Report in DIR, .html or .md. Repeatable.",
            rich_help_panel=o.OUTPUT,
        ),
    ] = ["report.html"],  # noqa: B006
    top: Annotated[int, typer.Option(help="Columns to print.", rich_help_panel=o.OUTPUT)] = 20,
    as_json: o.Json = False,
) -> None:
    """Rank columns, choose how many to keep, and say how good that is on new rows.

    Columns are standardised and ranked on training rows only; the score printed is that of rows
    which took no part in any choice.

    Example: svsieve rank cells.csv --target tissue --out results

    Everything chosen for you, in a minute: svsieve rank cells.csv --target tissue --budget 60s

    Genes in rows: svsieve rank genes.tsv --transpose --labels samples.csv --target tissue
    """
    given = {name: value for name, value in locals().items() if name not in ("context", "as_json")}
    begun = datetime.now(UTC)
    o.check_positive("--time-limit", time_limit)
    o.check_positive("--top", top)
    settings: dict[str, Any] = {
        "kernels": tuple(kernels),
        "C": C,
        "gamma": o.number_or_word(gamma),
        "tune": tune,
        "step": o.number_or_word(step),
        "rule": o.rule_of(rule, at_most),
        "scoring": scoring,
        "folds": folds,
        "inner_folds": inner_folds,
        "seed": seed,
    }
    seconds = o.seconds_of(budget)
    if seconds is not None:
        o.refuse_with_budget(context)
    n_jobs = o.check_jobs(jobs)
    reports = check_reports(report) if out is not None else []
    if out is not None:
        check_folder(out)
    with resumable(checkpoint, time_limit):
        data = o.read(table, target, labels, transpose, id_column, drop, only, format)
        start_workers(n_jobs)
        if seconds is not None:
            found = sieved(data, keep, seconds, scoring, seed, n_jobs)
        else:
            with bar("eliminations") as watch:
                found = analyse(
                    data.values,
                    np.asarray(data.labels),
                    names=data.names,
                    target=data.target,
                    positive=positive,
                    keep=keep,
                    n_jobs=n_jobs,
                    checkpoint=checkpoint,
                    watch=watch,
                    title=data.file,
                    provenance=provenance(data),
                    **settings,
                ).report
        facts = manifest_facts("rank", given, data, begun, seed)
        answer(
            lambda: show(found, top),
            found.facts() if as_json else None,
            None if out is None else lambda: write_results(found, out, reports, facts),
            "Nothing was written; --out DIR writes the ranking, the path and a report.",
        )


def show(report: Report, top: int) -> None:
    """Print the answer and the best columns."""
    say(sentences.answer(report))
    if sentences.doubt(report):
        say(sentences.doubt(report))
    say(f"{report.best.label}: {report.best.choice.reason}")
    say()
    rows = [
        (
            str(one["rank"]),
            one["column"],
            f"{one['score']:.4g}",
            f"{100 * one['frequency']:.0f}%",
            "yes" if one["kept"] else "",
        )
        for one in report.ranking()[:top]
    ]
    show_table(("rank", "column", "score", "selected in folds", "kept"), rows, right=(0, 2, 3))
    hidden = len(report.names) - len(rows)
    if hidden:
        say(f"... and {hidden:,} more columns")
    say()
    for sentence in report.data_warnings:
        note(sentence)
