"""Few labels, many records

Labels cost money and records do not. What every method is proved to need for an error of 0.1 at epsilon 1, as the
column grows: learning from labelled records alone pays for every bit of the column, and with enough unlabelled
records the number of labels stops growing.
"""

import os
from pathlib import Path

from privpac import plan
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
BITS = (16, 24, 32, 48, 64)

UNLABELLED = 10**6

alone, together = [], []
for bits in BITS:
    found = plan.needed("thresholds", bits=bits, error=0.1, epsilon=1, unlabelled=UNLABELLED)
    alone.append(float(found.option("occam", "realizable").proved))
    together.append(float(found.option("generic").proved))
    print(
        f"{bits} bits: {alone[-1]:.0f} labels, or {together[-1]:.0f} and {UNLABELLED:,} records without one"
    )

Curves(
    title="Labels proved to suffice for one cut (error 0.1, epsilon 1, failure 0.05)",
    x_label="bits of the column",
    y_label="labelled records",
    series=[
        Series("labelled records alone", BITS, alone),
        Series("with unlabelled records", BITS, together),
    ],
    x_ticks=BITS,
    note=f"Unlabelled records: {UNLABELLED:,}.",
).save(OUT)
