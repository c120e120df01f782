"""Public data sets are found, or it is said where they were looked for."""

import numpy as np
import pytest

from svsieve.datasets import MissingDataError, load_public
from svsieve.datasets.public import public_folder


def test_a_set_is_read_with_what_else_is_in_its_file(tmp_path, monkeypatch):
    X, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([-1, 1, 1])
    np.savez(tmp_path / "ida_heart.npz", X=X, y=y, train_idx=[[0, 1]])
    monkeypatch.setenv("SVSIEVE_DATA", str(tmp_path))
    found = load_public("ida-heart")
    assert found.X.dtype == np.float64
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.y, y)
    assert list(found.more) == ["train_idx"]


def test_a_missing_set_is_named_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SVSIEVE_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match=r"colon\.npz, which is not in .*SVSIEVE_DATA"):
        load_public("colon")


def test_without_the_variable_the_folder_beside_is_searched(tmp_path, monkeypatch):
    (tmp_path / "clone").mkdir()
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.delenv("SVSIEVE_DATA", raising=False)
    assert public_folder() == tmp_path / "shared" / "data"


def test_an_unknown_set_is_refused():
    with pytest.raises(ValueError, match="name of load_public must be one of arcene, colon"):
        load_public("iris")
