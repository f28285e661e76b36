"""Cuts in very long keys

A cut in a column of 2^B values: how the number of records grows with B. A pure learner pays for every bit, and
provably must. With a small delta the price hardly grows at all. The recursion of the papers starts so high that it
pays off only for keys of some two hundred bits; one draw among occupied blocks pays off from about 24 bits on.
"""

import os
from fractions import Fraction
from pathlib import Path

from privpac import plan
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
BITS = (16, 32, 64, 128, 256, 512)

pure, floor, recursion, blocks = [], [], [], []
for bits in BITS:
    row = plan.needed("thresholds", bits=bits, error=0.1, epsilon=1).option("occam", "realizable")
    found = plan.needed("thresholds", bits=bits, error=0.1, epsilon=1, delta=Fraction(1, 10**6))
    pure.append(float(row.proved))
    floor.append(None if row.floor is None else float(row.floor))
    recursion.append(float(found.option("recconcave").proved))
    blocks.append(float(found.option("blocks").proved))
    print(
        f"{bits} bits: pure {pure[-1]:.0f}, floor {floor[-1]}, recursion {recursion[-1]:.0f}, blocks {blocks[-1]:.0f}"
    )

Curves(
    title="Records for a cut in a column of 2^B values (error 0.1, epsilon 1)",
    x_label="bits of the column",
    y_label="records",
    series=[
        Series("pure epsilon: proved", BITS, pure),
        Series("delta 1e-6, recursion: proved", BITS, recursion),
        Series("delta 1e-6, blocks: proved", BITS, blocks),
        Series("pure epsilon: floor", BITS, floor, dashed=True),
    ],
    log_x=True,
    log_y=True,
    x_ticks=BITS,
).save(OUT)
