"""One call for a table in any kind of file."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from svsieve.errors import MissingExtraError
from svsieve.io.binary import ArrayContents, read_h5ad, read_npz, read_parquet
from svsieve.io.cells import ColumnCells, Contents
from svsieve.io.delimited import read_delimited
from svsieve.io.labels import checked_labels, joined_labels
from svsieve.io.table import Table, position_of, refuse_repeated, shortened, some

ENDINGS = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".tab": "delimited",
    ".txt": "delimited",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".svmlight": "svmlight",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
    ".npz": "npz",
    ".h5ad": "h5ad",
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))


def read_table(
    file: str | os.PathLike[str],
    *,
    target: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    transpose: bool = False,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    only: Sequence[str] = (),
    format: str | None = None,
    need_target: bool = True,
) -> Table:
    r"""Read a table of numbers and the class of every row.

    Parameters
    ----------
    file : str or path
        By its ending: delimited text (csv, tsv, tab, txt; what divides cells and decimals is
        found), parquet, svmlight (svmlight, svm, libsvm), npz (arrays X and y) or h5ad. Text and
        svmlight may be compressed with gzip (.gz).
    target : str, optional
        The column that holds the classes; with `labels`, its name there. Not needed where the file
        has a place of its own for them (svmlight, npz), or where `labels` has one column of them.
    labels : str or path, optional
        A second file with the class of every row: by name where it has a column with the names of
        the rows, by order otherwise.
    transpose : bool, default=False
        Variables are in rows, named in the first column, and the head names the samples, as usual
        for genes. Text and parquet.
    id_column : str, optional
        The column that names the rows. A first column without a name is taken for it.
    drop : sequence of str, default=()
        Columns to leave out.
    only : sequence of str, default=()
        Columns to use; all by default.
    format : {"delimited", "parquet", "svmlight", "npz", "h5ad"}, optional
        Instead of what the ending says.
    need_target : bool, default=True
        False reads a table without classes, too.

    Returns
    -------
    Table

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from svsieve.io import read_table
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     _ = file.write_text("name;height;sport\nAnn;1,71;judo\nBob;1,80;chess\n")
    ...     read_table(file, target="sport", id_column="name")
    Table(2 rows, 1 columns, target 'sport' with classes chess: 1, judo: 1)
    """
    contents, digests = _contents(file, format)
    if transpose:
        contents = _transposed(contents)
    if not contents.n_rows:
        raise ValueError(f"{contents.file} has no rows.")
    _refuse_bad_names(contents)
    ids, used = _row_names(contents, id_column)
    cells, name, place = None, target or "target", contents.file
    if labels is not None:
        found, more = _label_file(labels)
        digests |= more
        cells, name = joined_labels(found, ids, contents.n_rows, target)
        place = found.file
    elif target is not None or contents.own_labels is not None or need_target:
        cells, name = _own_labels(contents, target, used)
    # The same name may be a column of the table and of the file with labels.
    checked = None if cells is None else checked_labels(cells, name, place)
    positions = _chosen(contents, used, drop, only)
    return Table(
        values=contents.numbers(positions),
        names=tuple(contents.names[position] for position in positions),
        labels=checked,
        target=name,
        ids=None if ids is None else tuple(ids),
        file=contents.file,
        digests=digests,
    )


# ---- files


def _contents(file: Any, format: str | None) -> tuple[Contents, dict[str, str]]:
    path = FilePath(file)
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; a table must be a file.")
    kind = format or _kind(path)
    if kind not in FORMATS:
        raise ValueError(
            f"The format of a table must be one of {', '.join(FORMATS)}. Got {format!r} instead."
        )
    data = _bytes(path)
    digests = {path.name: hashlib.sha256(data).hexdigest()}
    if not data:
        raise ValueError(f"{path.name} is empty; a table needs column names and rows.")
    if kind == "h5ad":
        return read_h5ad(path, path.name), digests
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(
                f"{path.name} is damaged: its gzip data ends early or is wrong ({error})."
            ) from None
    if kind == "delimited":
        return _with_arrow(read_delimited)(data, path.name), digests
    if kind == "parquet":
        return _with_arrow(read_parquet)(data, path.name), digests
    if kind == "npz":
        return read_npz(data, path.name), digests
    from svsieve.io.svmlight import SvmlightContents

    return SvmlightContents(data, path.name), digests


def _kind(path: FilePath) -> str:
    endings = [ending.lower() for ending in path.suffixes if ending.lower() != ".gz"]
    kind = ENDINGS.get(endings[-1] if endings else "")
    if kind is None:
        raise ValueError(
            f"{path.name}: the ending must say what a file is, one of {', '.join(ENDINGS)} "
            f"(also with .gz), or give its format, one of {', '.join(FORMATS)}."
        )
    return kind


def _bytes(path: FilePath) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"There is no file {str(path)!r}.") from None
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def _with_arrow(reader: Any) -> Any:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "Text and parquet tables are read by pyarrow: pip install 'svsieve[cli]'."
        ) from error
    return reader


def _label_file(file: Any) -> tuple[ColumnCells, dict[str, str]]:
    contents, digests = _contents(file, None)
    if not isinstance(contents, ColumnCells):
        raise ValueError(
            f"{contents.file}: labels must be delimited text or parquet, with named columns."
        )
    return contents, digests


def _transposed(contents: Contents) -> Contents:
    if not isinstance(contents, ColumnCells):
        raise ValueError(
            f"{contents.file} cannot be transposed: only delimited text and parquet have rows "
            "that are named in a column."
        )
    if len(contents.names) < 2:
        raise ValueError(f"{contents.file}: no samples stand beside the column of names.")
    return contents.transposed()


# ---- columns


def _refuse_bad_names(contents: Contents) -> None:
    names = contents.names
    refuse_repeated([name for name in names if name], "column names", contents.file)
    for position, name in enumerate(names):
        if not name and position:
            raise ValueError(
                f"{contents.file}: column {position + 1} has no name; only the first may have "
                "none, where it names the rows."
            )
    if contents.row_names is not None:
        refuse_repeated(contents.row_names, "names of rows", contents.file)


def _row_names(contents: Contents, id_column: str | None) -> tuple[list[str] | None, set[int]]:
    """Names of the rows, and the positions of variables that are used up."""
    if id_column is not None:
        at = position_of(id_column, contents.names, "id-column", contents.file)
    elif contents.names and not contents.names[0]:
        at = 0
    else:
        return contents.row_names, set()
    ids = [one or "" for one in contents.texts(at)]
    refuse_repeated(ids, f"names of rows (column {contents.names[at]!r})", contents.file)
    return ids, {at}


def _own_labels(
    contents: Contents, target: str | None, used: set[int]
) -> tuple[list[str | None], str]:
    """The labels that the file itself holds; a column of them is used up."""
    if target is None:
        if contents.own_labels is None:
            raise ValueError(
                f"{contents.file}: name the column that holds the classes with target; its columns "
                f"are {some(contents.names)}."
            )
        return contents.own_labels, "y"
    beside = contents.annotations if isinstance(contents, ArrayContents) else []
    if target in beside:
        return contents.annotation(target), target  # type: ignore[attr-defined]
    if target == "y" and contents.own_labels is not None and target not in contents.names:
        return contents.own_labels, "y"
    at = position_of(target, [*contents.names, *beside], "target", contents.file)
    if at in used:
        raise ValueError(
            f"{contents.file}: target and id-column must differ. Both are {shortened(target)}."
        )
    used.add(at)
    return contents.texts(at), target


def _chosen(
    contents: Contents, used: set[int], drop: Sequence[str], only: Sequence[str]
) -> list[int]:
    file, names = contents.file, contents.names
    where = {name: position for position, name in enumerate(names)}

    def positions(given: Sequence[str], option: str) -> set[int]:
        return {
            where[name] if name in where else position_of(name, names, option, file)
            for name in given
        }

    kept = positions(only, "only") if only else set(range(len(names)))
    kept -= positions(drop, "drop") | used
    if not kept:
        raise ValueError(f"{file} has no column left to rank.")
    return sorted(kept)
