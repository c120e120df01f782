"""Table 5.24: everything combined, Gaussian kernels, generated rows."""

from svsieve.reproduce.experiment import Settings
from svsieve.reproduce.planas.combination import TEN_RUNS, OnGenerated
from svsieve.reproduce.planas.steps import Distance


class CombinedGaussian(OnGenerated):
    """Steps of 8 % of the distance to 100 columns, 60 % of the rows."""

    id = "planas-5.24"
    title = "Kernel, dynamic step and sampling combined: Gaussian kernels, generated rows"
    notes = (
        "As planas-5.22 with a Gaussian kernel, steps of max(2, 8 % of the distance) and 60 % of "
        "the rows: all published sizes fit these settings of the stored notebook, none those of "
        "the text. Squared distances are so large that the kernel matrix is the identity to 14 "
        "digits until many columns are gone: in the thesis's code the first removals hang on "
        "rounding, here differences are summed term by term and keep their precision."
    )
    settled = TEN_RUNS
    parameter = "gamma"
    file = "planas_5_24"
    schedule, share = Distance(0.08, centre=100, least=2), 0.6
    few = ({"gamma": 0.00036, "C": 1e3},)

    def why_not_comparable(self, cell: Settings) -> str:
        """Say so of all cells."""
        rounding = "the published ranking hangs on the rounding of a program"
        return super().why_not_comparable(cell) or rounding


EXPERIMENT = CombinedGaussian()
