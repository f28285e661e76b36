"""Several sampled runs on parts of their own, and a private choice among them on one more part.

Statement: one record lies in one part, so the loss is that of the worst part; the answer is bad with probability at
most g^N + (N - 1)·base^n.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.5, repaired; register `boosted-points`. With keyed
sets it is their Theorem 4.8 at any failure: the time does not grow with the column, and accuracy assumes that the hash
is pseudorandom.
Holds if: parts are cut by position (they are). Proof: docs/proofs/sampled-points.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.stumps import Constant
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.keys import KeyedFamily
from privpac.constructions.base import DrawsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import ONE_VALUE, OfColumn
from privpac.constructions.points.sampled import Family, SampledPoint, family_sharing
from privpac.constructions.points.sampled_formulas import (
    Boost,
    boost_proof,
    boost_with,
    with_share,
)
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import plain

__all__ = ["BoostedPoints"]


@dataclass(frozen=True)
class BoostedPoints(OfColumn, DrawsOnce):
    """`boost.runs` runs on `boost.each` records each, in order; the rest of the records choose."""

    schema: Schema
    column: str
    epsilon: Fraction
    boost: Boost
    family: Family
    error: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def tuned(
        cls,
        schema: Schema,
        column: str,
        *,
        epsilon: Fraction,
        size: Size,
        keyed: bool = False,
        failure: Fraction = FAILURE,
    ) -> BoostedPoints:
        """The split that proves the smallest error with this many records; a larger failure where they prove none."""
        failure, error, boost = boost_with(size.labelled, failure=failure, epsilon=epsilon)
        family = family_sharing(schema, column, boost.draw.flip, keyed=keyed)
        return cls(schema, column, epsilon, boost, family, error, failure)

    @property
    def _way(self) -> str:
        return "boosted-keyed" if isinstance(self.family, KeyedFamily) else "boosted"

    @property
    def run(self) -> SampledPoint:
        """The learner of one run."""
        rate = with_share(self.boost, self.family.share, epsilon=self.epsilon).draw.rate
        return SampledPoint(self.schema, self.column, self.epsilon, rate, self.family)

    def _split(self, size: Size) -> Boost:
        """The split of this many records: all that the runs leave over chooses among them."""
        left = size.labelled - self.boost.runs * self.boost.each
        if left < 1:
            raise SizeError(
                f"BoostedPoints: {size.labelled} records leave none to choose among {self.boost.runs} runs.",
                remedy="Make it with BoostedPoints.tuned for the number of records there is.",
            )
        return replace(self.boost, selecting=left)

    @property
    def passes(self) -> int:
        return self.boost.runs + 1

    def require(self, size: Size) -> None:
        self.run.require(Size(self._split(size).each))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        boost = self._split(size)
        run = self.run.certify(Size(boost.each)).privacy
        parts = [rules.on_part(run, part=f"run {i + 1}") for i in range(boost.runs)]
        choice = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        proof = rules.disjoint_parts(*parts, rules.on_part(choice, part="the choice"))
        return Certificate(
            privacy=proof,
            accuracy=self._accuracy(boost),
            learner={
                "name": "boosted points",
                "concepts": f"points:{self.column}:{self._way}",
                "epsilon": plain(self.epsilon),
                "runs": boost.runs,
                "each": boost.each,
                "selecting": boost.selecting,
                "rate": plain(self.run.rate),
                "share": plain(self.family.share),
                "failure": plain(self.failure),
                "note": ONE_VALUE,
            },
            labelled=size.labelled,
        )

    def _accuracy(self, boost: Boost) -> tuple[Proof[Accuracy], ...]:
        run, numbers = self.run, {"ratio": self.ratio, "error": self.error, "failure": self.failure}
        proof = boost_proof(replace(boost, draw=run.run), **numbers)
        if proof is None:
            return ()
        one = points_rules.sampled_point_accuracy(
            draw=run.run,
            fail=Fraction(0),
            light=boost.light,
            records=boost.each,
            error=boost.tolerated,
            failure=proof.missed,
        )
        return (points_rules.boosted_points(run.assumed(one), boost=boost, tilt=proof.tilt, **numbers),)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return hypothesis == Constant(0) or self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        boost = self._split(sample.size)
        each, runs = boost.each, boost.runs
        candidates = coins.each(
            [self._runner(sample.take(np.arange(i * each, (i + 1) * each))) for i in range(runs)]
        )
        last = sample.take(np.arange(runs * each, boost.records))
        evidence: ColumnCounts = last.reduce(self.concepts.statistic)
        scores = np.array([_mistakes(rule, self.column, evidence) for rule in candidates], dtype=np.int64)
        row = Row.of(0, np.arange(runs - 1, dtype=np.uint64), scores, runs - 1)
        return candidates[gibbs.draw(Runs([row]), self.ratio, coins)[1]]

    def _runner(self, part: Sample) -> Callable[[Coins], Hypothesis]:
        def run(coins: Coins) -> Hypothesis:
            answer = self.run.learn(part, coins)
            return Constant(0) if isinstance(answer, NoAnswer) else answer

        return run


def _mistakes(rule: Hypothesis, column: str, evidence: ColumnCounts) -> int:
    counts = np.asarray(evidence.counts, dtype=np.int64)
    answers: NDArray[np.uint8] = rule.predict({column: evidence.values})
    return int(counts[answers == 0, 1].sum() + counts[answers == 1, 0].sum())
