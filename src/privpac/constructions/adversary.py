"""Learners that lose all that they may, for cases of what is made from learners.

Honest learners inside hide errors of a certificate: they react to a record far less than they may.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.line.thresholds import Threshold
from privpac.constructions.base import ReadsOnce
from privpac.constructions.cases import Record
from privpac.data.sample import InMemory, Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate

__all__ = ["Adversary", "Rare"]

RATIO = Fraction(3, 5)


@dataclass(frozen=True)
class Adversary(ReadsOnce):
    """Says yes with probability ratio^(2·distance to its target)/2: e^epsilon = ratio^-2, attained everywhere.

    `places`: distance place by place, so that it looks at the order of the records; otherwise as multisets.
    """

    concepts: AnyClass
    target: tuple[Record, ...]
    ratio: Fraction = RATIO
    places: bool = True
    outcomes: int | None = None
    others: tuple[tuple[Record, ...], ...] = ()
    """Further targets: what counts is the distance to the nearest."""

    def require(self, size: Size) -> None:
        """Nothing is refused."""

    def certify(self, size: Size) -> Certificate:
        return Certificate(
            rules.exponential_mechanism(ratio=self.ratio), (), {"name": "adversary"}, size.labelled
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return True  # an adversary says what it likes

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        answer: Any = coins.flip(self.ratio ** (2 * self.apart(sample)) / 2)
        return answer  # type: ignore[no-any-return]

    def apart(self, sample: Sample) -> int:
        """How many records differ from the nearest target."""
        block = cast(InMemory, sample).block()  # as all records of an audit are
        columns = [*(block.cells[name].tolist() for name in sample.schema.names), block.labels.tolist()]  # type: ignore[union-attr]
        records = list(zip(*columns, strict=True))
        return min(self._from(records, target) for target in (self.target, *self.others))

    def _from(self, records: list[tuple[Any, ...]], target: tuple[Record, ...]) -> int:
        if self.places:
            return sum(1 for one, other in zip(records, target, strict=True) if one != other)
        return len(records) - (Counter(records) & Counter(target)).total()


@dataclass(frozen=True)
class Rare(Adversary):
    """As `Adversary`, but says yes rarely, by a rule that calls everything 1, and no by one that calls nothing so.

    Rare enough that two blocks hardly ever agree on it: whoever sees it released learns of the one block, and of the
    pick, all that they may tell.
    """

    chance: Fraction = Fraction(1, 10**4)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        zero = coins.flip(self.ratio ** (2 * self.apart(sample)) * self.chance)
        return Threshold(sample.schema.names[0], 0 if zero else sample.schema.columns[0].size, True)
