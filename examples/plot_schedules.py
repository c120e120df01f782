"""
Schedules
=========

How many columns go in one step. One at a time is the most careful; shares of what is left need far
fewer trainings; others are small where it matters.
"""

import matplotlib.pyplot as plt

from svsieve import schedules

N_COLUMNS = 500
drawn = {
    "Constant(20)": schedules.Constant(20),
    "Fraction(0.2)": schedules.Fraction(0.2),
    "Sqrt()": schedules.Sqrt(),
    "Annealing()": schedules.Annealing(),
    "HalveThenOne(20)": schedules.HalveThenOne(20),
    "Reflective(0.2, centre=100)": schedules.Reflective(0.2, centre=100),
}

figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
for name, schedule in drawn.items():
    sizes = schedule.sizes(N_COLUMNS)
    ax.step(range(len(sizes)), sizes, where="post", label=f"{name}: {len(sizes)} sizes")
ax.set(xlabel="iteration", ylabel="columns left", yscale="log")
figure.legend(loc="outside right center")
