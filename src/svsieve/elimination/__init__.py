"""Elimination: schedules, samplers, stopping rules, and what an elimination leaves behind."""

from svsieve.elimination.loop import Survivors, notes_of, trace, walk
from svsieve.elimination.ordering import ascending, least
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.path import Path
from svsieve.elimination.recorder import PathRecorder
from svsieve.elimination.samplers import AllRows, Bootstrap, Draw, Sampler, Subsample
from svsieve.elimination.schedules import (
    Annealing,
    Constant,
    Entropy,
    Fraction,
    FractionOfOriginal,
    HalveThenOne,
    Reflective,
    Schedule,
    Sizes,
    Sqrt,
)
from svsieve.elimination.sparing import CorrelatedGroups, Spare
from svsieve.elimination.stopping import AfterSeconds, AtSize, Stop, WhenScoreAbove
from svsieve.elimination.stretch import Solution, Step, Stretch

__all__ = [
    "AfterSeconds",
    "AllRows",
    "Annealing",
    "AtSize",
    "Bootstrap",
    "Constant",
    "CorrelatedGroups",
    "Data",
    "Draw",
    "Entropy",
    "Fraction",
    "FractionOfOriginal",
    "HalveThenOne",
    "Parts",
    "Path",
    "PathRecorder",
    "Reflective",
    "Sampler",
    "Schedule",
    "Sizes",
    "Solution",
    "Spare",
    "Sqrt",
    "Step",
    "Stop",
    "Stretch",
    "Subsample",
    "Survivors",
    "Task",
    "WhenScoreAbove",
    "ascending",
    "least",
    "notes_of",
    "trace",
    "walk",
]
