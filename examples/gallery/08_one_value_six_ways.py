"""One value, six ways

Exactly one value of a column means yes: a faulty batch number, a gene, a shop. Naming it privately needs more
records the longer the number is; answering with a larger set that contains it does not. Each curve is what is
proved, from the planner; the dashed ones are the floors.
"""

import os
from pathlib import Path

from privpac import plan
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
BITS = (8, 16, 24, 32, 48, 64, 96, 128)
NAMES = {
    "occam": "occam: the value itself",
    "clipped-points": "clipped: the value itself",
    "coded-points": "improper: a set of a code",
    "covered-points": "cover: one of many random sets",
    "sparse-points": "gibbs: a listed set, up to 24 bits",
    "boosted-points": "boosted: random sets, several runs",
}

records: dict[str, list[float | None]] = {name: [] for name in NAMES}
floors: dict[str, list[float | None]] = {"floor-points-proper": [], "floor-points-any": []}
for bits in BITS:
    found = plan.needed("points", bits=bits, error=0.1, epsilon=1).rows
    by_name = {row.learner: row for row in found if row.setting == "realizable"}
    for name, values in records.items():
        values.append(float(by_name[name].proved) if name in by_name else None)
    for name, values in floors.items():
        values.append(
            next((float(row.limit.value) for row in found if row.limit and row.limit.source == name), None)
        )
    print(bits, {name: row.proved for name, row in by_name.items()})

proper, anything = floors.values()
Curves(
    title="Records proved to find one value (error 0.1, epsilon 1, failure 0.05)",
    x_label="bits of the column",
    y_label="records",
    series=[
        *(Series(label, BITS, records[name]) for name, label in NAMES.items()),
        Series("floor for answers that are a value", BITS, proper, dashed=True),
        Series("floor for any answer", BITS, anything, dashed=True),
    ],
    log_y=True,
    x_ticks=BITS,
).save(OUT)
