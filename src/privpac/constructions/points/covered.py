"""Find a value of a column with one of many random hashed sets: improper, as many records for 8 bits as for 128."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.stumps import Constant
from privpac.concepts.sets.hash_kernels import looks, seconds_per_look
from privpac.concepts.sets.hashes import HashFamily, hashed_scores
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points.base import LARGEST_STEP, OneRun
from privpac.constructions.points.coded import first_guess, occam_bound
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound
from privpac.mechanisms import gibbs
from privpac.numbers.binomial import at_most
from privpac.numbers.exact import ball, certainly_below, first_whole, ratio_for
from privpac.numbers.parameters import Number, chance, positive, whole_positive
from privpac.theory.occam import GRID, Rate
from privpac.theory.register import formula

__all__ = ["Cover", "CoverAccuracy", "CoveredPoints", "plan_cover", "records_cover"]

PLACE = 100

# --- How right it is ---


@dataclass(frozen=True)
class CoverAccuracy(AccuracyBound, key="pairwise-cover"):
    """One of k sets of share f and the empty set, drawn at r a mistake: it errs by more than `error` with probability
    at most

    P[Binomial(k, f/2) < G] + (k + 1 - G)/G·base^n, base = 1 - error·(1 - r) + 2f·(1/r - 1),

    if one value carries class 1 and keys are drawn without a look at records; k = keys, f = share, G = good, r = ratio.
    """

    keys: int
    share: Fraction
    good: int
    ratio: Fraction

    def check(self) -> None:
        need(self.key, 0 < self.ratio < 1 and 0 < self.share < 1, "ratio and share must lie in (0, 1)")
        need(self.key, 1 <= self.good <= self.keys, "the number of good sets must lie between 1 and the keys")

    def failure(self, n: int, error: Fraction) -> arb:
        # A set that holds the target weighs no more than 2f besides with probability one half.
        base = 1 - error * (1 - self.ratio) + 2 * self.share * (1 / self.ratio - 1)
        if self.good < 1 or not 2 * self.share < error < 1 or base >= 1:
            return arb(1)
        odds = Fraction(self.keys + 1 - self.good, self.good)
        return at_most(self.good - 1, n=self.keys, chance=self.share / 2) + ball(odds) * ball(base) ** n


# --- Its parameters ---


@dataclass(frozen=True)
class Cover:
    """`keys` random sets of a pairwise independent family, each holding a point with probability `share`."""

    keys: int
    share: Fraction

    @property
    def tolerated(self) -> Fraction:
        """A set that holds the target weighs no more besides with probability one half."""
        return 2 * self.share


GOOD = 64
"""Good sets a cover is made to hold."""
STRONGEST = Fraction(2237, 10_000)
"""Just above √(tolerated/error) = √(1/20): what a mistake weighs where the bound of a cover is best."""
SPENT_ON_KEYS = Fraction(1, 10)
"""Part of the failure probability left to unlucky keys."""
_MOST_KEYS = 10**6


def cover_ratio(epsilon: Fraction) -> Fraction:
    """What a mistake weighs in draws from a cover: as epsilon allows, and never less than where the bound is best. A
    stronger pull proves less, at last nothing: good sets make mistakes, too.

    >>> cover_ratio(Fraction(8))
    Fraction(2237, 10000)
    """
    return max(ratio_for(epsilon / 2), STRONGEST)


def sure_hits(cover: Cover, *, failure: Fraction) -> int:
    """How many good sets the cover holds, except with a tenth of the failure probability."""
    spent, good = SPENT_ON_KEYS * failure, cover.share / 2

    def too_many(hits: int) -> bool:
        return not certainly_below(lambda: at_most(hits - 1, n=cover.keys, chance=good), spent)

    return first_whole(too_many, start=GOOD, smallest=1) - 1


def cover_bound(cover: Cover, *, failure: Fraction, ratio: Fraction) -> CoverAccuracy:
    """How right a draw from the cover is."""
    return CoverAccuracy(cover.keys, cover.share, sure_hits(cover, failure=failure), ratio)


@lru_cache(maxsize=4096)  # a search asks for the same shares at every number of records
def _fewest_keys(share: Fraction, spent: Fraction) -> int:
    """Sets of such a share of which `GOOD` are good, except with probability `spent`."""

    def enough(keys: int) -> bool:
        return certainly_below(lambda: at_most(GOOD - 1, n=keys, chance=share / 2), spent)

    return first_whole(enough, start=int(1.4 * GOOD * 2 / share), smallest=GOOD)


@formula("pairwise-cover")
def plan_cover(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Cover]:
    """Records that suffice with random hashed sets, for any domain, and how many sets of what share.

    Statement: sets of share error/40; keys so many that 64 of them are good (error at most error/20) except with
    probability failure/10; then (keys + 1 - 64)/64·base^n ≤ 9/10·failure, base as in `CoverAccuracy` at
    `cover_ratio`.
    Source: register `pairwise-cover` (ours). Holds if: one value carries all of class 1, records independent, keys
    drawn after the distribution was fixed. Proof: docs/proofs/pairwise-cover.md.

    >>> plan_cover(error=0.1, failure=0.05, epsilon=1)
    (275, Cover(keys=69172, share=Fraction(1, 400)))
    """
    owner = "plan_cover"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    rate = Rate.read(None, cover_ratio(positive(epsilon, owner=owner, name="epsilon")), owner=owner)
    share, spent = wrong / 40, SPENT_ON_KEYS * miss
    cover = Cover(_fewest_keys(share, spent), share)
    bound = occam_bound(cover.keys + 1, GOOD, error=wrong, tolerated=cover.tolerated, rate=rate)
    return bound.records(miss - spent), cover


@formula("pairwise-cover")
def records_cover(*, error: Number, failure: Number, epsilon: Number) -> int:
    """Records that suffice with random hashed sets: `plan_cover` without the sets.

    Statement: as `plan_cover`. Source: register `pairwise-cover`. Holds if: as `plan_cover`.
    Proof: docs/proofs/pairwise-cover.md.

    >>> records_cover(error=0.1, failure=0.05, epsilon=0.5)
    483
    """
    return plan_cover(error=error, failure=failure, epsilon=epsilon)[0]


def cover_for(n: int, *, failure: Fraction, epsilon: Fraction) -> Cover:
    """The cover for `n` records: that of the smallest error they prove; any is private. At most a million keys."""
    smallest = max(1, math.ceil(40 * Fraction(7, 2) * GOOD / (_MOST_KEYS * GRID)))

    def enough(step: int) -> bool:
        if step >= LARGEST_STEP:
            return True
        return records_cover(error=step * GRID, failure=failure, epsilon=epsilon) <= n

    step = first_whole(enough, start=first_guess(n, epsilon), smallest=smallest)
    return plan_cover(error=step * GRID, failure=failure, epsilon=epsilon)[1]


# --- The learner ---

MOST_SECONDS = 60
"""What a draw may take after it was paid for."""


@dataclass(frozen=True)
class CoveredPoints(OneRun):
    """Draw one of `keys` random sets with weight ratio^mistakes."""

    schema: Schema
    column: str
    epsilon: Fraction
    keys: int
    family: HashFamily
    failure: Fraction = FAILURE

    name: ClassVar[str] = "covered points"
    way: ClassVar[str] = "cover"

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

    def mechanism(self) -> Proof[Privacy]:
        return rules.exponential_mechanism(ratio=self.ratio)

    def bounds(self, size: Size) -> Iterator[CoverAccuracy]:
        cover = Cover(self.keys, self.family.share)
        yield cover_bound(cover, failure=self.failure, ratio=self.ratio)

    def parameters(self, size: Size) -> Mapping[str, object]:
        return {"keys": self.keys, "share": self.family.share}

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return hypothesis == Constant(0) or self.family.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        keys = self.family.keys(self.keys, coins)  # before any record is looked at
        evidence = sample.reduce(self.concepts.statistic)
        return gibbs.draw(hashed_scores(self.family, keys, evidence), self.ratio, coins)


# --- What the exact audit runs ---


def covered_case(name: str = "points-cover", *, cells: int = 2, keys: int = 2, n: int = 2) -> Case:
    """One of several random sets."""
    schema = tiny_schema(cells)
    family = HashFamily("a", 3, 1, cells)
    return learner_case(name, CoveredPoints(schema, "a", Fraction(1), keys, family), schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {"points-cover": covered_case}
