"""A process that runs the command line in a process of its own for every line it reads.

The libraries are loaded once, here; each command is a fork with its own session, as a terminal
would give it, and its own files for stdout and stderr. A line is "run FILE", with a JSON file of
arguments and folders, or "wait", which answers with the exit code.
"""

import json
import os
import sys
from pathlib import Path

from svsieve.cli.app import run


def start(order):
    child = os.fork()
    if child:
        return child
    os.setsid()
    os.chdir(order["cwd"])
    for stream, name in ((1, "stdout"), (2, "stderr")):
        handle = os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, stream)
    os.environ.pop("SVSIEVE_DEBUG", None)
    os.environ.update(order["env"])
    code = 99
    try:
        code = run(order["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve():
    child = 0
    for line in sys.stdin:
        words = line.split()
        if words == ["wait"]:
            answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            child = answer = start(json.loads(Path(words[1]).read_text()))
        os.write(1, f"{answer}\n".encode())


if __name__ == "__main__":
    serve()
