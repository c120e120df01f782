"""Ctrl-C from the first line of the command on.

Loading the libraries takes seconds, in which Python would answer Ctrl-C with a traceback. A package
is loaded before the module in it that a command names, so the answer begins here, in what the
package imports first, and with modules that are there already: `signal` itself takes milliseconds.
Programs that import svsieve are not concerned; they answer Ctrl-C in their own way.
"""

import _signal as signal  # type: ignore[import-not-found]
import atexit
import os
import sys

INTERRUPTED = 130
# What `python -m NAME` and scripts of that name run.
COMMANDS = ("svsieve", "svsieve.cli")
# How long after an interrupt that was not heard the next one comes.
REMINDER_SECONDS = 0.02

# Whether Ctrl-C came after the command was done.
_late = False


def is_command() -> bool:
    """Tell whether this process runs the command, and not a program that imports svsieve.

    While the package is loaded ``sys.argv[0]`` is not known yet, and in the processes that joblib
    starts it is that of another process.
    """
    given, n_arguments = sys.orig_argv, len(sys.argv)
    if n_arguments > len(given):
        return False
    return os.path.basename(given[-n_arguments]) in COMMANDS  # noqa: PTH119


def end(*_: object) -> None:
    """End at once: there is nothing yet that would have to be closed."""
    os.write(2, b"svsieve: interrupted.\n")
    os._exit(INTERRUPTED)


def end_when_closed(*_: object) -> None:
    """End when the libraries have closed what they have opened; another Ctrl-C ends at once."""
    global _late
    _late = True
    os.write(2, b"svsieve: interrupted.\n")
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _last() -> None:
    """All is closed, and the interpreter takes itself apart, in which Ctrl-C means nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _late:
        sys.stdout.flush()
        os._exit(INTERRUPTED)


def _begin() -> None:
    # A process that ignores Ctrl-C, as in the background, goes on doing so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
        sys.unraisablehook = _say_again
        atexit.register(_last)  # first in, last out


def _say_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Where Python clears up after objects an interrupt is not heard, so there is another one."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        from threading import Timer

        reminder = Timer(REMINDER_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        reminder.daemon = True
        reminder.start()
    else:
        sys.__unraisablehook__(unraisable)


if is_command():
    _begin()
