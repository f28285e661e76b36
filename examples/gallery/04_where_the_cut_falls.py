"""Thresholds and intervals: where the cut falls

Nothing is searched: a rule is drawn, and better rules are likelier. Here are three hundred draws from the same 400
records, for three values of epsilon. The cut behind the labels is 60, the range is 30 to 60. At a small epsilon the
draw wanders; at a large one it sits where the data say.
"""

import os
from fractions import Fraction
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from privpac import MemorySample, Occam, Schema, SeededCoins, Thresholds, intervals

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
schema = Schema.from_json(
    {
        "label": "ill",
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
)
rng = np.random.default_rng(3)
age = rng.integers(0, 100, 400)
flipped = rng.random(400) < 0.1
cut = MemorySample.of({"age": age}, schema, y=((age >= 60) ^ flipped).astype(int))
band = MemorySample.of({"age": age}, schema, y=(((age >= 30) & (age < 60)) ^ flipped).astype(int))
EPSILONS = {
    "0.05": "#E69F00",
    "0.2": "#56B4E9",
    "1": "#0072B2",
}  # told apart by most eyes, and by their order

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for epsilon, colour in EPSILONS.items():
    one = Occam(Thresholds(schema, "age"), Fraction(epsilon))
    cuts = [one.learn(cut, SeededCoins(seed)).cut for seed in range(300)]
    left.hist(cuts, bins=range(0, 102, 3), color=colour, alpha=0.75, label=f"epsilon {epsilon}")
    two = Occam(intervals(schema, "age"), Fraction(epsilon))
    drawn = [two.learn(band, SeededCoins(seed)) for seed in range(300)]
    lows, highs = zip(*(ends for rule in drawn for ends in rule.intervals), strict=True)
    right.scatter(lows, highs, s=12, color=colour, alpha=0.6, linewidths=0)
    print(f"epsilon {epsilon:>4}: half of the cuts lie between {np.percentile(cuts, [25, 75]).tolist()}")
left.set(title="Thresholds: the cut of 300 draws", xlabel="age", ylabel="draws")
left.axvline(60, color="black", linestyle=":", label="the cut behind the labels")
left.legend(frameon=False)
right.plot(30, 60, marker="+", color="black", markersize=16, markeredgewidth=2, linestyle="none")
right.annotate("the range behind the labels", (30, 60), (42, 22), arrowprops={"arrowstyle": "-"})
right.set(
    title="Intervals: both ends of 300 draws",
    xlabel="from age",
    ylabel="up to age",
    xlim=(0, 100),
    ylim=(0, 101),
)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
