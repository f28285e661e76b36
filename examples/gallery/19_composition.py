"""What many releases cost together

A hundred releases of epsilon 0.1 each are epsilon 10 by adding up, and that is exact if delta is 0. If a tiny
chance of failure is allowed, the same hundred cost a third of it. The curves are the optimal composition theorem,
in numbers that are rounded to the safe side.
"""

import os
from fractions import Fraction
from pathlib import Path

from privpac.numbers.composition import fold_delta
from privpac.numbers.exact import exp_up
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
TIMES = (1, 2, 5, 10, 20, 40, 70, 100, 150, 200)
ONE = Fraction(1, 10)
factor = exp_up(ONE, 40)


def total(times: int, delta: Fraction) -> float:
    """The smallest total epsilon, in steps of two single ones, that this delta allows."""
    saved = 0
    while 2 * (saved + 1) <= times and fold_delta(factor, times=times, saved=saved + 1) <= delta:
        saved += 1
    return float((times - 2 * saved) * ONE)


series = [Series("delta 0: prices add up", TIMES, [float(times * ONE) for times in TIMES])]
for digits in (9, 6, 3):
    values = [total(times, Fraction(1, 10**digits)) for times in TIMES]
    print(f"delta 1e-{digits}", values)
    series.append(Series(f"delta 1e-{digits}", TIMES, values))

Curves(
    title="Releases of epsilon 0.1 each, together",
    x_label="number of releases",
    y_label="epsilon of all together",
    series=series,
    note="Optimal composition of pure releases. A ledger adds; declare the number beforehand to use the theorem.",
).save(OUT)
