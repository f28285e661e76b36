"""Rows whose learner releases a rule from labelled records: by the printed command, or as Python builds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from privpac.coins.tosses import BitCoins
from privpac.concepts.base import AnyClass
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import Learner
from privpac.constructions.cuts.noisy import DenoisedCuts, NoisyCuts
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.few_labels.active_settings import inner_epsilon
from privpac.constructions.few_labels.methods import concepts_for
from privpac.constructions.words import Request
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.options import agnostic_split
from privpac.data.sample import Size
from privpac.errors import SizeError
from privpac.plan.answer import Answer
from privpac.plan.runs.base import EACH, EACH_RECORD, Run, Supply, listing_seconds, runnable, weighing_seconds
from privpac.plan.trials import FREE, Experiment, Trial, Unsimulated

__all__ = ["active", "agnostic", "by_command", "class_of", "denoised", "noisy", "without_privacy"]

Make = Callable[[int, Fraction], Learner]
"""(records, epsilon) to a learner."""

EACH_CELL = 1.5e-6
"""Seconds of one answer that is flipped on its own."""


def class_of(answer: Answer, supply: Supply) -> AnyClass:
    """The class that a row is about, in the schema of the question."""
    word = answer.concepts.word
    request = Request(supply.schema(columns=word.count("COLUMN")), Size(1), Fraction(1))
    return concepts_for(runnable(word), request)


def _learning(answer: Answer, supply: Supply, make: Make, seconds: Callable[[int], float]) -> Experiment:
    """Learn from n records, and see how often the rule errs on all of them."""
    population = supply.population(answer)

    def learnt_by(learner: Learner, n: int) -> Trial:
        def run(coins: BitCoins) -> float:
            rule = learner.learn(population.sample(n, coins), coins)
            return max(0.0, population.error(rule) - population.best)

        return run

    return Experiment(
        population.on,
        lambda n, epsilon: learnt_by(make(n, epsilon), n),
        seconds,
        promised=supply.promised(answer, population),
        free=lambda n, epsilon: learnt_by(without_privacy(make(n, epsilon)), n),
    )


def without_privacy(learner: Learner) -> Learner:
    """The same choice, from the same rules, at an epsilon at which nothing is hidden."""
    if isinstance(learner, Merged):
        return replace(learner, learner=without_privacy(learner.learner))
    if isinstance(learner, Occam | StagedTrees):
        return replace(learner, epsilon=FREE)
    raise Unsimulated("there is no such method without privacy")


def by_command(answer: Answer, supply: Supply) -> Experiment:
    """What the printed command runs."""
    run, schema = Run.of(answer), supply.schema(columns=answer.concepts.word.count("COLUMN"))
    return _learning(
        answer,
        supply,
        lambda n, epsilon: run.learner(schema, n, epsilon),
        lambda n: run.seconds(schema, n),
    )


def active(answer: Answer, supply: Supply) -> Experiment:
    """Those who are asked are independent records themselves: one draw from them, at their own epsilon."""
    run, schema = Run.of(answer), supply.schema(columns=answer.concepts.word.count("COLUMN"))

    def make(n: int, epsilon: Fraction) -> Learner:
        return run.learner(schema, n, inner_epsilon(n, n + answer.need.unlabelled, epsilon=epsilon))

    return _learning(answer, supply, make, lambda n: run.seconds(schema, n))


def agnostic(answer: Answer, supply: Supply) -> Experiment:
    """`Agnostic` around one draw, with half of the failure each, as the row says."""
    concepts = class_of(answer, supply)
    half = answer.wish.failure / 2

    def make(n: int, epsilon: Fraction) -> Agnostic:
        if n < 2:
            raise SizeError("One record leaves nobody to vote on its label.")
        kept, vote, inner = agnostic_split(epsilon, n)
        return Agnostic(Occam(concepts, inner, failure=half), kept, vote, failure=half)

    def seconds(n: int) -> float:
        kept = agnostic_split(answer.wish.epsilon, n)[0]
        voting = listing_seconds(answer, concepts, kept, counted=n - kept, voted=True)
        return EACH + n * EACH_RECORD + voting + weighing_seconds(concepts, kept)

    return _learning(answer, supply, make, seconds)


def _noisy(answer: Answer, supply: Supply) -> Callable[[Fraction], NoisyCuts]:
    concepts = class_of(answer, supply)
    assert isinstance(concepts, Thresholds)  # what the row is for
    rate = Fraction(answer.need.parameters["rate"])
    return lambda epsilon: NoisyCuts(concepts, epsilon, rate, failure=answer.wish.failure)


def _cell_seconds(answer: Answer) -> Callable[[int], float]:
    return lambda n: EACH + n * EACH_RECORD + (answer.concepts.cells or 0) * EACH_CELL


def noisy(answer: Answer, supply: Supply) -> Experiment:
    make = _noisy(answer, supply)
    return _learning(answer, supply, lambda n, epsilon: make(epsilon), _cell_seconds(answer))


def denoised(answer: Answer, supply: Supply) -> Experiment:
    make = _noisy(answer, supply)
    return _learning(answer, supply, lambda n, epsilon: DenoisedCuts(make(epsilon)), _cell_seconds(answer))
