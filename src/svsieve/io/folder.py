"""A folder of results that is there as a whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath

from svsieve.half_done import beside, sweep, sync

MANIFEST = "manifest.json"


@contextmanager
def whole_folder(folder: str | os.PathLike[str]) -> Iterator[FilePath]:
    """Write files elsewhere and move them into a folder when all of them are written.

    Whatever goes wrong before leaves everything as it was. A folder that is not there yet appears
    as a whole. One that is there stays: its results are replaced file by file, so that the folder
    may be the current one, a link to one, or one whose own place cannot be written to.

    Parameters
    ----------
    folder : str or path
        As :func:`check_folder` allows it.

    Yields
    ------
    Path
        The folder to write to.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from svsieve.io import whole_folder
    >>> with TemporaryDirectory() as place:
    ...     with whole_folder(Path(place, "results")) as folder:
    ...         _ = Path(folder, "a.txt").write_text("a")
    ...     [file.name for file in Path(place, "results").iterdir()]
    ['a.txt']
    """
    target = check_folder(folder)
    with beside(_place(target), hidden=True, is_folder=True) as half_done:
        yield half_done
        for file in half_done.iterdir():
            sync(file)
        sync(half_done)
        if target.exists():
            _replace(target, half_done)
        else:
            half_done.rename(target)


def check_folder(folder: str | os.PathLike[str]) -> FilePath:
    """Return the folder to be written, refusing one that holds what svsieve did not write.

    Of a link it is the folder behind it.
    """
    target = FilePath(folder).resolve()
    if not target.parent.is_dir():
        raise ValueError(f"The folder {str(target.parent)!r}, for the results, does not exist.")
    if target.exists() and not target.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; the results need a folder.")
    sweep(_place(target))
    if target.is_dir():
        foreign = sorted({file.name for file in target.iterdir()} - _written(target))
        if foreign:
            raise ValueError(
                f"The folder {str(folder)!r} holds {foreign[0]!r}, which is no result of svsieve; "
                "name another folder, one that is empty or not there yet."
            )
    place = _place(target).parent
    if not os.access(place, os.W_OK):
        raise ValueError(f"The folder {str(place)!r} cannot be written to.")
    return target


def _place(target: FilePath) -> FilePath:
    """What the results bear the name of while they are written: in the folder if it is there."""
    return target / "results" if target.is_dir() else target


def _written(folder: FilePath) -> set[str]:
    """The plain files in a folder of results that its manifest names, and itself.

    A manifest may say anything: folders and links are never ours.
    """
    try:
        files = dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {
        file.name
        for file in folder.iterdir()
        if file.name in {MANIFEST, *files} and file.is_file() and not file.is_symlink()
    }


def _replace(target: FilePath, new: FilePath) -> None:
    """Move new results into a folder of old ones.

    At any moment the manifest there names whatever lies beside it, so that a run which is killed
    meanwhile leaves a folder that the next one may write to. Ctrl-C is answered when all are there.
    """
    names = {file.name for file in new.iterdir()}
    interrupted = None
    while True:
        try:
            for name in _written(target) - names:
                (target / name).unlink(missing_ok=True)
            for name in sorted(names, key=lambda name: name != MANIFEST):
                if (new / name).exists():
                    (new / name).replace(target / name)
            break
        except KeyboardInterrupt as error:
            interrupted = error
    sync(target)
    if interrupted is not None:
        raise interrupted
