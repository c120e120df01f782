"""Grids to be killed: a process that starts one, in a process of its own, for every line it reads.

The libraries are loaded once, here; each run is a fork. A line names the store, a file for the
result and a log, in which every cell that is begun gets a line; "wait" and the number of a run
waits for that to end, by itself or by a signal.
"""

import os
import sys
from pathlib import Path as FilePath

import numpy as np

from svsieve import SVC, Grid, samplers, schedules
from svsieve.estimators import grid_run

VALUES = {
    "C": [0.1, 1.0, 10.0],
    "criterion": ["weight", "weight-first-order"],
    "sampler": [None, samplers.Subsample(0.8)],
}
SEEDED = {"C": [0.1, 0.3, 1.0, 3.0, 10.0, 30.0], "step": [schedules.Reflective(0.5, 10), 5]}


def table():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    X[:, :4] += y[:, None]
    return X, y


def grid(store, *, seeded=False):
    values = SEEDED if seeded else VALUES
    return Grid(SVC(gamma=0.05), values, cv=3, store=store, seed_size=seeded)


def fit(seeded, store, result, log):
    run_cell = grid_run.run_cell

    def logged(selector, *training):
        # One call of `write` at the end of the file: the lines of two processes do not mix.
        with FilePath(log).open("a") as lines:
            machine, step = selector.estimator, selector.step
            centre = getattr(step, "centre", "")
            name = f"{machine.C} {selector.criterion} {selector.sampler} {type(step)} {centre}"
            lines.write(f"{os.getpid()} {name}\n")
        return run_cell(selector, *training)

    grid_run.run_cell = logged
    fitted = grid(store, seeded=seeded == "seeded").fit(*table())
    frame = fitted.to_frame().drop(columns="seconds")
    frame["order"] = [cell.path.order.tolist() for cell in fitted.cells_]
    frame["curve"] = [cell.curve.scores().tolist() for cell in fitted.cells_]
    frame.to_json(result, double_precision=15)


def serve():
    for line in sys.stdin:
        words = line.split()
        if words[0] == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(int(words[1]), 0)[1])
        else:
            answer = os.fork()
            if not answer:
                fit(*words)
                os._exit(0)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
