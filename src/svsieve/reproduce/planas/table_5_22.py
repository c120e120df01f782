"""Table 5.22: everything combined, polynomial kernels, generated rows; its times are table 5.23."""

from svsieve.reproduce.experiment import Quantity, Settings
from svsieve.reproduce.planas.combination import OnGenerated
from svsieve.reproduce.planas.protocol import OPTIMUM
from svsieve.reproduce.planas.steps import Distance
from svsieve.reproduce.planas.table_5_18 import ARTEFACT


class CombinedPolynomial(OnGenerated):
    """Steps of 20 % of the distance to 100 columns, 70 % of the rows."""

    id = "planas-5.22"
    also = ("planas-5.23",)
    title = "Kernel, dynamic step and sampling combined: polynomial kernels, generated rows"
    notes = (
        "The data and kernels of planas-5.18. Each step drops max(5, 20 % of the distance to 100) "
        "columns; 70 % of the rows are drawn anew for it, down to the last (text: only as far as "
        "the centre). Both criteria are run, see planas-5.18; degree 3 in print is a rounding "
        "artefact."
    )
    quantities = (*OPTIMUM, Quantity("seconds", relative_to={"degree": 1}))
    file, times = "planas_5_22", "planas_5_23"
    schedule, share = Distance(0.2, centre=100, least=5), 0.7
    few = ({"degree": 2, "C": 1e-6},)

    def why_not_comparable(self, cell: Settings) -> str:
        """Say so of the equation and of degree 3."""
        return super().why_not_comparable(cell) or (ARTEFACT if cell["degree"] == 3 else "")


EXPERIMENT = CombinedPolynomial()
