"""``svsieve reproduce``: published tables, computed again."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from svsieve.cli.console import complain
from svsieve.datasets import MissingDataError, is_there, load_public
from svsieve.reproduce import Effort, Experiment, compare, experiments, find, pages, run
from svsieve.reproduce.cells import Known, known_from
from svsieve.reproduce.findings import judge
from svsieve.reproduce.records import Made, check, lacking, read_record, with_added
from svsieve.reproduce.records import file_of as records_file
from svsieve.reproduce.summary import write_summary
from svsieve.reproduce.tables import file_of as table_file
from svsieve.reproduce.tables import read_table
from svsieve.store.run_file import RefusedStoreError

WIDTH = 200  # of what is not shown on a terminal

app = typer.Typer(
    invoke_without_command=True,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"allow_interspersed_args": True},
    subcommand_metavar="",
)


@app.callback()
def reproduce(
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="Such as planas-5.2; or: list, summary, judge, check, fill."
        ),
    ],
    which: Annotated[
        str, typer.Argument(metavar="[ID]", help="With check and fill: whose result it is.")
    ] = "",
    smoke: Annotated[bool, typer.Option("--smoke", help="Seconds: see that it runs.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Some cells, in two minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The published protocol.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, each with one thread.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of pages and of what is kept.")] = Path(
        "reproductions"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="With list: for machines.")] = False,
) -> None:
    """Run a published table or figure, and set what comes out beside the printed numbers.

    Finished runs are kept in the folder: a run that was killed goes on where it was. In place of
    an id: summary writes a page about all results in the folder; judge gives the results there
    their verdicts anew, by the rules of this version; check says which of them were made by other
    code, and check ID runs a sample of one again; fill ID runs those cells that a result lacks.

    Example: svsieve reproduce rakotomamonjy-1 --quick --jobs 2
    """
    if id == "list":
        _list(as_json)
        return
    if id == "summary":
        typer.echo(f"Written: {write_summary(out)}")
        return
    if id == "judge":
        _judge(out)
        return
    if id == "check" and not which:
        _say_what_is_old(out)
        return
    efforts = [Effort.SMOKE] * smoke + [Effort.QUICK] * quick + [Effort.FULL] * full
    if len(efforts) > 1:
        raise _refused("Only one of --smoke, --quick and --full can be given.")
    effort = efforts[0] if efforts else Effort.QUICK
    try:
        experiment = find(which if id in ("check", "fill") else id)
        for name in experiment.data_sets:
            load_public(name)  # what is missing is missed before the work
    except (ValueError, MissingDataError) as error:
        raise _refused(str(error)) from error
    try:
        if id == "check":
            _check(experiment, out)
        elif id == "fill":
            _fill(experiment, jobs, out)
        else:
            _run(experiment, effort, jobs, out)
    except RefusedStoreError as error:
        sentence = f"{error} With --out in another folder all runs begin anew."
        raise _refused(sentence) from error
    except ImportError as error:  # a library that only some experiments need
        raise _refused(str(error)) from error


def _run(experiment: Experiment, effort: Effort, jobs: int, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    console = _console()
    outcome = run(
        experiment,
        effort,
        store=out / f"{experiment.id}.{effort.value}.sqlite",
        jobs=jobs,
        progress=Console(stderr=True).is_terminal,
    )
    findings = compare(experiment, outcome.measurements, effort)
    made = Made.now(experiment, effort, outcome, _today())
    text = pages.text_table(findings)
    _show(console, f"{experiment.id}: {experiment.title}", text.header, text.rows)
    for number, why in enumerate(text.reasons, 1):
        console.print(f"\\[{number}] {why}.", soft_wrap=True)
    console.print(pages.summary(findings), soft_wrap=True)
    written = pages.write(findings, made, out)  # after the answer, which is not lost so
    if effort is Effort.FULL:
        _write_kept(experiment, out)
    console.print(f"Written: {', '.join(str(path) for path in written)}", soft_wrap=True)


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _judge(out: Path) -> None:
    """Give all results of a folder their verdicts anew."""
    for experiment in experiments():
        findings = pages.kept(experiment, out)
        if findings is not None:
            _write_kept(experiment, out)
            typer.echo(f"{experiment.id}: {pages.summary(findings)}")
    typer.echo(f"Written: {write_summary(out)}")


def _say_what_is_old(out: Path) -> None:
    """Say of each result whether what it hangs on is what it was."""
    for experiment in experiments():
        if records_file(out, experiment.id).is_file():
            other = read_record(out, experiment.id).differences(experiment)
            said = f"other than here: {', '.join(other)}" if other else "as here"
            typer.echo(f"{experiment.id}: {said}")


def _check(experiment: Experiment, out: Path) -> None:
    """Run a sample of a result again, and note on its page what came of it."""
    table = _table_there(experiment, out)
    made = check(experiment, read_record(out, experiment.id), table, _today())
    pages.write_again(judge(experiment, table), made, out)
    typer.echo(made.sentences())
    if made.checked is not None and made.checked.other:
        raise typer.Exit(1)


def _fill(experiment: Experiment, jobs: int, out: Path) -> None:
    """Run the cells that a result lacks, and write them into it."""
    table = _table_there(experiment, out)
    cells = lacking(experiment, table)
    if not cells:
        typer.echo(f"{experiment.id}: no cell is known to be lacking.")
        return
    outcome = run(
        experiment,
        Effort.FULL,
        store=out / f"{experiment.id}.{Effort.FULL.value}.sqlite",
        jobs=jobs,
        progress=Console(stderr=True).is_terminal,
        only=cells,
    )
    findings = judge(experiment, [*table, *known_from(experiment, outcome.measurements)])
    made = read_record(out, experiment.id)
    made = with_added(made, experiment, len(cells), outcome.cpu_seconds, _today())
    typer.echo(pages.summary(findings))
    pages.write(findings, made, out)
    _write_kept(experiment, out)


def _write_kept(experiment: Experiment, out: Path) -> None:
    """Write what the table gives, whose numbers are rounded: it is what will be judged later."""
    findings = pages.kept(experiment, out)
    if findings is not None:
        pages.write_again(findings, read_record(out, experiment.id), out)


def _table_there(experiment: Experiment, out: Path) -> list[Known]:
    """Return the table of a result, which must be there."""
    table, record = table_file(out, experiment.id), records_file(out, experiment.id)
    if not (table.is_file() and record.is_file()):
        raise _refused(
            f"There is no result of {experiment.id} in {out}. Make one by `svsieve reproduce "
            f"{experiment.id} --full --out {out}`."
        )
    return read_table(experiment, table)


def _list(as_json: bool) -> None:
    known: list[dict[str, Any]] = []
    for one in experiments():
        missing = [name for name in one.data_sets if not is_there(name)]
        facts = {"title": one.title, "data_sets": list(one.data_sets), "missing": missing}
        known.append({"id": one.id, **facts, "part_of": None})
        known += [{"id": other, **facts, "part_of": one.id} for other in one.also]
    console = _console()
    if as_json:
        typer.echo(json.dumps(known, indent=2))
        return
    rows = [
        [
            one["id"],
            one["title"] if one["part_of"] is None else f"with {one['part_of']}",
            ", ".join(one["missing"]),
        ]
        for one in known
    ]
    _show(console, "", ["id", "title", "needs data"], rows)


def _console() -> Console:
    """Where tables go: as wide as a terminal, or as wide as they like in a file."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def _show(console: Console, title: str, header: list[str], rows: list[list[str]]) -> None:
    shown = Table(*header, title=title or None, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        shown.add_row(*(escape(entry) for entry in row))
    console.print(shown)


def _refused(sentence: str) -> typer.Exit:
    complain(sentence)
    return typer.Exit(2)


if __name__ == "__main__":
    app(prog_name="svsieve reproduce")
