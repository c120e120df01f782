"""The cross-validated error, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.model_selection import StratifiedKFold

from svsieve.selection.objectives.trial import Judgement, Trial


@dataclass(frozen=True)
class CrossValidation:
    """The share of errors on rows that each of several machines has not seen.

    It takes `folds` trainings and has no slopes: it is constant but for jumps.

    Parameters
    ----------
    folds : int, default=5
        Groups of rows, the classes in proportion, each left out once.
    seed : int, default=0
        Of the draw of the groups.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.selection.objectives import CrossValidation, Judge
    >>> X, labels = np.array([[-3.0], [-2.0], [2.0], [3.0]]), [-1, -1, 1, 1]
    >>> judge = Judge(CrossValidation(folds=2), X, labels)
    >>> judge(CSvm(C=1.0), Linear()).value, judge.n_trainings
    (0.0, 2)
    """

    folds: int = 5
    seed: int = 0

    has_slopes: ClassVar[bool] = False
    is_bound: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if int(self.folds) != self.folds or self.folds < 2:
            raise ValueError(
                f"folds of CrossValidation must be a whole number of at least 2. "
                f"Got {self.folds!r} instead."
            )

    def judge(self, trial: Trial) -> Judgement:
        """Return the share of errors."""
        y, weights = trial.labels, trial.weights
        fewest = int(min((y > 0).sum(), (y < 0).sum()))
        if fewest < self.folds:
            raise ValueError(
                f"folds of CrossValidation must not exceed the rows of the smaller class, "
                f"{fewest}. Got {self.folds} instead."
            )
        splitter = StratifiedKFold(self.folds, shuffle=True, random_state=self.seed)
        wrong = np.zeros(len(y))
        for fold, (train, rest) in enumerate(splitter.split(y[:, None], y)):
            context = trial.trained(train, name=fold)
            across = trial.state.gram()[np.ix_(rest, train)]
            values = across @ context.solution.coefficients + context.solution.offset
            wrong[rest] = np.where(values >= 0, 1.0, -1.0) != y[rest]
        return Judgement(float(weights @ wrong) / float(weights.sum()))
