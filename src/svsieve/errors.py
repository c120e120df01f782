"""Errors that name the parts involved."""

from __future__ import annotations


class IncompatiblePartsError(ValueError):
    """Two parts that cannot work together; the message names both and what is missing."""


class MissingExtraError(ImportError, ValueError):
    """What was asked for needs a package that is not installed; the message names the extra."""


class PageError(RuntimeError):
    """The page of a report cannot be drawn on this machine; what it would show is not affected."""


def with_notes(error: BaseException) -> str:
    """Return the message of an error and the notes added to it, such as where it happened.

    Examples
    --------
    >>> from svsieve.errors import with_notes
    >>> error = ValueError("no such row")
    >>> error.add_note("This happened in fold 3.")
    >>> with_notes(error)
    'no such row. This happened in fold 3.'
    """
    message, notes = str(error), getattr(error, "__notes__", ())
    if notes and not message.endswith((".", "!", "?")):
        message += "."
    return " ".join([message, *notes])
