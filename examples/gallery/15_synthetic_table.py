"""A synthetic table

Ward by diagnosis: the true shares of 2,000 admissions, and those of a table of invented people that may be put on
the web. Every combination is released at once, at epsilon 0.5; empty cells stay (nearly) empty.
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import privpac

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
WARDS = ["heart", "lung", "surgery", "children", "elderly"]
DIAGNOSES = ["infection", "fracture", "chronic", "cancer", "injury", "other"]
SCHEMA = {
    "label": "died",
    "columns": [
        {"name": "ward", "kind": "categorical", "categories": WARDS},
        {"name": "diagnosis", "kind": "categorical", "categories": DIAGNOSES},
    ],
}
rng = np.random.default_rng(6)
weights = rng.gamma(0.6, size=(5, 6))
weights[3, 2:4] = 0
drawn = rng.choice(30, size=2_000, p=(weights / weights.sum()).ravel())
table = {
    "ward": [WARDS[i // 6] for i in drawn],
    "diagnosis": [DIAGNOSES[i % 6] for i in drawn],
    "died": [0] * 2_000,
}

released = privpac.release_table(
    table, schema=SCHEMA, columns=["ward", "diagnosis"], epsilon="0.5", method="points", random_state=2
)
truth = np.bincount(drawn, minlength=30).reshape(5, 6) / 2_000
shares = np.array([[released.share(ward=ward, diagnosis=what) for what in DIAGNOSES] for ward in WARDS])
promise = float(released.promises[0].error)
print(f"promised for every cell: {promise:.4f}; worst: {np.abs(shares - truth).max():.4f}")
print(f"{len(released.records()['ward'])} synthetic records")

figure, panels = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
for axes, values, title in zip(
    panels, (truth, shares), ("True shares, in %", "Released shares, in %"), strict=True
):
    image = axes.imshow(values, cmap="cividis", vmin=0, vmax=truth.max(), aspect="auto")
    axes.set_xticks(range(6), DIAGNOSES, rotation=30, ha="right")
    axes.set_yticks(range(5), WARDS)
    axes.set_title(title)
    for (row, column), value in np.ndenumerate(values):
        shade = "black" if value > truth.max() / 2 else "white"
        axes.text(column, row, f"{100 * value:.1f}", ha="center", va="center", color=shade, fontsize=9)
figure.colorbar(image, ax=panels, label="share of admissions", shrink=0.85)
figure.supxlabel(
    f"epsilon 0.5; every cell is promised within {100 * promise:.1f} points, except with probability 0.05",
    fontsize=9,
)
figure.savefig(OUT)
