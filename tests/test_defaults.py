"""Defaults: those that docstrings promise, and those of the command line."""

from __future__ import annotations

import importlib
import inspect
import math
import re
from typing import Any

import pytest

import svsieve

MODULES = (
    "svsieve",
    "svsieve.criteria",
    "svsieve.datasets",
    "svsieve.kernels",
    "svsieve.machines",
    "svsieve.objectives",
    "svsieve.one_class",
    "svsieve.reports",
    "svsieve.resolve",
    "svsieve.rules",
    "svsieve.samplers",
    "svsieve.schedules",
    "svsieve.sparing",
    "svsieve.stopping",
    "svsieve.elimination",
    "svsieve.selection",
    "svsieve.store",
    "svsieve.io",
)
PROMISE = re.compile(r"^ *(\w+(?:, \w+)*) : .*?\bdefault=(.+?)$", re.MULTILINE)


def promises() -> list[tuple[str, Any, str, str]]:
    """Return owner, callable, parameter and default of every promise of a public docstring."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            thing = getattr(module, public)
            if not callable(thing):
                continue
            parts = [(public, thing)]
            if inspect.isclass(thing):
                methods = inspect.getmembers(thing, inspect.isroutine)
                parts += [(f"{public}.{at}", one) for at, one in methods if at[0] != "_"]
            for owner, part in parts:
                if "svsieve" not in (getattr(part, "__module__", None) or ""):
                    continue
                text = inspect.getdoc(part) or ""
                text = text.partition("Parameters\n---")[2].partition("Attributes\n---")[0]
                for names, value in PROMISE.findall(text):
                    of = names.split(", ")
                    values = value.split(" and ") if " and " in value else [value] * len(of)
                    for one, its in zip(of, values, strict=True):
                        found[owner, one] = (owner, part, one, its.replace("GiB", "* 2**30"))
    return list(found.values())


PROMISES = promises()


@pytest.mark.parametrize(
    ("owner", "thing", "name", "promised"), PROMISES, ids=[f"{p[0]}-{p[2]}" for p in PROMISES]
)
def test_a_default_is_the_one_promised(owner: str, thing, name: str, promised: str) -> None:
    default = inspect.signature(thing).parameters[name].default
    if "<factory>" in repr(default):
        default = thing.__dataclass_fields__[name].default_factory()
    names = vars(svsieve) | vars(importlib.import_module(thing.__module__))
    assert default == eval(promised, {**names, "inf": math.inf, "sqrt": math.sqrt})


def test_promises_are_found() -> None:
    assert len(PROMISES) > 200


def test_the_command_line_has_the_defaults_of_analyse() -> None:
    pytest.importorskip("typer")
    from svsieve.cli.compare import compare
    from svsieve.cli.demo import demo
    from svsieve.cli.rank import rank
    from svsieve.cli.tune import tune
    from svsieve.estimators.analysing.settings import Settings

    expected, shared = Settings(), {"jobs": 1, "transpose": False, "as_json": False}
    for command in (rank, compare, tune, demo):
        seen = 0
        for name, parameter in inspect.signature(command).parameters.items():
            wanted = shared.get(name, getattr(expected, name, None))
            if wanted is not None and name != "keep":
                given = parameter.default
                assert (tuple(given) if isinstance(given, list) else given) == wanted, name
                seen += 1
        assert seen >= 2
    own = {"top": 20, "report": ["report.html"]}
    assert {name: inspect.signature(rank).parameters[name].default for name in own} == own
