"""The two toy problems of Weston et al. (2001): few columns that matter, the others loud noise.

A normal variable is given here by its mean and its standard deviation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray

NOISE = 20.0
# Centres of (x_1, x_2) in the non-linear problem, by class; each class has two, equally likely.
CENTRES = {-1: ((-0.75, -3.0), (0.75, 3.0)), 1: ((3.0, -3.0), (-3.0, 3.0))}


def make_weston_linear(
    n: int, d: int = 202, rng: Any = None, *, balanced: bool = False
) -> tuple[FloatArray, IndexArray]:
    """Return rows of the linear toy problem: six columns matter, none of them in all rows.

    Both classes y = -1 and y = 1 are equally likely. A row is of the first kind with probability
    0.7: then x_1, x_2, x_3 are y times normal variables of means 1, 2, 3 and x_4, x_5, x_6 normal
    of mean 0. In rows of the second kind x_1, x_2, x_3 have mean 0 and x_4, x_5, x_6 are y times
    normal variables of means 1, 2, 3. All these have deviation 1. The other columns are normal with
    mean 0 and deviation 20.

    Parameters
    ----------
    n : int
        Rows.
    d : int, default=202
        Columns, at least 6. Rakotomamonjy (2003) has 202.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.
    balanced : bool, default=False
        Draw as many rows of one class as of the other; if n is odd, one class, drawn at random, has
        one row more.

    Returns
    -------
    X : ndarray of shape (n, d)
        Not standardised.
    y : ndarray of int, shape (n,)
        -1 or 1.

    Examples
    --------
    >>> from svsieve.datasets import make_weston_linear
    >>> X, y = make_weston_linear(50, 20, rng=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((50, 20), [-1, 1])
    """
    _check(n, d, 6, "make_weston_linear")
    generator = np.random.default_rng(rng)
    y = _classes(n, generator, balanced)
    X = generator.normal(size=(n, d))
    X[:, 6:] *= NOISE
    first = generator.random(n) < 0.7
    means = np.array([1.0, 2.0, 3.0])
    X[first, :3] = y[first, None] * (X[first, :3] + means)
    X[~first, 3:6] = y[~first, None] * (X[~first, 3:6] + means)
    return X, y


def make_weston_nonlinear(
    n: int, d: int = 52, rng: Any = None, *, balanced: bool = False
) -> tuple[FloatArray, IndexArray]:
    """Return rows of the non-linear toy problem: two columns matter, and only together.

    Both classes are equally likely. (x_1, x_2) is normal with deviation 1 about one of two centres,
    equally likely: (-3/4, -3) or (3/4, 3) for y = -1, (3, -3) or (-3, 3) for y = 1. The other
    columns are normal with mean 0 and deviation 20.

    Parameters
    ----------
    n : int
        Rows.
    d : int, default=52
        Columns, at least 2. Rakotomamonjy (2003) has 52.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.
    balanced : bool, default=False
        Draw as many rows of one class as of the other; if n is odd, one class, drawn at random, has
        one row more.

    Returns
    -------
    X : ndarray of shape (n, d)
        Not standardised.
    y : ndarray of int, shape (n,)
        -1 or 1.

    Examples
    --------
    >>> from svsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(50, rng=0, balanced=True)
    >>> X.shape, int(y.sum())
    ((50, 52), 0)
    """
    _check(n, d, 2, "make_weston_nonlinear")
    generator = np.random.default_rng(rng)
    y = _classes(n, generator, balanced)
    X = generator.normal(size=(n, d))
    X[:, 2:] *= NOISE
    centres = np.array([CENTRES[-1], CENTRES[1]])
    X[:, :2] += centres[(y + 1) // 2, generator.integers(2, size=n)]
    return X, y


def _classes(n: int, generator: np.random.Generator, balanced: bool) -> IndexArray:
    """Labels -1 and 1."""
    if not balanced:
        return 2 * generator.integers(2, size=n) - 1
    y = np.where(np.arange(n) % 2 == generator.integers(2), 1, -1)
    return generator.permutation(y)


def _check(n: Any, d: Any, least: int, owner: str) -> None:
    for name, value, smallest in (("n", n, 1), ("d", d, least)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < smallest:
            raise ValueError(
                f"{name} of {owner} must be a whole number of at least {smallest}. Got {value!r}."
            )
