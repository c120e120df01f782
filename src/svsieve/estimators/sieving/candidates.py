"""What `Sieve` tries: ways to rank columns, and machines to train on those that are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria import Criterion, WeightNorm
from svsieve.criteria.filters import fisher_score
from svsieve.kernels import Kernel, Linear, PerFeature, Polynomial, Rbf


@dataclass(frozen=True)
class Setting:
    """A machine: a kernel and the penalty C.

    Gammas are shares per kept column (`PerFeature`), so that a setting means the same at every
    size.
    """

    kernel: Kernel
    C: float

    @property
    def words(self) -> str:
        """What it is, for people."""
        gamma = getattr(self.kernel, "gamma", None)
        if gamma is None:
            return f"linear, C = {self.C:g}"
        name = "Gaussian" if isinstance(self.kernel, Rbf) else "quadratic"
        share = gamma.share if isinstance(gamma, PerFeature) else gamma
        return f"{name}, gamma = {share:g} / columns, C = {self.C:g}"


@dataclass(frozen=True)
class Candidate:
    """One way to rank columns.

    Attributes
    ----------
    name : str
    ranking : Setting
        The machine of the elimination; of a filter, the machine it is first judged by.
    criterion : Criterion or None
        None for a filter.
    filter : callable or None
        Scores of columns from a table and labels.
    settings : tuple of Setting
        Machines to try on the columns kept.
    why : str
        When this is the way to take.
    """

    name: str
    ranking: Setting
    settings: tuple[Setting, ...]
    why: str
    criterion: Criterion | None = None
    filter: Callable[[Any, Any], FloatArray] | None = None

    @property
    def is_linear(self) -> bool:
        """Whether columns are ranked by a direction, or one by one."""
        return isinstance(self.ranking.kernel, Linear)


LINEAR = tuple(Setting(Linear(), C) for C in (0.001, 0.01, 0.1, 1.0, 10.0))
GAUSSIAN = tuple(
    Setting(Rbf(gamma=PerFeature(share)), C)
    for share in (0.3, 1.0, 3.0)
    for C in (0.5, 2.0, 8.0, 30.0)
)
QUADRATIC = tuple(
    Setting(Polynomial(degree=2, gamma=PerFeature(1.0), coef0=1.0), C)
    for C in (0.01, 0.1, 1.0, 10.0)
)


def plain_machine(n_columns: int) -> Setting:
    """Return a linear machine that is the softer the more columns it has to bear with.

    Examples
    --------
    >>> from svsieve.estimators.sieving.candidates import plain_machine
    >>> plain_machine(300).words
    'linear, C = 0.01'
    """
    return Setting(Linear(), float(np.clip(3.0 / n_columns, 1e-3, 0.1)))


def candidates(n_rows: int, n_columns: int, *, hurried: bool = False) -> tuple[Candidate, ...]:
    """Return what to try, simple and cheap ways first.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the training rows.
    hurried : bool, default=False
        Whether there may be no time for the last ones. With more rows than columns a Gaussian
        ranking then comes first: on a sample of the rows it is the cheapest, and it sees most.

    Returns
    -------
    tuple of Candidate

    Examples
    --------
    >>> from svsieve.estimators.sieving.candidates import candidates
    >>> [one.name for one in candidates(60, 2000)]
    ['linear', 'linear, soft', 'Fisher', 'Gaussian', 'Gaussian, wide', 'quadratic']
    """
    soft = plain_machine(n_columns)
    slope = WeightNorm(order=1)
    lines = "the classes differ along a direction"
    hard = Candidate("linear", Setting(Linear(), 1.0), LINEAR, lines, WeightNorm())
    others = (
        Candidate("linear, soft", soft, LINEAR, lines, WeightNorm()),
        Candidate(
            "Fisher",
            soft,
            LINEAR,
            "single columns tell the classes apart",
            filter=fisher_score,
        ),
        Candidate(
            "Gaussian",
            Setting(Rbf(gamma=PerFeature(1.0)), 1.0),
            GAUSSIAN,
            "the classes differ in a way that is not a direction",
            slope,
        ),
        Candidate(
            "Gaussian, wide",
            Setting(Rbf(gamma=PerFeature(0.3)), 1.0),
            GAUSSIAN,
            "the classes differ in a way that is smooth but not a direction",
            slope,
        ),
        Candidate(
            "quadratic",
            Setting(Polynomial(degree=2, gamma=PerFeature(1.0), coef0=1.0), 1.0),
            (*QUADRATIC, *GAUSSIAN),
            "columns tell the classes apart in pairs",
            slope,
        ),
    )
    # With more columns than rows the linear elimination costs next to nothing; with fewer, and
    # classes that overlap, it is the most expensive.
    if n_columns > n_rows:
        return (hard, *others)
    soft_one, fisher, *kernels = others
    return (kernels[0], soft_one, *kernels[1:], fisher, hard) if hurried else (*others, hard)
