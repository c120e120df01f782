"""Settings as text: the name of a cell in a run store, the same in every process."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def settings_key(settings: Mapping[str, Any]) -> str:
    """Return settings as canonical JSON: equal settings, equal text.

    Objects such as schedules become their class with its fields, functions their name.

    Examples
    --------
    >>> from svsieve.elimination import Fraction
    >>> from svsieve.store.settings import settings_key
    >>> settings_key({"step": Fraction(0.5), "C": 1.0})
    '{"C": 1.0, "step": {"Fraction": {"share": 0.5}}}'
    """
    plain = {str(name): _plain(value, str(name)) for name, value in settings.items()}
    return json.dumps(plain, sort_keys=True)


def settings_of(key: str) -> dict[str, Any]:
    """Return the settings of a key as values to show: objects are text.

    Examples
    --------
    >>> from svsieve.store.settings import settings_of
    >>> settings_of('{"C": 1.0, "step": {"Fraction": {"share": 0.5}}}')
    {'C': 1.0, 'step': 'Fraction(share=0.5)'}
    """
    return {
        name: _shown(value) if isinstance(value, dict | list) else value
        for name, value in json.loads(key).items()
    }


def _plain(value: Any, name: str) -> Any:
    """A value as JSON knows it; `name` is the setting it belongs to."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item(), name)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), name)
    if isinstance(value, list | tuple | range):
        return [_plain(entry, name) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, name) for key, entry in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {_name_of(type(value)): _plain(fields, name)}
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        if "<" not in value.__qualname__:  # neither a lambda nor defined inside a function
            return {_name_of(value): None}
    elif hasattr(value, "__dict__"):
        return {_name_of(type(value)): _plain(vars(value), name)}
    raise ValueError(
        f"The setting {name!r} has a value that cannot be told from others by its name or its "
        f"fields: {value!r}. Use numbers, strings, dataclasses, or functions and classes that are "
        "defined in a module."
    )


def _name_of(value: Any) -> str:
    """The name of a class or function, without the module where that goes without saying."""
    module = str(value.__module__)
    known = module.split(".")[0] in ("svsieve", "sklearn")
    return str(value.__qualname__) if known else f"{module}.{value.__qualname__}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_shown(entry) for entry in value)}]"
    if not isinstance(value, dict):
        return repr(value)
    parts = []
    for name, fields in value.items():
        if fields is None:
            parts.append(str(name))
        elif isinstance(fields, dict):
            inside = ", ".join(f"{field}={_shown(entry)}" for field, entry in fields.items())
            parts.append(f"{name}({inside})")
        else:
            parts.append(f"{name}: {_shown(fields)}")
    return ", ".join(parts)
