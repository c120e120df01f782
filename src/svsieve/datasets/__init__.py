"""Data: the toy problems on which column rankings have been compared."""

from svsieve.datasets.toys import make_weston_linear, make_weston_nonlinear

__all__ = ["make_weston_linear", "make_weston_nonlinear"]
