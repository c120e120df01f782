"""Pages that say how four classes differ from those of scikit-learn that they stand for.

What differs is found by looking at both: their signatures, and what instances that are fitted to
the same rows have. Each difference found needs a sentence below, and each sentence a difference:
where one is missing or has become untrue, the site is not built. Sphinx calls `write_pages`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE, RFECV
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import OneClassSVM

from svsieve import SVC, SVMRFE, SVMRFECV, OneClassSVC

FOLDER = Path(__file__).resolve().parent / "reference" / "differences"
REQUEST = re.compile(r"set_\w+_request")  # made by scikit-learn for metadata routing
SAME = ""

KERNELS = (
    '"sigmoid", "precomputed" and functions are not taken, since columns cannot be left out of '
    'them; "laplace" and objects of `svsieve.kernels` are.'
)
NO_EFFECT = "Taken, without effect: the solver leaves rows at their bounds aside while it may."
SILENT = "Taken, without effect: nothing is printed."
CACHE = (
    "In MB, as there; another default. The whole matrix is held where it fits, the rows last used "
    "otherwise."
)
TOL = (
    "The same unit. Problems of up to 200 rows are always solved to the last digits; where "
    "rounding allows no more, a warning says what was reached."
)
WEIGHTED = (
    "Negative weights are refused. A row of weight 2 counts as two rows throughout, in "
    '`gamma="scale"` too.'
)
DENSE = "Dense also after a fit to sparse rows, where that is sparse"
READ_ONLY = f"{DENSE}; read-only, as there."
EITHER_FORM = "Takes sparse rows after a fit to dense ones, too."
OWN_WORDS = (
    "Errors and warnings are of the same classes as there, in words of their own. What "
    "scikit-learn keeps for libsvm in names with an underscore in front, such as `_dual_coef_` "
    "and `_gamma`, is not there; `kernel_` has the gamma."
)
MACHINES_REFUSE = (
    "Missing values, labels of more than one column and folds with one class alone are refused, as "
    "scikit-learn's support vector machines refuse them; `RFE` takes what its estimator takes."
)
KERNEL_KEPT = "The kernel used, its gamma a number."
GAP = "How far from the optimum the solution is: the largest KKT gap."
PARTS = {
    "criterion": "What a column is worth; `RFE` has the squares of `coef_`, as the default here.",
    "sampler": "Rows that a step is solved on.",
    "stop": "When to stop early.",
    "combine": "How the scores of several classes become one; the default is the sum, as in `RFE`.",
    "keep": "Columns that are never dropped.",
    "spare": "Which of the columns about to go stay, such as one of a correlated group.",
    "random_state": "Seed of the sampler.",
    "checkpoint": "A file from which a killed run goes on.",
    "progress": "Columns left and time left on stderr, in the place of `verbose`.",
}
ELIMINATION = {
    "estimator": (
        'Has a default, `SVC(kernel="linear")`. Support vector machines only, alone or after '
        "transformers that leave each column a column; of any kernel, where `RFE` needs `coef_`. "
        "Other classifiers, regressors and estimators of one's own come in a later release."
    ),
    "verbose": "See `progress`.",
    "importance_getter": "See `criterion`, which looks at the machine and not at an attribute.",
    **PARTS,
}
STEP = (
    "A float is a share of the columns that remain, in `RFE` of those at the beginning: that is "
    "`schedules.FractionOfOriginal`. Names, lists of sizes and objects are taken too."
)
PATH = "The whole elimination: order, scores, margins, gaps reached, ties, times."
CALLBACKS = "For scikit-learn's callbacks, with release 1.9 or later."
SOLVED = (
    "Every step is solved to a KKT gap of 1e-8 as far as rounding allows, whatever the tolerance "
    "of the estimator; rankings at 1e-3 depend on the solver. Of equal scores the lower index goes "
    "first, and `path_.tied` says where that decided."
)


@dataclass(frozen=True)
class Peers:
    """A class of scikit-learn and the one that stands for it.

    Attributes
    ----------
    peer, ours : estimator
        Not fitted.
    differs : mapping of str to str
        A sentence for every name that one of them lacks, or that has another default or form.
    means : mapping of str to str
        A sentence for names that both have, of which only the meaning is another.
    otherwise : tuple of str
        What is no matter of a name.
    """

    peer: Any
    ours: Any
    differs: Mapping[str, str]
    means: Mapping[str, str]
    otherwise: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the class here."""
        return type(self.ours).__name__


