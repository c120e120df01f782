"""Places in the code that can be changed, and one small change for each."""

from __future__ import annotations

import ast
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
SWAPS = [
    ("<", "<="), (">", ">="), ("==", "!="), ("+", "-"), ("*", "/"), ("+=", "-="), ("*=", "/="),
    ("and", "or"), ("&&", "||"), ("&", "|"), ("is", "is not"), ("in", "not in"),
    ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"), ("floor", "ceil"),
]  # fmt: skip
OTHER = {a: b for pair in SWAPS for a, b in (pair, pair[::-1])} | {
    "//": "*",
    "%": "*",
    "**": "*",
    "@": "*",
}
COMPARISON = r"<=|>=|==|!=|<|>|\bis not\b|\bis\b|\bnot in\b|\bin\b"
STATEMENTS = ast.AugAssign | ast.Raise | ast.Delete | ast.Continue | ast.Break
CORE_PATTERNS = {
    "comparison": r" (<=|>=|==|!=|<|>) ",
    "sign": r" ([+*/-]=?) ",
    "and/or": r" (&&|\|\|) ",
    "min/max": r"std::(min|max)\(",
    "constant": r"(?<![\w.\"])(\d+(?:\.\d+)?)(?![\w.\"])",
    "removed": r"^ +((?!return)[a-z_][\w.\[\]>-]*(?:\(.*\)| [-+*/]?= [^;]*);)",
}


@dataclass(frozen=True)
class Change:
    """Bytes of a file to be replaced, and the lines whose tests should notice (None: any line)."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    new: str
    watched: tuple[int, int] | None = None

    def write(self, folder: Path) -> None:
        text = (ROOT / self.file).read_bytes()
        text = text[: self.start] + self.new.encode() + text[self.end :]
        (folder / self.file).write_bytes(text)

    def undo(self, folder: Path) -> None:
        (folder / self.file).write_bytes((ROOT / self.file).read_bytes())

    def __str__(self) -> str:
        old = " ".join((ROOT / self.file).read_bytes()[self.start : self.end].decode().split())
        return f"{self.file}:{self.line}  {self.kind}: {old[:70]}  ->  {self.new or 'nothing'}"


def python_places(file: str, text: bytes) -> list[Change]:
    """Return the changes that can be made to a Python file."""
    return Places(file, text).found


class Places(ast.NodeVisitor):
    """The changes that can be made to a Python file."""

    def __init__(self, file: str, text: bytes) -> None:
        self.file, self.text = file, text
        lengths = (len(line) for line in self.text.splitlines(keepends=True))
        self.starts = [0, *accumulate(lengths)]
        self.watched: tuple[int, int] | None = None
        self.kind: str | None = None
        self.found: list[Change] = []
        self.visit(ast.parse(self.text))

    def span(self, node: ast.AST) -> tuple[int, int]:
        first, last = self.starts[node.lineno - 1], self.starts[node.end_lineno - 1]
        return first + node.col_offset, last + node.end_col_offset

    def add(self, kind: str, node: ast.AST, new: str, span: tuple[int, int] | None = None) -> None:
        start, end = span or self.span(node)
        line = self.text.count(b"\n", 0, start) + 1
        kind = self.kind or kind
        self.found.append(Change(self.file, line, kind, start, end, new, self.watched))

    def swap(self, kind: str, node: ast.AST, pattern: str, start: int, end: int) -> None:
        """Replace what is found first between two places, such as an operator."""
        match = re.search(pattern.encode(), self.text[start:end])
        if match and (new := OTHER.get(match[0].decode())):
            self.add(kind, node, new, (start + match.start(), start + match.end()))

    def visit(self, node: ast.AST) -> None:
        outer = self.watched
        if isinstance(node, ast.stmt) and outer:  # inside of a function: the lines of the statement
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            self.watched = (node.lineno, last)
        removable = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if isinstance(node, ast.Assign):
            removable = isinstance(node.targets[0], ast.Attribute | ast.Subscript)
        if removable or isinstance(node, STATEMENTS):
            self.add("removed", node, "pass")
        super().visit(node)
        self.watched = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self.watched = self.watched, (node.body[0].lineno, node.end_lineno)
        self.kind = "default"
        for value in filter(None, [*node.args.defaults, *node.args.kw_defaults]):
            self.visit(value)
        self.kind = None
        for statement in node.body:
            self.visit(statement)
        self.watched = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.kind = None if self.watched else "default"  # of a dataclass
            self.visit(node.value)
            self.kind = None

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave sentences alone: their places are known from Python 3.12 only."""

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":  # of zip: no sound input tells
            self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self.swap("comparison", node, COMPARISON, self.span(left)[1], self.span(right)[0])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.swap("and/or", node, r"\band\b|\bor\b", self.span(left)[1], self.span(right)[0])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        between = self.span(node.left)[1], self.span(node.right)[0]
        self.swap("sign", node, r"\*\*|//|[-+*/%&|@]", *between)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        length = {ast.Not: 3, ast.USub: 1}.get(type(node.op))
        if length:
            start = self.span(node)[0]
            self.add("sign", node, "", (start, start + length))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        end = self.span(node.func)[1]
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in OTHER:
            self.add("min/max", node, OTHER[name], (end - len(name), end))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add("constant", node, str(not value))
        elif isinstance(value, int):
            self.add("constant", node, str(value + 1))
        elif isinstance(value, float) and (value == 0 or value > 1e-6):  # smaller: a tolerance
            self.add("constant", node, repr(value * 4 if value else 1.0))
        elif isinstance(value, str) and self.kind:
            self.add("constant", node, repr(f"other than {value}"))


def core_places(file: str, text: bytes) -> list[Change]:
    """Return the changes that can be made to a file of the core, line by line."""
    found, start = [], 0
    for number, line in enumerate(text.decode("ascii").splitlines(keepends=True), 1):
        code = re.sub(r"//.*|^ *(#|using|static_assert|template).*", "", line)
        for kind, pattern in CORE_PATTERNS.items():
            for match in re.finditer(pattern, code):
                old = match[1]
                new = {"removed": ";", "constant": f"{old}+1"}.get(kind) or OTHER[old]
                at = start + match.start(1)
                found.append(Change(file, number, kind, at, at + len(old), new))
        start += len(line)
    return found


def places(folder: str, pattern: str, find: Callable[[str, bytes], list[Change]]) -> list[Change]:
    """Return the changes that can be made to the files of a folder."""
    files = sorted((ROOT / folder).rglob(pattern))
    texts = ((str(file.relative_to(ROOT)), file.read_bytes()) for file in files)
    return [change for name, text in texts for change in find(name, text)]


def drawn(changes: Sequence[Change], seed: int) -> Iterator[Change]:
    """Return all changes in an order drawn by a seed, each kind as often as the others."""
    kinds = defaultdict(list)
    for change in changes:
        kinds[change.kind].append(change)
    generator = random.Random(seed)
    for kind in sorted(kinds):
        generator.shuffle(kinds[kind])
    rounds = zip_longest(*(kinds[kind] for kind in sorted(kinds)))
    return filter(None, chain.from_iterable(rounds))
