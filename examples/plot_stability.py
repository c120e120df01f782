"""
Do the folds agree?
===================

The whole selection is repeated without each outer fold. The scores of those folds are honest, and
the columns that they chose show how far the choice can be trusted.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFECV, evaluate
from svsieve.reports import StabilityDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
found = evaluate(SVMRFECV(machine, rule="one-se", cv=4), X, y, cv=8)
print(f"accuracy {found.mean:.3f} on rows that no choice has seen")
print(f"sizes chosen: {found.n_features}")
print(found.stability)

# %%
# The dotted line is how often a column would be selected if sets of the same sizes were drawn at
# random.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
StabilityDisplay.from_stability(found.stability, list(X.columns), ax=ax)
