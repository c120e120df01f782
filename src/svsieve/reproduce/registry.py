"""Which experiments there are: every module below this package that has an ``EXPERIMENT``."""

from __future__ import annotations

import pkgutil
import re
from difflib import get_close_matches
from functools import cache
from importlib import import_module

from svsieve.reproduce.experiment import Experiment


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, in the order of their sources and tables.

    Examples
    --------
    >>> from svsieve.reproduce import experiments
    >>> "rakotomamonjy-1" in [experiment.id for experiment in experiments()]
    True
    """
    package = import_module("svsieve.reproduce")
    found = []
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        experiment = getattr(import_module(module.name), "EXPERIMENT", None)
        if experiment is not None:
            found.append(experiment)
    return tuple(sorted(found, key=lambda one: in_order(one.id)))


def find(id: str) -> Experiment:
    """Return the experiment that fills a table or figure.

    Examples
    --------
    >>> from svsieve.reproduce import find
    >>> find("planas-5.3").id  # the times come from the runs of table 5.2
    'planas-5.2'
    """
    known = dict[str, Experiment]()
    for experiment in experiments():
        known |= dict.fromkeys((experiment.id, *experiment.also), experiment)
    if id not in known:
        near = get_close_matches(id, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"id must be one of those that `svsieve reproduce list` shows. Got {id!r}.{hint}"
        )
    return known[id]


def in_order(id: str) -> tuple[object, ...]:
    """Return what ids are sorted by: source, tables before figures, numbers as numbers.

    Examples
    --------
    >>> from svsieve.reproduce.registry import in_order
    >>> sorted(["planas-5.10", "planas-fig-4.7", "planas-5.2"], key=in_order)
    ['planas-5.2', 'planas-5.10', 'planas-fig-4.7']
    """
    source, _, rest = id.partition("-")
    numbers = tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|[A-Za-z]+", rest.removeprefix("fig-"))
    )
    return source, rest.startswith("fig-"), numbers
