"""What a published table or figure is to this package: cells to measure, numbers to set beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from svsieve.reproduce.published import PublishedCell

Settings: TypeAlias = dict[str, float | int | str]


class Effort(StrEnum):
    """How much of a protocol is run."""

    SMOKE = "smoke"  # seconds: that the code runs
    QUICK = "quick"  # two minutes: some cells, so that one can see what comes out
    FULL = "full"  # the published protocol


@dataclass(frozen=True)
class Quantity:
    """One of the numbers in a cell.

    Parameters
    ----------
    name : str
        As measurements and published cells have it.
    judged : bool, default=False
        Whether the number has a verdict. Without one it is shown beside the published one.
    relative_to : dict, optional
        Both numbers are divided by those of the cell with these settings in place of its own. For
        times, which mean something within one run only. None takes a setting away.
    exact : bool, default=False
        No noise: the two must be equal. Such numbers are judged.
    share : bool, default=False
        The measured number is a share of its runs, and is compared with a published share of so
        many runs by an exact test.
    whole : bool, default=False
        A whole number on a grid, such as a size. A few runs of a cell may give the same by chance,
        which says nothing about its noise: no deviation is taken to be below that of the grid, and
        one that comes from runs of the page's cells is shared by all.
    percent : bool, default=False
        Shares that are written as per cent.
    digits : int, default=3
        After the point, in tables.
    drawn_only : bool, default=False
        For the figure and the CSV file, not for tables: the points of a curve.
    """

    name: str
    judged: bool = False
    relative_to: Mapping[str, float | int | str | None] | None = None
    exact: bool = False
    share: bool = False
    whole: bool = False
    percent: bool = False
    digits: int = 3
    drawn_only: bool = False

    @property
    def timed(self) -> bool:
        """Whether it is a time, which no run gives twice."""
        return self.relative_to is not None or self.name.startswith(("seconds", "time"))

    @property
    def label(self) -> str:
        """Its name for people."""
        if self.relative_to is not None:
            told = {key: value for key, value in self.relative_to.items() if value is not None}
            reference = ", ".join(
                value if isinstance(value, str) else f"{key} {value:g}"
                for key, value in told.items()
            )
            return f"{self.name} / that of {reference}"
        return self.name.replace("_", " ") + (" %" if self.percent else "")

    def reference(self, cell: Mapping[str, float | int | str]) -> Settings:
        """Return the settings of the cell that a cell is relative to."""
        found = {**cell, **(self.relative_to or {})}
        return {key: value for key, value in found.items() if value is not None}

    def shown(self, value: float) -> str:
        """Return a value as tables have it."""
        return f"{100 * value:.{self.digits}f}" if self.percent else f"{value:.{self.digits}f}"


@dataclass(frozen=True)
class Measurement:
    """What one run of a protocol says about one cell.

    Attributes
    ----------
    cell : dict
        The settings that tell it from other cells.
    values : dict of str to float
        By the name of the quantity.
    errors : dict of str to float
        Standard errors that the run itself knows, from its folds, where there are any.
    """

    cell: Settings
    values: dict[str, float]
    errors: dict[str, float] = field(default_factory=dict)


class Experiment(ABC):
    """The protocol of a published table or figure.

    A subclass fills the attributes, lists its cells and measures one of them, once. All else
    (repeating, storing, comparing, pages, the command line) is done for it. An instance called
    ``EXPERIMENT`` in a module below :mod:`svsieve.reproduce` is found by itself.

    Attributes
    ----------
    id : str
        Such as "planas-5.2".
    also : tuple of str
        Other tables that the same runs fill, such as that of the times.
    title : str
    notes : str
        What a reader must know: where text and code of the source differ, what was found.
    quantities : tuple of Quantity
    x, series, y : str
        What the figure shows: a setting along the axis (numbers, or words such as names of data
        sets), one that tells the lines apart, a quantity.
    panels : tuple of str
        Settings that are not told apart by lines but by pictures side by side.
    log_x : bool
    data_sets : tuple of str
        Public data sets needed, as :func:`svsieve.datasets.load_public` names them.
    settled : str
        What was chosen after the printed numbers had been seen, in one line; empty: nothing.
    one_run : bool
        The published numbers come from one run. Where no standard errors were printed, their noise
        is taken to be that of one run here.
    again : str
        A setting that only cells have which are run once more in another way: with other random
        numbers ("seed") or from another start ("start"). They tell how far two runs are apart.
    noise_by : tuple of str
        Settings on which the noise of sizes hangs, of which folds say nothing: cells are as noisy
        as one that was run again and has the same values there.
    folds : int
        How many folds the errors come from that runs know and tables print.
    same_splits : bool
        Published and measured numbers come from the same splits, so that only differences between
        searches on a split are noise: those between starts.
    fewer_folds_when_quick : bool
        A quick run trains on fewer rows, and is not judged.
    """

    id: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    notes: ClassVar[str] = ""
    quantities: ClassVar[tuple[Quantity, ...]]
    x: ClassVar[str]
    series: ClassVar[str]
    y: ClassVar[str]
    panels: ClassVar[tuple[str, ...]] = ()
    log_x: ClassVar[bool] = False
    data_sets: ClassVar[tuple[str, ...]] = ()
    settled: ClassVar[str] = ""
    one_run: ClassVar[bool] = False
    again: ClassVar[str] = ""
    noise_by: ClassVar[tuple[str, ...]] = ()
    folds: ClassVar[int] = 7
    same_splits: ClassVar[bool] = False
    fewer_folds_when_quick: ClassVar[bool] = False

    @abstractmethod
    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return what is run, one after the other."""

    @abstractmethod
    def repeats(self, effort: Effort) -> int:
        """Return how often each is run, with other random numbers."""

    @abstractmethod
    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Run one of `cells` once. It may say something about several cells of the table."""

    def published(self) -> list[PublishedCell]:
        """Return the published cells; none where a figure has no numbers."""
        return []

    def printed_cells(self, **more: float | int | str) -> list[Settings]:
        """Return the settings of the published cells, and some more for all of them."""
        return [{**one.cell, **more} for one in self.published()]

    def why_not_comparable(self, cell: Settings) -> str:
        """Return why a measured cell says nothing about the published one; empty: it does."""
        return ""

    def reason(self, cell: Settings) -> str:
        """Return why a cell differs from the published one, and the check that shows it.

        It is shown beside the verdict of what differs, and changes nothing in it. Empty: no reason
        is known.
        """
        return ""

    def tolerance(self, cell: Settings) -> float:
        """Return how far a cell may be from the published one; 0: as far as noise goes."""
        return 0.0

    def sample(self) -> Settings:
        """Return which of the cells of the full protocol shows that a result still holds."""
        return next(iter(self.cells(Effort.FULL)))
