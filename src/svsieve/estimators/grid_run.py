"""Work on the cells of a grid, alone or beside other processes."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from joblib import effective_n_jobs

from svsieve.elimination import Reflective
from svsieve.estimators.grid_cell import run_cell
from svsieve.estimators.progress import Tally
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.selection import Curve, Rule
from svsieve.selection.runs import finished
from svsieve.store import Result, RunStore

# How often to look whether other processes have finished the cells that they claimed.
LOOK_SECONDS = 0.2

SETTLED = ("done", "failed")

Outcome = tuple[str, Result | str]


@dataclass(frozen=True, eq=False)
class GridRun:
    """The cells of a grid, to be computed.

    Attributes
    ----------
    store : RunStore
    selectors : dict of str to SVMRFECV
        What to fit, by the key of the cell, in the order of the grid.
    training : tuple
        Rows, labels, weights or None.
    seeding : Rule or None
        The size that it chooses in one cell becomes the centre of the reflective schedule of the
        next. Cells then wait for one another, and jobs work on the folds of one.
    n_jobs : int or None
    progress : bool
    """

    store: RunStore
    selectors: dict[str, SVMRFECV]
    training: tuple[Any, Any, Any]
    seeding: Rule | None = None
    n_jobs: int | None = None
    progress: bool = False

    def complete(self) -> None:
        """Return when all cells are done or failed, here or in another process."""
        unsettled = self._unsettled(list(self.selectors))
        n_jobs = 1 if self.seeding is not None else effective_n_jobs(self.n_jobs)
        with Tally(len(unsettled), "cells", n_jobs=n_jobs, shown=self.progress) as tally:
            while unsettled:
                before = unsettled
                with closing(self._outcomes()) as outcomes:
                    for key, outcome in outcomes:
                        self._keep(key, outcome)
                        unsettled = self._told(unsettled, tally)
                if unsettled == before:
                    time.sleep(LOOK_SECONDS)
                    unsettled = self._told(unsettled, tally)

    def _told(self, keys: list[str], tally: Tally) -> list[str]:
        """Tell of the cells that have been settled since, by whomever, and return the others."""
        left = self._unsettled(keys)
        failures = self.store.failures()
        for key in set(keys).difference(left):
            known = key not in failures
            facts = self.store.result(key, with_paths=False).facts if known else {}
            with self.store.reading():
                tally.add(float(facts.get("seconds", 0.0)))
        return left

    def _unsettled(self, keys: list[str]) -> list[str]:
        states = self.store.states()
        return [key for key in keys if states.get(key) not in SETTLED]

    # ---- cells

    def _outcomes(self) -> Generator[Outcome, None, None]:
        """Compute cells until there is none left to claim."""
        n_jobs = 1 if self.seeding is not None else self.n_jobs
        jobs = (
            (f"the cell {key}", (_named_run, (key, selector, self.training)))
            for key, selector in self._claimed()
        )
        # No cell is claimed before somebody is free to work on it, and none waits for the one
        # before it to be kept.
        runs = finished(jobs, n_jobs, pre_dispatch="1*n_jobs", batch_size=1)
        with closing(runs):
            for _, _, outcome in runs:
                yield outcome

    def _claimed(self) -> Iterator[tuple[str, SVMRFECV]]:
        while True:
            states = self.store.states()
            left = [key for key in self.selectors if states.get(key) not in SETTLED]
            key = self.store.claim(one for one in left if self._is_ready(one, states))
            if key is None:
                return
            yield key, self._seeded(key, states)

    def _keep(self, key: str, outcome: Result | str) -> None:
        if isinstance(outcome, str):
            self.store.fail(key, outcome)
            return
        facts, step = dict(outcome.facts), self.selectors[key].step
        if self.seeding is not None and isinstance(step, Reflective):
            facts["centre"] = int(step.centre)
        self.store.finish(key, outcome.archives, outcome.curve, facts)

    # ---- seeding

    def _before(self, key: str, states: dict[str, str]) -> tuple[str | None, bool]:
        """The last cell before this one that did not fail, and whether it is done.

        What a cell starts from must not depend on which process was the faster.
        """
        keys = list(self.selectors)
        for earlier in reversed(keys[: keys.index(key)]):
            if states.get(earlier) != "failed":
                return earlier, states.get(earlier) == "done"
        return None, True

    def _is_ready(self, key: str, states: dict[str, str]) -> bool:
        if self.seeding is None or not isinstance(self.selectors[key].step, Reflective):
            return True
        return self._before(key, states)[1]

    def _seeded(self, key: str, states: dict[str, str]) -> SVMRFECV:
        selector = self.selectors[key]
        if self.seeding is None or not isinstance(selector.step, Reflective):
            return selector
        earlier, _ = self._before(key, states)
        if earlier is not None:
            kept = self.store.result(earlier, with_paths=False)
            with self.store.reading():
                curve = Curve(**kept.curve)
            selector.step = replace(selector.step, centre=self.seeding.choose(curve).size)
        return selector


def _named_run(key: str, selector: SVMRFECV, training: tuple[Any, Any, Any]) -> Outcome:
    return key, run_cell(selector, *training)
