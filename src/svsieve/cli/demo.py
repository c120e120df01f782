"""``svsieve demo``: the whole road on a table that comes with scikit-learn."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from sklearn.datasets import load_breast_cancer

from svsieve.cli import options as o
from svsieve.cli.console import bar, say
from svsieve.cli.rank import show
from svsieve.cli.results import (
    answer,
    check_reports,
    manifest_facts,
    provenance,
    write_results,
)
from svsieve.estimators import analyse
from svsieve.io import Table
from svsieve.io.folder import check_folder

REPORT = "report.html"
SOURCE = "load_breast_cancer of scikit-learn"


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("svsieve-demo"),
    jobs: o.Jobs = 1,
    as_json: o.Json = False,
) -> None:
    """Rank the thirty columns of the breast-cancer data and write a report.

    Example: svsieve demo
    """
    begun = datetime.now(UTC)
    check_folder(out)
    reports = check_reports([REPORT])
    data = load_breast_cancer()
    X, labels = data.data, np.asarray(data.target_names)[data.target]
    names = tuple(str(name) for name in data.feature_names)
    table = Table(X, names, labels, "diagnosis", file="Breast cancer, Wisconsin")
    with bar("eliminations") as watch:
        found = analyse(
            X,
            labels,
            names=names,
            target=table.target,
            positive="malignant",
            n_jobs=o.check_jobs(jobs),
            watch=watch,
            title=table.file,
            provenance=provenance(table) | {"input": SOURCE},
        )
    facts = manifest_facts("demo", {"jobs": jobs}, table, begun, found.settings.seed)

    def show_all() -> None:
        say(f"{table.file}: {table.n_rows} rows, {table.n_columns} columns")
        show(found.report, 10)

    answer(
        show_all,
        found.facts() if as_json else None,
        lambda: write_results(found.report, out, reports, facts),
    )
    if not as_json:
        say(f"The report: {(out / REPORT).absolute()}")
