"""Table B.4: flare-solar."""

from svsieve.reproduce.smets.benchmark import BenchmarkTable


class FlareSolar(BenchmarkTable):
    """666 training rows, 9 columns, 100 realisations."""

    id = "smets-b.4"
    title = "C and widths by the radius/margin bound: flare-solar"
    notes = "The protocol of smets-5.3, for a set that a user has to provide."
    sets = ("flare-solar",)
    data_sets = ("ida-flare-solar",)
    realisations = 100


EXPERIMENT = FlareSolar()
