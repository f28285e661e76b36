"""How many answers a budget buys

A service that answers single questions, and a budget of epsilon 3 for all of them. One by one, prices add up.
Declared beforehand, with a delta of one in a million, they are composed by the optimal theorem, and each of a
thousand answers may have seven times the epsilon it would have had: far less noise, for the same promise.
"""

import os
from fractions import Fraction
from pathlib import Path

from privpac.answering.price import epsilon_an_answer
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
ANSWERS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)
TOTAL = Fraction(3)

series = []
for delta, name in (
    (Fraction(0), "one by one: prices add up"),
    (Fraction(1, 10**9), "declared beforehand, delta 1e-9"),
    (Fraction(1, 10**6), "declared beforehand, delta 1e-6"),
):
    prices = [float(epsilon_an_answer(answers=count, epsilon=TOTAL, delta=delta)) for count in ANSWERS]
    print(name, [f"{price:.4f}" for price in prices])
    series.append(Series(name, ANSWERS, prices))

Curves(
    title="Epsilon that each answer may have, if all together have epsilon 3",
    x_label="number of answers",
    y_label="epsilon per answer",
    series=series,
    log_x=True,
    log_y=True,
    note="The more epsilon an answer has, the less noise it carries. Repeated questions are free.",
).save(OUT)
