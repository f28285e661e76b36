"""Look at few records, take the value that is seen, answer with a random set that favours it: A_1 to A_5.

Statement: two-sided (no failure outcome), e^epsilon = (1 - p + p·c)/(1 - p + p/c) with c = (1 - f)/f; as printed, with
probability `fail` of no answer, the larger of 1 + p(1 - fail)/fail and 1 + p·c/(1 - p).
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.3, Lemma 4.4, Section 4.2.1; register `star-entries`,
`sampled-point`, `sampled-point-accuracy`. Keys by rejection (Theorem 4.8) are not offered: register `key-rejection`.
Holds if: every cell of a random set has probability exactly f (the families see to it); parameters are public.
Accuracy of keyed sets assumes a pseudorandom function, and the certificate says so; privacy does not.
Proof: docs/proofs/sampled-points.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.hashes import HashFamily
from privpac.concepts.sets.keys import KeyedFamily
from privpac.constructions.base import ReadsOnce
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import ONE_VALUE, OfColumn
from privpac.constructions.points.sampled_formulas import Draw, draw_for, error_sampled, rate_star
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain
from privpac.numbers.parameters import up_to_one

__all__ = ["ONE_RUN_FAILURE", "Family", "SampledPoint", "family_sharing"]

ONE_RUN_FAILURE = Fraction(1, 2)
"""What a single run is promised to stay below: noise alone fails more often than people accept (boost it)."""


class Family(Protocol):
    """Random sets whose cells have exactly the same probability; conditioned without rejection."""

    assumption: ClassVar[str | None]
    """What accuracy, never privacy, assumes of the sets."""
    conditioned: ClassVar[bool]
    """Whether a set drawn for a cell can be made to hold it always."""

    @property
    def share(self) -> Fraction:
        """The probability that a set holds a given cell."""

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether a draw could ever be this set."""

    def draw(self, coins: Coins) -> Hypothesis:
        """A random set."""

    def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> Hypothesis:
        """A random set among those that hold the cell, or among those that do not."""


def family_sharing(schema: Schema, column: str, share: Fraction, *, keyed: bool) -> Family:
    """Keyed or pairwise independent sets that hold a cell with about this probability."""
    return KeyedFamily.sharing(column, share) if keyed else HashFamily.sharing(schema, column, share)


@dataclass(frozen=True)
class SampledPoint(OfColumn, ReadsOnce):
    """One run. `fail` None: two-sided, always an answer; else as printed, with that chance of none."""

    schema: Schema
    column: str
    epsilon: Fraction
    rate: Fraction
    family: Family
    fail: Fraction | None = None
    failure: Fraction = ONE_RUN_FAILURE

    def __post_init__(self) -> None:
        super().__post_init__()
        up_to_one(self.rate, owner="SampledPoint", name="rate")

    @classmethod
    def tuned(
        cls,
        schema: Schema,
        column: str,
        *,
        epsilon: Fraction,
        size: Size,
        keyed: bool = False,
        failure: Fraction = ONE_RUN_FAILURE,
    ) -> SampledPoint:
        """Two-sided, with pairwise independent or keyed sets, tuned to this many records; promised no more surely than
        a single run can be."""
        failure = max(failure, ONE_RUN_FAILURE)
        share = draw_for(size.labelled, failure=failure, epsilon=epsilon).flip
        family = family_sharing(schema, column, share, keyed=keyed)
        rate = rate_star(epsilon=epsilon, spread=Draw(Fraction(1), family.share).spread)
        return cls(schema, column, epsilon, rate, family, failure=failure)

    @property
    def _sure(self) -> bool:
        """Whether a set drawn for a value always holds it: only where a failure outcome hides what is inconsistent."""
        return self.fail is not None and self.family.conditioned

    @property
    def spread(self) -> Fraction:
        """The largest factor by which one more record that is looked at changes the probability of an answer."""
        return 1 / self.family.share if self._sure else self.run.spread

    @property
    def run(self) -> Draw:
        """The rate of the draw and the share of cells in a set."""
        return Draw(self.rate, self.family.share)

    def accuracy(self, n: int) -> tuple[Proof[Accuracy], ...]:
        """What is proved about the error on n records; nothing if the bound is trivial."""
        fail = self.fail or Fraction(0)
        error = error_sampled(n, draw=self.run, failure=self.failure, fail=fail)
        if error == 1 or self.rate == 0:
            return ()
        proof = points_rules.sampled_point_accuracy(
            draw=self.run, fail=fail, light=error / 2, records=n, error=error, failure=self.failure
        )
        return (self.assumed(proof),)

    def assumed(self, proof: Proof[Accuracy]) -> Proof[Accuracy]:
        """The proof under what it assumes of the sets, if it assumes anything."""
        return proof if self.family.assumption is None else rules.assuming(proof, self.family.assumption)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        loss = (
            points_rules.star_entries(rate=self.rate, spread=self.spread)
            if self.fail is None
            else points_rules.sampled_point(rate=self.rate, fail=self.fail, spread=self.spread)
        )
        return Certificate(
            privacy=rules.declared(loss, epsilon=self.epsilon),
            accuracy=self.accuracy(size.labelled),
            learner={
                "name": "sampled point",
                "concepts": f"points:{self.column}:sampled",
                "sets": type(self.family).__name__,
                "epsilon": plain(self.epsilon),
                "rate": plain(self.rate),
                "share": plain(self.family.share),
                "fail": None if self.fail is None else plain(self.fail),
                "failure": plain(self.failure),
                "note": ONE_VALUE,
            },
            labelled=size.labelled,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        if self.fail is not None and hypothesis == NoAnswer(self.column):
            return True
        return self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        if self.fail is not None and coins.flip(self.fail):
            return NoAnswer(self.column)
        point, consistent = self._look(sample.reduce(self.concepts.statistic), coins)
        if not consistent:
            if self.fail is not None:
                return NoAnswer(self.column)
            point = None
        if point is None:
            return self.family.draw(coins)
        holds = self._sure or coins.flip(1 - self.family.share)
        return self.family.draw_given(point, holds=holds, coins=coins)

    def _look(self, evidence: ColumnCounts, coins: Coins) -> tuple[int | None, bool]:
        """The value of class 1 among the records looked at, if any, and whether they are consistent with one.

        One coin per value: of n records at least one is looked at with probability 1 - (1 - rate)^n.
        """
        skip_rate = 1 - self.rate
        point: int | None = None
        for value, (zeros, ones) in zip(evidence.values.tolist(), evidence.counts.tolist(), strict=True):
            if ones and coins.flip(1 - skip_rate**ones):
                if point is not None or (zeros and coins.flip(1 - skip_rate**zeros)):
                    return None, False
                point = int(value)
        return point, True
