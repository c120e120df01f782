"""Reports for tests, made from small tables the long way round."""

from __future__ import annotations

import dataclasses
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFECV, evaluate, rules, stability
from svsieve.elimination import Path
from svsieve.reports import Candidate, Report
from svsieve.selection import Choice, Curve
from svsieve.selection.evaluation import Evaluation
from svsieve.selection.rules import resolve_rule

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror='window.hacked = 3'>",
    '" onmouseover="window.hacked = 4" x=\'',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    'a,b;"c"\nsecond line',
    "x" * 10_000,
    "long words " * 900,
    "\u202egnirts desrever\u202c",
    "\u0627\u0644\u062a\u0639\u0628\u064a\u0631 \u0627\u0644\u062c\u064a\u0646\u064a",
    "{{ 7 * 7 }}{% raw %}",
    "<!-- <script>",
    "$x_1^2$ \\frac",
    "&lt;b&gt; &amp;",
    "| pipe | `tick` *star* _under_ [link](javascript:alert(1))",
    "constructor",
    "__proto__",
    "\u0000null\u0007bell",
    "",
    "\U0001f9ec gene",
)


def report_of(
    X: Any, y: Any, names: Any, *, rule: Any = "one-se", step: Any = 1, cv: int = 5, **given: Any
) -> Report:
    """Return the report of a linear and a Gaussian machine, all of it computed."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    folds = StratifiedKFold(cv, shuffle=True, random_state=0)
    candidates = []
    for kernel, label in (("linear", "linear SVM"), ("rbf", "Gaussian SVM")):
        machine = make_pipeline(StandardScaler(), SVC(kernel=kernel))
        selector = SVMRFECV(machine, step=step, cv=folds, rule=rule)
        found = selector.fit(X, codes)
        candidates.append((selector, Candidate(label, found.path_, found.curve_, found.choice_)))
    selector, best = candidates[0]
    nested = evaluate(selector, X, codes, cv=folds)
    predicted = cross_val_predict(selector, X, codes, cv=folds)
    facts: dict[str, Any] = {
        "title": "A table",
        "target": "class",
        "settings": {"C": 1.0, "step": step, "folds": cv, "seed": 0},
        "methods": (
            "Columns were ranked by recursive elimination with a linear support vector machine.",
            "All scaling, ranking and choosing was done inside the training rows of each fold.",
        ),
        "citations": (
            "I. Guyon, J. Weston, S. Barnhill, V. Vapnik (2002). Gene selection for cancer "
            "classification using support vector machines. Machine Learning 46, 389-422.",
        ),
        "provenance": {"svsieve": "0.1.0", "table": "table.csv", "sha256": "0123456789abcdef" * 4},
    }
    return Report(
        **(facts | given),
        classes=tuple(str(label) for label in classes),
        class_counts=tuple(np.bincount(codes).tolist()),
        n_rows=len(codes),
        names=tuple(names),
        candidates=tuple(candidate for _, candidate in candidates),
        rule=resolve_rule(rule),
        chosen=best.choice.size,
        selected=best.path.top(best.choice.size),
        nested=nested,
        confusion=confusion_matrix(codes, predicted),
        frequencies=nested.supports.mean(axis=0),
    )


def breast_cancer() -> Report:
    """Return the report of a table that everybody has."""
    data = load_breast_cancer()
    labels = data.target_names[data.target]
    return report_of(
        data.data,
        labels,
        data.feature_names,
        title="Breast cancer, Wisconsin",
        target="diagnosis",
        data_warnings=(
            "'mean radius' and 'mean perimeter' are nearly the same (correlation 0.998): either "
            "can stand for the other.",
        ),
    )


def hostile() -> Report:
    """Return the report of a table whose names mean harm."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, len(HOSTILE)))
    X[:, :12] += 0.9 * (y[:, None] == np.arange(12) % 3)
    classes = np.array(["<b>one</b>", "=two", 'three\' "3"'])
    return report_of(
        X,
        classes[y],
        HOSTILE,
        title="</title><script>window.hacked = 5</script>",
        target="<i>target</i>",
        data_warnings=("Column '<u>x</u>' is constant.",),
        methods=("Done with <em>care</em>.",),
        settings={"<key>": "</script><script>window.hacked = 6</script>"},
        citations=("A & B <2002>.",),
        provenance={"file": "<svg onload=window.hacked=7>.csv"},
    )


def wide(n_columns: int = 3000) -> Report:
    """Return the report of many columns and few rows."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, n_columns))
    X[:, :10] += 0.9 * y[:, None]
    names = [f"gene {j:05d}" for j in range(n_columns)]
    return report_of(X, y, names, step=0.3, cv=3, title="Wide", rule="scalarised")


def small(**changes):
    """A report of three columns, made by hand."""
    curve = Curve(
        [1, 2, 3],
        {"accuracy": [[0.7, 0.9, 0.9], [0.7, 0.8, 0.8]]},
        {"accuracy": [[0.8, 0.95, 1.0], [0.8, 0.95, 1.0]]},
        chance=0.5,
    )
    path = Path.from_scores([5.0, 9.0, 2.0])
    supports = np.array([[True, True, False], [True, True, False]])
    nested = Evaluation(
        scores=np.array([0.8, 0.9]),
        n_features=np.array([2, 2]),
        supports=supports,
        stability=stability(supports),
        selection_scores=np.array([0.9, 0.9]),
        interval=(0.75, 1.05),
        chance=0.5,
        metric="accuracy",
    )
    given = {
        "title": "People",
        "target": "sport",
        "classes": ("chess", "judo"),
        "class_counts": (10, 10),
        "n_rows": 20,
        "names": ("height", "weight", "age"),
        "candidates": (Candidate("linear SVM", path, curve, Choice(2, "Two are best.")),),
        "rule": rules.Best(),
        "chosen": 2,
        "selected": [1, 0],
        "nested": nested,
        "confusion": [[9, 1], [2, 8]],
        "frequencies": [1.0, 1.0, 0.0],
    }
    return Report(**(given | changes))


def nested_with(**changes):
    return dataclasses.replace(small().nested, **changes)


class Page(HTMLParser):
    """What a page holds: its tags, the text it shows, the scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.shown, self.scripts, self.inside = [], [], {}, None
        self.feed(text)
        self.text = " ".join(" ".join(self.shown).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside = dict(attrs).get("id", tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside = None

    def handle_data(self, data):
        if self.inside is None:
            self.shown.append(data)
        else:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + data

    def json(self, name):
        return json.loads(self.scripts[name])
