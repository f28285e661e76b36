"""What privacy costs a card, by trying it: nothing useful is proved of it (register `boosted-rounds`).

Cards are learnt from records drawn of a public or invented table and judged on all of it, so nothing here ever sees a
private record. Each is compared with one learnt without privacy from the same records: how well anything ranks depends
on the table, and what privacy takes away much less. As many are tried as public estimates of their seconds allow.
Tested by tests/unit/plan/test_ranking.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.card import Card
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.steps import Form
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.data.sample import Size
from privpac.numbers.exact import plain
from privpac.plan.populations import Population, from_table, read_marginals, synthetic
from privpac.plan.question import Question
from privpac.plan.runs.base import EACH, EACH_RECORD, FLIPPED_SHARE, as_schema
from privpac.plan.simulation import Loss, Simulation, TimeUp
from privpac.plan.trials import FREE, Setting, coins_of

__all__ = ["area_under", "expected_ranking"]

EACH_LOOK, EACH_PAIR = 4e-9, 2e-7
"""Seconds of one look at one cell of a record, since every pass looks at all columns; and of one pair of tests in a
round."""
LEAST, MOST = 8, 40
"""Records drawn anew, with cards of all kinds learnt from them; of fewer, the mean says little."""
EASE = 0.5
"""The part of the seconds that trials may take by their estimate."""


def expected_ranking(question: Question, simulation: Simulation) -> str | None:
    """What privacy costs the card that this many records would give, in words; None where no card is asked for, or not
    for a number of records and an epsilon."""
    word, n, epsilon = question.card, question.records, question.epsilon
    if word is None or n is None or epsilon is None:
        return None
    cards = _Cards(word, question, simulation)
    each = 2 * cards.seconds((n, epsilon)) + cards.seconds((n, FREE))
    runs = min(MOST, int(EASE * simulation.seconds / each))
    try:
        if runs < LEAST:
            raise TimeUp
        here = cards.loss((n, epsilon), runs)
    except TimeUp:
        enough = max(1, math.ceil(LEAST * each / EASE))
        return f"Not simulated: to try cards for {n:,} records often enough takes about {enough:,} --seconds."
    return " ".join(
        [_lead(here, n), *_trend(cards, n, epsilon, here.runs), *_level(cards, n, epsilon, here.runs)]
    )


def _lead(here: Loss, n: int) -> str:
    return (
        f"Simulated, not proved: through privacy a card of {n:,} records lost {here} of its AUC, in the mean of"
        f" {here.runs} runs, beside one learnt without privacy from the same records."
    )


def _trend(cards: _Cards, n: int, epsilon: Fraction, runs: int) -> Iterator[str]:
    """The same with other numbers, as far as there is time."""
    others: dict[str, Setting] = {
        f"epsilon {plain(epsilon / 2)}": (n, epsilon / 2),
        f"epsilon {plain(2 * epsilon)}": (n, 2 * epsilon),
        f"{2 * n:,} records": (2 * n, epsilon),
    }
    parts = []
    for name, setting in others.items():
        try:
            parts.append(f"{cards.loss(setting, min(runs, LEAST)).mean:.3f} with {name}")
        except TimeUp:
            break
    if parts:
        yield f"The loss was {', '.join(parts)}."


def _level(cards: _Cards, n: int, epsilon: Fraction, runs: int) -> Iterator[str]:
    """The AUC itself, and what it is worth."""
    private, free = (cards.mean((n, epsilon), runs, free=free) for free in (False, True))
    on, constant = cards.population.on, _constant(cards.population)
    if cards.is_own:
        yield (
            f"The cards had an AUC of {private:.3f}, {free:.3f} without privacy, and were wrong"
            f" {cards.mistakes((n, epsilon)):.3f} of the time, where always naming the more frequent class is wrong"
            f" {constant:.3f} of it. Tried on {on}."
        )
        return
    yield (
        f"Tried on {on}.{cards.rate} Only what privacy costs, and how that falls with epsilon and records, can be"
        f" expected of yours too: the AUC itself ({private:.3f} with privacy, {free:.3f} without) says how easy the"
        " invented ones are. --table FILE tries a public table that is like yours instead."
    )


@dataclass
class _Cards:
    """Cards of a word for any number of records and any epsilon, and the population that judges them."""

    word: str
    question: Question
    simulation: Simulation
    areas: dict[tuple[Setting, bool, int], float] = field(default_factory=dict)
    errors: dict[tuple[Setting, bool, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.schema = as_schema(self.question.subject)
        self.is_own = self.simulation.table is not None
        self.learner = lru_cache(maxsize=8)(self._learner)
        self.population = self._population()

    @property
    def rate(self) -> str:
        """How common the classes are, where the schema does not say."""
        if self.schema.base_rate is not None:
            return ""
        share = 1 - _constant(self.population)
        return f" {share:.0%} of them are of the more frequent class: a base_rate in the schema would set that share."

    def _learner(self, setting: Setting) -> Any:
        n, epsilon = setting
        question = self.question
        request = Request(self.schema, Size(n), epsilon, delta=question.delta, protect=question.protect)
        return learner_for(stands_for(self.word, request), request)

    def _population(self) -> Population:
        """A table of one's own, or an invented one with labels from a tree, which no card was made for."""
        if self.is_own:
            return from_table(self.simulation.table, self.schema)
        share: Fraction = FLIPPED_SHARE if self.question.noise is None else self.question.noise
        marginals = read_marginals(self.simulation.marginals)
        return synthetic(self.schema, flipped=float(share), marginals=marginals)

    def seconds(self, setting: Setting) -> float:
        """Of one card, by public numbers alone."""
        learner = self.learner(setting)
        has_pairs = isinstance(learner, CardLearner) and learner.form is not Form.ALONE
        pairs = EACH_PAIR * learner.pair_count * learner.rounds if has_pairs else 0.0
        looks = EACH_LOOK * len(self.schema.columns) * learner.passes
        return float(EACH + setting[0] * (EACH_RECORD + looks) + pairs)

    def area(self, setting: Setting, run: int, *, free: bool = False) -> float:
        """The AUC of one card; those of one run are learnt from the same records."""
        key = (setting, free, run)
        if key not in self.areas:
            card = self.simulation.clock.timed(self.seconds(setting), lambda: self._card(*key))
            self.areas[key] = _area(card, self.population)
            if self.is_own:  # of invented records nobody hears how often a card is wrong
                self.errors[key] = self.population.error(card)
        return self.areas[key]

    def _card(self, setting: Setting, free: bool, run: int) -> Card:
        coins, learner = coins_of(run), self.learner(setting)
        learner = replace(learner, epsilon=FREE) if free else learner
        card = learner.learn(self.population.sample(setting[0], coins), coins)
        assert isinstance(card, Card)  # what the word is for
        return card

    def loss(self, setting: Setting, runs: int) -> Loss:
        """What privacy cost in this many runs, or in as many as there was time for; `TimeUp` if these are too few."""
        for run in range(runs):
            try:
                for each, free in ((setting, False), (setting, True), ((setting[0], FREE), True)):
                    self.area(each, run, free=free)
            except TimeUp:
                if run < LEAST:
                    raise
                runs = run
                break
            if self.simulation.progress is not None:
                self.simulation.progress("card", run + 1, runs)
        best = self._best(setting, runs)
        # What an AUC lacks is an error: of two records, so often the wrong one comes first.
        private = [1 - self.areas[setting, False, run] for run in range(runs)]
        return Loss.of(private, [1 - self.areas[best, True, run] for run in range(runs)])

    def _best(self, setting: Setting, runs: int) -> Setting:
        """Without privacy, with as many rounds as nobody needs to save, or with the same: with too many rounds a card
        fits what will not come again, and that is no fault of privacy."""
        most = (setting[0], FREE)
        return max((most, setting), key=lambda each: sum(self.areas[each, True, run] for run in range(runs)))

    def mean(self, setting: Setting, runs: int, *, free: bool) -> float:
        """Of the AUC of the cards of this many runs; without privacy, of the better ones."""
        at = self._best(setting, runs) if free else setting
        return float(np.mean([self.areas[at, free, run] for run in range(runs)]))

    def mistakes(self, setting: Setting) -> float:
        """Of their shares of records in the wrong class."""
        return float(np.mean([error for key, error in self.errors.items() if key[:2] == (setting, False)]))


def _area(card: Card, population: Population) -> float:
    block = population.records.block()
    assert block.labels is not None
    return area_under(card.total(block.cells), block.labels)


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


def _constant(population: Population) -> float:
    labels = population.records.block().labels
    assert labels is not None
    share = float(np.mean(labels))
    return min(share, 1 - share)
