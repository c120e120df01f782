"""Table B.8: splice."""

from svsieve.reproduce.smets.benchmark import BenchmarkTable


class Splice(BenchmarkTable):
    """1000 training rows, 60 columns, 20 realisations."""

    id = "smets-b.8"
    title = "C and widths by the radius/margin bound: splice"
    notes = "The protocol of smets-5.3, for a set that a user has to provide."
    sets = ("splice",)
    data_sets = ("ida-splice",)
    realisations = 20


EXPERIMENT = Splice()
