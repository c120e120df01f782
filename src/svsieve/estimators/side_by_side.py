"""Several runs at a time, counted by a line of progress and reported as soon as they are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from joblib import effective_n_jobs

from svsieve.estimators.progress import Tally
from svsieve.selection.runs import Job, finished

__all__ = ["Job", "run_all"]


def run_all(
    jobs: Sequence[Job],
    n_jobs: int | None,
    *,
    names: Sequence[str] | None = None,
    what: str = "runs",
    shown: bool = False,
    done: Callable[[int, Any], object] | None = None,
) -> list[Any]:
    """Run jobs, by joblib where several may run at a time.

    Parameters
    ----------
    jobs : sequence of (function, arguments)
    n_jobs : int or None
        As everywhere in scikit-learn.
    names : sequence of str, optional
        Of the jobs; an exception says in which it was raised.
    what : str, default="runs"
        What they are, for the line of progress.
    shown : bool, default=False
        Whether that is shown.
    done : callable, optional
        Called with the position of a job and its result when it is done.

    Returns
    -------
    list
        Results, in the order of the jobs.
    """
    workers = max(1, min(effective_n_jobs(n_jobs), len(jobs)))
    named = list(zip([""] * len(jobs) if names is None else names, jobs, strict=True))
    found: list[Any] = [None] * len(jobs)
    with (
        Tally(len(jobs), what, n_jobs=workers, shown=shown) as tally,
        closing(finished(named, 1 if workers == 1 else n_jobs)) as runs,
    ):
        for at, seconds, result in runs:
            found[at] = result
            tally.add(seconds)
            if done is not None:
                done(at, result)
    return found
