"""Rank the columns of a table with support vector machines and say how many to keep."""

import sys

import svsieve.interrupts  # noqa: F401  (before all that takes time to load)
from svsieve import criteria, datasets, kernels, machines, reports
from svsieve.criteria import (
    fisher_score,
    golub_score,
    kendall_score,
    pearson_score,
    random_score,
    spearman_score,
    t_score,
)
from svsieve.elimination import samplers, schedules, sparing, stopping
from svsieve.estimators import (
    SVC,
    SVDD,
    SVMRFE,
    SVMRFECV,
    Analysis,
    FeatureScaling,
    GradientSearch,
    Grid,
    KernelPerceptron,
    OneClassSVC,
    Sieve,
    analyse,
    importance,
    svm_score,
)
from svsieve.selection import objectives, one_class, pareto_front, rules, stability
from svsieve.selection.evaluation import evaluate
from svsieve.selection.retuning import Retune
from svsieve.selection.validation import validate
from svsieve.store import RunStore

__version__ = "0.1.0"

# Modules of the layers below are public under short names, which `import svsieve.rules` and
# `from svsieve.rules import Knee` find, too.
for _module in (objectives, one_class, rules, samplers, schedules, sparing, stopping):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module

__all__ = [
    "SVC",
    "SVDD",
    "SVMRFE",
    "SVMRFECV",
    "Analysis",
    "FeatureScaling",
    "GradientSearch",
    "Grid",
    "KernelPerceptron",
    "OneClassSVC",
    "Retune",
    "RunStore",
    "Sieve",
    "analyse",
    "criteria",
    "datasets",
    "evaluate",
    "fisher_score",
    "golub_score",
    "importance",
    "kendall_score",
    "kernels",
    "machines",
    "objectives",
    "one_class",
    "pareto_front",
    "pearson_score",
    "random_score",
    "reports",
    "rules",
    "samplers",
    "schedules",
    "sparing",
    "spearman_score",
    "stability",
    "stopping",
    "svm_score",
    "t_score",
    "validate",
]
