"""What counts is records times epsilon

Three tables of different size, the same rule behind them, seven values of epsilon. Against epsilon the three curves
lie far apart; against n·ε they fall onto one another. With half the epsilon you need twice the records, and nothing
else matters much.
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
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
        {"name": "bmi", "kind": "numeric", "lower": 15, "upper": 44, "integer": True},
    ],
}


def people(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    age, bmi = rng.integers(0, 100, n), rng.integers(15, 45, n)
    ill = ((age >= 60) & (bmi >= 27)) ^ (rng.random(n) < 0.05)
    return {"age": age, "bmi": bmi, "ill": ill.astype(int)}


rng = np.random.default_rng(12)
fresh = people(20_000, rng)
series = []
for n in (500, 2_000, 8_000):
    products, errors = [], []
    for product in (12.5, 25, 50, 100, 200, 400, 800):
        wrong = []
        for run in range(12):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SmallEvidence)  # small n·ε is the subject here
                model = privpac.learn(
                    people(n, rng),
                    schema=SCHEMA,
                    concepts="trees:2",
                    epsilon=round(product / n, 6),
                    random_state=run,
                )
            wrong.append(np.mean(model.predict(fresh) != fresh["ill"]))
        products.append(product)
        errors.append(float(np.mean(wrong)))
        print(f"n {n:>5}  n·ε {product:>6}  error {errors[-1]:.3f}")
    series.append(Series(f"{n:,} records", products, errors))
series.append(Series("share of wrong labels: no rule does better", [12.5, 800], [0.05, 0.05], dashed=True))

Curves(
    title="Error of the drawn tree on new people",
    x_label="records times epsilon",
    y_label="share of wrong predictions",
    series=series,
    log_x=True,
    note="Means of 12 draws; trees of depth 2; a twentieth of all labels is wrong.",
).save(OUT)
