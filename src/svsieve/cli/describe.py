"""``svsieve describe``: what a table holds, and what is odd about it."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svsieve.cli import options as o
from svsieve.cli.console import say, show_json, show_table
from svsieve.selection.data_warnings import data_warnings


def describe(
    table: o.TableFile,
    target: o.Target = None,
    labels: o.Labels = None,
    transpose: o.Transpose = False,
    id_column: o.IdColumn = None,
    drop: o.Drop = None,
    only: o.Only = None,
    format: o.Format = None,
    as_json: o.Json = False,
) -> None:
    """Say what a table holds and what is odd about it; nothing is ranked.

    Example: svsieve describe cells.csv --target tissue
    """
    data = o.read(
        table, target, labels, transpose, id_column, drop, only, format, need_target=False
    )
    counts = data.class_counts
    codes = (
        np.zeros(data.n_rows, dtype=np.int64)
        if data.labels is None
        else np.unique(data.labels, return_inverse=True)[1].astype(np.int64)
    )
    warnings = data_warnings(data.values, codes, data.names, list(counts) or ["all"])
    values = data.values.data if sp.issparse(data.values) else data.values
    facts = {
        "file": data.file,
        "sha256": data.digests,
        "rows": data.n_rows,
        "columns": data.n_columns,
        "names": list(data.names),
        "row_names": data.ids is not None,
        "target": data.target if counts else None,
        "classes": counts,
        "least": float(values.min(initial=0.0) if sp.issparse(data.values) else values.min()),
        "greatest": float(values.max(initial=0.0) if sp.issparse(data.values) else values.max()),
        "warnings": list(warnings),
    }
    if as_json:
        show_json(facts)
        return
    say(f"{data.file}: {data.n_rows:,} rows, {data.n_columns:,} columns of numbers")
    say(f"values from {facts['least']:.4g} to {facts['greatest']:.4g}")
    if counts:
        say(f"target {data.target}:")
        rows = [
            (label, str(count), f"{count / data.n_rows:.1%}") for label, count in counts.items()
        ]
        show_table(("class", "rows", "share"), rows, right=(1, 2))
    for sentence in warnings or ("Nothing odd was found.",):
        say(sentence)
