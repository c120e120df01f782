"""Tables 5.3 and 5.4: trainings and errors of seven sets; appendix B has the same cells."""

from svsieve.reproduce.experiment import Settings
from svsieve.reproduce.smets.benchmark import BenchmarkTable

# Method D on the first ten realisations: least and largest mean error from eight starts, that with
# bounds on C, and bound and error of one start and of the best of five. With d columns the starts
# are C = 1, 10, 100 at the usual gamma and at 0.1 / d, C = 1 at gamma = 0.5, and that of method A.
FOUND_OF_D = {
    "german": ("28.3 to 29.9 %", "26.6 % with C >= 0.1", "1.20 to 0.81", "29.8 to 29.6 %"),
    "heart": ("21.4 to 28.3 %", "20.0 % with C = 3.16", "1.01 to 0.68", "22.6 to 23.0 %"),
    "thyroid": ("4.4 to 25.1 %", "4.3 % with C >= 1", "0.42 to 0.30", "4.4 to 4.8 %"),
}


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
        "ones, so that A and C agree to 0.15 points. With linear slack the bound has several "
        "minima, and one of them is a machine that takes all rows for one class: the published "
        "errors of B and D on breast-cancer and diabetis are exactly those of the larger class, "
        "and so is what B finds here on breast-cancer and german, and D in 78 of 100 searches on "
        "german. Worse than published is D on german, heart and thyroid, where print took two to "
        "three times as many trainings and presumably ended in other minima. A hundred times "
        "smaller tolerance does not change that, nor do more starts: they lower the bound and "
        "leave the error. Squared slack hardly ever ends with one class; it is the default of "
        "`GradientSearch`. The sets flare-solar, image and splice are smets-b.4, smets-b.7 and "
        "smets-b.8."
    )
    sets = ("banana", "breast-cancer", "diabetis", "german", "heart", "thyroid", "titanic")
    data_sets = tuple(f"ida-{name}" for name in sets)

    def explained(self, cell: Settings) -> str:
        """Say what was found about method D."""
        if cell["method"] != "D" or cell["dataset"] not in FOUND_OF_D:
            return ""
        errors, bounded, values, of_those = FOUND_OF_D[str(cell["dataset"])]
        return (
            f"where the search began and within which limits is not in print, and decides where it "
            f"ends: on the first ten realisations of {cell['dataset']} eight starts give {errors} "
            f"and limits {bounded}. Print is not where the bound is least: the best of five starts "
            f"lowers it from {values} and takes the error from {of_those} "
            f"(`GradientSearch(SVC(slack='l1'), weights=True, starts=5, random_state=0)`; "
            f"`test_a_lower_bound_of_linear_slack_is_no_lower_error` has it for heart)"
        )


EXPERIMENT = SevenSets()
