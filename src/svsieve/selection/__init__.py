"""How many columns to keep: curves of scores, rules that choose from them, and how stable it is."""

from svsieve.selection import one_class, rules
from svsieve.selection.curve import Curve
from svsieve.selection.pareto import pareto_front
from svsieve.selection.rules import Choice, Rule
from svsieve.selection.stability import Stability, stability
from svsieve.selection.validation import validate

__all__ = [
    "Choice",
    "Curve",
    "Rule",
    "Stability",
    "one_class",
    "pareto_front",
    "rules",
    "stability",
    "validate",
]
