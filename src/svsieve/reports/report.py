"""All that an analysis has found, in one object that can be read, saved and drawn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, float_vector, index_vector
from svsieve.elimination import Path
from svsieve.selection import Choice, Curve, Rule
from svsieve.selection.evaluation import Evaluation


@dataclass(frozen=True, eq=False)
class Candidate:
    """One machine that was tried: its elimination, its scores, the size chosen from them.

    Attributes
    ----------
    label : str
        Such as ``"linear SVM"``.
    path : Path
        The ranking: the elimination on all rows, or what it was joined with others to.
    curve : Curve
        Scores of the sizes, from cross-validation on the same rows.
    choice : Choice
        The size that the rule chooses from the curve, and why.
    elimination : Path, optional
        That on all rows, where `path` is not it.
    """

    label: str
    path: Path
    curve: Curve
    choice: Choice
    elimination: Path | None = None

    @property
    def walked(self) -> Path:
        """The elimination on all rows."""
        return self.path if self.elimination is None else self.elimination

    @property
    def score(self) -> float:
        """Mean score at the size chosen; nan where the curve does not have that size."""
        at = np.flatnonzero(self.curve.sizes == self.choice.size)
        return float(self.curve.mean()[at[0]]) if len(at) else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """All that an analysis has found.

    Attributes
    ----------
    title : str
    target : str
        What is predicted.
    classes : tuple of str
    class_counts : tuple of int
        Rows of each class.
    n_rows : int
    names : tuple of str
        Of all columns of the table.
    candidates : tuple of Candidate
        The first one is the one taken.
    rule : Rule
        What chose the sizes.
    chosen : int
        How many columns to keep.
    selected : ndarray of int
        Which ones, best first.
    nested : Evaluation
        Scores of the whole procedure on rows that took no part in it.
    confusion : ndarray of int, shape (n_classes, n_classes)
        Rows of a class (down) that the nested models take for a class (across).
    frequencies : ndarray of float, one per column
        Share of the outer folds that selected it.
    data_warnings, methods, citations : tuple of str
        Sentences: what is odd about the data, what was done, whom to cite.
    settings, provenance : dict
        Whatever JSON can hold.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import rules, stability
    >>> from svsieve.elimination import Path
    >>> from svsieve.reports import Candidate, Report
    >>> from svsieve.selection import Curve
    >>> from svsieve.selection.evaluation import Evaluation
    >>> curve = Curve([1, 2, 3], {"accuracy": [[0.7, 0.9, 0.9], [0.7, 0.8, 0.8]]}, chance=0.5)
    >>> path = Path.from_scores([5.0, 9.0, 2.0], ["height", "weight", "age"])
    >>> rule = rules.Best()
    >>> supports = np.array([[True, True, False], [True, True, False]])
    >>> nested = Evaluation(
    ...     scores=np.array([0.8, 0.9]), n_features=np.array([2, 2]), supports=supports,
    ...     stability=stability(supports), selection_scores=np.array([0.9, 0.9]),
    ...     interval=(0.75, 0.95), chance=0.5, metric="accuracy")
    >>> report = Report(
    ...     title="People", target="sport", classes=("chess", "judo"), class_counts=(10, 10),
    ...     n_rows=20, names=("height", "weight", "age"),
    ...     candidates=(Candidate("linear SVM", path, curve, rule.choose(curve)),), rule=rule,
    ...     chosen=2, selected=[1, 0], nested=nested, confusion=[[9, 1], [2, 8]],
    ...     frequencies=[1.0, 1.0, 0.0])
    >>> report
    Report('People': 2 of 3 columns kept, nested accuracy 0.85)
    >>> print(report.to_markdown().splitlines()[2])
    **Keep 2 of 3 columns: on new rows they give an accuracy of about 85%...
    """

    title: str
    target: str
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    n_rows: int
    names: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    rule: Rule
    chosen: int
    selected: IndexArray
    nested: Evaluation
    confusion: IndexArray
    frequencies: FloatArray
    data_warnings: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    citations: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.candidates:
            raise ValueError("candidates of a Report must hold at least one. Got none.")
        given = {
            "names": tuple(str(name) for name in self.names),
            "classes": tuple(str(label) for label in self.classes),
            "class_counts": tuple(int(count) for count in self.class_counts),
            "selected": index_vector(self.selected, "selected", len(self.names)),
            "confusion": np.asarray(self.confusion, dtype=np.int64),
            "frequencies": float_vector(self.frequencies, "frequencies", len(self.names)),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        n_classes = len(self.classes)
        if len(self.class_counts) != n_classes:
            raise ValueError(
                f"class_counts of a Report must have an entry for each of {n_classes} classes. "
                f"Got {len(self.class_counts)}."
            )
        if self.confusion.shape != (n_classes, n_classes):
            raise ValueError(
                f"confusion of a Report must have a row and a column for each of {n_classes} "
                f"classes. Got shape {self.confusion.shape}."
            )
        for candidate in self.candidates:
            for path in (candidate.path, candidate.walked):
                if path.n_columns != len(self.names):
                    raise ValueError(
                        f"the path of {candidate.label!r} must have the {len(self.names)} columns "
                        f"that are named. Got {path.n_columns}."
                    )
        best = self.best.path.order[: self.chosen]
        if not np.array_equal(np.sort(self.selected), np.sort(best)):
            raise ValueError(
                f"selected of a Report must name the best {self.chosen} columns of the path of "
                f"{self.best.label!r}. Got {self.selected.tolist()}."
            )

    def __repr__(self) -> str:
        return (
            f"Report({self.title!r}: {self.chosen} of {len(self.names)} columns kept, "
            f"nested {self.nested.metric} {self.nested.mean:.4g})"
        )

    @property
    def best(self) -> Candidate:
        """The candidate taken."""
        return self.candidates[0]

    @property
    def metric(self) -> str:
        """Name of the metric that sizes were chosen by."""
        return self.best.curve.metrics[0]

    @property
    def chance(self) -> float | None:
        """The score of `metric` that needs no column, where it is known."""
        if self.nested.chance is not None and self.nested.metric == self.metric:
            return self.nested.chance
        return self.best.curve.chance if self.metric == "accuracy" else None

    def ranking(self) -> list[dict[str, Any]]:
        """Return the columns, best first: rank, name, kept, score, frequency."""
        path = self.best.path
        scores = path.importances[::-1]
        return [
            {
                "rank": place + 1,
                "column": self.names[column],
                "kept": place < self.chosen,
                "score": float(scores[place]),
                "frequency": float(self.frequencies[column]),
            }
            for place, column in enumerate(path.order.tolist())
        ]

    def facts(self) -> dict[str, Any]:
        """Return the answer as plain values, for JSON."""
        nested, stability = self.nested, self.nested.stability
        return {
            "title": self.title,
            "target": self.target,
            "classes": dict(zip(self.classes, self.class_counts, strict=True)),
            "n_rows": self.n_rows,
            "n_columns": len(self.names),
            "n_selected": self.chosen,
            "selected": [self.names[column] for column in self.selected.tolist()],
            "machine": self.best.label,
            "reason": self.best.choice.reason,
            "nested": {
                "metric": nested.metric,
                "mean": nested.mean,
                "interval": list(nested.interval),
                "scores": nested.scores.tolist(),
                "n_selected": nested.n_features.tolist(),
                "chance": nested.chance,
                "selection_estimate": float(nested.selection_scores.mean()),
                "stability": None if stability is None else stability.nogueira,
            },
            "confusion": self.confusion.tolist(),
            "warnings": list(self.data_warnings),
            "candidates": [
                {"machine": one.label, "size": one.choice.size, "score": one.score}
                for one in self.candidates
            ],
            "settings": dict(self.settings),
            "ranking": self.ranking(),
        }

    def to_html(self) -> str:
        """Return the report as one page of HTML that needs nothing but a browser.

        Scripts and pictures are inside it, and it asks the network for nothing. Needs jinja2,
        altair and vl-convert (``pip install 'svsieve[report]'``).
        """
        from svsieve.reports.html import render

        return render(self)

    def save_html(self, file: str | os.PathLike[str]) -> None:
        """Write the page of `to_html` to a file.

        Parameters
        ----------
        file : str or path
        """
        # Half of a surrogate pair, which names read from odd files may hold, has no UTF-8.
        FilePath(file).write_bytes(self.to_html().encode("utf-8", errors="replace"))

    def to_markdown(self) -> str:
        """Return the report as Markdown, with tables in place of pictures."""
        from svsieve.reports.markdown import render

        return render(self)

    def figures(self) -> dict[str, Any]:
        """Return the pictures as figures of matplotlib, by name.

        Nothing is shown, and no figure is known to pyplot: save one with ``figure.savefig(file)``.
        """
        from svsieve.reports.report_figures import draw

        return draw(self)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        from svsieve.reports.html import render_frame

        return render_frame(self)
