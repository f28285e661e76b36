"""The law on neighbours

The claim 'epsilon 1' is about two tables that differ in one record: whatever comes out must be nearly as likely on
both. On a tiny domain all coins can be enumerated, so here is the exact law of the shipped learner on such a pair,
and the loss of every outcome against what the certificate allows.
"""

import os
from fractions import Fraction
from math import log
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from privpac import MemorySample, Occam, Schema, Size, Thresholds
from privpac.coins import law

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
schema = Schema.from_json(
    {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}]}
)
learner = Occam(Thresholds(schema, "x"), Fraction(1))
x = [0, 1, 2, 5, 6, 7, 8, 9, 2]
y = [0, 0, 0, 1, 1, 1, 1, 1, 0]
neighbour_x, neighbour_y = x, [*y[:-1], 1]  # the last record became somebody else


def exact_law(xs: list[int], ys: list[int]) -> dict[int, float]:
    sample = MemorySample.of({"x": xs}, schema, y=ys)
    found = law(lambda coins: learner.learn(sample, coins).cut)
    return {cut: float(chance) for cut, chance in sorted(found.items())}


one, other = exact_law(x, y), exact_law(neighbour_x, neighbour_y)
cuts = np.array(sorted(one))
losses = [log(one[cut] / other[cut]) for cut in cuts]
print(f"largest loss {max(map(abs, losses)):.4f}, certified {learner.certify(Size(len(x))).epsilon}")

figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True, layout="constrained")
top.bar(cuts - 0.2, list(one.values()), width=0.4, color="#0072B2", label="with her record")
top.bar(
    cuts + 0.2,
    list(other.values()),
    width=0.4,
    color="#E69F00",
    label="with somebody else's",
    hatch="//",
    edgecolor="white",
)
top.set(title="The exact law of the drawn cut, on two tables that differ in one record", ylabel="probability")
top.legend(frameon=False)
bottom.stem(cuts, losses, linefmt="grey", markerfmt="o", basefmt="grey")
for sign in (-1, 1):
    bottom.axhline(
        sign, color="#D55E00", linestyle="--", label="what the certificate allows" if sign == 1 else None
    )
bottom.set(xlabel="cut", ylabel="privacy loss (log of the ratio)", ylim=(-1.25, 1.45), xticks=cuts)
bottom.legend(frameon=False, loc="upper right")
for axes in (top, bottom):
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(OUT)
