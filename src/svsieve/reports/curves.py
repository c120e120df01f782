"""A picture of scores against the number of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from svsieve.reports.figures import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    Display,
    axes,
    legend_inside,
    safe,
    size_axis,
)
from svsieve.reports.fitted import fitted_part
from svsieve.selection import Choice, Curve, Rule
from svsieve.selection.rules import AtMost, Scalarised, resolve_rule

# With more sizes than this, marks on the line would hide it: they go to the foot of the picture.
MARKED_UP_TO = 60


@dataclass(eq=False)
class CurveDisplay(Display):
    """Scores on held-out rows and on training rows against the number of columns.

    The band around the held-out scores is one standard error wide on either side. Marks stand at
    the sizes visited, a dotted line at the size chosen. Where a :class:`svsieve.rules.Scalarised`
    rule chose it, a dash-dotted line shows its trade-off: all sizes and scores that would be as
    good as the one chosen. No point of the curve lies above it.

    Parameters
    ----------
    curve : Curve
    metric : str, optional
        Which one is shown; the first of the curve by default.
    choice : Choice, optional
        The size chosen.
    rule : Rule, optional
        What chose it.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> from svsieve import rules
    >>> from svsieve.reports import CurveDisplay
    >>> from svsieve.selection import Curve
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.8, 0.9], [0.5, 0.9, 0.9]]}, chance=0.5)
    >>> display = CurveDisplay.from_curve(curve, rule=rules.Scalarised(0.8, 0.2))
    >>> display.choice.size
    2
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['held out', 'chance', 'trade-off 0.8 : 0.2', '2 columns chosen']
    """

    curve: Curve
    metric: str | None = None
    choice: Choice | None = None
    rule: Rule | None = None

    def __post_init__(self) -> None:
        self.metric = self.curve.metric(self.metric)

    @classmethod
    def from_curve(
        cls,
        curve: Curve,
        *,
        metric: str | None = None,
        rule: str | Rule | None = None,
        choice: Choice | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a curve, and what a rule chooses from it.

        Parameters
        ----------
        curve : Curve
        metric : str, optional
            Which one is shown; the first of the curve by default.
        rule : str or Rule, optional
            What chooses, from the metric shown; see :mod:`svsieve.rules`.
        choice : Choice, optional
            What was chosen; that of the rule by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the line of held-out scores, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        CurveDisplay
        """
        made, choice = _chosen(curve, metric, rule, choice, cls.__name__)
        return cls(curve, metric, choice, made).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        metric: str | None = None,
        rule: str | Rule | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted SVMRFECV, and the size it has chosen.

        Parameters
        ----------
        estimator : SVMRFECV
        metric, ax, **kwargs
            As in `from_curve`.
        rule : str or Rule, optional
            Show what this one would choose from the metric shown; the choice of the estimator by
            default.

        Returns
        -------
        CurveDisplay
        """
        curve = fitted_part(estimator, "curve_", cls.__name__)
        given, choice = chosen_by(estimator, metric) if rule is None else (rule, None)
        return cls.from_curve(curve, metric=metric, rule=given, choice=choice, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the line of held-out scores, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        CurveDisplay
        """
        ax = axes(ax)
        curve, sizes = self.curve, self.curve.sizes
        name = curve.metric(self.metric)
        mean, error = curve.mean(name), curve.standard_error(name)
        few = len(sizes) <= MARKED_UP_TO
        style = {"color": BLUE, "marker": "o" if few else "", "markersize": 4} | kwargs
        (line,) = ax.plot(sizes, mean, **({"label": "held out", "zorder": 3} | style))
        if np.isfinite(error).any():
            colour = line.get_color()
            ax.fill_between(sizes, mean - error, mean + error, color=colour, alpha=0.2, lw=0)
        if curve.train is not None:
            train = {"color": ORANGE, "marker": "s" if few else "", "markersize": 3, "ls": "--"}
            ax.plot(sizes, curve.train[name].mean(axis=0), label="training rows", **train)
        if curve.chance is not None and name == "accuracy":
            ax.axhline(curve.chance, color=GREY, lw=1, ls=":", label="chance")
        size_axis(ax.xaxis, np.append(sizes, curve.n_columns))
        if not few:
            foot = np.zeros(len(sizes))
            ax.plot(sizes, foot, "|", color=BLUE, ms=6, transform=ax.get_xaxis_transform())
        ax.set_xlabel("columns")
        ax.set_ylabel(safe(name))
        self._mark_choice(ax)
        legend_inside(ax)
        return self._drawn_on(ax)

    def _mark_choice(self, ax: Any) -> None:
        """Mark the size chosen, and what would have been as good."""
        if self.choice is None:
            return
        size, rule = self.choice.size, self.rule
        while isinstance(rule, AtMost):
            rule = rule.rule
        height = score_at(self.curve, size, self.metric)
        if isinstance(rule, Scalarised) and rule.w_accuracy > 0.0 and np.isfinite(height):
            limits = ax.get_ylim()  # the line may leave the picture
            reach = np.geomspace(self.curve.sizes[0], self.curve.sizes[-1], 200)
            slope = rule.w_size / rule.w_accuracy / self.curve.n_columns
            label = f"trade-off {rule.w_accuracy:g} : {rule.w_size:g}"
            ax.plot(reach, height + slope * (reach - size), color=GREY, ls="-.", lw=1, label=label)
            ax.set_ylim(limits)
        mark_chosen(ax, size, height)


def mark_chosen(ax: Any, size: int, height: float) -> None:
    """Mark the size chosen by a line, and by a diamond where its score is known."""
    label = f"{size:,} column{'' if size == 1 else 's'} chosen"
    ax.axvline(size, color=INK, lw=1, ls=":", zorder=2, label="" if np.isfinite(height) else label)
    if np.isfinite(height):
        style = {"marker": "D", "markersize": 8, "markerfacecolor": "none", "zorder": 4}
        ax.plot([size], [height], color=INK, ls="none", label=label, **style)


def score_at(curve: Curve, size: int, metric: str | None) -> float:
    """Return the mean score of a size; nan if the curve does not have it."""
    found = np.flatnonzero(curve.sizes == size)
    return float(curve.mean(metric)[found[0]]) if len(found) else float("nan")


def chosen_by(estimator: Any, metric: str | None) -> tuple[Rule | None, Choice | None]:
    """Return the rule that made the choice of an estimator from a metric, and the choice.

    The rule is None if the choice comes from another one (after ``select``) or another metric.
    """
    curve: Curve = estimator.curve_
    choice: Choice | None = getattr(estimator, "choice_", None)
    rule = getattr(estimator, "rule", None)
    if choice is None or rule is None or curve.metric(metric) != curve.metrics[0]:
        return None, choice
    made = resolve_rule(rule)
    return (made if made.choose(curve) == choice else None), choice


def _chosen(
    curve: Curve,
    metric: str | None,
    rule: str | Rule | None,
    choice: Choice | None,
    owner: str,
) -> tuple[Rule | None, Choice | None]:
    made = None if rule is None else resolve_rule(rule, owner=owner)
    if made is not None and choice is None:
        choice = made.choose(curve, metric)
    return made, choice
