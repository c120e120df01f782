"""Several runs at a time, by joblib; one that fails ends them all and is named."""

from __future__ import annotations

import copy
import pickle
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Any
from uuid import uuid4

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from svsieve.native import Cancellation, Cancelled, cancellation_of_thread, listening

# A function and what it is called with.
Job = tuple[Callable[..., Any], tuple[Any, ...]]
# Where it stands among the jobs, how many seconds it took, what came of it.
Finished = tuple[int, float, Any]

# The jobs that this process is working on: the name of their run, and their position in it. One run
# may begin another inside, in any process, so names are unique everywhere.
_working: set[tuple[str, int]] = set()
# By the names of the runs of this process: what the jobs in its threads listen to. Those that were
# asked for stay, since a thread may come late.
_cancellations: dict[str, Cancellation] = {}
# How long after Ctrl-C jobs in threads are waited for: those that compute in the core end at once.
PATIENCE_SECONDS = 5.0


def finished(
    jobs: Iterable[tuple[str, Job]], n_jobs: int | None, **options: Any
) -> Generator[Finished, None, None]:
    """Yield position, seconds and result of jobs in the order in which they are done.

    The first exception in a job ends them all. It is raised here as it was there, with a note that
    names the job; what was done before it has been yielded. Jobs in other processes are ended.
    Those in threads of this one end where they next call the core, and are waited for: after
    Ctrl-C not for longer than five seconds. Whoever may leave before the last result closes the
    iterator (``contextlib.closing``), with the same effect.

    Parameters
    ----------
    jobs : iterable of (name, (function, arguments))
        Asked for when somebody is free to work on them. Without a name, "", there is no note.
    n_jobs : int or None
        As everywhere in scikit-learn.
    **options
        More of joblib's ``Parallel``.

    Examples
    --------
    >>> from svsieve.selection.runs import finished
    >>> [(at, result) for at, _, result in finished([("a", (abs, (-2,)))], None)]
    [(0, 2)]
    """
    run = uuid4().hex
    if effective_n_jobs(n_jobs) == 1:
        for at, job in enumerate(jobs):
            yield _settled(_timed(run, at, *job))
        return
    left = iter(jobs)
    first = next(left, None)
    if first is None:  # no processes are started for nothing
        return
    _cancellations[run] = Cancellation(cancellation_of_thread())
    outputs: Any = iter(())
    try:
        try:
            parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **options)
        except ValueError:  # processes of `multiprocessing` hand over everything at the end
            parallel = Parallel(n_jobs=n_jobs, **options)
        # Arguments stay in their tuple: joblib would leave arrays with one worker of a dask
        # cluster, and all jobs would be lost with that worker.
        every = enumerate(chain([first], left))
        outputs = parallel(delayed(_timed)(run, at, *job) for at, job in every)
        for output in outputs:
            yield _settled(output)
    except BaseException as error:
        _cancellations[run].cancel()
        if hasattr(outputs, "throw"):
            with suppress(_OverError):  # if it were closed instead, joblib would warn of the rest
                outputs.throw(_OverError())
        _wait_for_threads(run, None if isinstance(error, Exception) else PATIENCE_SECONDS)
        raise
    del _cancellations[run]


def _wait_for_threads(run: str, seconds: float | None) -> None:
    begun = time.monotonic()
    while any(one == run for one, _ in tuple(_working)):
        if seconds is not None and time.monotonic() - begun > seconds:
            return
        time.sleep(0.01)


def results(jobs: Sequence[tuple[str, Job]], n_jobs: int | None) -> list[Any]:
    """Return the results of jobs, in their order.

    Parameters
    ----------
    jobs, n_jobs
        As in :func:`finished`.

    Examples
    --------
    >>> from svsieve.selection.runs import results
    >>> results([("first", (abs, (-2,))), ("second", (len, ("word",)))], None)
    [2, 4]
    """
    with closing(finished(jobs, n_jobs)) as runs:
        found = {at: result for at, _, result in runs}
    return [found[at] for at in range(len(jobs))]


class _Failure:
    """An exception on its way from a job to whoever waits for it.

    Between processes an exception loses where it was raised, which its cause then tells; and some
    cannot be made again from their arguments, in the place of which comes one that can.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        error = self.error
        where = "".join(traceback.format_exception(error))
        try:
            copy.copy(error)
            pickle.dumps((error.args, vars(error)))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
            error.__notes__ = getattr(self.error, "__notes__", [])
        return _arrived, (error, where)


def _arrived(error: Exception, where: str) -> _Failure:
    error.__cause__ = _RaisedElsewhere(f"in another process\n\n{where}")
    return _Failure(error)


class _Over:
    """The result of a job that was cancelled."""


class _OverError(Exception):
    """Nobody waits for the other jobs any more."""


class _RaisedElsewhere(Exception):  # noqa: N818  (it is shown as a cause and never raised)
    """The traceback of another process, as text."""


def _timed(run: str, at: int, name: str, job: Job) -> Finished:
    function, arguments = job
    begun = time.monotonic()
    _working.add((run, at))
    try:
        own = _cancellations.get(run, cancellation_of_thread())
        with listening(own):
            result = _Over() if own.asked() else function(*arguments)
    except Exception as error:
        if name:
            error.add_note(f"This happened in {name}.")
        result = _Failure(error)
    except Cancelled:  # nobody waits for it, or whoever does is cancelled too
        result = _Over()
    finally:
        _working.discard((run, at))
    return at, time.monotonic() - begun, result


def _settled(output: Finished) -> Finished:
    if isinstance(output[2], _Failure):
        raise output[2].error
    if isinstance(output[2], _Over):
        raise Cancelled
    return output
