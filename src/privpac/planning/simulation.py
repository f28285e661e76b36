"""What a request gives on invented records, and what privacy costs there: tried with what ships, not proved.

One question: the error, or of a card the AUC, at the records and the epsilon that are named. The records are a tree,
one strong column and many weak effects, as rare and as hard as the schema says; of other words than those that are
forecast labels come from the class that is asked about. Every run is set beside runs without privacy on the same
records: the same choice among the same rules, and the rule that so large an epsilon would choose; the better of the two
in the mean is what privacy took the difference from. The first run is timed, and tells how many there is time for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import SeededCoins
from privpac.concepts.base import Hypothesis
from privpac.concepts.cards.card import Card
from privpac.constructions.base import Learner
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.recipe import Recipe
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.numbers.exact import plain
from privpac.planning.invented import (
    KINDS,
    Population,
    from_class,
    from_table,
    lone_value,
    matched_population,
)
from privpac.request import LearnRequest

__all__ = ["Loss", "NotSimulated", "OnTable", "Progress", "Simulation", "Trial", "area_under", "simulate"]

LEAST, MOST = 4, 40
"""Runs on every kind of records."""
FREE = Fraction(600)
"""An epsilon at which nothing is hidden: a draw is the best member, for all purposes."""
ERRORS = 2.0
"""Standard errors on both sides of a mean: about 95 times in 100 the true one lies between."""
FLIPPED = 0.1
"""The share of wrong labels of a class that labels are drawn from."""
ATTAINABLE = 0.75
"""The AUC without privacy of invented records, where nobody says what is attainable."""
MATCHED = ("auto", "trees", "card")
"""Words that are tried on records as rare and as hard as the schema says."""

Progress = Callable[[int, int], None]
"""(done, of)."""


@dataclass(frozen=True)
class Trial:
    """What is tried: a request, on a table of this many records."""

    schema: Schema
    wishes: LearnRequest
    records: int
    table: object = None
    """A public table that records are drawn from, in place of invented ones."""

    @property
    def word(self) -> str:
        """The kind of rule, without columns and numbers."""
        return str(self.wishes.concepts).partition(":")[0]

    @cached_property
    def learners(self) -> tuple[Learner, ...]:
        """With privacy, and without: those that no epsilon restrains."""
        private = self._learner(self.wishes)
        free = self._learner(replace(self.wishes, epsilon=FREE, estimate_epsilon=None))
        same = _without_privacy(private)
        return (private, free) if same is None else (private, free, same)

    def _learner(self, wishes: LearnRequest) -> Learner:
        return Recipe.of(wishes, schema=self.schema, size=Size(self.records)).learner

    @property
    def rate(self) -> float:
        """The share of class 1 on invented records."""
        return 0.5 if self.schema.base_rate is None else self.schema.base_rate[1] / sum(self.schema.base_rate)

    @property
    def attainable(self) -> float | None:
        """The AUC without privacy, as somebody guesses it."""
        return self.schema.attainable if self.wishes.attainable is None else self.wishes.attainable

    @property
    def is_matched(self) -> bool:
        """Whether invented records are made as rare and as hard as is said."""
        two = len(self.schema.classes) == 2
        return self.table is None and two and self.word in MATCHED

    def populations(self) -> Iterator[Population]:
        """What records are drawn from, where no table is given."""
        if self.is_matched:
            auc = ATTAINABLE if self.attainable is None else self.attainable
            for kind in KINDS:
                yield matched_population(kind, self.schema, rate=self.rate, auc=auc)
        else:
            yield self._of_class()

    def _of_class(self) -> Population:
        if self.word == "points":
            return lone_value(self.schema, str(self.wishes.concepts).split(":")[1], flipped=FLIPPED)
        learner = self.learners[1]

        def member(records: Sample) -> Hypothesis:
            return learner.learn(records, SeededCoins(0))

        return from_class(self.schema, member, flipped=FLIPPED)


def _without_privacy(learner: Learner) -> Learner | None:
    """The same choice, from the same rules, at an epsilon at which nothing is hidden; None where there is none."""
    if isinstance(learner, Merged):
        inner = _without_privacy(learner.learner)
        return None if inner is None else replace(learner, learner=inner)
    if isinstance(learner, Occam | RefinedTrees | CardLearner):
        return replace(learner, epsilon=FREE)
    return None


@dataclass(frozen=True)
class Loss:
    """What privacy cost in the mean of some runs, each beside one without privacy on the same records."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, private: Sequence[float], free: Sequence[float]) -> Loss:
        """From the errors of both, run by run. Records that are hard for both cancel, so few runs tell much.

        >>> Loss.of([0.3, 0.2, 0.4], [0.2, 0.1, 0.3]).mean
        0.1
        """
        gaps = np.subtract(private, free)
        mean, spread = float(gaps.mean()), float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0
        width = ERRORS * spread / math.sqrt(len(gaps))
        return cls(round(mean, 4), round(mean - width, 4), round(mean + width, 4))

    def __str__(self) -> str:
        if self.high <= 0:
            return "nothing"
        if self.low <= 0:
            return f"nothing that these runs could show (at most {max(self.high, 0.001):.3f})"
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True)
class OnTable:
    """The mean of some runs on one kind of records."""

    what: str
    value: float
    """The error; of a card the AUC."""
    free: float
    """The same without privacy."""
    constant: float
    """The error of the best constant."""
    cost: Loss
    runs: int

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {"on": self.what, **asdict(self)}


