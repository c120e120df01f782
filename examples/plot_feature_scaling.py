"""
Factors of columns by gradients
===============================

Every column has a factor, and all factors descend a bound on the leave-one-out error together. Only
columns 0 and 1 of the table matter, and only together.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator
from sklearn.preprocessing import scale

from svsieve import SVC, FeatureScaling, GradientSearch
from svsieve.datasets import make_weston_nonlinear

X, y = make_weston_nonlinear(100, 20, rng=0)
X = scale(X)

# %%
# ``GradientSearch`` finds the factors and keeps all columns; ``FeatureScaling`` drops those that
# become small and goes on.

search = GradientSearch(SVC(C=10, slack="l2"), weights=True).fit(X, y)
selector = FeatureScaling(SVC(C=10, slack="l2"), n_features_to_select=2).fit(X, y)
print(f"{search.n_trainings_} trainings; {selector.n_trainings_} with dropping")
print(f"kept: {selector.get_support(indices=True)}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.bar(np.arange(20), search.scales_)
left.set(xlabel="column", ylabel="factor", title="GradientSearch(weights=True)")
sizes = selector.path_.sizes
values = selector.path_.notes["objective_values"]
right.plot(sizes[: len(values)], values, marker="o")
right.invert_xaxis()
for ax in (left, right):
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
right.set(xlabel="columns left", ylabel="radius/margin bound", title="FeatureScaling")
