"""Half-planes when only labels are secret

What people bought is on the receipt; whether they would recommend the shop is their secret. With public columns
every half-plane that tells these very people apart is a candidate, and one is drawn. Thirty draws at epsilon 0.5
and at 4.
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import privpac

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
SCHEMA = {
    "label": "recommends",
    "columns": [
        {"name": "wait", "kind": "numeric", "lower": 0, "upper": 59, "integer": True},
        {"name": "spent", "kind": "numeric", "lower": 0, "upper": 199, "integer": True},
    ],
}
rng = np.random.default_rng(5)
n = 250
wait, spent = rng.integers(0, 60, n), rng.integers(0, 200, n)
recommends = (spent - 3 * wait + 20 > 0) ^ (rng.random(n) < 0.05)
table = {"wait": wait, "spent": spent, "recommends": recommends.astype(int)}

figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), sharey=True, layout="constrained")
grid_wait, grid_spent = np.meshgrid(np.arange(60), np.arange(0, 200, 2))
grid = {"wait": grid_wait.ravel(), "spent": grid_spent.ravel()}
for axes, epsilon in zip(panels, ("0.5", "4"), strict=True):
    for seed in range(30):
        model = privpac.learn(
            table,
            schema=SCHEMA,
            concepts="halfspaces:wait,spent",
            protect="labels",
            epsilon=epsilon,
            random_state=seed,
        )
        answers = model.predict(grid).reshape(grid_wait.shape)
        if 0 < answers.sum() < answers.size:
            axes.contour(
                grid_wait, grid_spent, answers, levels=[0.5], colors="black", alpha=0.35, linewidths=1
            )
    print(f"epsilon {epsilon}: {model.describe()}")
    for marker, colour, which, name in (
        ("o", "#0072B2", ~recommends, "would not"),
        ("^", "#D55E00", recommends, "would recommend"),
    ):
        axes.scatter(
            wait[which], spent[which], s=16, marker=marker, color=colour, alpha=0.7, linewidths=0, label=name
        )
    axes.set(title=f"Thirty half-planes at epsilon {epsilon}", xlabel="minutes of waiting")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("money spent")
panels[1].legend(loc="lower right")
figure.savefig(OUT)
