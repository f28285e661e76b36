"""Asking a random few

Ten thousand people in the register, and a test that costs a day each. A private session draws whom to test; the
rule is learnt from them, and those who were asked are protected as well as those who were not. The more you ask,
the better: each dot is one session.
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from privpac import PrivateQuery, Schema

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
schema = Schema.from_json(
    {
        "label": "ill",
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}],
    }
)
rng = np.random.default_rng(1)
ages = rng.integers(0, 100, 10_000).reshape(-1, 1)
truth = (ages[:, 0] >= 60).astype(int)
LABELS = (25, 50, 100, 200, 400)

figure, axes = plt.subplots(figsize=(8, 4.6), layout="constrained")
means = []
for count in LABELS:
    errors = []
    for seed in range(30):
        session = PrivateQuery(
            "thresholds:age", epsilon=1, labels=count, method="plain", schema=schema, random_state=seed
        )
        labels = np.full(len(ages), -1)
        asked = session.query(ages, labels)
        labels[asked] = truth[asked]  # so many tests are made
        model = session.fit(ages, labels)
        errors.append(np.mean(model.classify(ages) != truth))
    means.append(np.mean(errors))
    axes.scatter(count * rng.uniform(0.94, 1.06, 30), errors, s=14, color="#0072B2", alpha=0.5, linewidths=0)
    print(f"{count:>4} asked: mean error {means[-1]:.3f}, epsilon {model.certificate['epsilon']}")
axes.plot(LABELS, means, color="#D55E00", marker="D", label="mean of 30 sessions")
axes.set_xscale("log")
axes.set_xticks(LABELS, [str(count) for count in LABELS])
axes.minorticks_off()
axes.set(title="A rule for 10,000 people from a few of their labels (epsilon 1)", xlabel="labels asked for")
axes.set_ylabel("share of wrong predictions")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
