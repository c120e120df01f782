"""Rank the columns of a table with support vector machines and say how many to keep."""

from svsieve import kernels, machines
from svsieve.estimators import SVC

__version__ = "0.1.0"

__all__ = ["SVC", "kernels", "machines"]
