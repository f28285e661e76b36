"""A box in two columns

Who is at risk? Those in a range of ages *and* a range of blood pressures. Forty boxes, each drawn on its own at
epsilon 0.1 from the same 1,500 people: their edges agree where many people stand and scatter where few do.
"""

import os
from fractions import Fraction
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from privpac import MemorySample, Occam, Schema, SeededCoins
from privpac.concepts.boxes.rectangles import Rectangles

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
schema = Schema.from_json(
    {
        "label": "risk",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 20, "upper": 99, "integer": True},
            {"name": "pressure", "kind": "numeric", "lower": 90, "upper": 189, "integer": True},
        ],
    }
)
rng = np.random.default_rng(8)
age = np.clip(rng.normal(55, 15, 1_500), 20, 99).astype(int)
pressure = np.clip(rng.normal(95 + 0.6 * age, 14), 90, 189).astype(int)
risk = (age >= 50) & (age < 75) & (pressure >= 125) & (pressure < 160)
risk ^= rng.random(1_500) < 0.05
sample = MemorySample.of({"age": age, "pressure": pressure}, schema, y=risk.astype(int))

learner = Occam(Rectangles(schema, ("age", "pressure")), Fraction("0.1"))
boxes = [learner.learn(sample, SeededCoins(seed)) for seed in range(40)]
print(boxes[0].describe(schema))
print(learner.certify(sample.size).privacy.fact)

figure, axes = plt.subplots(figsize=(7.5, 5.2), layout="constrained")
for marker, colour, which, name in (
    ("o", "#0072B2", ~risk, "not at risk"),
    ("^", "#D55E00", risk, "at risk"),
):
    axes.scatter(
        age[which], pressure[which], s=12, marker=marker, color=colour, alpha=0.6, linewidths=0, label=name
    )
for box in boxes:
    (x, y), (x_end, y_end) = box.low, box.high  # cells count from the lower bounds
    axes.add_patch(
        Rectangle(
            (20 + x, 90 + y), x_end - x, y_end - y, fill=False, edgecolor="black", alpha=0.35, linewidth=1
        )
    )
axes.set(
    title="Forty boxes drawn at epsilon 0.1",
    xlabel="age",
    ylabel="blood pressure",
    xlim=(20, 100),
    ylim=(90, 190),
)
axes.legend(frameon=True, loc="upper left")
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
