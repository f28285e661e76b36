"""A scorecard for the waiting room

Points for two or three things a nurse can see, and a cut-off for their sum: the oldest machine learning there is,
and people trust it because they can add. The points are drawn privately, at epsilon 1; the picture shows how the
sum separates people it has never seen.
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
    "label": "returned",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 20, "upper": 99, "integer": True},
        {"name": "drugs", "kind": "numeric", "lower": 0, "upper": 15, "integer": True},
        {"name": "lives_alone", "kind": "boolean"},
    ],
}


def patients(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    age, drugs = rng.integers(20, 100, n), np.minimum(rng.poisson(4, n), 15)
    alone = rng.random(n) < 0.3
    risk = (age - 20) / 80 * 2 + drugs / 15 * 3 + alone * 0.8
    return {
        "age": age,
        "drugs": drugs,
        "lives_alone": alone,
        "returned": (risk + rng.normal(0, 0.25, n) > 2.1).astype(int),
    }


rng = np.random.default_rng(7)
model = privpac.learn(patients(4_000, rng), schema=SCHEMA, concepts="scorecards:3", epsilon=1, random_state=1)
print(model.describe())

card, fresh = model.hypothesis, patients(4_000, rng)
cells = privpac.MemorySample.of(fresh, model.schema).block().cells
total, returned = card.total(cells), fresh["returned"] == 1
figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
bins = np.arange(total.min() - total.min() % 4, total.max() + 5, 4) - 0.5
axes.hist(
    [total[~returned], total[returned]],
    bins=bins,
    stacked=True,
    color=["#9EC9E9", "#D55E00"],
    label=["stayed at home", "came back within 30 days"],
)
axes.axvline(card.cutoff - 0.5, color="black", linestyle="--", label=f"cut-off: {card.cutoff} points")
points = ", ".join(f"{item.feature.column} {item.points:+d}" for item in card.items)
axes.set(title=f"Points a level: {points}", xlabel="points of a new patient", ylabel="patients")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
