"""Table 5.15: ten generated classes."""

from svsieve.reproduce.planas.data import TEN_CLASSES, Labelled
from svsieve.reproduce.planas.multi_class import MultiClass


class TenClasses(MultiClass):
    """The first 1000 of 4000 rows, 100 columns."""

    id = "planas-5.15"
    title = "Multi-class criterion, ten generated classes, over C and the exponent"
    published_file = "planas_5_15"
    twice = ({"C": 0.1, "k": 1.0}, {"C": 0.5, "k": 0.3}, {"C": 1.0, "k": 3.0})

    def table(self) -> Labelled:
        """Return the rows that the code uses."""
        return TEN_CLASSES.table()


EXPERIMENT = TenClasses()
