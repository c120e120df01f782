"""The reference lists every public name, and nothing else."""

from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest

import svsieve

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.rst"))


def entries(page):
    """The names in the autosummary tables of a page: indented lines without a colon."""
    listed, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. "):
            inside = line.startswith(".. autosummary::")
        elif inside and line.startswith("   ") and not line.strip().startswith(":"):
            listed.append(line.strip())
    return listed


LISTED = [name for page in PAGES for name in entries(page)]


def test_no_name_is_listed_twice():
    assert sorted(LISTED) == sorted(set(LISTED))


@pytest.mark.parametrize("name", LISTED)
def test_what_is_listed_exists_and_is_described(name):
    assert resolve_name(f"svsieve.{name}").__doc__


@pytest.mark.parametrize("name", svsieve.__all__)
def test_what_is_public_is_listed(name):
    if isinstance(getattr(svsieve, name), ModuleType):
        assert any(one.startswith(f"{name}.") for one in LISTED)
    else:
        assert name in LISTED
