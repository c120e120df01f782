"""Public benchmark sets, read from a folder of npz files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import FloatArray

FOLDER_VARIABLE = "SVSIEVE_DATA"

# Name of the set, and its file.
FILES = {
    "arcene": "arcene.npz",
    "colon": "colon.npz",
    "lymphoma": "lymphoma.npz",
    "madelon": "madelon.npz",
    **{
        f"ida-{name.replace('_', '-')}": f"ida_{name}.npz"
        for name in (
            "banana",
            "breast_cancer",
            "diabetis",
            "flare_solar",
            "german",
            "heart",
            "image",
            "splice",
            "thyroid",
            "titanic",
        )
    },
}


class MissingDataError(FileNotFoundError):
    """A public data set is not where it is looked for."""


@dataclass(frozen=True, eq=False)
class PublicSet:
    """A table with labels as its authors gave them, nothing scaled.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
    more : dict of str to ndarray
        What else the file holds: indices of training and test rows (``train_idx``), for instance.
    """

    name: str
    X: FloatArray
    y: NDArray[Any]
    more: dict[str, NDArray[Any]] = field(default_factory=dict)


def load_public(name: str) -> PublicSet:
    """Return a public benchmark set.

    Parameters
    ----------
    name : str
        "madelon", "arcene", "colon", "lymphoma", or one of the IDA sets such as "ida-heart".

    Returns
    -------
    PublicSet

    Raises
    ------
    MissingDataError
        If the file is not in the folder named by the environment variable ``SVSIEVE_DATA``, nor,
        without one, in ``../shared/data`` beside the working folder.

    Examples
    --------
    >>> from svsieve.datasets import load_public
    >>> load_public("iris")
    Traceback (most recent call last):
    ValueError: name of load_public must be one of arcene, colon, ... Got 'iris' instead.
    """
    if name not in FILES:
        raise ValueError(
            f"name of load_public must be one of {', '.join(FILES)}. Got {name!r} instead."
        )
    folder = public_folder()
    path = folder / FILES[name]
    if not is_there(name):
        raise MissingDataError(
            f"The data set {name} needs the file {FILES[name]}, which is not in {folder}. Set the "
            f"environment variable {FOLDER_VARIABLE} to the folder that holds it."
        )
    with np.load(path, allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    X, y = np.ascontiguousarray(arrays.pop("X"), dtype=np.float64), arrays.pop("y")
    return PublicSet(name, X, y, arrays)


def is_there(name: str) -> bool:
    """Tell whether the file of a public benchmark set is where `load_public` looks for it.

    Examples
    --------
    >>> from svsieve.datasets import is_there
    >>> isinstance(is_there("madelon"), bool)
    True
    """
    return (public_folder() / FILES[name]).is_file()


def public_folder() -> Path:
    """Return the folder in which public data sets are looked for."""
    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else Path.cwd().parent / "shared" / "data"
