"""Outliers made up around the rows of one class, and descriptions judged by them.

Points drawn evenly from a region of known volume around the rows tell the volume of a description
by the share of them that it accepts; of two descriptions that accept the same targets, the smaller
is the better. The share is known to its standard error, and that is the curse: with every column
the region outgrows the rows by another factor. With d columns a ball half as wide as the region
holds 2^-d of it, so from a few tens of columns on no point out of a million falls inside and all
descriptions look alike.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.base import clone
from sklearn.model_selection import KFold, ParameterGrid

from svsieve.arrays import FloatArray, Table, column_peaks, float_table, refuse_extremes
from svsieve.kernels import Linear
from svsieve.machines import EnclosingSphere, solve
from svsieve.resolve import check_integer, check_option, check_real, refusal


@dataclass(frozen=True, eq=False)
class ArtificialOutliers:
    """Points drawn evenly from a region around the rows.

    Attributes
    ----------
    X : ndarray of shape (n_points, n_columns)
        The points.
    log_volume : float
        Natural logarithm of the volume of the region, which may itself be too large for a float.
    """

    X: FloatArray
    log_volume: float

    def accepted(self, estimator: Any) -> tuple[float, float]:
        """Return the share of the points that a fitted outlier detector accepts, and its error.

        Parameters
        ----------
        estimator : fitted outlier detector
            Its `predict` returns 1 for what it accepts.

        Returns
        -------
        share : float
            Times the volume of the region, the volume of the description.
        standard_error : float
            sqrt(share (1 - share) / n_points).
        """
        share = float(np.mean(estimator.predict(self.X) == 1))
        return share, math.sqrt(share * (1.0 - share) / len(self.X))


def outliers_in_box(
    X: Table, n_points: int, *, widen: float = 1.1, rng: Any = None
) -> ArtificialOutliers:
    """Return points drawn evenly from a box around the rows.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows of the class.
    n_points : int
        How many.
    widen : float, default=1.1
        Sides of the box in ranges of the columns.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.

    Returns
    -------
    ArtificialOutliers
        The points and the volume of the box.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.one_class import outliers_in_box
    >>> made = outliers_in_box([[0.0, 0.0], [1.0, 10.0]], 1000, widen=2.0, rng=0)
    >>> made.X.min(axis=0).round(), made.X.max(axis=0).round(), np.exp(made.log_volume)
    (array([-0., -5.]), array([ 2., 15.]), np.float64(40.0))
    """
    table, generator = _checked(X, n_points, widen, rng, "outliers_in_box")
    low, high = table.min(axis=0), table.max(axis=0)
    middle, sides = (low + high) / 2.0, widen * (high - low)
    points = middle + sides * (generator.random((n_points, table.shape[1])) - 0.5)
    with np.errstate(divide="ignore"):  # a constant column leaves no volume
        return ArtificialOutliers(points, float(np.log(sides).sum()))


def outliers_in_ball(
    X: Table, n_points: int, *, widen: float = 1.1, rng: Any = None
) -> ArtificialOutliers:
    """Return points drawn evenly from a ball around the smallest sphere that holds the rows.

    In many columns a ball wastes fewer points on corners than a box.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Rows of the class.
    n_points : int
        How many.
    widen : float, default=1.1
        Radius of the ball in radii of the smallest sphere.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.

    Returns
    -------
    ArtificialOutliers
        The points and the volume of the ball.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.one_class import outliers_in_ball
    >>> made = outliers_in_ball([[0.0, 0.0], [2.0, 0.0]], 1000, widen=1.0, rng=0)
    >>> bool((np.linalg.norm(made.X - [1.0, 0.0], axis=1) <= 1.0).all()), np.exp(made.log_volume)
    (True, np.float64(3.14159265))
    """
    table, generator = _checked(X, n_points, widen, rng, "outliers_in_ball")
    refuse_extremes(column_peaks(table), len(table))
    d = table.shape[1]
    centred = table - table.mean(axis=0)
    K = Linear().gram(centred)
    machine = EnclosingSphere()
    problem = machine.problem(np.diagonal(K))
    solution = solve(problem, K)
    radius = widen * math.sqrt(max(0.0, machine.value(solution, problem)))
    centre = table.mean(axis=0) + solution.coefficients @ centred
    # A normal vector has no preferred direction; U^(1/d) spreads the radii as volume grows.
    directions = generator.normal(size=(n_points, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = radius * generator.random((n_points, 1)) ** (1.0 / d)
    log_radius = math.log(radius) if radius > 0 else -math.inf
    log_volume = 0.5 * d * math.log(math.pi) - float(gammaln(0.5 * d + 1.0)) + d * log_radius
    return ArtificialOutliers(centre + radii * directions, log_volume)


REGIONS: Mapping[str, Callable[..., ArtificialOutliers]] = {
    "ball": outliers_in_ball,
    "box": outliers_in_box,
}


@dataclass(frozen=True, eq=False)
class OutlierChoice:
    """Settings compared by held-out targets and artificial outliers.

    Attributes
    ----------
    best_params : dict
        The settings of least cost; of equal ones the first.
    best_index : int
        Their place in `params`.
    params : list of dict
        All settings.
    target_error : ndarray of float
        Share of held-out targets rejected.
    outlier_error : ndarray of float
        Share of artificial outliers accepted.
    standard_error : ndarray of float
        Of `outlier_error`, for the number of points drawn.
    cost : ndarray of float
        eta times the one plus 1 - eta times the other.
    log_volume : float
        Natural logarithm of the volume that outliers were drawn from.
    """

    best_params: dict[str, Any]
    best_index: int
    params: list[dict[str, Any]]
    target_error: FloatArray
    outlier_error: FloatArray
    standard_error: FloatArray
    cost: FloatArray
    log_volume: float


def choose_by_outliers(
    estimator: Any,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Table,
    *,
    region: str = "ball",
    n_outliers: int = 10_000,
    eta: float = 0.5,
    widen: float = 1.1,
    cv: Any = 5,
    rng: Any = None,
) -> OutlierChoice:
    """Return the settings that accept held-out targets and reject artificial outliers.

    Parameters
    ----------
    estimator : outlier detector
        :class:`svsieve.SVDD`, or any other with scikit-learn's interface.
    param_grid : dict of lists, or list of such dicts
        Settings to try, as for scikit-learn's `GridSearchCV`.
    X : array-like of shape (n_rows, n_columns)
        Rows of the class.
    region : {"ball", "box"}, default="ball"
        Where outliers are drawn (see `outliers_in_ball` and `outliers_in_box`).
    n_outliers : int, default=10000
        How many. Their number limits what can be told apart: a warning says when no setting accepts
        more than ten of them.
    eta : float, default=0.5
        In (0, 1): weight of rejected targets against accepted outliers.
    widen : float, default=1.1
        Size of the region.
    cv : int or splitter, default=5
        Folds of targets held out in turn; an int shuffles them.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.

    Returns
    -------
    OutlierChoice
        The best settings and what all of them reached.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVDD
    >>> from svsieve.selection.one_class import choose_by_outliers
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> grid = {"gamma": [0.1, 100.0], "nu": [0.05]}
    >>> choose_by_outliers(SVDD(), grid, X, n_outliers=1000, rng=0).best_params
    {'gamma': 0.1, 'nu': 0.05}
    """
    owner = "choose_by_outliers"
    check_option(owner, "region", region, REGIONS)
    if not 0.0 < check_real(owner, "eta", eta, above=0.0) < 1.0:
        raise refusal(owner, "eta", "a float in (0, 1)", eta)
    generator = np.random.default_rng(rng)
    made = REGIONS[region](X, n_outliers, widen=widen, rng=generator)
    table = np.asarray(X)
    if isinstance(cv, int):
        check_integer(owner, "cv", cv, at_least=2)
        cv = KFold(cv, shuffle=True, random_state=int(generator.integers(2**31)))
    folds = list(cv.split(table))
    params = list(ParameterGrid(param_grid))
    errors = np.array([_errors(estimator, setting, table, folds, made) for setting in params])
    target_error, outlier_error = errors.T
    cost = eta * target_error + (1.0 - eta) * outlier_error
    if outlier_error.max() * n_outliers <= 10:
        warnings.warn(
            f"No setting accepts more than {outlier_error.max() * n_outliers:.0f} of the "
            f"{n_outliers} artificial outliers: in {table.shape[1]} columns they are too thin to "
            "tell descriptions apart, and targets alone decide. Draw more, or use fewer columns.",
            UserWarning,
            stacklevel=2,
        )
    best = int(cost.argmin())
    standard_error = np.sqrt(outlier_error * (1.0 - outlier_error) / n_outliers)
    return OutlierChoice(
        best_params=params[best],
        best_index=best,
        params=params,
        target_error=target_error,
        outlier_error=outlier_error,
        standard_error=standard_error,
        cost=cost,
        log_volume=made.log_volume,
    )


def _errors(
    estimator: Any,
    setting: dict[str, Any],
    table: Any,
    folds: Sequence[Any],
    made: ArtificialOutliers,
) -> tuple[float, float]:
    """Shares of held-out targets rejected and of outliers accepted, averaged over the folds."""
    rejected, accepted = [], []
    for train, test in folds:
        model = clone(estimator).set_params(**setting).fit(table[train])
        rejected.append(float(np.mean(model.predict(table[test]) == -1)))
        accepted.append(made.accepted(model)[0])
    return float(np.mean(rejected)), float(np.mean(accepted))


def _checked(
    X: Table, n_points: int, widen: float, rng: Any, owner: str
) -> tuple[FloatArray, np.random.Generator]:
    table = float_table(X)
    check_integer(owner, "n_points", n_points, at_least=1)
    check_real(owner, "widen", widen, above=0.0)
    table = table if isinstance(table, np.ndarray) else table.toarray()
    return table, np.random.default_rng(rng)
