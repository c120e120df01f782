"""Table 2: the non-linear toy problem."""

from svsieve.datasets import make_weston_nonlinear
from svsieve.kernels import Rbf
from svsieve.reproduce.rakotomamonjy.toys import Toy

SIGMA = 3.0


class NonlinearToy(Toy):
    """52 columns, 2 of which matter, and only together; Gaussian kernel, C = 1000."""

    id = "rakotomamonjy-2"
    title = "Non-linear toy problem: test error of eleven methods, 10 to 100 training rows"
    table, kernel, C = "2", Rbf(gamma=0.5 / SIGMA**2), 1e3
    make = staticmethod(make_weston_nonlinear)


EXPERIMENT = NonlinearToy()
