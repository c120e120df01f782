"""
One class: a sphere around the rows
===================================

``SVDD`` describes one class by a small sphere in feature space. The width of the Gaussian kernel
decides how closely the boundary follows the rows; ``choose_sigma`` looks at how many support
vectors it takes. Rows known to be outside can be marked with -1.
"""

import matplotlib.pyplot as plt
import numpy as np

from svsieve import SVDD, one_class
from svsieve.reports import BoundaryDisplay

rng = np.random.default_rng(0)
angle = rng.uniform(0, np.pi, size=150)
X = np.column_stack([np.cos(angle), np.sin(angle)]) * 3 + rng.normal(scale=0.3, size=(150, 2))

chosen = one_class.choose_sigma(X, nu=0.05)
print(f"sigma = {chosen.sigma:.2f}, gamma = {chosen.gamma:.3f}")

# %%
# Too wide, chosen, too narrow: the last one learns the rows by heart.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for ax, gamma in zip(axes, (0.01, chosen.gamma, 20.0), strict=True):
    model = SVDD(nu=0.05, gamma=gamma).fit(X)
    BoundaryDisplay.from_estimator(model, X, ax=ax)
    ax.set_title(f"gamma = {gamma:.3g}, {model.n_support_[0]} support vectors", fontsize=10)
    ax.get_legend().remove()
figure.suptitle("rows, support vectors (ringed) and what is accepted (grey)")
