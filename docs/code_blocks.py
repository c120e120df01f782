"""A pytest plugin that runs what the pages show: ``pytest -p docs.code_blocks docs README.md``.

The blocks of a page run in order. Those marked ``python`` share one set of names; where they hold
prompts (``>>>``), what they print is compared. Lines that begin with ``$`` in blocks marked
``console`` run in a shell and must succeed. Both work in one empty folder per page, so that a page
can write a table and then rank it. Blocks marked otherwise, such as ``text``, only show something.
"""

from __future__ import annotations

import os
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).resolve().parent.parent
PROMPT, GOES_ON = "$ ", "> "
LONGEST = 120  # seconds of one block


def commands(block: str) -> str:
    """Return the commands of a console block, without what they print."""
    lines = block.splitlines()
    return "\n".join(line[2:] for line in lines if line.startswith((PROMPT, GOES_ON)))


def run_commands(example: Example) -> None:
    """Run a console block; `svsieve` is the one of the Python that runs this."""
    script = commands(example.parsed)
    if not script:
        raise AssertionError("A console block needs a line that begins with '$ '.")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"Exit code {done.returncode} of:\n{script}\n\n{done.stdout}")


def enter_empty_folder(names: dict[str, Any]) -> None:
    """Begin a page: an empty folder, and figures that need no screen."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    names["_left"], names["_folder"] = Path.cwd(), TemporaryDirectory()
    os.chdir(names["_folder"].name)


def leave_folder(names: dict[str, Any]) -> None:
    """End a page."""
    os.chdir(names["_left"])
    names["_folder"].cleanup()


pytest_collect_file = Sybil(
    path=str(ROOT),
    patterns=["*.md"],
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE),
        CodeBlockParser("console", run_commands),
    ],
    setup=enter_empty_folder,
    teardown=leave_folder,
).pytest()