@dataclass(frozen=True)
class Simulation:
    """What was tried, and the figures of every kind of records."""

    trial: Trial
    rows: tuple[OnTable, ...]

    @property
    def ranks(self) -> bool:
        """Whether the figures are AUCs."""
        return isinstance(self.trial.learners[0], CardLearner)

    @property
    def lines(self) -> list[str]:
        """For people."""
        trial = self.trial
        numbers = (
            f"{trial.records:,} records, epsilon {plain(trial.wishes.epsilon)}, {self.rows[0].runs} runs each"
        )
        return [f"Simulated, not proved, {self._source()}: {numbers}.", *map(self._line, self.rows)]

    def _source(self) -> str:
        if not self.trial.is_matched:
            return (
                "on records that are invented" if self.trial.table is None else "on the table that was given"
            )
        schema, auc = self.trial.schema, self.trial.attainable
        share = f'{100 * self.trial.rate:.3g} % "{schema.class_names[1]}"'
        rare = (
            share if schema.base_rate is not None else f"{share} (a base_rate in the schema says otherwise)"
        )
        hard = f"{ATTAINABLE} (say --attainable)" if auc is None else f"{auc:.2f}"
        return f"on invented records with {rare} on which a model without privacy reaches an AUC of {hard}"

    def _line(self, row: OnTable) -> str:
        if self.ranks:
            return (
                f"  {row.what}: AUC {row.value:.3f}, without privacy {row.free:.3f}; privacy cost {row.cost}."
            )
        return (
            f"  {row.what}: wrong {row.value:.3f} of the time, without privacy {row.free:.3f}, a constant"
            f" {row.constant:.3f}; privacy cost {row.cost}."
        )

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "measure": "AUC" if self.ranks else "error",
            "records": self.trial.records,
            "epsilon": float(self.trial.wishes.epsilon),
            "rate": self.trial.rate if self.trial.is_matched else None,
            "attainable": (self.trial.attainable or ATTAINABLE) if self.trial.is_matched else None,
            "tables": [row.to_json() for row in self.rows],
        }


@dataclass(frozen=True)
class NotSimulated:
    """Why there are no figures."""

    why: str

    @property
    def lines(self) -> list[str]:
        """For people."""
        return [f"Not simulated: {self.why}."]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {"why": self.why}


def simulate(trial: Trial, *, seconds: float, progress: Progress | None = None) -> Simulation | NotSimulated:
    """Try a request for about so many seconds; the same runs for the same number of them."""
    given = None if trial.table is None else from_table(trial.table, trial.schema)
    try:
        trial.learners  # noqa: B018  what is refused is refused before records are invented
        populations = [given] if given is not None else list(trial.populations())
        each = min(_seconds(trial, populations[0]) for _ in range(2))  # the first may have compiled code
        runs = min(MOST, int(seconds / (each * len(populations))))
        if runs < LEAST:
            enough = math.ceil(LEAST * each * len(populations))
            return NotSimulated(
                f"a run takes {each:.2g} s, so that {enough:,} --seconds are the fewest that tell"
            )
        rows = []
        for place, population in enumerate(populations):
            errors = []
            for run in range(runs):
                errors.append(_errors(trial, population, run))
                if progress is not None:
                    progress(place * runs + run + 1, runs * len(populations))
            rows.append(_row(trial, population, np.array(errors)))
    except PrivpacError as problem:
        return NotSimulated(str(problem).rstrip("."))
    return Simulation(trial, tuple(rows))


def _seconds(trial: Trial, population: Population) -> float:
    begin = time.perf_counter()
    _errors(trial, population, 0)
    return time.perf_counter() - begin


def _errors(trial: Trial, population: Population, run: int) -> list[float]:
    """With privacy and without, on the same records; of a card, how often a pair of records is in the wrong order."""
    found = []
    for learner in trial.learners:
        coins = SeededCoins(run)
        rule = learner.learn(population.sample(trial.records, coins), coins)
        if isinstance(rule, Card):
            found.append(1 - area_under(rule.total(population.records.block().cells), population.labels))
        else:
            found.append(population.error(rule))
    return found


def _row(trial: Trial, population: Population, errors: NDArray[np.float64]) -> OnTable:
    private, free = errors[:, 0], errors[:, 1 + int(np.argmin(errors[:, 1:].mean(axis=0)))]
    value, without = float(private.mean()), float(free.mean())
    if isinstance(trial.learners[0], CardLearner):
        value, without = 1 - value, 1 - without
    cost = Loss.of(private.tolist(), free.tolist())
    return OnTable(
        population.what, round(value, 4), round(without, 4), round(population.constant, 4), cost, len(errors)
    )


def area_under(points: NDArray[np.int64], labels: NDArray[np.uint8]) -> float:
    """How often a record of class 1 has more points than one of class 0, equal points counting one half.

    >>> area_under(np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1], dtype=np.uint8))
    0.875
    """
    _, places = np.unique(points, return_inverse=True)
    zeros, ones = (np.bincount(places[labels == label], minlength=places.max() + 1) for label in (0, 1))
    pairs = int(zeros.sum()) * int(ones.sum())
    if not pairs:
        return 0.5
    below = np.cumsum(zeros) - zeros
    return float((ones * (2 * below + zeros)).sum() / (2 * pairs))
