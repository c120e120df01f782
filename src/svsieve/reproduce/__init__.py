"""Published tables and figures, computed again and set beside the printed numbers.

Each is a module with an ``EXPERIMENT``: the protocol, written with the public interface.
``svsieve reproduce list`` names them, ``svsieve reproduce ID`` runs one.
"""

from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity
from svsieve.reproduce.findings import Finding, Findings, compare
from svsieve.reproduce.registry import experiments, find
from svsieve.reproduce.running import Outcome, run

__all__ = [
    "Effort",
    "Experiment",
    "Finding",
    "Findings",
    "Measurement",
    "Outcome",
    "Quantity",
    "compare",
    "experiments",
    "find",
    "run",
]
