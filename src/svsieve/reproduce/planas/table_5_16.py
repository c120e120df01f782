"""Table 5.16: handwritten digits."""

from svsieve.reproduce.planas.data import Labelled, digits
from svsieve.reproduce.planas.multi_class import MultiClass


class Digits(MultiClass):
    """The first 1700 digits that scikit-learn ships, 64 pixels."""

    id = "planas-5.16"
    title = "Multi-class criterion, digits, over C and the exponent"
    published_file = "planas_5_16"
    twice = ({"C": 0.1, "k": 1.0}, {"C": 0.5, "k": 0.3}, {"C": 1.0, "k": 3.0})

    def table(self) -> Labelled:
        """Return the digits."""
        return digits()


EXPERIMENT = Digits()
