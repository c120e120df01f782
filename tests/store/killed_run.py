"""Runs to be killed: a process that starts one, in a process of its own, for every line it reads.

The libraries are loaded once, here; each run is a fork, so that killing twenty of them takes
seconds. A line names a case, a checkpoint file and a file for the result; "wait"
waits for the run to end, by itself or by a signal.
"""

import os
import sys

import numpy as np

from svsieve import SVC, SVMRFE
from svsieve.elimination.engines import wide_linear
from svsieve.store import checkpoint as store

# Killed while writing as often as possible: a checkpoint after every step or few steps.
store.WRITE_SECONDS = 0.0
store.WRITE_SHARE = 1e9
wide_linear.MOST_SECONDS = 0.005

CASES = {
    "kernel": (70, 250, {"estimator": SVC(), "sampler": 0.8}),
    "linear": (60, 20_000, {"estimator": SVC(kernel="linear")}),
}


def fit(case, file, result):
    rows, columns, options = CASES[case]
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(rows, columns)), np.arange(rows) % 2
    X[:, :5] += y[:, None]
    selector = SVMRFE(
        **options,
        n_features_to_select=1,
        random_state=0,
        checkpoint=file,
    )
    path = selector.fit(X, y).path_
    np.savez(result, order=path.order, counts=path.counts, scores=path.importances)


def serve():
    child = 0
    for line in sys.stdin:
        words = line.split()
        if words == ["wait"]:
            answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            child = os.fork()
            if not child:
                fit(*words)
                os._exit(0)
            answer = child
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
