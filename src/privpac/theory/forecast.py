"""What to expect of a rule or a card before it is paid for, from public numbers: fitted, not proved.

From the number of records, epsilon, the share p of the rarer of two classes, and a guess of what a model without
privacy would reach: its AUC A, and that of the best single column, A1, if known:

    best gain   G(A, p) = p Phi(d - t) - (1 - p) Phi(-t),   d = sqrt(2) PhiInv(A),   t = d/2 + ln((1 - p)/p)/d
    reached     A' = .5 + (A1 - .5) e/(e + one) + rest (A - A1) e/(e + others)
    evidence    e = x 4p(1 - p)(2 A1 - 1), for a card to the power 3/2 but for x;   x = records times epsilon
    a rule      gains G(A', p) - p/x over always saying the commoner class
    balanced    finds Phi(d'/2) of the rarer class, with Phi(-d'/2) false alarms, d' = sqrt(2) PhiInv(A')
    a card      A' is its AUC

The best column is found with little evidence (`one`), and what other columns add to it with much (`others`), of which a
simple rule reaches a part (`rest`). G is the gain of the best threshold on two normal scores of equal spread, and is
fitted to nothing. The constants come from `python -m benchmarks.forecast.fit`, whose results and errors are in
benchmarks/results/forecast.json and docs/understand/forecast.md; tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

__all__ = [
    "BETTER",
    "CONSTANTS",
    "ENOUGH",
    "GUESSES",
    "Constants",
    "Expected",
    "Given",
    "Reach",
    "Wider",
    "best_gain",
]


@dataclass(frozen=True)
class Reach:
    """How far a rule or a card gets with how much evidence."""

    one: float
    """Evidence at which half of what the best column tells is reached."""
    others: float
    """The same of what the other columns add."""
    rest: float
    """The part of what they add that is reached at most."""


@dataclass(frozen=True)
class Wider:
    """How much wider a range is on either side than what a run that needs more or less evidence gives."""

    known: float
    """Where the AUC of the best column is known."""
    guessed: float
    """And where it is not."""


@dataclass(frozen=True)
class Constants:
    """What was fitted."""

    rule: Reach
    balanced: Reach
    card: Reach
    accuracy_wider: Wider
    """Where both classes are equally common; of rarer ones so much less, for nobody gains more than their share."""
    balanced_wider: Wider
    found_wider: Wider
    """How much of a class is found varies more from run to run than how well both are told apart."""
    alarms_wider: Wider
    auc_wider: Wider
    one_column: float = 0.7
    """Where the AUC of the best single column is not known, it has this part of what lies above .5: the median."""
    spread: float = 6.0
    """A single run may need this many times less or more evidence."""


CONSTANTS = Constants(
    rule=Reach(one=7.4, others=104.0, rest=0.77),
    balanced=Reach(one=14.0, others=104.0, rest=0.745),
    card=Reach(one=17.6, others=686.0, rest=0.82),
    accuracy_wider=Wider(known=0.035, guessed=0.053),
    balanced_wider=Wider(known=0.024, guessed=0.036),
    found_wider=Wider(known=0.147, guessed=0.148),
    alarms_wider=Wider(known=0.151, guessed=0.16),
    auc_wider=Wider(known=0.018, guessed=0.039),
)

GUESSES = (0.65, 0.75, 0.85)
"""What is assumed of the AUC without privacy where nobody said: always all three."""

ASSUMED = 0.8
"""Where nobody said and a rule needs more than this, it is called most likely useless; nothing is refused by it."""

BETTER = 0.005
"""A rule that gains less than this over the constant is no better than it."""

UNLIKELY, LIKELY = 1 / 2, 1 / 5
"""Chances of being no better from which a run is warned of, and below which it is called likely to help."""

ENOUGH = 2 / 3
"""Of what lies above .5 in the AUC without privacy: what advice on epsilon and records aims at."""

_TENTH = NormalDist().inv_cdf(0.9)
_QUANTILES = tuple(NormalDist().inv_cdf((place + 0.5) / 99) for place in range(99))
_SMALL = 1e-9


@dataclass(frozen=True)
class Range:
    """A number to expect, and between what it lies in 8 runs of 10."""

    middle: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Rounded: nobody knows more."""
        return {key: round(value, 4) for key, value in asdict(self).items()}


