"""
How many columns to keep
========================

Cross-validation gives a curve of scores against the number of columns; a rule reads a size off it.
All rules share one curve: changing the rule costs nothing.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFECV, rules
from svsieve.reports import CurveDisplay, ParetoDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
machine = make_pipeline(StandardScaler(), SVC(kernel="rbf", C=10))
selector = SVMRFECV(machine, rule="one-se").fit(X, y)

for rule in (
    rules.Best(),
    rules.OneStandardError(),
    rules.Tolerance(0.01),
    rules.Knee(),
    rules.Scalarised(0.8, 0.2),
    rules.AtMost(5),
):
    print(rule.choose(selector.curve_).reason)

# %%
# The band is one standard error wide on either side. The front on the right has the sizes for which
# no smaller one scores as well.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
CurveDisplay.from_estimator(selector, ax=left)
ParetoDisplay.from_estimator(selector, ax=right)

# %%
# Another size can be taken afterwards, without ranking anything again.

print(selector.select(3).get_feature_names_out())
