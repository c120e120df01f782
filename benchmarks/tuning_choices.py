"""What choices of `GradientSearch` do to test errors, on sets of the IDA benchmark.

python -m benchmarks.tuning_choices {sigmoid,confirm,shrink} [--splits 100] [--slack l2] [sets...]

sigmoid   the smoothed error on held-out rows, the slope of the sigmoid fixed or fitted every time
confirm   the radius/margin bound, one gamma: its minimum borne out by rows left out, or not
shrink    the same with a scale for every column: scales that differ have to pay, or not

Searches begin at C = 1 and gamma = "scale", on the first splits of each set. Differences from the
first choice are those of the same splits, ± one standard error.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve import SVC, GradientSearch
from svsieve.datasets import load_public
from svsieve.selection.objectives import PosteriorError, ValidationError

SETS = ("banana", "breast-cancer", "diabetis", "german", "heart", "thyroid", "titanic")
LARGER_SETS = ("flare-solar", "image", "splice")  # not among those run unasked
# From the number of the split, which decides on the rows held out, to the arguments of a search.
Choice = Callable[[int], dict[str, Any]]


def _held_out(kind: Callable[..., object], **settings: Any) -> Choice:
    return lambda split: {"objective": kind(seed=split, **settings), "tol": 1e-6}


def _bound(**settings: Any) -> Choice:
    return lambda split: settings


CHOICES: dict[str, dict[str, Choice]] = {
    "sigmoid": {
        "slope 4": _held_out(ValidationError),
        "slope and offset fitted": _held_out(ValidationError, slope="fitted"),
        "slope fitted": _held_out(ValidationError, slope="fitted", offset=False),
        "posterior": _held_out(PosteriorError),
    },
    "confirm": {"default": _bound(), "confirm=False": _bound(confirm=False)},
    "shrink": {"default": _bound(weights=True), "shrink=0": _bound(weights=True, shrink=0.0)},
}


def measured(
    name: str, choices: dict[str, Choice], splits: int, slack: str
) -> dict[str, NDArray[np.float64]]:
    """Return error, trainings and CPU seconds of every choice, a row for each split."""
    data = load_public(f"ida-{name}")
    found: dict[str, list[tuple[float, float, float]]] = {one: [] for one in choices}
    rows = zip(data.more["train_idx"], data.more["test_idx"], strict=True)
    for split, (train, test) in zip(range(splits), rows, strict=False):
        for one, settings in choices.items():
            begun = time.process_time()
            search = GradientSearch(SVC(slack=slack), **settings(split))
            search.fit(data.X[train], data.y[train])
            seconds = time.process_time() - begun
            wrong = search.predict(data.X[test]) != data.y[test]
            found[one].append((float(wrong.mean()), float(search.n_trainings_), seconds))
    return {one: np.array(rows) for one, rows in found.items()}


def mean_and_error(values: NDArray[np.float64]) -> str:
    """Return mean and standard error in percent."""
    return f"{100 * values.mean():6.2f} ± {100 * values.std(ddof=1) / len(values) ** 0.5:.2f}"


def main() -> None:
    """Print a line for every set and choice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=CHOICES)
    parser.add_argument("sets", nargs="*", metavar="set", default=list(SETS))
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--slack", choices=("l1", "l2"), default="l2")
    given = parser.parse_args()
    known = (*SETS, *LARGER_SETS)
    unknown = sorted(set(given.sets) - set(known))
    if unknown:
        parser.error(f"sets are {', '.join(known)}. Got {', '.join(unknown)}.")
    if given.splits < 2:
        parser.error(f"--splits must be at least 2. Got {given.splits}.")
    warnings.simplefilter("ignore")  # searches that end with one class are what is measured
    print(f"slack {given.slack}; test error %, the same less that of the first choice")
    for name in given.sets:
        found = measured(name, CHOICES[given.what], given.splits, given.slack)
        reference = next(iter(found))
        for one, rows in found.items():
            more = rows[:, 0] - found[reference][:, 0]
            apart = "" if one == reference else mean_and_error(more)
            _, trainings, seconds = rows.mean(axis=0)
            print(
                f"{name:14} {len(rows):3} splits {one:24} {mean_and_error(rows[:, 0])} {apart:15} "
                f"{trainings:5.1f} trainings {seconds:6.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
