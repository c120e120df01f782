"""C and gamma by the smoothed error on held-out rows: the sigmoid fixed, or fitted every time.

python -m benchmarks.fitted_sigmoid [--splits 100] [--slack l2] [--tol 1e-6] [sets...]

Seven sets of the IDA benchmark, their first splits. A quarter of the training rows is held out, the
same rows for all objectives; searches begin at C = 1 and gamma = "scale". Differences are those of
the same split, ± one standard error.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from svsieve import SVC, GradientSearch
from svsieve.datasets import load_public
from svsieve.selection.objectives import PosteriorError, ValidationError

SETS = ("banana", "breast-cancer", "diabetis", "german", "heart", "thyroid", "titanic")
# The first is what the others are compared with.
OBJECTIVES: dict[str, Callable[[int], object]] = {
    "slope 4": lambda seed: ValidationError(seed=seed),
    "slope and offset fitted": lambda seed: ValidationError(slope="fitted", seed=seed),
    "slope fitted": lambda seed: ValidationError(slope="fitted", offset=False, seed=seed),
    "posterior": lambda seed: PosteriorError(seed=seed),
}


def measured(name: str, splits: int, slack: str, tol: float) -> dict[str, NDArray[np.float64]]:
    """Return error, trainings and CPU seconds of every objective, a row for each split."""
    data = load_public(f"ida-{name}")
    found: dict[str, list[tuple[float, float, float]]] = {one: [] for one in OBJECTIVES}
    for split in range(splits):
        train, test = data.more["train_idx"][split], data.more["test_idx"][split]
        for one, made in OBJECTIVES.items():
            begun = time.process_time()
            search = GradientSearch(SVC(slack=slack), made(split), tol=tol)
            search.fit(data.X[train], data.y[train])
            seconds = time.process_time() - begun
            wrong = search.predict(data.X[test]) != data.y[test]
            found[one].append((float(wrong.mean()), float(search.n_trainings_), seconds))
    return {one: np.array(rows) for one, rows in found.items()}


def mean_and_error(values: NDArray[np.float64]) -> str:
    """Return mean and standard error in percent."""
    return f"{100 * values.mean():6.2f} ± {100 * values.std(ddof=1) / len(values) ** 0.5:.2f}"


def main() -> None:
    """Print a line for every set and objective."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="set", default=list(SETS))
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--slack", choices=("l1", "l2"), default="l2")
    parser.add_argument("--tol", type=float, default=1e-6, help="of GradientSearch")
    given = parser.parse_args()
    unknown = sorted(set(given.sets) - set(SETS))
    if unknown:
        parser.error(f"sets are {', '.join(SETS)}. Got {', '.join(unknown)}.")
    if given.splits < 2:
        parser.error(f"--splits must be at least 2. Got {given.splits}.")
    warnings.simplefilter("ignore")  # searches that end with one class are what is measured
    print(f"{given.splits} splits, slack {given.slack}, tol {given.tol:g}")
    print("test error %, the same less that of slope 4")
    for name in given.sets:
        found = measured(name, given.splits, given.slack, given.tol)
        first = found["slope 4"][:, 0]
        for one, rows in found.items():
            apart = "" if one == "slope 4" else mean_and_error(rows[:, 0] - first)
            _, trainings, seconds = rows.mean(axis=0)
            print(
                f"{name:14} {one:24} {mean_and_error(rows[:, 0])} {apart:15} "
                f"{trainings:5.1f} trainings {seconds:6.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
