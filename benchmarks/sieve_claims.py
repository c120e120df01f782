"""What `Sieve` is measured by: MADELON, toy problems, noise, and keeping to a time limit.

python -m benchmarks.sieve_claims [madelon weston-linear weston-nonlinear xor noise budget]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

from svsieve import Sieve, datasets
from svsieve.datasets import load_public


def madelon() -> None:
    """Fit the 2,000 training rows, judge the 600 validation rows."""
    data = load_public("madelon")
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    begun = time.process_time()
    sieve = Sieve().fit(X[:2000], y[:2000])
    seconds = time.process_time() - begun
    print(
        f"MADELON: {100 * sieve.score(X[2000:2600], y[2000:2600]):.2f} % on the 600 validation "
        f"rows with {sieve.n_features_} columns, {seconds:.0f} CPU s (at least 91 %, at most 12, "
        f"120 s); its own estimate: {sieve.score_}"
    )


def _weston(make: Callable[..., tuple], rows: int, columns: int, trials: int, what: str) -> None:
    errors, sizes = [], []
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        X, y = make(rows, columns, rng)
        Z, truth = make(10_000, columns, rng)
        sieve = Sieve().fit(X, y)
        errors.append(1.0 - sieve.score(Z, truth))
        sizes.append(sieve.n_features_)
    print(
        f"{what}, {rows} x {columns}: mean error {100 * np.mean(errors):.2f} % over {trials} "
        f"trials (at most 5 %), {np.median(sizes):.0f} columns in the median"
    )


def weston_linear(trials: int = 50) -> None:
    """Weston's linear problem."""
    _weston(datasets.make_weston_linear, 50, 202, trials, "Weston linear")


def weston_nonlinear(trials: int = 50) -> None:
    """Weston's non-linear problem."""
    _weston(datasets.make_weston_nonlinear, 100, 52, trials, "Weston non-linear")


def xor(trials: int = 50) -> None:
    """Two columns among 200 that tell the classes apart only together."""
    found = 0
    for trial in range(trials):
        X = np.random.default_rng(trial).normal(size=(200, 200))
        sieve = Sieve().fit(X, X[:, 0] * X[:, 1] > 0)
        found += bool(sieve.support_[:2].all())
    print(
        f"XOR of two columns among 200, 200 rows: both found in {found} of {trials} (at least 48)"
    )


def noise(seeds: int = 10) -> None:
    """Labels that have nothing to do with the rows."""
    scores, warned = [], 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 1000)), np.repeat([0, 1], 40)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scores.append(float(Sieve().fit(X, y).score_))
        warned += any("tells the classes apart" in str(one.message) for one in caught)
    error = 0.5 / np.sqrt(80)
    print(
        f"noise 80 x 1,000: mean nested accuracy {np.mean(scores):.3f}, "
        f"{abs(np.mean(scores) - 0.5) / (error / np.sqrt(seeds)):.2f} standard errors from chance "
        f"(at most 2); the farthest {np.abs(np.array(scores) - 0.5).max() / error:.2f} binomial "
        f"ones (at most 3.5); warned in {warned} of {seeds}"
    )


def budget(seconds: float = 10.0) -> None:
    """Ten seconds on colon and on MADELON."""
    for name in ("colon", "madelon"):
        data = load_public(name)
        X, y = np.asarray(data.X, dtype=np.float64), data.y
        begun = time.perf_counter()
        sieve = Sieve(budget=seconds).fit(X[:2000], y[:2000])
        took = time.perf_counter() - begun
        held_out = ""
        if name == "madelon":
            right = 100 * sieve.score(X[2000:2600], y[2000:2600])
            held_out = f"{right:.2f} % on the validation rows, "
        print(
            f"budget of {seconds:g} s on {name}: {took:.1f} s (at most {1.1 * seconds:g}), "
            f"{sieve.n_features_} columns, {held_out}its own estimate: {sieve.score_}; not tried: "
            f"{'; '.join(sieve.choice_.untried) or 'nothing'}"
        )


CLAIMS: dict[str, Callable[[], None]] = {
    "madelon": madelon,
    "weston-linear": weston_linear,
    "weston-nonlinear": weston_nonlinear,
    "xor": xor,
    "noise": noise,
    "budget": budget,
}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("claims", nargs="*", help=f"of {', '.join(CLAIMS)}; all by default")
    asked = parser.parse_args().claims or list(CLAIMS)
    for name in asked:
        if name not in CLAIMS:
            parser.error(f"no claim is called {name!r}; there are {', '.join(CLAIMS)}")
    for name in asked:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CLAIMS[name]()


if __name__ == "__main__":
    main()
