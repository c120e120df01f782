"""Short names, numbers and scikit-learn estimators become parts: the one place that knows them.

Every refusal names the option, what is allowed and what was given, so that estimators and
commands can call these functions first and compute afterwards.
"""

from svsieve.resolve.estimators import OneClassSpecification, Specification, resolve_estimator
from svsieve.resolve.machines import KERNELS, MACHINES, resolve_kernel, resolve_machine
from svsieve.resolve.options import (
    check_flag,
    check_integer,
    check_iterations,
    check_option,
    check_real,
    check_share,
    refusal,
)
from svsieve.resolve.parts import (
    COMBINATIONS,
    CRITERIA,
    SCHEDULES,
    resolve_columns,
    resolve_combination,
    resolve_criterion,
    resolve_sampler,
    resolve_schedule,
    resolve_size,
    resolve_spare,
    resolve_stops,
)

__all__ = [
    "COMBINATIONS",
    "CRITERIA",
    "KERNELS",
    "MACHINES",
    "SCHEDULES",
    "OneClassSpecification",
    "Specification",
    "check_flag",
    "check_integer",
    "check_iterations",
    "check_option",
    "check_real",
    "check_share",
    "refusal",
    "resolve_columns",
    "resolve_combination",
    "resolve_criterion",
    "resolve_estimator",
    "resolve_kernel",
    "resolve_machine",
    "resolve_sampler",
    "resolve_schedule",
    "resolve_size",
    "resolve_spare",
    "resolve_stops",
]
