"""Rows that learn from few labels and many records without any: labels are searched for, the others are the row's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privpac.coins.tosses import BitCoins
from privpac.constructions.few_labels.methods import choose
from privpac.constructions.few_labels.settings import Goal, Settings
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import SizeError
from privpac.plan.answer import Answer
from privpac.plan.populations import Population
from privpac.plan.runs.base import EACH_RECORD, Supply, listing_seconds, weighing_seconds
from privpac.plan.runs.rules import class_of
from privpac.plan.trials import Experiment, Trial

__all__ = ["boost", "generic", "relabel"]

EACH = 0.005
EACH_OTHER, EACH_SANITISED = 2.5e-7, 3e-7
"""Seconds of one record without a label: drawing it, and sanitising a table of them."""


def _with_pool(method: str) -> Callable[[Answer, Supply], Experiment]:
    """What `privpac learn --unlabelled ... --method METHOD` runs."""

    def experiment(answer: Answer, supply: Supply) -> Experiment:
        population, others, failure = supply.population(answer), answer.need.unlabelled, answer.wish.failure
        concepts = class_of(answer, supply)

        @lru_cache(maxsize=64)
        def settings(n: int, epsilon: Fraction) -> Settings:
            return choose(concepts, Size(n, others), method=method, goal=Goal(epsilon, failure))

        def trial(n: int, epsilon: Fraction) -> Trial:
            learner = settings(n, epsilon).learner(concepts)

            def run(coins: BitCoins) -> float:
                sample = _sample(population, n, others, coins)
                return max(0.0, population.error(learner.learn(sample, coins)) - population.best)

            return run

        def seconds(n: int) -> float:
            base = EACH + n * EACH_RECORD + others * EACH_OTHER
            if method == "generic":
                return base + others * EACH_SANITISED
            kept = _new_labels(settings, n, answer)
            drawing = listing_seconds(answer, concepts, kept, counted=n, voted=method == "relabel")
            return base + drawing + weighing_seconds(concepts, kept)

        on = f"{population.on}; {others:,} more of them without labels"
        return Experiment(on, trial, seconds, promised=supply.promised(answer, population), unlabelled=others)

    return experiment


generic, relabel, boost = _with_pool("generic"), _with_pool("relabel"), _with_pool("boost")


def _new_labels(settings: Callable[[int, Fraction], Settings], n: int, answer: Answer) -> int:
    """How many records get new labels; none where so few labelled ones cannot do."""
    try:
        return settings(n, answer.wish.epsilon).new_labels
    except SizeError:
        return 0


def _sample(population: Population, n: int, others: int, coins: BitCoins) -> SemiSample:
    """The records without labels first: they are the same for every number of labels."""
    bare = population.sample(others, coins).block().cells
    return SemiSample(population.sample(n, coins), MemorySample.from_cells(population.records.schema, bare))
