"""Machine and kernel tuned again while columns go.

With ``parts.retune`` the walk asks at iterations 1, 1 + every, 1 + 2 every, ... for a machine and a
kernel that suit the columns left, and works with them until it asks again. What it is told depends
on the data, the parts and the columns at that iteration alone. So a run that is taken up again asks
with the columns that were there when the killed one asked, and goes on as it would have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.elimination.engines import ResumableEngine, Turn, choose_engine
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.path import Path
from svsieve.elimination.stretch import EngineState

MADE_AT, MADE_STEPS, ENGINE = "made at", "steps", "engine"


class EngineRoom:
    """The engine of a walk, a new one whenever machine and kernel are tuned again.

    Parameters
    ----------
    data : Data
    parts : Parts
    resume : Path or None
        Where the walk goes on from.
    state : mapping or None
        What `state` returned there; None: the first engine starts cold.
    solutions : bool
        Whether every step is to carry its solutions.
    """

    def __init__(
        self,
        data: Data,
        parts: Parts,
        resume: Path | None,
        state: EngineState | None = None,
        *,
        solutions: bool = False,
    ) -> None:
        self._data, self._given, self._resume = data, parts, resume
        self._state, self._solutions = state, solutions
        self._parts, self._tuned_at = parts, 0
        self._engine: ResumableEngine | None = None
        self._made_at = 1  # the iteration of the engine's first step

    def engine(self, turn: Turn, *, fresh: bool = False) -> ResumableEngine:
        """Return the engine for the next step; `fresh`: one that has dropped nothing yet."""
        if self._is_out_of_tune(turn):
            self._tune(turn)
            fresh = self._tuned_at == turn.iteration
        if self._engine is None and not fresh and self._state is not None:
            self._engine = self._restored(self._state, turn)
        elif fresh or self._engine is None:
            self._engine = self._made(turn.kept, turn.iteration)
        return self._engine

    def state(self, steps: int) -> EngineState:
        """Return what the engine in use holds after so many steps, and since when it is in use."""
        assert self._engine is not None
        facts = {
            MADE_AT: np.array(self._made_at),
            MADE_STEPS: np.array(steps),
            ENGINE: np.array(self._engine.name),
        }
        return {**self._engine.state(), **facts}

    def _made(self, kept: IndexArray, iteration: int) -> ResumableEngine:
        self._made_at = iteration
        return choose_engine(self._data, self._parts, kept, solutions=self._solutions)

    def _restored(self, state: EngineState, turn: Turn) -> ResumableEngine:
        """The engine of the resumed path: made where that one was, with all that it has dropped.

        Where memory has led to another engine than then, or the state is not of this path, it
        starts cold.
        """
        assert self._resume is not None
        held, counts = dict(state), self._resume.counts
        try:
            made_at, name = int(held.pop(MADE_AT)), str(held.pop(ENGINE))
            fits = int(held.pop(MADE_STEPS)) == len(counts) and 1 <= made_at <= turn.iteration
            if fits:
                engine = self._made(self._columns_at(made_at), made_at)
                if engine.name == name:
                    steps = np.split(self._resume.dropped, np.cumsum(counts)[:-1])
                    engine.restore(steps[made_at - 1 :], held)
                    return engine
        except (KeyError, ValueError, TypeError, IndexError):  # written by another version
            pass
        return self._made(turn.kept, turn.iteration)

    def _is_out_of_tune(self, turn: Turn) -> bool:
        retune = self._given.retune
        return retune is not None and self._last_tuning(turn) > self._tuned_at

    def _last_tuning(self, turn: Turn) -> int:
        """Return the iteration, this one or an earlier, at which machine and kernel were due."""
        assert self._given.retune is not None
        return turn.iteration - (turn.iteration - 1) % self._given.retune.every

    def _tune(self, turn: Turn) -> None:
        retune, due = self._given.retune, self._last_tuning(turn)
        assert retune is not None
        columns = turn.kept if due == turn.iteration else self._columns_at(due)
        machine, kernel = retune.tune(self._data, self._given, columns)
        self._parts = replace(self._given, machine=machine, kernel=kernel)
        self._tuned_at = due

    def _columns_at(self, iteration: int) -> IndexArray:
        """Return the columns that the resumed path had before an iteration."""
        assert self._resume is not None
        gone = self._resume.dropped[: int(self._resume.counts[: iteration - 1].sum())]
        return np.setdiff1d(np.arange(self._data.n_columns), gone)
