"""Lymphoma, beside the best cell of a published table."""

from svsieve.reproduce.beyond.genes import Genes


class Lymphoma(Genes):
    """96 rows, 4026 columns."""

    id = "beyond-lymphoma"
    title = "Lymphoma: one call without settings, on the splits of rakotomamonjy-4"
    notes = Genes.notes.format(table="rakotomamonjy-4")
    data_sets = ("lymphoma",)
    train_rows, table = 60, "rakotomamonjy_4"


EXPERIMENT = Lymphoma()
