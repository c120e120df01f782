"""What all pictures share; the only place that imports matplotlib, and only when one is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Self

from svsieve.arrays import IndexArray

# Colours of Okabe and Ito, told apart by people with any kind of colour vision.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
GREY, PALE, INK = "#767676", "#B8C4CC", "#222222"

# Sizes are shown on a logarithmic axis where there are more columns than this.
LINEAR_UP_TO = 100
LONGEST_NAME = 28

# Inches.
WIDTH, HEIGHT = 6.4, 4.2


class Display(ABC):
    """A picture that can be drawn again, elsewhere, without computing anything.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure around it.
    """

    ax_: Any
    figure_: Any

    @abstractmethod
    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure."""

    def _drawn_on(self, ax: Any) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def axes(ax: Any, *, height: float = HEIGHT) -> Any:
    """Return the axes given, or those of a new figure of some height in inches."""
    plt = _matplotlib()
    if ax is None:
        return plt.subplots(figsize=(WIDTH, height), layout="constrained")[1]
    if not hasattr(ax, "get_xaxis_transform"):
        raise TypeError(f"ax must be the axes of matplotlib, or None. Got {type(ax).__name__}.")
    return ax


def panel_axes(count: int, *, height: float = 2.3) -> list[Any]:
    """Return the axes of a new figure, three in a row, which share their vertical scale."""
    across = min(count, 3)
    down = -(-count // across)
    size = (WIDTH if across == 1 else 1.4 * WIDTH, 1.0 + height * down)
    figure, grid = _matplotlib().subplots(
        down, across, figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    for unused in grid.flat[count:]:
        figure.delaxes(unused)
    return list(grid.flat[:count])


def close(figure: Any) -> None:
    """Let go of a figure that has been written to a file."""
    _matplotlib().close(figure)


def unshown_axes(*, height: float = HEIGHT) -> Any:
    """Return the axes of a new figure that pyplot does not know, so that nothing shows it."""
    _matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained").subplots()


def size_axis(axis: Any, sizes: IndexArray) -> None:
    """Let an axis show numbers of columns: whole numbers, on a logarithmic scale if many."""
    from matplotlib.ticker import LogLocator, NullFormatter

    whole_numbers(axis)
    least, most = max(int(sizes.min()), 1), int(sizes.max())
    if most > LINEAR_UP_TO and most >= 10 * least:
        steps = (1.0,) if most >= 1000 * least else (1.0, 2.0, 5.0)
        set_scale(axis, "log")
        axis.set_major_locator(LogLocator(10.0, subs=steps))
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(_with_commas)


def whole_numbers(axis: Any) -> None:
    """Let an axis show whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(_with_commas)


def _with_commas(value: float, _: int | None = None) -> str:
    return f"{value:,.0f}"


def set_scale(axis: Any, scale: str) -> None:
    """Set the scale of one axis, which matplotlib does through the axes it belongs to."""
    setter = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale
    setter(scale)


def best_on_top(ax: Any, names: Iterable[str]) -> None:
    """Write names along the vertical axis, the first on top."""
    labels = [safe(name) for name in names]
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def legend_inside(ax: Any, loc: str = "best") -> None:
    """Put the legend into the picture; what lies under it shines through faintly."""
    ax.legend(loc=loc, edgecolor="none", framealpha=0.85)


def legend_above(ax: Any, title: str | None = None) -> None:
    """Put the legend over the picture, where it hides nothing."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=3,
        frameon=False,
        title=title,
        alignment="left",
        handlelength=1.4,
        columnspacing=1.2,
    )


def names_of(names: Sequence[str] | None, columns: IndexArray) -> list[str]:
    """Return the names of columns, ``column 7`` where there are none."""
    if names is None:
        return [f"column {j}" for j in columns.tolist()]
    return [str(names[j]) for j in columns.tolist()]


def height_of(n_rows: int) -> float:
    """Return inches for a picture with a line of text per row."""
    return max(2.4, 1.2 + 0.24 * n_rows)


def safe(name: str) -> str:
    r"""Return a name as one short line in which matplotlib sees no formula.

    Examples
    --------
    >>> from svsieve.reports.figures import safe
    >>> safe("price in $\n(net)")
    'price in \\$ (net)'
    >>> safe("a name that goes on and on and on")
    'a name that g…and on and on'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if len(text) > LONGEST_NAME:  # names that begin alike may end differently
        half = LONGEST_NAME // 2
        text = f"{text[: half - 1].rstrip()}…{text[-half:].lstrip()}"
    return text.replace("$", r"\$")


def _matplotlib() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: pip install 'svsieve[report]'."
        ) from error
    return plt
