"""Several runs at a time, each reported as soon as it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from svsieve.estimators.progress import Tally

# A function and what it is called with.
Job = tuple[Callable[..., Any], tuple[Any, ...]]
Finished = tuple[int, float, Any]


def run_all(
    jobs: Sequence[Job],
    n_jobs: int | None,
    *,
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
    results: list[Any] = [None] * len(jobs)
    with Tally(len(jobs), what, n_jobs=workers, shown=shown) as tally:
        for at, seconds, result in _finished(jobs, n_jobs, workers):
            results[at] = result
            tally.add(seconds)
            if done is not None:
                done(at, result)
    return results


def _finished(jobs: Sequence[Job], n_jobs: int | None, workers: int) -> Iterable[Finished]:
    """Yield position, seconds and result of jobs in the order in which they are done."""
    if workers == 1:
        return (_timed(at, *job) for at, job in enumerate(jobs))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    calls = (delayed(_timed)(at, *job) for at, job in enumerate(jobs))
    return cast(Iterable[Finished], parallel(calls))


def _timed(at: int, run: Callable[..., Any], arguments: tuple[Any, ...]) -> Finished:
    begun = time.monotonic()
    result = run(*arguments)
    return at, time.monotonic() - begun, result
