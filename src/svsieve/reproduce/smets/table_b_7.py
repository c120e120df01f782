"""Table B.7: image."""

from svsieve.reproduce.smets.benchmark import BenchmarkTable


class Image(BenchmarkTable):
    """1300 training rows, 18 columns, 20 realisations."""

    id = "smets-b.7"
    title = "C and widths by the radius/margin bound: image"
    notes = "The protocol of smets-5.3, for a set that a user has to provide."
    sets = ("image",)
    data_sets = ("ida-image",)
    realisations = 20


EXPERIMENT = Image()
