"""What private answers and rules really err by, on thresholds, at the sizes that were promised to do.

A column of 2^32 cells, cut at a third. `plain` and the predictors that draw afresh get a tenth of the labels wrong, and
their error is counted above that of the best cut; votes of consistent concepts get clean labels.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import SeededCoins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.prediction.fresh_draws import FreshDraws, plan_flipped_printed
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.vote_law import vote_wrong
from privpac.constructions.prediction.voters import Concepts
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for
from privpac.planning.invented import uniforms

__all__ = ["measured", "unmeasured"]

FAILURE = Fraction(1, 20)

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

SAMPLES = 5
"""Fresh samples of which a mean is taken, each with one run of all coins that depend on records."""
MOST_READ = 400_000
"""Records of all samples of a number together; beyond, fewer samples are drawn, but one at least."""
LARGEST = 1_500_000
"""Records of one sample, at most: some seconds."""


def _records(n: int, coins: SeededCoins, *, noise: float) -> MemorySample:
    place, luck = uniforms(coins, 2 * n).reshape(2, n)
    x = (place * CELLS).astype(np.int64)
    y = (x >= CUT) ^ (luck < noise)
    return MemorySample.from_cells(SCHEMA, {"x": x}, y.astype(np.uint8))


ASKED = {"x": (np.arange(5000, dtype=np.int64) * (CELLS // 5000)).astype(np.uint32)}
TRUTH = ASKED["x"] >= CUT


def unmeasured(n: int, vc: int) -> str:
    """Why there is no measured error, in words; empty if there is one."""
    if vc != 1:
        return "measured for VC dimension 1 only, on thresholds"
    return f"more than {LARGEST} records take long to draw" if n > LARGEST else ""


def measured(name: str, n: int, *, epsilon: Fraction, error: Fraction, models: int) -> float:
    """The mean error of a construction at this size, above the best cut where labels are noisy."""
    noise = 0.0 if name.startswith("vote") else NOISE
    wrong = WRONG[name](n, epsilon, error, models)
    records = SeededCoins(5)
    runs = max(1, min(SAMPLES, MOST_READ // n))
    means = [wrong(_records(n, records, noise=noise), SeededCoins(run)) for run in range(runs)]
    return round((1 - 2 * noise) * float(np.mean(means)), 5)


Run = Callable[[MemorySample, SeededCoins], float]
"""How often answers differ from the best cut's, over all questions; coins that do not depend on records are averaged
exactly."""


def _missed(hypothesis: Hypothesis) -> float:
    return float((hypothesis.predict(ASKED) != TRUTH).mean())


def _plain(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    return lambda sample, coins: _missed(Occam(CLASS, epsilon).learn(sample, coins))


def _turned(share: float, flip: Fraction) -> float:
    """Of answers that are wrong so often and then turned round."""
    return share * (1 - 2 * float(flip)) + float(flip)


def _flipped(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    return _by_draws(FreshDraws.planned(CLASS, epsilon, records=n))


def _flipped_printed(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    flip, kept, share = plan_flipped_printed(n, error=error, epsilon=epsilon, failure=FAILURE, vc=1)
    return _by_draws(FreshDraws(CLASS, epsilon, kept, n, flip, Fraction(1, kept + 1), drawing=share))


def _by_draws(predictor: FreshDraws) -> Run:
    return lambda sample, coins: _turned(_missed(predictor.hypothesis(sample, coins)), predictor.flip)


def _voted_wrong(votes: NDArray[np.int64], models: int, ratio: Fraction) -> float:
    """The mean chance of a wrong answer, by votes for class 1."""
    wrong, present = np.where(TRUTH, models - votes, votes), np.zeros(models + 1)
    for count in np.unique(wrong).tolist():
        present[count] = float(vote_wrong(count, models=models, ratio=ratio))
    return float(present[wrong].mean())


def _relabelled_vote(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    own = RelabelledVote.planned(CLASS, epsilon, records=n)
    ratio = ratio_for(own.inner)
    return lambda sample, coins: _voted_wrong(own.votes(sample, ASKED, coins), own.models, ratio)


def _net_relabelled(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    own = NetRelabelled.planned(CLASS, epsilon, records=n)
    ratio = ratio_for(own.inner)
    return lambda sample, coins: _turned(
        _voted_wrong(own.votes(sample, ASKED, coins), own.models, ratio), own.flip
    )


def _vote(n: int, epsilon: Fraction, error: Fraction, models: int) -> Run:
    vote = Vote(Concepts(CLASS), epsilon, models)

    def run(sample: MemorySample, coins: SeededCoins) -> float:
        votes = vote.voters.tally(vote.prepare(sample, coins).models, ASKED)[:, 1]
        return _voted_wrong(votes, models, vote.ratio)

    return run


WRONG: dict[str, Callable[[int, Fraction, Fraction, int], Run]] = {
    "plain": _plain,
    "flipped": _flipped,
    "flipped_printed": _flipped_printed,
    "relabelled_vote": _relabelled_vote,
    "net_relabelled": _net_relabelled,
    "vote": _vote,
    "vote_printed": _vote,
}
