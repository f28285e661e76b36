"""Running the learner that ships on simulated tables: the number a question asks for, found by trying.

What is estimated depends on the question: the records at which promises are kept often enough, the error that is kept
often enough, or the epsilon from which on it is. Intervals have confidence 0.99.
Tested by tests/unit/test_trials.py.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins, SeededCoins
from privpac.concepts.base import Cells
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError, SizeError
from privpac.plan.answer import Answer, Estimate
from privpac.plan.class_facts import Description
from privpac.plan.populations import Population
from privpac.plan.question import Question
from privpac.plan.simulate import Simulated, smallest_n
from privpac.prediction.base import Prepared

__all__ = [
    "Progress",
    "Run",
    "as_schema",
    "best_error",
    "drawn_errors",
    "quantile",
    "runnable",
    "table_estimate",
]

Progress = Callable[[int, int], None]
"""(done, of)."""

CONFIDENCE = 0.99
LEAST, MOST = 110, 200
"""Simulated tables for one error: so many that the twentieth part above it has an upper limit."""
FEWEST, FEW = 12, 60
"""Simulated tables at each size of a search."""
SECONDS = 20.0
"""What a row may take by the public estimate of its class: a larger class gets fewer tables."""
EACH, EACH_RECORD = 0.005, 1.5e-6
"""Seconds of a run, and of one of its records."""
TRIALS = 24
"""Sizes a search looks at, about."""
STEPS_PER_EPSILON = 100
SHARP = Fraction(600)
"""An epsilon at which a draw is the best member, for all purposes."""


def as_schema(given: Description, *, columns: int = 1) -> Schema:
    """The schema of a description by numbers: real columns between 0 and 1, at least so many."""
    if given.schema is not None:
        return given.schema
    size = {} if given.bits is None else {"resolution": min(2**given.bits, 2**32)}
    count = max(columns, given.columns or given.tests or 1)
    described = [
        {"name": f"c{i}", "kind": "numeric", "lower": 0, "upper": 1, **size} for i in range(1, count + 1)
    ]
    return Schema.from_json({"label": "y", "columns": described})


@dataclass(frozen=True)
class Run:
    """What to run, as the printed command says it: a word, whom it protects, and its delta."""

    word: str
    protect: str = "records"
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, found: Answer) -> Run:
        """The command of a row, with the columns of `as_schema` where none are named."""
        said = shlex.split(found.command or "")
        options = dict(pairwise(said))
        word = options.get("--concepts", found.concepts.word)
        return cls(runnable(word), options.get("--protect", "records"), Fraction(options.get("--delta", "0")))

    def learner(self, schema: Schema, n: int, epsilon: Fraction) -> Any:
        from privpac.concepts.binarise import Binarisation
        from privpac.concepts.one_test import OneTest
        from privpac.learners.occam import Occam
        from privpac.learners.words import Request, learner_for

        if self.word == "one-test":
            return Occam(OneTest(schema, Binarisation.default(schema, n=n)), epsilon)
        if self.protect == "predictions":
            return _Answering(self.word, schema, n, epsilon)
        return learner_for(
            self.word, Request(schema, Size(n), epsilon, delta=self.delta, protect=self.protect)
        )


class _Answering:
    """A predictor in the manner of a learner: its rule answers every record with fresh coins."""

    def __init__(self, word: str, schema: Schema, n: int, epsilon: Fraction) -> None:
        from privpac.prediction.words import predictor_for

        self._predictor = predictor_for(word, schema=schema, epsilon=epsilon, models=None, records=n)
        self.concepts = None

    def learn(self, sample: MemorySample, coins: Coins) -> _Answers:
        return _Answers(self._predictor.prepare(sample, coins), coins)


@dataclass(frozen=True)
class _Answers:
    prepared: Prepared
    coins: Coins

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return self.prepared.answer(cells, self.coins)


def drawn_errors(
    run: Run,
    population: Population,
    *,
    n: int,
    epsilon: Fraction,
    repetitions: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[float]:
    """The true errors of so many rules, each learnt from n fresh records."""
    learner = run.learner(population.records.schema, n, epsilon)
    found = []
    for number in range(repetitions):
        coins = SeededCoins(seed * 1_000_003 + number)
        rule = learner.learn(population.sample(n, coins), coins)
        found.append(population.error(rule))
        if progress is not None:
            progress(number + 1)
    return found


def best_error(word: str, population: Population) -> Population:
    """The population with the error of the best member, by a draw that hardly ever misses it."""
    learner = Run(word).learner(population.records.schema, population.n, SHARP)
    rule = learner.learn(population.records, SeededCoins(0))
    return replace(population, best=population.error(rule))


def quantile(values: Sequence[float], failure: float) -> tuple[float, float, float | None]:
    """The value exceeded with probability at most `failure`, with limits from the order of the values alone.

    The limits are order statistics: a binomial count says how many values lie below the true quantile.
    """
    ordered = sorted(values)
    count = len(ordered)
    # at_most[k]: the probability that at most k of the values lie below the quantile.
    at_most = list(accumulate(_binomial(count, k, 1.0 - failure) for k in range(count)))
    half = (1.0 - CONFIDENCE) / 2.0
    place = min(count - 1, math.ceil(count * (1.0 - failure)) - 1)
    low = max((rank for rank in range(1, count) if at_most[rank - 1] <= half), default=0)
    high = next((rank for rank in range(count) if at_most[rank] >= 1.0 - half), None)
    return ordered[place], ordered[low], None if high is None else ordered[high]


def _binomial(n: int, k: int, chance: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(ways + k * math.log(chance) + (n - k) * math.log1p(-chance))


def table_estimate(
    question: Question,
    found: Answer,
    population: Population,
    *,
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Estimate | None:
    """The number asked for, on a population; None where the class cannot be run at such sizes."""
    find = {"needed": _needed, "reachable": _reachable, "smallest_epsilon": _smallest_epsilon}[question.kind]
    try:
        return find(question, found, population, seconds, progress or (lambda done, of: None))
    except SizeError:
        return None
    except PrivpacError:
        if found.concepts.named:
            raise
        return None


def runnable(word: str) -> str:
    """The word with the columns of `as_schema` where none were named."""
    for number in range(1, word.count("COLUMN") + 1):
        word = word.replace("COLUMN", f"c{number}", 1)
    return word


def _repetitions(
    run: Run, schema: Schema, n: int, seconds: float, *, sizes: int, between: tuple[int, int]
) -> int:
    """Fewer tables for classes whose sums take long, by their public estimate: the same on every machine."""
    concepts: Any = run.learner(schema, n, Fraction(1)).concepts
    each = concepts.estimate(n).seconds if hasattr(concepts, "estimate") else 0.0
    return max(between[0], min(between[1], int(seconds / (sizes * (each + EACH + n * EACH_RECORD)))))


def _reachable(
    question: Question, found: Answer, population: Population, seconds: float, progress: Progress
) -> Estimate:
    assert question.records is not None
    n, schema = question.records, population.records.schema
    count = _repetitions(Run.of(found), schema, n, seconds, sizes=1, between=(LEAST, MOST))
    errors = drawn_errors(
        Run.of(found),
        population,
        n=n,
        epsilon=found.wish.epsilon,
        repetitions=count,
        progress=lambda done: progress(done, count),
    )
    excess = [max(0.0, error - population.best) for error in errors]
    value, low, high = quantile(excess, float(found.wish.failure))
    upper = None if high is None else _four(high)
    return Estimate(_four(value), _four(low), upper, population.on, repetitions=count)


def _four(value: float) -> Fraction:
    return Fraction(round(value * 10_000), 10_000)


def _needed(
    question: Question, found: Answer, population: Population, seconds: float, progress: Progress
) -> Estimate | None:
    epsilon, limit = found.wish.epsilon, found.need.labelled

    def errors(n: int, repetitions: int, seed: int) -> list[float]:
        return drawn_errors(
            Run.of(found), population, n=n, epsilon=epsilon, repetitions=repetitions, seed=seed
        )

    return _search(found, population, errors, seconds, progress, start=max(1, limit // 8), limit=limit)


def _smallest_epsilon(
    question: Question, found: Answer, population: Population, seconds: float, progress: Progress
) -> Estimate | None:
    n = question.records or 1
    limit = math.ceil(found.wish.epsilon * STEPS_PER_EPSILON)

    def errors(step: int, repetitions: int, seed: int) -> list[float]:
        epsilon = Fraction(step, STEPS_PER_EPSILON)
        return drawn_errors(
            Run.of(found), population, n=n, epsilon=epsilon, repetitions=repetitions, seed=seed
        )

    made = _search(found, population, errors, seconds, progress, start=max(1, limit // 8), limit=limit)
    if made is None:
        return None
    step = Fraction(1, STEPS_PER_EPSILON)
    high = None if made.high is None else made.high * step
    return replace(made, value=made.value * step, low=made.low * step, high=high)


def _search(
    found: Answer,
    population: Population,
    errors: Callable[[int, int, int], list[float]],
    seconds: float,
    progress: Progress,
    *,
    start: int,
    limit: int,
) -> Estimate | None:
    allowed = population.best + float(found.wish.error)
    schema = population.records.schema
    repetitions = _repetitions(
        Run.of(found), schema, min(limit, 100_000), seconds, sizes=TRIALS, between=(FEWEST, FEW)
    )
    done = 0

    def failures(n: int, count: int, seed: int) -> list[float]:
        nonlocal done
        done += 1
        progress(min(done, TRIALS), TRIALS)
        return [float(error > allowed) for error in errors(n, count, seed)]

    try:
        made: Simulated = smallest_n(
            failures,
            failure=float(found.wish.failure),
            repetitions=repetitions,
            confidence=CONFIDENCE,
            start=start,
            limit=limit,
        )
    except SizeError:
        return None
    return Estimate(made.n, made.at_least, made.at_most, population.on, repetitions=repetitions)
