"""Find a value of a column with one of many random hashed sets: improper, as many records for 8 bits as for 128.

Statement: keys are drawn without a look at any record, then the exponential mechanism chooses among their sets.
Source: register `pairwise-cover` (ours).
Holds if: ratio and the number of keys are public. Accuracy is proved if one value carries class 1 and the distribution
does not depend on the keys. Proof: docs/proofs/pairwise-cover.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.stumps import Constant
from privpac.concepts.sets.hash_kernels import looks, seconds_per_look
from privpac.concepts.sets.hashes import HashFamily, hashed_scores
from privpac.constructions.base import ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import OfColumn
from privpac.constructions.points.cover_formulas import Cover, cover_for, cover_ratio, error_cover, sure_hits
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.mechanisms import gibbs
from privpac.numbers.exact import plain
from privpac.numbers.parameters import whole_positive

__all__ = ["CoveredPoints"]

MOST_SECONDS = 60
"""What a draw may take after it was paid for."""


@dataclass(frozen=True)
class CoveredPoints(OfColumn, ReadsOnce):
    """Draw one of `keys` random sets with weight ratio^mistakes."""

    schema: Schema
    column: str
    epsilon: Fraction
    keys: int
    family: HashFamily
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_positive(self.keys, owner="CoveredPoints", name="keys")

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> CoveredPoints:
        """The cover that proves most with this many records."""
        cover = cover_for(size.labelled, failure=failure, epsilon=epsilon)
        family = HashFamily.sharing(schema, column, cover.share)
        return cls(schema, column, epsilon, cover.keys, family, failure)

    @property
    def outcomes(self) -> int:
        """Every key there is, and the empty set."""
        return self.family.prime**2 + 1

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return cover_ratio(self.epsilon)

    @property
    def cover(self) -> Cover:
        """The number of random sets and the share of cells in each."""
        return Cover(self.keys, self.family.share)

    def require(self, size: Size) -> None:
        """Refuse more looks of sets at values than a minute has time for, were all values different."""
        super().require(size)
        family, values = self.family, min(size.labelled, self.family.domain)
        count = looks(family.prime, family.below, keys=self.keys, values=values)
        if count * seconds_per_look(family.prime) > MOST_SECONDS:
            raise SizeError(
                f"points:{self.column}:cover looks from {self.keys} sets at up to {size.labelled} values of so many"
                f" bits, which takes more than {MOST_SECONDS} seconds.",
                remedy=f"Use points:{self.column}:clipped or points:{self.column}:improper, or fewer records.",
            )

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        error = error_cover(n, cover=self.cover, failure=self.failure, ratio=self.ratio)
        good = sure_hits(self.cover, failure=self.failure)
        return self.certificate(
            rules.exponential_mechanism(ratio=self.ratio),
            error,
            partial(points_rules.pairwise_cover, cover=self.cover, good=good, ratio=self.ratio),
            records=n,
            name="covered points",
            word=f"points:{self.column}:cover",
            keys=self.keys,
            share=plain(self.family.share),
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return hypothesis == Constant(0) or self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        keys = self.family.keys(self.keys, coins)  # before any record is looked at
        evidence = sample.reduce(self.concepts.statistic)
        return gibbs.draw(hashed_scores(self.family, keys, evidence), self.ratio, coins)
