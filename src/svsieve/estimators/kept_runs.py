"""Runs whose results are kept in a store as soon as they are done, and read from it afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from svsieve.elimination import Path
from svsieve.estimators.side_by_side import Job, run_all
from svsieve.selection.folds import ScoredPath
from svsieve.store import Result, RunStore
from svsieve.store.run_store import packed, unpacked


def run_kept(
    jobs: Mapping[str, Job],
    store: RunStore | None,
    n_jobs: int | None,
    *,
    what: str = "runs",
    shown: bool = False,
    done: Callable[[int], object] | None = None,
) -> dict[str, Any]:
    """Run the jobs that a store has no result of, and return the results of all.

    Each result is in the store before the next is waited for: a process that is killed has lost
    only what it was working on.

    Parameters
    ----------
    jobs : mapping of str to (function, arguments)
        By the names of their cells. They return a Path, a ScoredPath, or a dict of plain values.
    store : RunStore or None
        None: nothing is kept.
    n_jobs : int or None
        As everywhere in scikit-learn.
    what, shown
        The line of progress, as in :func:`svsieve.estimators.side_by_side.run_all`.
    done : callable, optional
        Called with the position of a job when it is done, at once for those that were.

    Returns
    -------
    dict
        Results by the names of the cells.

    Examples
    --------
    >>> from svsieve.estimators.kept_runs import run_kept
    >>> from svsieve.store import RunStore
    >>> with RunStore(None, {}) as store:
    ...     run_kept({"a": (dict, ({"C": 2.0},))}, store, None)
    {'a': {'C': 2.0}}
    """
    names = list(jobs)
    known = set() if store is None else set(store.done())
    left = [at for at, name in enumerate(names) if name not in known]
    tell = done or (lambda at: None)
    for at in set(range(len(names))).difference(left):
        tell(at)

    def keep(position: int, result: Any) -> None:
        if store is not None:
            store.finish(names[left[position]], *_plain(result))
        tell(left[position])

    work = [jobs[names[at]] for at in left]
    blamed = [f"the run {names[at]}" for at in left]
    results = run_all(work, n_jobs, names=blamed, what=what, shown=shown, done=keep)
    computed = {names[at]: result for at, result in zip(left, results, strict=True)}
    return {name: computed[name] if name in computed else _kept(store, name) for name in names}


def _plain(result: Any) -> tuple[list[bytes], dict[str, Any], dict[str, Any]]:
    """A result as a store keeps it: archives of paths, scores, facts."""
    facts: dict[str, Any] = {"kept": time.time()}
    if isinstance(result, Path):
        return [packed(result)], {}, facts
    if isinstance(result, ScoredPath):
        return [packed(result.path)], {"scores": result.scores.tolist()}, facts
    return [], {}, {**facts, "values": dict(result)}


def _kept(store: RunStore | None, name: str) -> Any:
    assert store is not None  # or everything would have been computed
    kept = store.result(name)
    with store.reading():
        return _result(kept)


def _result(kept: Result) -> Any:
    if not kept.archives:
        return kept.facts["values"]
    path = unpacked(kept.archives[0])
    return ScoredPath(path, np.array(kept.curve["scores"])) if kept.curve else path
