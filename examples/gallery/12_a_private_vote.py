"""A private vote

Fifty-one models, trained on parts of the records that share nobody, vote on a question. One person can change one
vote, so only a close vote needs noise. This is the exact probability of the answer 'yes' for every possible count:
steep where it may be, and never steeper.
"""

import os
from itertools import pairwise
from pathlib import Path

from privpac.mechanisms.vote import VoteLaw
from privpac.numbers.exact import exact_decimal, exp_up
from privpac.pictures.curves import Curves, Series

OUT = os.environ.get("PRIVPAC_GALLERY_OUT", f"{Path(__file__).stem}.svg")
MODELS = 51
votes = list(range(MODELS + 1))

series = []
for epsilon in ("0.1", "0.5", "2"):
    price = exact_decimal(epsilon, owner="gallery", name="epsilon")
    law = VoteLaw(MODELS, 1 / exp_up(price, 60))
    exact = law.chances
    chances = [float(chance) for chance in exact]
    series.append(Series(f"epsilon {epsilon} an answer", votes, chances, kind="points"))
    steepest = float(max(max(b / a, (1 - a) / (1 - b)) for a, b in pairwise(exact)))
    print(
        f"epsilon {epsilon}: all agree, and the answer is theirs with {chances[-1]:.4f}; steepest step {steepest:.3f}"
    )
series.append(
    Series(
        "the plain majority, not private",
        votes,
        [float(2 * v > MODELS) for v in votes],
        kind="step",
        dashed=True,
    )
)

Curves(
    title="The answer of 51 models, of which one person can change one",
    x_label="models that vote yes",
    y_label="probability of the answer yes",
    series=series,
    note="Neighbouring dots differ by a factor of at most e^epsilon, both for yes and for no.",
).save(OUT)