LINEAR = PeerSVC(kernel="linear")

PEERS = (
    Peers(
        PeerSVC(kernel="linear"),
        SVC(kernel="linear"),
        differs={
            "slack": 'Linear or squared slacks; "l1" is what scikit-learn has.',
            "cache_size": CACHE,
            "probability": (
                "Not deprecated. Equal rows share a fold, and the folds do not depend on the order "
                "of the rows."
            ),
            "kernel_": KERNEL_KEPT,
            "kkt_gap_": GAP,
        },
        means={
            "C": "Infinity, the hard margin, is refused in one sentence where classes overlap.",
            "kernel": KERNELS,
            "gamma": "Also `PerFeature`, a number per column kept.",
            "coef0": "Not negative: the kernel would not be positive semi-definite.",
            "tol": TOL,
            "shrinking": NO_EFFECT,
            "verbose": SILENT,
            "class_weight": (
                '"balanced" counts rows by their weights, where scikit-learn counts each as one. A '
                "class that `y` does not have is refused."
            ),
            "decision_function_shape": (
                'As there, the largest of the values of pairs ("ovo") does not name the class.'
            ),
            "coef_": READ_ONLY,
            "dual_coef_": f"{DENSE}.",
            "predict": EITHER_FORM,
            "probA_": "Not deprecated; of the folds of `probability`, so that digits differ.",
            "probB_": "Not deprecated; of the folds of `probability`, so that digits differ.",
            "fit": WEIGHTED,
        },
        otherwise=(OWN_WORDS,),
    ),
    Peers(
        OneClassSVM(kernel="linear"),
        OneClassSVC(kernel="linear"),
        differs={
            "cache_size": CACHE,
            "offset_": "A number; an array of one number there.",
            "kernel_": KERNEL_KEPT,
            "kkt_gap_": GAP,
        },
        means={
            "kernel": KERNELS,
            "gamma": "Also `PerFeature`, a number per column kept.",
            "coef0": "Not negative: the kernel would not be positive semi-definite.",
            "tol": TOL,
            "shrinking": NO_EFFECT,
            "verbose": SILENT,
            "coef_": READ_ONLY,
            "dual_coef_": f"{DENSE}.",
            "predict": EITHER_FORM,
            "fit": WEIGHTED,
        },
        otherwise=(OWN_WORDS,),
    ),
    Peers(
        RFE(LINEAR),
        SVMRFE(LINEAR),
        differs={
            **ELIMINATION,
            "retune": "C and the parameters of the kernel, tuned again on the way.",
            "path_": PATH,
            "set_callbacks": CALLBACKS,
        },
        means={
            "step": STEP,
            "n_features_to_select": "None is half of the columns, as there; less with `stop`.",
            "fit": "Takes `sample_weight`; machines of one class need no `y`.",
        },
        otherwise=(SOLVED, MACHINES_REFUSE),
    ),
    Peers(
        RFECV(LINEAR),
        SVMRFECV(LINEAR),
        differs={
            **ELIMINATION,
            "cv": "5 is what None is there.",
            "scoring": (
                "Accuracy is what None is there. Several metrics as a list or dict, of which the "
                "first chooses."
            ),
            "rule": "How a size is chosen from the curve; there it is always the best.",
            "choice_": "The size chosen, and one sentence why.",
            "curve_": "The scores of all folds and sizes, in the form that rules take.",
            "cv_results_": (
                "A mapping with the same names, of which supports and rankings are made when they "
                "are asked for."
            ),
            "path_": PATH,
            "paths_": "The same for the folds.",
            "stability_": "How much the folds agree on the columns.",
            "select": "Another size afterwards; nothing but `estimator_` is fitted again.",
            "set_callbacks": CALLBACKS,
        },
        means={
            "step": STEP,
            "score": (
                "By `scoring`, as there; a function of one's own is given `estimator_` and the "
                "columns kept, as in `fit`, and not the selector and all columns."
            ),
            "fit": "Takes `sample_weight`, which scorers that take weights are given, too.",
        },
        otherwise=(
            SOLVED,
            MACHINES_REFUSE,
            "Metrics of classes and decision values are answered by the machines of the "
            "elimination; nothing is fitted twice. Other scorers are given the estimator fitted "
            "again at that size, as there.",
        ),
    ),
)


# --- what differs --------------------------------------------------------------------------------


