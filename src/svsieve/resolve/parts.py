"""Short names and numbers that stand for the parts of an elimination."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.criteria import (
    CoefficientOfVariation,
    Combine,
    Criterion,
    Maximum,
    MeanRank,
    PowerSum,
    Radius,
    RadiusMargin,
    Span,
    WeightNorm,
)
from svsieve.elimination.samplers import AllRows, Sampler, Subsample
from svsieve.elimination.schedules import (
    Annealing,
    Constant,
    Entropy,
    Fraction,
    HalveThenOne,
    Schedule,
    Sizes,
    Sqrt,
)
from svsieve.elimination.sparing import CorrelatedGroups, Spare
from svsieve.elimination.stopping import Stop
from svsieve.resolve.options import has_method, is_integer, listed, number, refusal

SCHEDULES: Mapping[str, Callable[[], Schedule]] = {
    "sqrt": Sqrt,
    "entropy": Entropy,
    "annealing": Annealing,
    "halving": HalveThenOne,
}

CRITERIA: Mapping[str, Callable[[], Criterion]] = {
    "weight": WeightNorm,
    "weight-first-order": lambda: WeightNorm(order=1),
    "radius": Radius,
    "radius-first-order": lambda: Radius(order=1),
    "radius-margin": RadiusMargin,
    "radius-margin-first-order": lambda: RadiusMargin(order=1),
    "span": Span,
    "span-first-order": lambda: Span(order=1),
}

COMBINATIONS: Mapping[str, Callable[[], Combine]] = {
    "sum": PowerSum,
    "max": Maximum,
    "cv": CoefficientOfVariation,
    "mean-rank": MeanRank,
}


def resolve_schedule(step: Any, *, owner: str = "SVMRFE") -> Schedule:
    """Return the schedule that a number, a name or a list of sizes stands for.

    Parameters
    ----------
    step : int, float, str, list of int or schedule
        Columns per step; share of the remaining columns; "sqrt", "entropy", "annealing" or
        "halving"; the sizes to visit; or an object of :mod:`svsieve.schedules`.
    owner : str, default="SVMRFE"
        Whose parameter this is, for the messages.

    Returns
    -------
    Schedule
        It says how many columns each step drops.

    Examples
    --------
    >>> from svsieve.resolve import resolve_schedule
    >>> resolve_schedule(0.5)
    Fraction(share=0.5)
    """
    if is_integer(step) and int(step) >= 1:
        return Constant(int(step))
    if not is_integer(step) and 0.0 < number(step) < 1.0:
        return Fraction(number(step))
    if isinstance(step, str) and step in SCHEDULES:
        return SCHEDULES[step]()
    if isinstance(step, list | tuple | range | np.ndarray):
        sizes = list(step)
        if sizes and all(is_integer(size) for size in sizes):
            return Sizes([int(size) for size in sizes])
    elif isinstance(step, Schedule):
        return step
    raise refusal(
        owner,
        "step",
        "an int in [1, inf), a float in (0, 1) (a share of the remaining columns), "
        f"{listed(SCHEDULES)}, a list of sizes or a schedule such as "
        "svsieve.schedules.Reflective(0.5, 20)",
        step,
    )


def resolve_criterion(criterion: Any, *, owner: str = "SVMRFE") -> Criterion:
    """Return the criterion that a name stands for; an object is taken as it is.

    Examples
    --------
    >>> from svsieve.resolve import resolve_criterion
    >>> resolve_criterion("weight-first-order").order
    1
    """
    if isinstance(criterion, str) and criterion in CRITERIA:
        return CRITERIA[criterion]()
    if has_method(criterion, "scores"):
        return criterion  # type: ignore[no-any-return]
    raise refusal(
        owner,
        "criterion",
        f"{listed(CRITERIA)}, or an object with scores(context), such as "
        "svsieve.criteria.WeightNorm(order=1)",
        criterion,
    )


def resolve_combination(combine: Any, *, owner: str = "SVMRFE") -> Combine:
    """Return the rule that joins the scores of several classes or draws.

    Examples
    --------
    >>> from svsieve.resolve import resolve_combination
    >>> resolve_combination("max")
    Maximum()
    """
    if isinstance(combine, str) and combine in COMBINATIONS:
        return COMBINATIONS[combine]()
    if isinstance(combine, Combine):
        return combine
    raise refusal(
        owner,
        "combine",
        f"{listed(COMBINATIONS)}, or a rule such as svsieve.criteria.PowerSum(2.0)",
        combine,
    )


def resolve_sampler(sampler: Any, *, owner: str = "SVMRFE") -> Sampler:
    """Return the sampler of rows: all rows for None, a stratified share for a float.

    Examples
    --------
    >>> from svsieve.resolve import resolve_sampler
    >>> resolve_sampler(None)
    AllRows()
    """
    if sampler is None:
        return AllRows()
    if not is_integer(sampler) and 0.0 < number(sampler) < 1.0:
        return Subsample(number(sampler))
    if isinstance(sampler, Sampler):
        return sampler
    raise refusal(
        owner,
        "sampler",
        "None (all rows), a float in (0, 1) (the share of rows drawn at each step) or a sampler "
        "such as svsieve.samplers.Subsample(0.5, below=20)",
        sampler,
    )


def resolve_stops(stop: Any, *, owner: str = "SVMRFE") -> tuple[Stop, ...]:
    """Return the stopping rules as a tuple, of none, one or several.

    Examples
    --------
    >>> from svsieve.resolve import resolve_stops
    >>> from svsieve.elimination.stopping import AtSize
    >>> resolve_stops(AtSize(5))
    (AtSize(columns=5),)
    """
    rules = () if stop is None else tuple(stop) if isinstance(stop, list | tuple) else (stop,)
    for rule in rules:
        if not isinstance(rule, Stop):
            raise refusal(
                owner,
                "stop",
                "None, a stopping rule such as svsieve.stopping.AfterSeconds(60) or a list of them",
                rule,
            )
    return rules


def resolve_spare(spare: Any, *, owner: str = "SVMRFE") -> Spare | None:
    """Return the sparing rule: none for None, that of correlated groups for a threshold.

    Examples
    --------
    >>> from svsieve.resolve import resolve_spare
    >>> resolve_spare(0.8)
    CorrelatedGroups(threshold=0.8, most=1)
    """
    if spare is None:
        return None
    if not is_integer(spare) and 0.0 < number(spare) < 1.0:
        return CorrelatedGroups(number(spare))
    if has_method(spare, "spared"):
        return spare  # type: ignore[no-any-return]
    raise refusal(
        owner,
        "spare",
        "None, a float in (0, 1) (the correlation above which columns form a group) or an object "
        "with spared(X, kept, going), such as svsieve.sparing.CorrelatedGroups(0.9)",
        spare,
    )


def resolve_size(size: Any, n_columns: int, *, owner: str = "SVMRFE") -> int:
    """Return how many columns to keep at least: half for None, a number or a share.

    Examples
    --------
    >>> from svsieve.resolve import resolve_size
    >>> resolve_size(None, 9), resolve_size(0.25, 100), resolve_size(3, 10)
    (4, 25, 3)
    """
    if size is None:
        return max(1, n_columns // 2)
    if is_integer(size) and int(size) >= 1:
        return min(int(size), n_columns)
    if not is_integer(size) and 0.0 < number(size) <= 1.0:
        return max(1, int(n_columns * number(size)))
    raise refusal(
        owner,
        "n_features_to_select",
        "None (half of the columns), an int in [1, inf) or a float in (0, 1] (a share of the "
        "columns)",
        size,
    )


def resolve_columns(
    keep: Any, n_columns: int, names: Sequence[str] | None, *, owner: str = "SVMRFE"
) -> IndexArray:
    """Return the columns that names, indices or a mask stand for, ascending.

    Parameters
    ----------
    keep : None, list of str, list of int or boolean mask
        Negative indices count from the end.
    n_columns : int
    names : sequence of str or None
        Names of all columns, where they have names.
    owner : str, default="SVMRFE"
        Whose parameter this is, for the messages.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> from svsieve.resolve import resolve_columns
    >>> resolve_columns(["b"], 2, ["a", "b"])
    array([1])
    """
    if keep is None:
        return np.empty(0, dtype=np.int64)
    entries = [keep] if isinstance(keep, str) else _entries(keep, owner)
    if entries and all(isinstance(entry, bool | np.bool_) for entry in entries):
        if len(entries) != n_columns:
            raise ValueError(
                f"The 'keep' parameter of {owner} is a mask of {len(entries)} entries; X has "
                f"{n_columns} columns and needs one entry for each."
            )
        return np.flatnonzero(entries)
    found = {_position(entry, n_columns, names, owner) for entry in entries}
    return np.array(sorted(found), dtype=np.int64)


def _entries(keep: Any, owner: str) -> list[Any]:
    if not isinstance(keep, Iterable) or getattr(keep, "ndim", 1) != 1:
        raise _keep_refusal(owner, keep)
    return list(keep)


def _position(entry: Any, n_columns: int, names: Sequence[str] | None, owner: str) -> int:
    if isinstance(entry, str):
        if names is None:
            raise ValueError(
                f"The 'keep' parameter of {owner} names column {entry!r}, but X has no column "
                "names. Give X as a data frame, or keep as indices."
            )
        matches = [position for position, name in enumerate(names) if name == entry]
        if not matches:
            raise ValueError(f"The 'keep' parameter of {owner}: X has no column named {entry!r}.")
        return matches[0]
    if not is_integer(entry):
        raise _keep_refusal(owner, entry)
    if not -n_columns <= int(entry) < n_columns:
        raise ValueError(
            f"The 'keep' parameter of {owner} holds column {entry}; X has the columns 0 to "
            f"{n_columns - 1}."
        )
    return int(entry) % n_columns


def _keep_refusal(owner: str, value: Any) -> ValueError:
    return refusal(
        owner, "keep", "None, a list of column names or of indices, or a boolean mask", value
    )
