"""Data: the toy problems on which column rankings have been compared, public benchmark sets."""

from svsieve.datasets.networks import make_random_networks
from svsieve.datasets.public import MissingDataError, is_there, load_public
from svsieve.datasets.toys import make_weston_linear, make_weston_nonlinear

__all__ = [
    "MissingDataError",
    "is_there",
    "load_public",
    "make_random_networks",
    "make_weston_linear",
    "make_weston_nonlinear",
]