def parameters(estimator: Any) -> dict[str, str]:
    """Return the defaults of the parameters, as they are written."""
    found = signature(type(estimator)).parameters
    return {
        name: "required" if one.default is Parameter.empty else f"`{one.default!r}`"
        for name, one in found.items()
    }


def attributes(estimator: Any) -> dict[str, str]:
    """Return what a fitted estimator has, each with its form in a word."""
    return {name: form(getattr(estimator, name)) for name in _there(estimator) if _learnt(name)}


def methods(estimator: Any) -> dict[str, str]:
    """Return the methods of a fitted estimator."""
    return {
        name: "method"
        for name in _there(estimator)
        if not _learnt(name)
        and not REQUEST.fullmatch(name)
        and callable(getattr(estimator, name))
        and name not in estimator.get_params(deep=False)
    }


def form(value: Any) -> str:
    """Return the form of an attribute: a number, an array of some shape, or its class."""
    if isinstance(value, bool | int | float | np.number):
        return "number"
    return f"array {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__


def _learnt(name: str) -> bool:
    return name.endswith("_")


def _there(estimator: Any) -> Iterator[str]:
    return (
        name for name in dir(estimator) if not name.startswith("_") and hasattr(estimator, name)
    )


@dataclass(frozen=True)
class Table:
    """Names of one kind with what scikit-learn has, what is here, and where they differ."""

    title: str
    peer: dict[str, str]
    ours: dict[str, str]

    def names(self) -> list[str]:
        """Those of scikit-learn first."""
        return list(dict.fromkeys([*self.peer, *self.ours]))

    def different(self) -> list[str]:
        """Names that one lacks, or that are not the same."""
        return [name for name in self.names() if self.peer.get(name) != self.ours.get(name)]


def tables(peers: Peers) -> list[Table]:
    """Return parameters, attributes and methods of both, fitted to the same rows."""
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # attributes that are going away there
        pair = [one.fit(X, y) for one in (peers.peer, peers.ours)]
        return [
            Table(title, *(look(one) for one in pair))
            for title, look in (
                ("Parameters", parameters),
                ("Attributes", attributes),
                ("Methods", methods),
            )
        ]


def problems(peers: Peers, found: list[Table]) -> list[str]:
    """Return what is wrong with the sentences: differences without one, sentences without one."""
    different = {name for table in found for name in table.different()}
    everywhere = {name for table in found for name in table.peer if name in table.ours}
    said, meant = set(peers.differs), set(peers.means)
    return [
        *(f"{peers.name}.{name} differs, and nothing is said." for name in different - said),
        *(f"{peers.name}.{name} does not differ any more." for name in said - different),
        *(f"{peers.name}.{name} is not in both." for name in meant - everywhere),
        *(f"{peers.name}.{name} is said twice." for name in meant & said),
    ]


# --- pages ---------------------------------------------------------------------------------------


def page(peers: Peers, found: list[Table]) -> str:
    """Return the page of one class."""
    peer = type(peers.peer)
    there = f"{peer.__module__.rsplit('.', 1)[0]}.{peer.__name__}"
    lines = [
        f"# {peers.name} and scikit-learn's {peer.__name__}",
        "",
        f"What `svsieve.{peers.name}` has beside `{there}`. Where nothing is said they are alike.",
        "",
        *(line for one in peers.otherwise for line in (one, "")),
    ]
    sentences = {**peers.differs, **peers.means}
    for table in found:
        lines += [f"## {table.title}", ""]
        shown = table.title == "Parameters"
        lines += [f"| | {peer.__name__} | {peers.name} | |", "|---|---|---|---|"]
        for name in table.names():
            cells = [_cell(one.get(name), shown) for one in (table.peer, table.ours)]
            lines.append(f"| `{name}` | {' | '.join(cells)} | {sentences.get(name, SAME)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(value: str | None, shown: bool) -> str:
    if value is None:
        return "—"
    return value if shown else "yes"


def write_pages(folder: Path = FOLDER) -> None:
    """Write all pages, refusing to where a sentence is missing or has become untrue."""
    compared = [(peers, tables(peers)) for peers in PEERS]
    wrong = [one for peers, found in compared for one in problems(peers, found)]
    if wrong:
        raise ValueError(f"docs/differences.py: {' '.join(wrong)}")
    folder.mkdir(parents=True, exist_ok=True)
    for peers, found in compared:
        text = page(peers, found)
        path = folder / f"{peers.name.lower()}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
