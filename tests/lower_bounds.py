"""The oldest versions that pyproject.toml allows, one constraint per line, as pip reads them.

``make test-oldest`` installs under what ``python -m tests.lower_bounds`` prints.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent / "pyproject.toml"

# What old versions need and do not ask for themselves.
HELD = {
    "pyparsing": "3.2.0",  # matplotlib before 3.10.8 uses names that pyparsing 3.3 warns of
}

# A name, perhaps with extras of its own, and a lower bound.
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?(?:>=|~=)([\d.]+)")


def requirements(project: Mapping[str, Any]) -> Iterator[str]:
    """Yield every requirement: to build, to run and of each extra; not the project's own extras."""
    yield from project["build-system"]["requires"]
    yield from project["project"]["dependencies"]
    own = project["project"]["name"] + "["
    for extra in project["project"]["optional-dependencies"].values():
        yield from (entry for entry in extra if not entry.startswith(own))


def lower_bounds(project: Mapping[str, Any]) -> dict[str, str]:
    """Return the lowest version of each package that is required anywhere."""
    bounds: dict[str, str] = {}
    for requirement in requirements(project):
        found = REQUIREMENT.fullmatch(requirement)
        if found is None:
            raise ValueError(
                f"A requirement needs one lower bound, as in numpy>=2.2: {requirement!r}."
            )
        name, bound = found.groups()
        if bounds.setdefault(name, bound) != bound:
            raise ValueError(f"{name} must have one lower bound. Got {bounds[name]} and {bound}.")
    return bounds


def constraints(project: Mapping[str, Any]) -> list[str]:
    """Return the lines of a file of constraints."""
    pinned = lower_bounds(project) | HELD
    return [f"{name}=={version}" for name, version in pinned.items()]


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints(tomllib.loads(PROJECT.read_text()))) + "\n")
