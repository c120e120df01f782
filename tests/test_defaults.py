"""Defaults: those that docstrings promise, and those of the command line."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import svsieve

# A display drawn from one thing and from another has the same options.
AS_IN = re.compile(r"^ *(\w+(?:, [*\w]+)*)\n +As in `(\w+)`\.$", re.MULTILINE)
PROMISE = re.compile(r"^ *(\w+(?:, \w+)*) : .*?\bdefault=(.+?)$", re.MULTILINE)


def callables() -> Iterator[tuple[str, Any, str]]:
    """Yield each documented function and class of the package, and their methods, by name."""
    for module in pkgutil.walk_packages(svsieve.__path__, "svsieve."):
        if module.name.rpartition(".")[2].startswith("_"):
            continue
        try:
            there = vars(importlib.import_module(module.name))
        except ImportError:  # what is not installed
            continue
        for name, thing in there.items():
            own = getattr(thing, "__module__", None) == module.name
            if not callable(thing) or name[0] == "_" or not own:
                continue
            parts = [(name, thing)]
            if inspect.isclass(thing):
                methods = inspect.getmembers(thing, inspect.isroutine)
                parts += [(f"{name}.{at}", one) for at, one in methods if at[0] != "_"]
            for owner, part in parts:
                if "svsieve" in (getattr(part, "__module__", None) or ""):
                    text = inspect.getdoc(part) or ""
                    text = text.partition("Parameters\n---")[2].partition("Attributes\n---")[0]
                    yield owner, part, text


def promises() -> list[tuple[str, Any, str, str]]:
    """Return owner, callable, parameter and default of every promise of a docstring."""
    found = []
    for owner, part, text in callables():
        for names, value in PROMISE.findall(text):
            of = names.split(", ")
            values = value.split(" and ") if " and " in value else [value] * len(of)
            for one, its in zip(of, values, strict=True):
                found.append((owner, part, one, its.replace("GiB", "* 2**30")))
    return found


PROMISES = promises()


@pytest.mark.parametrize(
    ("owner", "thing", "name", "promised"), PROMISES, ids=[f"{p[0]}-{p[2]}" for p in PROMISES]
)
def test_a_default_is_the_one_promised(owner: str, thing, name: str, promised: str) -> None:
    default = inspect.signature(thing).parameters[name].default
    if "<factory>" in repr(default):
        default = thing.__dataclass_fields__[name].default_factory()
    names = vars(svsieve) | vars(importlib.import_module(thing.__module__))
    expected = eval(promised, {**vars(math), **names})
    assert default == expected or (default != default and expected != expected)


def shared_options() -> list[tuple[Any, str, str, str]]:
    """Return class, two of its methods, and a parameter that one has as the other does."""
    found = []
    for owner, part, text in callables():
        for names, other in AS_IN.findall(text):
            of = getattr(part, "__self__", None)
            if hasattr(of, other):
                method = owner.rpartition(".")[2]
                found += [(of, method, other, one) for one in names.split(", ") if one[0] != "*"]
    return found


def test_options_of_two_methods_have_one_default() -> None:
    found = shared_options()
    assert len(found) >= 5
    for of, method, other, name in found:
        both = [inspect.signature(getattr(of, one)).parameters[name] for one in (method, other)]
        assert both[0].default == both[1].default, (of, method, name)


def test_promises_are_found() -> None:
    assert len(PROMISES) > 300


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
