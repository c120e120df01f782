"""Rank the columns of a table with support vector machines and say how many to keep."""

from svsieve import criteria, kernels, machines
from svsieve.elimination import samplers, schedules, stopping
from svsieve.estimators import SVC, SVMRFE, importance

__version__ = "0.1.0"

__all__ = [
    "SVC",
    "SVMRFE",
    "criteria",
    "importance",
    "kernels",
    "machines",
    "samplers",
    "schedules",
    "stopping",
]
