"""The example holds for other rows than its own."""

import runpy
from pathlib import Path

import numpy as np
import pytest

FILE = Path(__file__).parents[2] / "examples" / "one_class_and_two_classes.py"
EXAMPLE = runpy.run_path(str(FILE))


def rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3)) + np.array([4.0, 1.0, -2.0])
    return X, np.where(rng.random(25) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_class_and_its_mirror_image(seed):
    X, _ = rows(seed)
    assert max(EXAMPLE["mirrored"](X).values()) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_labels_multiplied_in(seed):
    X, y = rows(seed)
    assert max(EXAMPLE["labels_multiplied_in"](y[:, None] * X, y).values()) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_in_the_space_of_a_kernel(seed):
    X, _ = rows(seed)
    assert EXAMPLE["in_feature_space"](X)["coefficients"] < 1e-9


def test_it_prints_what_it_found(capsys):
    EXAMPLE["main"]()
    assert capsys.readouterr().out.count("direction") == 2
