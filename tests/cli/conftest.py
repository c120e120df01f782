"""The command line as users meet it: processes, files, exit codes."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyarrow")

from tests.forks import Server


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


class Shell:
    """Runs svsieve in a folder."""

    def __init__(self, server, folder):
        self._server, self.folder = server, folder
        self._files = folder / ".streams"
        self._files.mkdir()

    def start(self, *arguments, **env):
        order = {
            "arguments": [str(argument) for argument in arguments],
            "cwd": str(self.folder),
            "stdout": str(self._files / "out"),
            "stderr": str(self._files / "err"),
            "env": env,
        }
        file = self._files / "order.json"
        file.write_text(json.dumps(order))
        return self._server.ask("run", file)

    def wait(self):
        code = self._server.ask("wait")
        return Outcome(code, *((self._files / name).read_text() for name in ("out", "err")))

    def __call__(self, *arguments, **env):
        self.start(*arguments, **env)
        return self.wait()


@pytest.fixture(scope="session")
def server():
    server = Server(Path(__file__).with_name("command_server.py"))
    yield server
    server.close()


@pytest.fixture
def svsieve(server, tmp_path):
    return Shell(server, tmp_path)


def toy(rows=40, columns=12, seed=0):
    """Numbers whose third column tells two classes apart, mostly."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, columns))
    X[:, 2] += 2.0 * y
    return X.round(6), np.array(["calm", "wild"])[y]


def write_csv(file, X, y, *, delimiter=",", decimal=".", target="mood", ids=None):
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [delimiter.join([*(["id"] if ids else []), target, *names])]
    for row, label in enumerate(y):
        cells = [repr(float(value)).replace(".", decimal) for value in X[row]]
        lines.append(delimiter.join([*([ids[row]] if ids else []), str(label), *cells]))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def table(tmp_path):
    """A small table with the column `mood` as target."""
    return write_csv(tmp_path / "table.csv", *toy())


# Fast enough to be run many times.
QUICK = ("--kernel", "linear", "--folds", 3, "--inner-folds", 3)
