"""Where code can be changed, and into what."""

from __future__ import annotations

import ast
from itertools import islice
from textwrap import dedent

import pytest

from tests.mutants.places import ROOT, core_places, drawn, places, python_places


def changed(find, text: str) -> list[tuple[str, str]]:
    """Return the kind and the line after the change, of each."""
    code, out = text.encode(), []
    for one in find("a file", code):
        new = (code[: one.start] + one.new.encode() + code[one.end :]).decode()
        out.append((one.kind, new.splitlines()[one.line - 1].strip()))
    return out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = a <= b", [("comparison", "x = a < b")]),
        ("x = a is not b", [("comparison", "x = a is b")]),
        ("x = (a) not in (b)", [("comparison", "x = (a) in (b)")]),
        ("x = a < b < c", [("comparison", "x = a <= b < c"), ("comparison", "x = a < b <= c")]),
        ("x = a - -b", [("sign", "x = a + -b"), ("sign", "x = a - b")]),
        ("x = a // b", [("sign", "x = a * b")]),
        ("x = not a", [("sign", "x =  a")]),
        ("x = a and b or c", [("and/or", "x = a and b and c"), ("and/or", "x = a or b or c")]),
        ("x = a.max()", [("min/max", "x = a.min()")]),
        ("x = np.minimum(a, b)", [("min/max", "x = np.maximum(a, b)")]),
        ("x = all(a)", [("min/max", "x = any(a)")]),
        ("x = 3", [("constant", "x = 4")]),
        ("x = 0.0, 1e-9", [("constant", "x = 1.0, 1e-9")]),
        ("x = 0.5 * a", [("sign", "x = 0.5 / a"), ("constant", "x = 2.0 * a")]),
        ("x = True", [("constant", "x = False")]),
        ("a.b = c", [("removed", "pass")]),
        ("run(a)", [("removed", "pass")]),
        ("raise a", [("removed", "pass")]),
        ("a += b", [("removed", "pass")]),
        ("x: list[int] = a", []),
        ("x = zip(a, b, strict=True)", []),
        ("x = f'{a + 1}'", []),
        ("x = 'größe' if a == b else c", [("comparison", "x = 'größe' if a != b else c")]),
    ],
)  # fmt: skip
def test_changes_of_a_line_of_python(line: str, expected) -> None:
    assert changed(python_places, line) == expected


def test_defaults_are_watched_by_the_lines_of_their_function() -> None:
    text = """
    def f(a: int = 3, *, b="c"):
        "Says something."
        return (
            a > 0
        )
    """
    found = python_places("a file", dedent(text).encode())
    assert [(one.kind, one.new, one.watched) for one in found] == [
        ("default", "4", (3, 6)),
        ("default", "'other than c'", (3, 6)),
        ("comparison", ">=", (4, 6)),
        ("constant", "1", (4, 6)),
    ]


def test_what_is_run_once_is_watched_by_every_line() -> None:
    (found,) = python_places("a file", b"class A:\n    b: int = 3\n")
    assert (found.kind, found.watched) == ("default", None)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("if (a < b) {", [("comparison", "if (a <= b) {")]),
        ("if (a && b) {", [("and/or", "if (a || b) {")]),
        ("x = std::min(a, b);", [("min/max", "x = std::max(a, b);"), ("removed", ";")]),
        ("std::vector<double> a;  // 3 < 4", []),
        ("    sum += a[i] * 2.0;", [
            ("sign", "sum -= a[i] * 2.0;"),
            ("sign", "sum += a[i] / 2.0;"),
            ("constant", "sum += a[i] * 2.0+1;"),
            ("removed", ";"),
        ]),
        ("#include <a.hpp>", []),
        ("return a;", []),
    ],
)  # fmt: skip
def test_changes_of_a_line_of_the_core(line: str, expected) -> None:
    assert changed(core_places, "    " + line.strip()) == expected


def test_every_change_of_the_package_is_still_python() -> None:
    for one in islice(drawn(places("src", "*.py", python_places), 5), 300):
        text = (ROOT / one.file).read_bytes()
        ast.parse(text[: one.start] + one.new.encode() + text[one.end :])


def test_a_seed_draws_the_same_changes_of_each_kind_in_turn() -> None:
    found = places("core/src", "*.?pp", core_places)
    first, again, other = (list(islice(drawn(found, seed), 12)) for seed in (1, 1, 2))
    assert first == again != other
    assert len({one.kind for one in first[:6]}) == 6
