"""Rows that answer questions: how likely an answer is wrong, averaged over all questions, for one set of records.

Coins that do not depend on the question are drawn a few times and averaged; those of a vote and of a flip are summed
exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins.tosses import BitCoins
from privpac.concepts.base import AnyClass
from privpac.constructions.prediction.formulas import vote_wrong
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.voters import Concepts, largest_block
from privpac.data.engines.memory import MemorySample
from privpac.errors import SizeError
from privpac.numbers.exact import ratio_for
from privpac.plan.answer import Answer
from privpac.plan.populations import Population
from privpac.plan.runs.base import EACH_RECORD, Supply, listing_seconds
from privpac.plan.runs.rules import class_of
from privpac.plan.trials import Experiment, Trial

__all__ = ["flipped", "net_relabelled", "relabelled_vote", "vote"]

DRAWS = 3
"""Fresh draws for one set of records, each asked all questions; the mean of them is taken."""
EACH = 0.001
EACH_MODEL = 4e-4
"""Seconds of one more model that votes on all questions."""

P = TypeVar("P", FreshDraws, RelabelledVote, NetRelabelled)

Errs = Callable[[MemorySample, BitCoins], float]
"""(sample, coins) to the share of wrong answers, over all questions."""


def _experiment(
    answer: Answer,
    supply: Supply,
    make: Callable[[Population, int, Fraction], Errs],
    *,
    draws: int,
    each: Callable[[int], float],
) -> Experiment:
    """`each`: the seconds of one draw from this many records."""
    population = supply.population(answer)

    def trial(n: int, epsilon: Fraction) -> Trial:
        errs = make(population, n, epsilon)

        def run(coins: BitCoins) -> float:
            sample = population.sample(n, coins)
            wrong = sum(errs(sample, coins) for _ in range(draws)) / draws
            return max(0.0, wrong - population.best)

        return run

    def seconds(n: int) -> float:
        return EACH + n * EACH_RECORD + draws * (EACH + n * EACH_RECORD + each(n))

    return Experiment(population.on, trial, seconds, promised=supply.promised(answer, population))


def _for_size(kind: type[P], concepts: AnyClass, answer: Answer) -> Callable[[int, Fraction], P]:
    """A predictor planned for this many records, as the printed command plans it."""

    def plan(n: int, epsilon: Fraction) -> P:
        if n < 2:
            raise SizeError("One record is too few to relabel.")
        return kind.planned(concepts, epsilon, records=n, failure=answer.wish.failure)

    return plan


def _numbers_of(
    make: Callable[[int, Fraction], FreshDraws | RelabelledVote | NetRelabelled], answer: Answer
) -> Callable[[int], tuple[int, int]]:
    """How many of this many records list the labellings, and how many models vote; none where so few cannot do."""

    @lru_cache(maxsize=64)
    def numbers(n: int) -> tuple[int, int]:
        try:
            predictor = make(n, answer.wish.epsilon)
        except SizeError:
            return 0, 0
        return predictor.kept, 0 if isinstance(predictor, FreshDraws) else predictor.models

    return numbers


def _drawing(
    answer: Answer, concepts: AnyClass, numbers: Callable[[int], tuple[int, int]], *, voted: bool = False
) -> Callable[[int], float]:
    """Seconds of one draw by the labellings of the records that are kept, out of this many."""

    def each(n: int) -> float:
        kept = numbers(n)[0]
        records = n - kept if voted else n
        return listing_seconds(answer, concepts, kept, counted=records, voted=voted) if kept else 0.0

    return each


def _fitting(answer: Answer, concepts: AnyClass, models: int, *, records: int) -> float:
    """Seconds of models that vote, each fitted to its part of this many records."""
    if not models:
        return 0.0
    block = largest_block(records, models)
    return models * (EACH_MODEL + listing_seconds(answer, concepts, block, counted=block))


def _turn(share: float, flip: Fraction) -> float:
    """Of answers that are wrong so often and then turned round."""
    return share * (1 - 2 * float(flip)) + float(flip)


def _voted_wrong(population: Population, votes: NDArray[np.int64], models: int, ratio: Fraction) -> float:
    """The mean chance of a wrong answer, by votes for class 1."""
    labels = population.records.block().labels
    wrong = np.where(labels == 1, models - votes, votes)
    chances = np.zeros(models + 1)
    for count in np.unique(wrong).tolist():
        chances[count] = float(vote_wrong(count, models=models, ratio=ratio))
    return float(chances[wrong].mean())


def vote(answer: Answer, supply: Supply) -> Experiment:
    """Models on disjoint blocks, as many as the row says; the noise of every answer is summed."""
    concepts, models = class_of(answer, supply), int(answer.need.parameters["models"])

    def make(population: Population, n: int, epsilon: Fraction) -> Errs:
        predictor = Vote(Concepts(concepts), epsilon, min(models, n))
        cells = population.records.block().cells

        def errs(sample: MemorySample, coins: BitCoins) -> float:
            votes = predictor.voters.tally(predictor.prepare(sample, coins).models, cells)[:, 1]
            return _voted_wrong(population, votes, predictor.models, predictor.ratio)

        return errs

    def each(n: int) -> float:
        return _fitting(answer, concepts, models, records=n)

    return _experiment(answer, supply, make, draws=1, each=each)


def flipped(answer: Answer, supply: Supply) -> Experiment:
    """A fresh draw for every answer, turned round now and then."""
    concepts = class_of(answer, supply)
    plan_for = _for_size(FreshDraws, concepts, answer)

    def make(population: Population, n: int, epsilon: Fraction) -> Errs:
        predictor = plan_for(n, epsilon)
        return lambda sample, coins: _turn(
            population.error(predictor.hypothesis(sample, coins)), predictor.flip
        )

    each = _drawing(answer, concepts, _numbers_of(plan_for, answer))
    return _experiment(answer, supply, make, draws=DRAWS, each=each)


def _of_models(
    answer: Answer,
    supply: Supply,
    concepts: AnyClass,
    plan_for: Callable[[int, Fraction], RelabelledVote] | Callable[[int, Fraction], NetRelabelled],
    *,
    voted: bool,
) -> Experiment:
    """Models on records that others vote on (`voted`), or that one draw relabels; then answers are turned round."""

    def make(population: Population, n: int, epsilon: Fraction) -> Errs:
        predictor, cells = plan_for(n, epsilon), population.records.block().cells

        def errs(sample: MemorySample, coins: BitCoins) -> float:
            votes = predictor.votes(sample, cells, coins)
            share = _voted_wrong(population, votes, predictor.models, ratio_for(predictor.inner))
            return _turn(share, predictor.flip) if isinstance(predictor, NetRelabelled) else share

        return errs

    numbers = _numbers_of(plan_for, answer)
    drawing = _drawing(answer, concepts, numbers, voted=voted)

    def each(n: int) -> float:
        kept, models = numbers(n)
        return drawing(n) + _fitting(answer, concepts, models, records=kept if voted else n)

    return _experiment(answer, supply, make, draws=DRAWS, each=each)


def relabelled_vote(answer: Answer, supply: Supply) -> Experiment:
    """Models on records that the others relabel, anew for every answer."""
    concepts = class_of(answer, supply)
    return _of_models(answer, supply, concepts, _for_size(RelabelledVote, concepts, answer), voted=True)


def net_relabelled(answer: Answer, supply: Supply) -> Experiment:
    """All records relabelled by one draw, models on blocks of them, an answer turned round now and then."""
    concepts = class_of(answer, supply)
    return _of_models(answer, supply, concepts, _for_size(NetRelabelled, concepts, answer), voted=False)
