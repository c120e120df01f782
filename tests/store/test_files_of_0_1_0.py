"""Files that version 0.1.0 wrote are still read."""

from __future__ import annotations

import shutil
from pathlib import Path as FilePath

import numpy as np

from svsieve import SVC, SVMRFE
from svsieve.elimination import Path

FILES = FilePath(__file__).parent / "files"


def rows() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(24, 8))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")


def test_a_path() -> None:
    kept = Path.load(FILES / "path-0.1.0.npz")
    fitted = SVMRFE(SVC(gamma=0.1), n_features_to_select=2).fit(*rows()).path_
    assert kept.same_ranking(fitted)
    assert np.isnan(kept.final_kkt_gap)
    assert np.isnan(kept.resolution).all()
    assert kept.final_solutions is None


def test_a_checkpoint_is_taken_up_again(tmp_path) -> None:
    """It holds no state of the engine, which therefore starts cold."""
    file = tmp_path / "checkpoint.npz"
    shutil.copy(FILES / "checkpoint-0.1.0.npz", file)
    begun = Path.load(file)
    assert begun.n_steps == 3
    X, y = rows()
    fitted = SVMRFE(SVC(gamma=0.1), n_features_to_select=2, checkpoint=file).fit(X, y).path_
    whole = SVMRFE(SVC(gamma=0.1), n_features_to_select=2).fit(X, y).path_
    np.testing.assert_array_equal(fitted.seconds[:3], begun.seconds)
    assert fitted.same_ranking(whole)
