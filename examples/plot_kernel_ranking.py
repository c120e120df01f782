"""
Columns that matter only together
=================================

Two columns decide the class, by the sign of their product. Each alone says nothing, and no
direction separates the classes. A filter and a linear machine cannot find the two; a Gaussian
machine does.
"""

import matplotlib.pyplot as plt
import numpy as np

from svsieve import SVC, SVMRFE, fisher_score
from svsieve.elimination import Path
from svsieve.reports import RankingDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 12))
y = X[:, 3] * X[:, 8] > 0
names = [f"column {j}" for j in range(12)]

# %%
# Three rankings of the same table. ``n_features_to_select=1`` ranks everything; ``path_`` is the
# whole elimination.

linear = SVMRFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y)
gaussian = SVMRFE(SVC(kernel="rbf"), n_features_to_select=1).fit(X, y)
rankings = {
    "Fisher score": Path.from_scores(fisher_score(X, y)),
    "linear SVM": linear.path_,
    "Gaussian SVM": gaussian.path_,
}
for method, path in rankings.items():
    print(f"{method:>12}: {path.top(3)}")

# %%
# The score of a column is what it was worth when it was dropped. In the Gaussian ranking the two
# columns stay to the end.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, (method, path) in zip(axes, rankings.items(), strict=True):
    order = path.order
    RankingDisplay([names[j] for j in order], path.importances[::-1], np.isin(order, [3, 8])).plot(
        ax
    )
    ax.set_title(method, pad=26)  # the legend stands between
