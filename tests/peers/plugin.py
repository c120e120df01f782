"""A pytest plugin that puts the adapters in the place of scikit-learn's classes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.peers.adapters import IN_MODULES, IN_TESTS, Adapter


def pytest_configure() -> None:
    """Before scikit-learn's tests are imported, and after svsieve has taken what it needs."""
    for module, adapters in IN_MODULES.items():
        for name, adapter in adapters.items():
            setattr(importlib.import_module(module), name, adapter)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    for item in items:
        # Whatever folder pytest takes for its root, with which names of tests begin.
        item.user_properties.append(("name", f"{item.path.name}::{item.name}"))
        for name, adapter in IN_TESTS.get(item.path.name, {}).items():
            setattr(item.module, name, adapter)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    Adapter.made = 0
    try:
        return (yield)
    finally:
        item.user_properties.append(("made", Adapter.made))
