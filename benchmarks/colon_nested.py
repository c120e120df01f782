"""The error of linear SVM-RFE on colon that no choice has seen: nested, 10 x 5 outer folds.

python -m benchmarks.colon_nested
"""

from __future__ import annotations

from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFECV, evaluate
from svsieve.datasets import load_public

PENALTIES = [0.001, 0.01, 0.1, 1.0]


def selector(C: float = 1.0) -> SVMRFECV:
    """Return the choice of columns that is judged: a tenth goes at a time, five inner folds."""
    return SVMRFECV(make_pipeline(StandardScaler(), SVC(kernel="linear", C=C)), step=0.1, cv=5)


def main() -> None:
    """Print errors with their intervals, for two values of C and for C chosen inside."""
    data = load_public("colon")
    outer = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)
    tuned = GridSearchCV(selector(), {"estimator__svc__C": PENALTIES}, cv=5)
    for name, one in (("0.01", selector(0.01)), ("1", selector()), ("tuned inside", tuned)):
        found = evaluate(one, data.X, data.y, cv=outer)
        low, high = (100.0 * (1.0 - score) for score in reversed(found.interval))
        print(
            f"colon, C {name}: error {100 * (1 - found.mean):.1f} % (95% interval {low:.1f} to "
            f"{high:.1f}; honest literature about 12 to 20)",
            flush=True,
        )


if __name__ == "__main__":
    main()
