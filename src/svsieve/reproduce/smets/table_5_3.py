"""Tables 5.3 and 5.4: trainings and errors of seven sets; appendix B has the same cells."""

from svsieve.reproduce.smets.benchmark import BenchmarkTable


class SevenSets(BenchmarkTable):
    """The sets that are commonly at hand; the other three have ids of their own."""

    id = "smets-5.3"
    also = (
        "smets-5.4",
        *(f"smets-b.{table}" for table in (1, 2, 3, 5, 6, 9, 10)),
    )
    title = "C and widths by the radius/margin bound: trainings (5.3) and test error (5.4, B)"
    notes = (
        "Method A has the parameters that the benchmark gives, found by others in a grid with "
        "5-fold cross-validation (500 trainings by definition). B to E descend the radius/margin "
        "bound by L-BFGS-B: linear (B, D) or squared slack (C, E), one width (B, C) or a width for "
        "every column (D, E). Each realisation of a set is tuned on its training part and tested "
        "on its test part. Where the published searches began and ended is not said; here they "
        "begin at C = 1 and gamma = 1 / (columns x variance). The realisations are the published "
        "ones: A agrees to 0.03 points. C is up to 0.46 points apart (breast-cancer): by the bound "
        "alone it has 26.51 there, print 26.48. With linear slack the bound has several "
        "minima, and one of them is a machine that takes all rows for one class: the published "
        "errors of B and D on breast-cancer and diabetis are exactly those of the larger class, "
        "and those of B on german nearly so. Here the smallest bound has to be borne out by the "
        "rows left out one by one (`GradientSearch(confirm=True)`, the default), which costs no "
        "training and keeps B and D from ending there: they do better than print on breast-cancer, "
        "diabetis and german, B also on heart. By the bound alone (`confirm=False, shrink=0`) B "
        "and D have 29.8 and 29.5 % on german, 17.8 and 20.7 % on heart. Widths that differ "
        "must pay (`shrink=150`, the default), since few rows do not tell them all: without D "
        "and E have 18.8 and 17.1 % on heart, D 5.0 % on thyroid, and little else changes. The "
        "sets flare-solar, image and splice are smets-b.4, smets-b.7 and smets-b.8."
    )
    sets = ("banana", "breast-cancer", "diabetis", "german", "heart", "thyroid", "titanic")
    data_sets = tuple(f"ida-{name}" for name in sets)


EXPERIMENT = SevenSets()
