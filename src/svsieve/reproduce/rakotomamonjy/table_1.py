"""Table 1: the linear toy problem."""

from svsieve.datasets import make_weston_linear
from svsieve.kernels import Linear
from svsieve.reproduce.rakotomamonjy.toys import Toy


class LinearToy(Toy):
    """202 columns, 6 of which matter; C = 1e5."""

    id = "rakotomamonjy-1"
    title = "Linear toy problem: test error of eleven methods, 10 to 50 training rows"
    table, kernel, C = "1", Linear(), 1e5
    make = staticmethod(make_weston_linear)


EXPERIMENT = LinearToy()
