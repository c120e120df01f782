"""Pictures of rankings, curves and choices, and the report of a whole analysis.

Pictures follow the display objects of scikit-learn: ``from_estimator`` and its kin draw at once,
``plot`` draws again, and ``ax_`` and ``figure_`` are what was drawn on. They need matplotlib
(``pip install 'svsieve[report]'``).
"""

from svsieve.reports.boundary import BoundaryDisplay
from svsieve.reports.curves import CurveDisplay
from svsieve.reports.frequencies import StabilityDisplay
from svsieve.reports.pareto import ParetoDisplay
from svsieve.reports.ranking import RankingDisplay
from svsieve.reports.report import Candidate, Report
from svsieve.reports.schedule import ScheduleDisplay

__all__ = [
    "BoundaryDisplay",
    "Candidate",
    "CurveDisplay",
    "ParetoDisplay",
    "RankingDisplay",
    "Report",
    "ScheduleDisplay",
    "StabilityDisplay",
]
