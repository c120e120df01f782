"""Options that several commands share, and what their words stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from svsieve.io import Table, read_table
from svsieve.io.reading import FORMATS
from svsieve.selection.rules import RULES, AtMost, Rule, resolve_rule

TABLE, ANALYSIS, OUTPUT = "The table", "The analysis", "What comes out"

TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="csv, tsv (delimiter and decimal sign are found; also .gz), parquet, svmlight, npz, "
        "h5ad.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Column with the classes. Not needed for svmlight, npz and --labels.",
        rich_help_panel=TABLE,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Second table with the class of every row, by row name or in the same order.",
        rich_help_panel=TABLE,
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Variables (genes) are in rows, samples in columns.",
        rich_help_panel=TABLE,
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that names the rows; a first column without a name is taken for it.",
        rich_help_panel=TABLE,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave a column out. Repeatable.", rich_help_panel=TABLE),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Use these columns and no others. Repeatable.", rich_help_panel=TABLE
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="Class to look for; of more than two classes the others are taken together.",
        rich_help_panel=TABLE,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"What TABLE is, if its ending does not say: {', '.join(FORMATS)}.",
        rich_help_panel=TABLE,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Never drop this column from the ranking. Repeatable.",
        rich_help_panel=ANALYSIS,
    ),
]
Kernels = Annotated[
    list[str],
    typer.Option(
        "--kernel",
        metavar="NAME",
        help="linear, rbf, poly or laplace. Repeatable.",
        rich_help_panel=ANALYSIS,
    ),
]
Penalty = Annotated[
    float, typer.Option("--C", "-C", help="Penalty of errors.", rich_help_panel=ANALYSIS)
]
Gamma = Annotated[
    str, typer.Option(help="Width of the kernel: a number, or scale.", rich_help_panel=ANALYSIS)
]
Step = Annotated[
    str,
    typer.Option(
        help="Columns dropped at a time: a number, a share of those left (0.1), sqrt, entropy, "
        "annealing, halving. auto: one, but 10% with a kernel or sparse rows and over 200 columns.",
        rich_help_panel=ANALYSIS,
    ),
]
RuleName = Annotated[
    str,
    typer.Option(
        "--rule",
        help="How many to keep: best, one-se, tolerance[:0.01], knee, scalarised[:0.8,0.2].",
        rich_help_panel=ANALYSIS,
    ),
]
Most = Annotated[
    int | None,
    typer.Option("--at-most", metavar="N", help="Keep no more than N.", rich_help_panel=ANALYSIS),
]
Scoring = Annotated[
    str,
    typer.Option(
        metavar="METRIC",
        help="accuracy, balanced_accuracy, roc_auc, f1, ... as in scikit-learn.",
        rich_help_panel=ANALYSIS,
    ),
]
Folds = Annotated[int, typer.Option(help="Outer folds, which judge.", rich_help_panel=ANALYSIS)]
InnerFolds = Annotated[
    int, typer.Option(help="Inner folds, which choose.", rich_help_panel=ANALYSIS)
]
Seed = Annotated[int, typer.Option(help="Seed of the folds.", rich_help_panel=ANALYSIS)]
Jobs = Annotated[int, typer.Option(help="Processes; -1 uses all cores.", rich_help_panel=ANALYSIS)]
CheckpointFile = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Keep what is done there: the same command goes on after Ctrl-C or a crash.",
        rich_help_panel=ANALYSIS,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Stop after so long, as Ctrl-C would; goes on with --checkpoint.",
        rich_help_panel=ANALYSIS,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Let svsieve choose machine, C, gamma and size in so long: 60s, 5min, 1h.",
        rich_help_panel=ANALYSIS,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Folder for the results.", rich_help_panel=OUTPUT
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=OUTPUT),
]


def read(
    table: Path,
    target: str | None,
    labels: Path | None,
    transpose: bool,
    id_column: str | None,
    drop: list[str] | None,
    only: list[str] | None,
    format: str | None,
    *,
    need_target: bool = True,
) -> Table:
    """Read a table as the options say; sparse ones that are small or nearly full become dense."""
    return read_table(
        table,
        target=target,
        labels=labels,
        transpose=transpose,
        id_column=id_column,
        drop=drop or (),
        only=only or (),
        format=format,
        need_target=need_target,
    ).dense()


def rule_of(text: str, most: int | None = None) -> Rule:
    """Return the rule that a word stands for, such as ``tolerance:0.02``.

    Examples
    --------
    >>> from svsieve.cli.options import rule_of
    >>> rule_of("scalarised:0.9,0.1", 20)
    AtMost(size=20, rule=Scalarised(w_accuracy=0.9, w_size=0.1))
    """
    name, colon, numbers = text.partition(":")
    if name not in RULES:
        raise typer.BadParameter(f"--rule must be one of {', '.join(RULES)}. Got {text!r} instead.")
    rule = resolve_rule(name)
    if colon:
        try:
            make: Callable[..., Rule] = type(rule)
            rule = make(*(float(number) for number in numbers.split(",")))
        except (TypeError, ValueError) as error:
            raise typer.BadParameter(
                f"--rule {name} takes numbers after the colon, such as tolerance:0.02 or "
                f"scalarised:0.8,0.2. Got {text!r} instead ({error})."
            ) from None
    if most is None:
        return rule
    if most < 1:
        raise typer.BadParameter(f"--at-most must be 1 or more. Got {most} instead.")
    return AtMost(most, rule)


def number_or_word(text: str) -> Any:
    """Return an int or float where a text is one, else the text.

    Examples
    --------
    >>> from svsieve.cli.options import number_or_word
    >>> number_or_word("5"), number_or_word("0.1"), number_or_word("sqrt")
    (5, 0.1, 'sqrt')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def check_positive(option: str, value: float | None) -> None:
    """Refuse a limit that is not positive."""
    if value is not None and not value > 0:
        raise typer.BadParameter(f"{option} must be a positive number. Got {value:g} instead.")


def check_jobs(jobs: int) -> int:
    """Refuse a number of processes that means nothing."""
    if jobs < 1 and jobs != -1:
        raise typer.BadParameter(f"--jobs must be 1 or more, or -1 for all cores. Got {jobs}.")
    return jobs


# What a budget leaves to be chosen, and so may not be given with it.
CHOSEN_IN_BUDGET = {
    "kernels": "--kernel",
    "C": "--C",
    "gamma": "--gamma",
    "tune": "--tune",
    "step": "--step",
    "rule": "--rule",
    "at_most": "--at-most",
    "folds": "--folds",
    "inner_folds": "--inner-folds",
    "positive": "--positive",
    "checkpoint": "--checkpoint",
    "time_limit": "--time-limit",
}
UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds_of(budget: str | None) -> float | None:
    """Return a time such as ``60s``, ``5min`` or ``1h`` in seconds."""
    if budget is None:
        return None
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(s|min|h|)\s*", budget)
    seconds = float(found[1]) * UNITS[found[2]] if found else 0.0
    if not seconds > 0:
        raise typer.BadParameter(
            f"--budget must be a time such as 60s, 5min or 1h. Got {budget!r} instead."
        )
    return seconds


def refuse_with_budget(context: typer.Context) -> None:
    """Refuse options for what is chosen within a budget."""
    for name, option in CHOSEN_IN_BUDGET.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                f"{option} cannot be given with --budget, within which svsieve chooses everything."
            )
