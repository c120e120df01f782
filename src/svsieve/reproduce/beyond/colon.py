"""Colon cancer, beside the best cell of a published table."""

from svsieve.reproduce.beyond.genes import Genes


class Colon(Genes):
    """62 rows, 2000 columns."""

    id = "beyond-colon"
    title = "Colon cancer: one call without settings, on the splits of rakotomamonjy-3"
    notes = Genes.notes.format(table="rakotomamonjy-3")
    data_sets = ("colon",)
    train_rows, table = 50, "rakotomamonjy_3"


EXPERIMENT = Colon()
