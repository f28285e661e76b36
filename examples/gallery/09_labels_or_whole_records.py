"""Protecting labels, or whole records

If the columns are public anyway and only the label is a secret, the learner may look at the columns freely: cut
points come from the records themselves. The same thresholds, the same epsilon, two promises. On a column of 2^32
values, most of them empty, the weaker promise needs far fewer records.
"""

import os
import warnings
from pathlib import Path

import numpy as np

import privpac
from privpac.errors import SmallEvidence
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
SCHEMA = {
    "label": "agrees",
    "columns": [{"name": "income", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}],
}
SIZES = (20, 40, 80, 160, 320, 640)


def answers(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    income = np.minimum(rng.lognormal(10, 0.5, n), 2.0**32 - 1).astype(np.int64)
    return {"income": income, "agrees": (income >= 30_000).astype(int)}


rng = np.random.default_rng(2)
fresh = answers(20_000, rng)
series = []
for protect, name in (("records", "whole records are protected"), ("labels", "only labels are protected")):
    errors = []
    for n in SIZES:
        wrong = []
        for seed in range(25):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SmallEvidence)
                model = privpac.learn(
                    answers(n, rng),
                    schema=SCHEMA,
                    concepts="thresholds:income",
                    epsilon="0.5",
                    protect=protect,
                    random_state=seed,
                )
            wrong.append(np.mean(model.predict(fresh) != fresh["agrees"]))
        errors.append(float(np.mean(wrong)))
    print(name, [f"{error:.3f}" for error in errors])
    series.append(Series(name, SIZES, errors))

Curves(
    title="Error of a private threshold on a column of 2^32 values (epsilon 0.5)",
    x_label="records",
    y_label="share of wrong predictions",
    series=series,
    log_x=True,
    x_ticks=SIZES,
    note="Means of 25 draws. What 'only labels' does not protect: who is in the table, and their income.",
).save(OUT)
