"""
Selection bias
==============

A table of noise: there is nothing to be found. Columns are ranked, and a machine is cross-validated
on the best of them. If the ranking has seen the rows that judge it, the result looks excellent.
"""

import matplotlib.pyplot as plt
import numpy as np

from svsieve import SVC, SVMRFE, SVMRFECV, validate

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 1000)), np.arange(60) % 2
sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

# %%
# Wrong: rank on all rows, then cross-validate. Right: rank anew on the training rows of each fold.

all_rows = SVMRFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y).path_
wrong = validate(all_rows, SVC(kernel="linear"), X, y, sizes=sizes)
right = SVMRFECV(SVC(kernel="linear"), step=sizes).fit(X, y).curve_

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for curve, label in ((wrong, "ranked on all rows"), (right, "ranked inside each fold")):
    ax.errorbar(curve.sizes, curve.mean(), curve.standard_error(), marker="o", label=label)
ax.axhline(0.5, color="grey", linestyle=":", label="chance")
ax.set(xscale="log", xlabel="columns", ylabel="cross-validated accuracy", ylim=(0.2, 1.05))
ax.legend(loc="lower left")
