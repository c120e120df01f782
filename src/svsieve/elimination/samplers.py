"""Samplers: which rows the machines of an iteration are trained on."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import Combine, MeanOverDeviation, PowerSum
from svsieve.elimination.checks import check_share, check_whole

Stratified: TypeAlias = bool | Literal["balanced"]


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows drawn for one machine.

    Attributes
    ----------
    rows : ndarray of int or None
        Ascending, none of them twice; None: all rows.
    counts : ndarray of float or None
        How often each was drawn; None: once.
    """

    rows: IndexArray | None = None
    counts: FloatArray | None = None


class Sampler(ABC):
    """Which rows an iteration is trained on; a subclass says `draws`."""

    #: Joins the scores of several draws; those of a single one stay as they are.
    combine: Combine = PowerSum()

    @property
    def is_random(self) -> bool:
        """Tell whether the rows depend on the seed."""
        return True

    @abstractmethod
    def draws(self, y_groups: IndexArray, size: int, iteration: int, seed: int) -> list[Draw]:
        """Return the draws of an iteration; the same arguments always give the same draws.

        Parameters
        ----------
        y_groups : ndarray of int, one per row
            Class codes. At least one row of each class is drawn.
        size : int
            Columns left.
        iteration : int
            From 1.
        seed : int
        """


@dataclass(frozen=True)
class AllRows(Sampler):
    """All rows every time.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import AllRows
    >>> AllRows().draws(np.array([0, 0, 1]), size=10, iteration=1, seed=0)
    [Draw(rows=None, counts=None)]
    """

    @property
    def is_random(self) -> bool:
        """No."""
        return False

    def draws(self, y_groups: IndexArray, size: int, iteration: int, seed: int) -> list[Draw]:
        """Return one draw of all rows."""
        return [Draw()]


@dataclass(frozen=True)
class Subsample(Sampler):
    """A share of the rows without replacement, drawn anew in each iteration.

    Parameters
    ----------
    share : float
        In (0, 1], rounded down to whole rows. Never fewer rows than classes.
    stratified : bool or "balanced", default=True
        True keeps the shares of the classes (largest remainders, at least one row each);
        "balanced" takes equally many of each class, at most what the smallest has; False draws
        from all rows alike, and a class that went empty-handed takes the place of a row of the
        class with most.
    below : int, default=0
        With no more columns than this, all rows are used.
    once : bool, default=False
        Draw once and use the same rows in all iterations: sampling beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Subsample
    >>> groups = np.repeat([0, 1], [90, 10])
    >>> (draw,) = Subsample(0.2).draws(groups, size=50, iteration=1, seed=0)
    >>> np.bincount(groups[draw.rows])
    array([18,  2])
    """

    share: float
    stratified: Stratified = True
    below: int = 0
    once: bool = False

    def __post_init__(self) -> None:
        _check(self.share, self.stratified, self.below, "Subsample")

    def draws(self, y_groups: IndexArray, size: int, iteration: int, seed: int) -> list[Draw]:
        """Return one draw."""
        if size <= self.below:
            return [Draw()]
        rng = _generator(seed, 0 if self.once else iteration)
        n, classes = len(y_groups), _rows_by_class(y_groups)
        total = _rows_of(self.share, n, len(classes))
        if self.stratified is False:
            picked = rng.choice(n, total, replace=False)
            rows = _with_every_class(picked, y_groups, classes, rng)
        else:
            counts = _counts(classes, total, self.stratified)
            capped = np.minimum(counts, min(map(len, classes)) if _balanced(self) else n)
            parts = [
                rng.choice(members, count, replace=False)
                for members, count in zip(classes, capped, strict=True)
            ]
            rows = np.concatenate(parts)
        return [Draw() if len(rows) == n else Draw(np.sort(rows))]


