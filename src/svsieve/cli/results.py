"""The folder of results: ranking, report, path, and a manifest of how they came about."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import typer

from svsieve.cli.console import complain, say, show_json
from svsieve.errors import PageError
from svsieve.io import Table, whole_folder, write_csv
from svsieve.io.folder import MANIFEST
from svsieve.reports import Report

NEEDED = {".html": ("jinja2", "altair", "vl_convert"), ".md": ()}
PACKAGES = ("svsieve", "numpy", "scipy", "scikit-learn", "joblib")


@dataclass(frozen=True)
class Written:
    """The files that a command has written, and what went wrong.

    Attributes
    ----------
    files : list of Path
    problems : list of str
        Sentences on what is not there, and why.
    """

    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tell(self) -> None:
        """End the command with code 1 where something is not there."""
        for problem in self.problems:
            complain(problem)
        if self.problems:
            raise typer.Exit(1)


def answer(
    show: Callable[[], object],
    facts: Mapping[str, Any] | None,
    write: Callable[[], Written] | None,
    nothing: str = "",
) -> None:
    """Print what was found and write the results; whatever becomes of one, the other is done.

    Parameters
    ----------
    show : callable
        Prints the answer.
    facts : dict or None
        What to print in its place, for machines.
    write : callable or None
        Writes the results; None if there is no place for them.
    nothing : str
        What to say then.
    """
    if facts is not None:
        written = Written() if write is None else write()
        show_json({**facts, "files": [str(file) for file in written.files]})
        written.tell()
        return
    gone = None
    try:
        show()
        sys.stdout.flush()
    except BrokenPipeError as error:  # who reads the answer may leave early, and wants the files
        gone = error
    written = Written() if write is None else write()
    if gone is not None:
        raise gone
    if written.files:
        say(f"Written: {', '.join(str(file) for file in written.files)}")
    elif write is None and nothing:
        say(nothing)
    written.tell()


def check_reports(reports: Sequence[str]) -> list[str]:
    """Return the names of report files, refusing others and those that nothing here can write."""
    for name in reports:
        ending = Path(name).suffix.lower()
        if ending not in NEEDED or Path(name).name != name:
            raise typer.BadParameter(
                f"--report must be the name of a file that ends in .html or .md. Got {name!r}."
            )
        missing = [one for one in NEEDED[ending] if importlib.util.find_spec(one) is None]
        if missing:
            raise ImportError(
                f"the report {name} needs {missing[0]}: pip install 'svsieve[report]', or use "
                "--report report.md"
            )
    return list(dict.fromkeys(reports))


def ranking_csv(report: Report) -> str:
    """Return the ranking as a table that is safe in a spreadsheet."""
    head = ("rank", "column", "kept", "score", "selection_frequency")
    rows = (
        (one["rank"], one["column"], int(one["kept"]), one["score"], one["frequency"])
        for one in report.ranking()
    )
    return write_csv(head, rows)


def write_results(
    report: Report, folder: Path, names: Sequence[str], facts: Mapping[str, Any]
) -> Written:
    """Write all results of an analysis, its report under some names, or none of them."""
    path = report.best.walked
    # How long each step took is another matter at every run, and would make equal results differ.
    timeless = replace(path, seconds=np.zeros_like(path.seconds))
    makers: dict[str, Callable[[Path], object]] = {
        "ranking.csv": lambda file: file.write_text(ranking_csv(report), encoding="utf-8"),
        "path.npz": timeless.save,
    }
    for name in names:
        makers[name] = (
            report.save_html
            if name.lower().endswith(".html")
            else lambda file: file.write_text(report.to_markdown(), encoding="utf-8")
        )
    return write_folder(folder, makers, facts)


def write_folder(
    folder: Path, makers: Mapping[str, Callable[[Path], object]], facts: Mapping[str, Any]
) -> Written:
    """Write files, each by its maker, and a manifest with their digests; all or nothing.

    Only a page that cannot be drawn is left out.
    """
    digests, problems = {}, []
    try:
        with whole_folder(folder) as half_done:
            for name, make in makers.items():
                try:
                    make(half_done / name)
                except PageError as error:
                    (half_done / name).unlink(missing_ok=True)
                    problems.append(f"{name} was not written: {error}")
                else:
                    digests[name] = _sha256(half_done / name)
            manifest = json.dumps({**facts, "files": digests}, indent=2, ensure_ascii=False)
            (half_done / MANIFEST).write_text(manifest + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        return Written(
            problems=[f"The results could not be written to {str(folder)!r} ({reason})."]
        )
    return Written([folder / name for name in (*digests, MANIFEST)], problems)


def provenance(table: Table) -> dict[str, Any]:
    """Return what was read and what it was read with; the same for the same files."""
    # A table that was not read from files has no digests.
    digests = {"sha256": table.digests} if table.digests else {}
    return {"input": table.file, **digests, "versions": versions()}


def manifest_facts(
    command: str, options: Mapping[str, Any], table: Table, begun: datetime, seed: int
) -> dict[str, Any]:
    """Return what a manifest tells besides the files; `time` and `seconds` differ at each run."""
    now = datetime.now(UTC)
    return {
        "command": command,
        "options": {name: _plain(value) for name, value in options.items()},
        "seed": seed,
        **provenance(table),
        "rows": table.n_rows,
        "columns": table.n_columns,
        "time": begun.isoformat(timespec="seconds"),
        "seconds": round((now - begun).total_seconds(), 3),
    }


def versions() -> dict[str, str]:
    """Return the versions of what was computed with."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            from svsieve import __version__

            found[name] = __version__ if name == "svsieve" else "unknown"
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
