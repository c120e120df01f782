"""Figure 3: heart disease."""

from svsieve.reproduce.rakotomamonjy.ida import BenchmarkSet


class Heart(BenchmarkSet):
    """270 rows, 13 columns."""

    id = "rakotomamonjy-fig-3"
    title = "Heart: test error against the number of variables"
    data_sets = ("ida-heart",)
    C, sigma = 3.16, 7.7


EXPERIMENT = Heart()
