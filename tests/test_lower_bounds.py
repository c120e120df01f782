import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.lower_bounds import HELD, PROJECT, constraints

project = tomllib.loads(PROJECT.read_text())
TABLE = project["project"]
ALL = {
    "build": project["build-system"]["requires"],
    "run": TABLE["dependencies"],
    **TABLE["optional-dependencies"],
}
PINS = {
    canonicalize_name(pin.name): pin.specifier for pin in map(Requirement, constraints(project))
}


def names(*extras):
    return {canonicalize_name(Requirement(entry).name) for extra in extras for entry in ALL[extra]}


@pytest.mark.parametrize(
    "requirement", [entry for extra in ALL for entry in ALL[extra] if "svsieve" not in entry]
)
def test_every_requirement_is_pinned_to_its_bound(requirement):
    asked = Requirement(requirement)
    (bound,) = asked.specifier
    (pin,) = PINS[canonicalize_name(asked.name)]
    assert pin.operator == "=="
    assert Version(pin.version) == Version(bound.version)
    assert bound.operator in (">=", "~=")


def test_only_what_is_required_or_held_is_pinned():
    assert set(PINS) == (names(*ALL) - {"svsieve"}) | set(HELD)
    assert not names(*ALL) & set(HELD)


def test_the_tests_have_what_any_extra_for_users_brings():
    developers = {"native", "test", "mutants", "lint", "bench", "docs"}
    users = set(TABLE["optional-dependencies"]) - developers - {"all"}
    assert users >= {"cli", "anndata", "dask", "networks", "report"}
    assert names(*users) <= names("test", "anndata")


def test_the_lowest_python_is_the_one_of_make():
    makefile = PROJECT.with_name("Makefile").read_text()
    (lowest,) = Requirement(f"python{TABLE['requires-python']}").specifier
    assert re.search(r"^OLDEST_PYTHON \?= python(.*)$", makefile, re.M)[1] == lowest.version


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>=2.2,<3", "numpy==2.2"])
def test_a_requirement_without_one_lower_bound_is_refused(requirement):
    changed = {**project, "build-system": {"requires": [requirement]}}
    with pytest.raises(ValueError, match="needs one lower bound"):
        constraints(changed)


def test_two_bounds_for_one_package_are_refused():
    changed = {**project, "build-system": {"requires": ["numpy>=1.0"]}}
    with pytest.raises(ValueError, match=r"numpy must have one lower bound. Got 1\.0 and"):
        constraints(changed)
