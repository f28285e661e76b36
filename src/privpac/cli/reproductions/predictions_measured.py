"""What private answers and rules really err by, on thresholds, at the sizes that were promised to do.

A column of 2^32 cells, cut at a third. `plain` and the predictors that draw afresh get a tenth of the labels wrong, and
their error is counted above that of the best cut; votes of consistent concepts get clean labels.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from privpac.coins import SeededCoins
from privpac.concepts.thresholds import Thresholds
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.learners.occam import Occam
from privpac.plan.populations import uniforms
from privpac.prediction.base import Predictor
from privpac.prediction.fresh_draws import FreshDraws
from privpac.prediction.net_relabelled import NetRelabelled
from privpac.prediction.relabelled_vote import RelabelledVote
from privpac.prediction.vote import Vote
from privpac.prediction.voters import Concepts
from privpac.theory.prediction import vote_wrong

__all__ = ["answers_measured", "plain_measured", "vote_measured"]

CELLS = 2**32
CUT = CELLS // 3
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": CELLS - 1, "integer": True}],
    }
)
CLASS = Thresholds(SCHEMA, "x")
NOISE = 0.1

SAMPLES = 10
"""Fresh samples of which a mean is taken, where the error of each is computed rather than counted."""
LARGEST = 500_000
"""Records of such a sample at most."""
ANSWERS, FEWEST = 200, 50
"""Answers that are counted: the error is known to within about .02, or .04 of the fewest."""
WORK = {"flipped": 20_000_000, "relabelled_vote": 7_000_000, "net_relabelled": 4_000_000}
"""Records that may be read for all answers: a few seconds each."""

PLANNED: dict[str, Callable[..., Predictor]] = {
    "flipped": FreshDraws.planned,
    "relabelled_vote": RelabelledVote.planned,
    "net_relabelled": NetRelabelled.planned,
}


def _records(n: int, coins: SeededCoins, *, noise: float) -> MemorySample:
    place, luck = uniforms(coins, 2 * n).reshape(2, n)
    x = (place * CELLS).astype(np.int64)
    y = (x >= CUT) ^ (luck < noise)
    return MemorySample.from_cells(SCHEMA, {"x": x}, y.astype(np.uint8))


def _questions(many: int) -> dict[str, np.ndarray]:
    return {"x": (np.arange(many, dtype=np.int64) * (CELLS // many)).astype(np.uint32)}


def plain_measured(n: int, epsilon: Fraction) -> float | None:
    """The mean excess of one released cut."""
    if n > LARGEST:
        return None
    records, asked = SeededCoins(5), _questions(5000)
    missed = [
        (Occam(CLASS, epsilon).learn(_records(n, records, noise=NOISE), SeededCoins(run)).predict(asked))
        != (asked["x"] >= CUT)
        for run in range(SAMPLES)
    ]
    return round((1 - 2 * NOISE) * float(np.mean(missed)), 4)


def answers_measured(name: str, n: int, epsilon: Fraction) -> float | None:
    """The mean excess of answers that are drawn afresh, all from one sample."""
    many = min(ANSWERS, WORK[name] // n)
    if many < FEWEST:
        return None
    records = SeededCoins(5)
    predictor = PLANNED[name](CLASS, epsilon, records=n)
    prepared = predictor.prepare(_records(n, records, noise=NOISE), SeededCoins(1))
    asked = (uniforms(records, many) * CELLS).astype(np.uint32)
    wrong = prepared.answer({"x": asked}, SeededCoins(2)) != (asked >= CUT)
    return round((1 - 2 * NOISE) * float(wrong.mean()), 4)


def vote_measured(n: int, epsilon: Fraction, *, models: int) -> float | None:
    """The mean error of votes of consistent cuts, the coins of the answers averaged exactly."""
    if n > LARGEST:
        return None
    vote, asked = Vote(Concepts(CLASS), epsilon, models), _questions(2000)
    wrong = np.array([float(vote_wrong(w, models=models, ratio=vote.ratio)) for w in range(models + 1)])
    records, errors = SeededCoins(5), []
    for run in range(SAMPLES):
        prepared = vote.prepare(_records(n, records, noise=0.0), SeededCoins(run))
        votes = vote.voters.tally(prepared.models, asked)[:, 1]
        errors.append(wrong[np.where(asked["x"] >= CUT, models - votes, votes)].mean())
    return round(float(np.mean(errors)), 4)
