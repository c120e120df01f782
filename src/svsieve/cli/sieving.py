"""``svsieve rank --budget``: everything is chosen by `Sieve`, in the time there is."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import typer

from svsieve.cli.results import provenance
from svsieve.estimators import Sieve
from svsieve.io import Table
from svsieve.reports import Report


def sieved(
    table: Table,
    keep: Sequence[str] | None,
    seconds: float,
    scoring: str,
    seed: int,
    n_jobs: int,
) -> Report:
    """Return the report of a `Sieve` on a table."""
    sieve = Sieve(
        budget=seconds, scoring=scoring, keep=keep or None, random_state=seed, n_jobs=n_jobs
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the report says it all
        sieve._fit(table.values, np.asarray(table.labels), table.names)
    if sieve.report_ is None:
        raise typer.BadParameter(
            f"--budget must leave time to judge at least one way of ranking. Got {seconds:g} s."
        )
    return replace(
        sieve.report_, title=table.file, target=table.target, provenance=provenance(table)
    )
