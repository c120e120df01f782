"""Figure 2: breast cancer."""

from svsieve.reproduce.rakotomamonjy.ida import BenchmarkSet


class BreastCancer(BenchmarkSet):
    """277 rows, 9 columns."""

    id = "rakotomamonjy-fig-2"
    title = "Breast cancer: test error against the number of variables"
    data_sets = ("ida-breast-cancer",)
    C, sigma = 15.0, 5.0


EXPERIMENT = BreastCancer()