def best_gain(auc: float, rate: float) -> float:
    """How much more often the best threshold is right than always saying the commoner class.

    >>> round(best_gain(0.70, 0.12), 4), round(best_gain(0.85, 0.4), 3)
    (0.0003, 0.177)
    """
    if auc <= 0.5 + _SMALL:
        return 0.0
    normal = NormalDist()
    apart = math.sqrt(2) * normal.inv_cdf(min(auc, 1 - _SMALL))
    cut = apart / 2 + math.log((1 - rate) / rate) / apart
    return max(0.0, rate * normal.cdf(apart - cut) - (1 - rate) * normal.cdf(-cut))


@dataclass(frozen=True)
class Given:
    """The public numbers that a forecast follows from."""

    records: int
    epsilon: float
    """Of the rule or card alone, for one record."""
    rate: float
    """The share of the rarer of two classes."""
    attainable: float
    """The AUC of the best model without privacy: a guess."""
    one_column: float | None = None
    """That of the best single column, if anybody knows."""

    @property
    def evidence(self) -> float:
        """Records times epsilon."""
        return self.records * self.epsilon


@dataclass(frozen=True)
class Expected:
    """What follows from them."""

    given: Given
    constants: Constants = CONSTANTS

    @property
    def best(self) -> float:
        """The gain of the best model itself over the constant."""
        return best_gain(self.given.attainable, self.given.rate)

    @property
    def constant(self) -> float:
        """How often the constant is right."""
        return 1 - self.given.rate

    @cached_property
    def gain(self) -> Range:
        """Over always saying the commoner class."""
        return self._range(self._gain, self._accuracy_wider)

    @cached_property
    def accuracy(self) -> Range:
        """How often a rule is right."""
        return self._share(lambda part: self.constant + self._gain(part), self._accuracy_wider)

    @cached_property
    def found(self) -> Range:
        """The share of the rarer class that a rule with balanced costs finds."""
        return self._share(self._found, self.constants.found_wider)

    @cached_property
    def alarms(self) -> Range:
        """The share of the others that it takes for it."""
        turned = self._share(self._found, self.constants.alarms_wider)
        return Range(1 - turned.middle, 1 - turned.high, 1 - turned.low)

    @cached_property
    def balanced(self) -> Range:
        """Balanced accuracy of the same rule: a constant has one half."""
        return self._share(self._found, self.constants.balanced_wider)

    @cached_property
    def auc(self) -> Range:
        """Of a card."""
        return self._share(self._auc, self.constants.auc_wider)

    @cached_property
    def no_better(self) -> float:
        """How likely a rule gains nothing worth mentioning: calibrated on the tables of the fit, so say it in words."""
        sigma = math.log(self.constants.spread) / _TENTH
        worse = sum(self._gain(math.exp(sigma * place)) <= BETTER for place in _QUANTILES)
        return worse / len(_QUANTILES)

    @property
    def is_hopeless(self) -> bool:
        """Whether a rule will most likely be no better than the constant."""
        return self.gain.middle <= BETTER

    def _gain(self, part: float) -> float:
        reached = self._reached(self.constants.rule, self._even * self._strength, part)
        return best_gain(reached, self.given.rate) - self.given.rate / self.given.evidence

    def _found(self, part: float) -> float:
        reached = self._reached(self.constants.balanced, self._even * self._strength, part)
        return NormalDist().cdf(NormalDist().inv_cdf(reached) / math.sqrt(2))

    def _auc(self, part: float) -> float:
        return self._reached(self.constants.card, (self._even * self._strength) ** 1.5, part)

    @property
    def _even(self) -> float:
        """1 for two classes that are equally common, less the rarer one of them is."""
        return 4 * self.given.rate * (1 - self.given.rate)

    @property
    def _strength(self) -> float:
        """Of the best single column: 0 if it tells nothing, 1 if it tells all."""
        return 2 * (self._one_column - 0.5)

    @property
    def _one_column(self) -> float:
        """The AUC of the best single column, which nothing without privacy falls below."""
        one, best = self.given.one_column, max(self.given.attainable, 0.5)
        return 0.5 + self.constants.one_column * (best - 0.5) if one is None else min(max(one, 0.5), best)

    def _reached(self, reach: Reach, each: float, part: float) -> float:
        """The AUC by the evidence at hand, where `part` times as much is needed; `each` is that of one unit of it."""
        evidence, one = self.given.evidence * each / part, self._one_column
        first = (one - 0.5) * evidence / (evidence + reach.one)
        further = reach.rest * (max(self.given.attainable, one) - one) * evidence / (evidence + reach.others)
        return min(0.5 + first + further, 1 - _SMALL)

    @property
    def _accuracy_wider(self) -> Wider:
        wider, part = self.constants.accuracy_wider, 2 * self.given.rate
        return Wider(part * wider.known, part * wider.guessed)

    def _range(self, value: Callable[[float], float], wider: Wider) -> Range:
        spread = self.constants.spread
        more = wider.guessed if self.given.one_column is None else wider.known
        low, high = value(spread) - more, value(1 / spread) + more
        return Range(value(1.0), low, high)

    def _share(self, value: Callable[[float], float], wider: Wider) -> Range:
        """Of a share, which lies between 0 and 1."""
        range_ = self._range(value, wider)
        return Range(*(min(max(end, 0.0), 1.0) for end in (range_.middle, range_.low, range_.high)))

    # What would do.

    @property
    def goal(self) -> float:
        """An AUC worth having, of two digits: two thirds of what lies above .5 without privacy."""
        return round(0.5 + ENOUGH * (self.given.attainable - 0.5), 2)

    def card_evidence(self) -> float | None:
        """Records times epsilon at which a card reaches the goal; None where no number of them does."""
        return self._least(lambda expected: expected._auc(1.0) >= self.goal)

    def rule_evidence(self) -> float | None:
        """Records times epsilon from which a rule is likely better than the constant; None where none is."""
        return None if self.best <= BETTER else self._least(lambda expected: expected.no_better < LIKELY)

    def _least(self, does: Callable[[Expected], bool]) -> float | None:
        """The least records times epsilon that do; None where none do."""

        def with_evidence(evidence: float) -> bool:
            return does(Expected(replace(self.given, records=1, epsilon=evidence), self.constants))

        low, high = 1.0, 1e9
        if not with_evidence(high):
            return None
        for _ in range(40):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if with_evidence(middle) else (middle, high)
        return high

    def least_attainable(self) -> float:
        """The AUC without privacy from which on a rule is likely no longer as useless as the constant."""
        low, high = 0.5, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            given = replace(self.given, attainable=middle)
            low, high = (middle, high) if Expected(given, self.constants).is_hopeless else (low, middle)
        return high

    def to_json(self) -> dict[str, Any]:
        """All of it as data."""
        return {
            "attainable": self.given.attainable,
            "attainable_one_column": self.given.one_column,
            "best_gain": round(self.best, 4),
            "constant": round(self.constant, 4),
            "gain": self.gain.to_json(),
            "accuracy": self.accuracy.to_json(),
            "found": self.found.to_json(),
            "false_alarms": self.alarms.to_json(),
            "balanced_accuracy": self.balanced.to_json(),
            "auc": self.auc.to_json(),
            "most_likely_no_better": self.is_hopeless,
        }
