"""Tables on which eliminations are compared, and what it means that two of them agree."""

from __future__ import annotations

import numpy as np

from svsieve.elimination import Data, Parts, Path, Task, trace
from svsieve.machines import one_vs_one, one_vs_rest

TABLES = ("plain", "scales", "duplicates", "constants", "integers", "binary", "far", "mostly zero")


def table(kind: str, rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Normal deviates, made awkward in one way."""
    rng = np.random.default_rng([rows, columns, seed, TABLES.index(kind)])
    X = rng.normal(size=(rows, columns))
    some = rng.permutation(columns)[: columns // 3]
    match kind:
        case "scales":
            X *= np.exp(rng.normal(0, 2, columns))
        case "duplicates":
            X[:, some] = X[:, rng.permutation(columns)[: len(some)]]
        case "constants":
            X[:, some] = 10 * rng.normal(size=len(some))
        case "integers":
            X = np.round(X)
        case "binary":
            X = (X > 0).astype(float)
        case "far":
            X += rng.normal(0, 1e3, columns)
        case "mostly zero":
            X *= rng.uniform(size=X.shape) < 0.1
    return X


def class_codes(X: np.ndarray, n_classes: int = 2, seed: int = 0, noise: float = 1.0) -> np.ndarray:
    """Every class has a direction of its own; a row belongs where it reaches furthest, blurred."""
    rng = np.random.default_rng([seed, n_classes])
    spread = X.std(axis=0)
    standard = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    reach = standard @ rng.normal(size=(X.shape[1], n_classes)) / np.sqrt(X.shape[1])
    codes = (reach + noise * rng.normal(size=reach.shape)).argmax(axis=1)
    codes[:n_classes] = np.arange(n_classes)[: len(codes)]
    return codes


def signs(codes: np.ndarray) -> np.ndarray:
    return np.where(codes == 1, 1.0, -1.0)


def two_classes(X: np.ndarray, *, weights: np.ndarray | None = None, seed: int = 0) -> Data:
    codes = class_codes(X, 2, seed)
    return Data(X, (Task(None, signs(codes), weights),), codes)


def several_classes(
    X: np.ndarray, n_classes: int, scheme: str, *, weights: np.ndarray | None = None, seed: int = 0
) -> Data:
    """Scheme is "one-vs-one" or "one-vs-rest"."""
    codes = class_codes(X, n_classes, seed)
    split = one_vs_one if scheme == "one-vs-one" else one_vs_rest
    tasks = [
        Task(task.rows, task.labels, None if weights is None else weights[task.rows])
        for task in split(codes, n_classes)
    ]
    return Data(X, tuple(tasks), codes)


def same_numbers(found: np.ndarray, expected: np.ndarray, rtol: float = 1e-7) -> None:
    """Equal up to rtol; what is less than a millionth of that of the largest is zero."""
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-6 * rtol * scale + 1e-25)


def same_walk(found: Path, expected: Path, rtol: float = 1e-7) -> None:
    """The same columns in the same steps, with the same scores."""
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_array_equal(found.order, expected.order)
    same_numbers(found.importances, expected.importances, rtol)
    same_numbers(found.following, expected.following, rtol)


def by_engine(data: Data, engine: str, **parts) -> Path:
    path = trace(data, Parts(**parts, engine=engine))
    assert path.engine == engine
    return path


def cut(path: Path, steps: int) -> Path:
    """The path as it was after so many steps."""
    columns = int(path.counts[:steps].sum())
    left = np.setdiff1d(np.arange(path.n_columns), path.dropped[:columns])
    return Path(
        n_columns=path.n_columns,
        counts=path.counts[:steps],
        following=path.following[:steps],
        kkt_gap=path.kkt_gap[:steps],
        accuracy=path.accuracy[:steps],
        seconds=path.seconds[:steps],
        tied=path.tied[:steps],
        dropped=path.dropped[:columns],
        scores=path.scores[:columns],
        survivors=left,
        survivor_scores=np.full(len(left), np.nan),
    )
