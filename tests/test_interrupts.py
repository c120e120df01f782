"""Ctrl-C is answered by one line and the code 130 whenever it comes, in the command only."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("typer")

from svsieve import interrupts
from tests.cli.conftest import toy, write_csv

# What installers make of the entry point.
SCRIPT = (
    "import sys\nfrom svsieve.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
)
LINE = "svsieve: interrupted.\n"


def script(folder, text=SCRIPT):
    """A program of the name of the command."""
    file = folder / "svsieve"
    file.write_text(text)
    return file


def said(process):
    """What a process wrote on stderr, without the times of its imports."""
    lines = process.stderr.read().splitlines(keepends=True)
    process.stderr.close()
    return "".join(line for line in lines if not line.startswith("import time:"))


@pytest.mark.parametrize("how", ["module", "script"])
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.2])
def test_the_command_answers_from_its_first_line_on(tmp_path, how, seconds):
    write_csv(tmp_path / "table.csv", *toy(rows=60, columns=300))
    program = ["-m", "svsieve"] if how == "module" else [str(script(tmp_path))]
    options = ["rank", "table.csv", "--target", "mood", "--out", "r", "--folds", "10"]
    before = {path.name for path in tmp_path.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", *program, *options],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    while not process.stderr.readline().rstrip().endswith(" svsieve.interrupts"):
        assert process.poll() is None
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    text = said(process)
    assert process.wait(timeout=60) == 130
    assert text.startswith("svsieve: interrupted")
    assert text.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == before


def run(folder, text):
    """Run a program that is called as the command is."""
    done = subprocess.run(
        [sys.executable, str(script(folder, text))],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_what_was_opened_is_closed_after_an_interrupt_at_the_end(tmp_path):
    text = """
import os, signal, sys
from svsieve.cli import main
import atexit
atexit.register(print, "closed", flush=True)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv = ["svsieve", "info", "--json"]
main()
"""
    code, out, err = run(tmp_path, text)
    assert (code, err) == (130, LINE)
    assert out.endswith("}\nclosed\n")


def test_an_interrupt_that_was_not_heard_comes_again(tmp_path):
    text = """
import os, signal, time
from svsieve.cli.interruption import raised

class Closing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)

try:
    with raised():
        Closing()
        time.sleep(30)
except KeyboardInterrupt:
    print("heard")
"""
    begun = time.monotonic()
    assert run(tmp_path, text) == (0, "heard\n", "")
    assert time.monotonic() - begun < 25


def test_who_ignores_ctrl_c_goes_on(tmp_path):
    text = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
from svsieve.cli.interruption import raised
with raised():
    os.kill(os.getpid(), signal.SIGINT)
print("done")
"""
    assert run(tmp_path, text) == (0, "done\n", "")


def test_other_programs_are_left_alone():
    assert not interrupts.is_command()
    assert sys.unraisablehook is not interrupts._say_again
    assert signal.getsignal(signal.SIGINT) is not interrupts.end


@pytest.mark.parametrize(
    ("given", "arguments", "expected"),
    [
        (["python", "-m", "svsieve", "info"], ["-m", "info"], True),
        (["python", "-X", "dev", "-m", "svsieve.cli"], ["-m"], True),
        (
            ["/bin/python", "/usr/bin/svsieve", "rank", "t.csv"],
            ["/usr/bin/svsieve", "rank", "t.csv"],
            True,
        ),
        (["python", "svsieve.py"], ["svsieve.py"], False),
        (["python", "-c", "import svsieve"], ["-c"], False),
        (["python", "-m", "pytest", "svsieve"], ["-m", "svsieve"], False),
        (["python"], [""], False),
        # A process of joblib, which has the arguments of the one that started it.
        (["python", "-m", "joblib.externals.loky", "--pipe", "9"], ["/bin/svsieve", "rank"], False),
        (["python"], ["/bin/svsieve", "rank"], False),
    ],
)
def test_who_is_the_command(monkeypatch, given, arguments, expected):
    monkeypatch.setattr(sys, "orig_argv", given)
    monkeypatch.setattr(sys, "argv", arguments)
    assert interrupts.is_command() == expected
