"""A column, released

All ages of 3,000 people, and what three methods release of them at epsilon 1. The certificate promises how far
*every* threshold may be off; the band is that promise for the best of the three, and the truth stays well inside
it.
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
    "label": "ill",
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 127, "integer": True}],
}
rng = np.random.default_rng(4)
age = np.clip(np.where(rng.random(3_000) < 0.4, rng.normal(30, 6, 3_000), rng.normal(68, 10, 3_000)), 0, 127)
table = {"age": age.astype(int), "ill": np.zeros(3_000, int)}
places = list(range(128))
truth = np.array([np.mean(table["age"] < place) for place in places])

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
left.step(places, truth, color="black", linewidth=2.5, alpha=0.35, label="the truth, never released")
for method, colour, style in (
    ("tree", "#0072B2", "-"),
    ("blr", "#D55E00", "--"),
    ("quantiles", "#009E73", ":"),
):
    released = privpac.release_table(
        table, schema=SCHEMA, columns="age", epsilon=1, method=method, random_state=1
    )
    answers = np.array([released.query(high=place) for place in places])
    promise = next(float(fact.error) for fact in released.promises if fact.queries.value == "thresholds")
    off = np.abs(answers - truth)
    print(f"{method:>9}: promised {promise:.3f}, worst {off.max():.3f}")
    left.step(places, answers, color=colour, linestyle=style, label=method)
    if method == "tree":
        left.fill_between(places, answers - promise, answers + promise, color=colour, alpha=0.15, linewidth=0)
    right.step(places, off, color=colour, linestyle=style, label=f"{method}: promised {promise:.3f}")
left.set(title="Share of people younger than …", xlabel="age", ylabel="share", ylim=(-0.02, 1.02))
right.set(title="How far off each threshold is", xlabel="age", ylabel="error of the share", ylim=(0, 0.1))
for axes in (left, right):
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
