"""Pictures of rankings, curves and choices.

They follow the display objects of scikit-learn: ``from_estimator`` and its kin draw at once,
``plot`` draws again, and ``ax_`` and ``figure_`` are what was drawn on. They need matplotlib
(``pip install 'svsieve[report]'``).
"""

from svsieve.reports.curves import CurveDisplay
from svsieve.reports.frequencies import StabilityDisplay
from svsieve.reports.pareto import ParetoDisplay
from svsieve.reports.ranking import RankingDisplay
from svsieve.reports.schedule import ScheduleDisplay

__all__ = [
    "CurveDisplay",
    "ParetoDisplay",
    "RankingDisplay",
    "ScheduleDisplay",
    "StabilityDisplay",
]
