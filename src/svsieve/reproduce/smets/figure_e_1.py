"""Figures E.1 to E.10: the ten plainest statistics; what figures 5.10 and 5.11 show of them."""

from typing import ClassVar

from svsieve.reproduce.smets.networks import Networks


class PlainStatistics(Networks):
    """Ten statistics of networks."""

    id = "smets-fig-e.1"
    also = (
        *(f"smets-fig-e.{figure}" for figure in range(2, 11)),
        "smets-fig-5.10",
        "smets-fig-5.11",
    )
    title = "Random networks, ten statistics: accuracy against the number of statistics kept"
    notes = (
        "The networks and the protocol of smets-fig-d.1, described by means of degrees and numbers "
        "of neighbours, diameter, average path length and clustering. The figures have no numbers. "
        "Their text: the linear kernel is mediocre, polynomial kernels are best on raw statistics "
        "and weighted kernels on scaled ones, and accuracy falls only with three statistics or "
        "fewer. *Separated*: accuracy of a linear machine on the three statistics of a scatter "
        "plot, all networks. Here the linear kernel is not mediocre: ten statistics separate these "
        "networks, which are easier to tell apart than the published ones."
    )
    features, sizes = "intuitive", (1, 2, 3, 4, 6, 8, 10)
    figures: ClassVar[dict[str, tuple[str, ...]]] = {
        "5.10": ("clusteringCoefficient", "diameter", "averagePathLength"),
        "5.11": ("meanNumSuccessors", "meanNumPredecessors", "meanNumNeighbors"),
    }


EXPERIMENT = PlainStatistics()
