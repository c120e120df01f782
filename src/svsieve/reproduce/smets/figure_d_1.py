"""Figures D.1 to D.10: all 72 statistics; what figures 5.7 to 5.9 show of them."""

from typing import ClassVar

from svsieve.reproduce.smets.networks import Networks


class AllStatistics(Networks):
    """72 statistics of networks."""

    id = "smets-fig-d.1"
    also = (
        *(f"smets-fig-d.{figure}" for figure in range(2, 11)),
        *(f"smets-fig-5.{figure}" for figure in range(7, 10)),
    )
    title = "Random networks, 72 statistics: accuracy against the number of statistics kept"
    notes = (
        "519 scale-free and 330 small-world networks by `make_random_networks`: the published ones "
        "are not available, and how they were made is not said. Statistics as they are, or scaled "
        "to [-1, 1]; 10 to 250 networks to train on, the others to test; ten splits. Gaussian: "
        "C = gamma = 1/2, or tuned in a grid. C of the other kernels is not published; here 10. "
        "The figures have no numbers. Their text: the skewness of degrees separates the kinds "
        "perfectly (figure 5.7; *separated* is the accuracy of a linear machine on the three "
        "statistics of a scatter plot, all networks), ten networks are enough for almost 100 % "
        "with the linear kernel and the Fisher score, and scaling makes most ways alike. "
        "*Skewness of three*: how many of the last three statistics are a skewness. Here the kinds "
        "are told apart as well or better by other statistics, and a skewness is rarely among the "
        "last three: these networks differ in more than the published ones did."
    )
    features, sizes = "all", (1, 2, 3, 5, 10, 20, 40, 72)
    figures: ClassVar[dict[str, tuple[str, ...]]] = {
        "5.7": ("skewnessDegree", "skewnessNumNeighbors", "skewnessNumSuccessors"),
        "5.8": ("medianDegree", "medianNumNeighbors", "meanNumNeighbors"),
        "5.9": ("geometricMeanInDegree", "skewnessOutDegree", "numVertices"),
    }


EXPERIMENT = AllStatistics()