@dataclass(frozen=True)
class Bootstrap(Sampler):
    """Several draws with replacement in each iteration, their scores combined.

    Parameters
    ----------
    repeats : int, default=10
        Draws per iteration.
    share : float, default=1.0
        Rows in a draw as a share of all rows: in (0, 1], rounded down.
    stratified : bool or "balanced", default=True
        As in `Subsample`; "balanced" takes equally many of each class whatever their sizes.
    below : int, default=0
        With no more columns than this, all rows are used, once.
    combine : Combine, default=MeanOverDeviation()
        What becomes of the scores of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Bootstrap
    >>> draws = Bootstrap(repeats=3).draws(np.array([0, 0, 1, 1]), size=50, iteration=1, seed=0)
    >>> [float(draw.counts.sum()) for draw in draws]
    [4.0, 4.0, 4.0]
    """

    repeats: int = 10
    share: float = 1.0
    stratified: Stratified = True
    below: int = 0
    combine: Combine = field(default_factory=MeanOverDeviation)

    def __post_init__(self) -> None:
        _check(self.share, self.stratified, self.below, "Bootstrap")
        check_whole(self.repeats, "repeats", "Bootstrap", 1)

    def draws(self, y_groups: IndexArray, size: int, iteration: int, seed: int) -> list[Draw]:
        """Return one draw per repeat."""
        if size <= self.below:
            return [Draw()]
        rng = _generator(seed, iteration)
        n, classes = len(y_groups), _rows_by_class(y_groups)
        total = _rows_of(self.share, n, len(classes))
        out = []
        for _ in range(self.repeats):
            if self.stratified is False:
                picked = rng.integers(n, size=total)
                picked = _with_every_class(picked, y_groups, classes, rng)
            else:
                counts = _counts(classes, total, self.stratified)
                parts = [
                    rng.choice(members, count)
                    for members, count in zip(classes, counts, strict=True)
                ]
                picked = np.concatenate(parts)
            rows, times = np.unique(picked, return_counts=True)
            out.append(Draw(rows, times.astype(np.float64)))
        return out


def _check(share: float, stratified: Stratified, below: int, owner: str) -> None:
    check_share(share, owner, whole=True)
    if not (isinstance(stratified, bool) or stratified == "balanced"):
        raise ValueError(
            f"stratified of {owner} must be True, False or 'balanced'. Got {stratified!r}."
        )
    check_whole(below, "below", owner, 0)


def _generator(seed: int, iteration: int) -> np.random.Generator:
    """Every iteration has a generator of its own, so that a run taken up again repeats it."""
    return np.random.default_rng(np.random.SeedSequence((seed, iteration)))


def _balanced(sampler: Subsample) -> bool:
    return sampler.stratified == "balanced"


def _rows_by_class(y_groups: IndexArray) -> list[IndexArray]:
    return [np.flatnonzero(y_groups == code) for code in np.unique(y_groups)]


def _rows_of(share: float, n_rows: int, n_classes: int) -> int:
    return max(n_classes, math.floor(share * n_rows * (1.0 + 1e-12)))


def _counts(classes: list[IndexArray], total: int, stratified: Stratified) -> IndexArray:
    """How many rows of each class make up `total`."""
    if stratified == "balanced":
        return np.full(len(classes), total // len(classes))
    sizes = np.array([len(members) for members in classes])
    quota = total * sizes / sizes.sum()
    counts = np.floor(quota).astype(np.int64)
    short = total - int(counts.sum())
    counts[np.argsort(counts - quota, kind="stable")[:short]] += 1
    for empty in np.flatnonzero(counts == 0):
        counts[empty] += 1
        counts[counts.argmax()] -= 1
    return np.asarray(counts)


def _with_every_class(
    picked: IndexArray, y_groups: IndexArray, classes: list[IndexArray], rng: np.random.Generator
) -> IndexArray:
    """Give each class without a row the place of one of the class with most."""
    picked = picked.copy()
    for members in classes:
        if (y_groups[picked] == y_groups[members[0]]).any():
            continue
        codes, counts = np.unique(y_groups[picked], return_counts=True)
        crowded = np.flatnonzero(y_groups[picked] == codes[counts.argmax()])
        picked[rng.choice(crowded)] = rng.choice(members)
    return picked
