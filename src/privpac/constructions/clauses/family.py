"""A rule with exceptions, from noisy counts of patterns among the records of class 1.

Nothing is searched for: finding such a disjunction itself is hard unless RP = NP. Each record has one pattern on every
set of `width` tests, so that a replaced record changes the counts by at most 2·sets together. Labels that no such rule
gives cost accuracy, never privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

from flint import arb

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor, require_counts
from privpac.concepts.literals.exceptions import Exceptions, Patterns
from privpac.constructions.base import Certified, Learner, ReadsOnce
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.request import Planned, Request, Word, count_of
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof, need
from privpac.guarantee.theorem import AccuracyBound
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import ball, first_power, plain, ratio_for
from privpac.numbers.parameters import chance, positive, whole_positive

__all__ = ["ClauseAccuracy", "ClauseCounts", "clauses_for"]

PLACE = 42
OWNER = "ClauseCounts"

CUTS = 3
"""Of a numeric column: every further test is counted together with all others."""
WIDEST = 3
"""Tests of a pattern; more have too many patterns on any table."""
MOST_CLAUSES = 2**12
"""Patterns that are counted: more need over a billion records before anything is promised."""
LARGEST = 2**30
"""Thresholds and numbers of patterns of a certificate: what is larger is nobody's."""
MOST_EPSILON = Fraction(1000)
"""Spent at most: beyond it the noise of every count is 0 already, and the rule of the noise ends."""
TILT = Fraction(7, 8)
"""How far the bound leans from no noise at all towards where the noise has no mean: nearer, logarithms weigh less and
the factor before them more; between 3/4 and 15/16 the records change by less than 8 %."""


@dataclass(frozen=True)
class ClauseAccuracy(AccuracyBound, key="clause-counts"):
    """The rule errs by more than `error` with probability at most

    M·g^(t + 1)/(1 + g) + M·(1 − g)²/((1 − g·s)(1 − g/s))·s^−t·(1 − (error/M)·(1 − s))^n,

    if some disjunction of at most `width` conjunctions makes no error. M = clauses, g = ratio, t = threshold, s = tilt.
    """

    clauses: int
    ratio: Fraction
    threshold: int
    tilt: Fraction

    def check(self) -> None:
        need(
            self.key,
            0 < self.ratio < self.tilt < 1,
            "ratio and tilt must lie in (0, 1), the ratio below the tilt",
        )
        sizes = 1 <= self.clauses <= LARGEST and 0 <= self.threshold <= LARGEST
        need(self.key, sizes, "a number is out of its range")

    @classmethod
    def of(cls, clauses: int, ratio: Fraction, threshold: int) -> ClauseAccuracy:
        """The bound at the tilt that suits this noise."""
        return cls(clauses, ratio, threshold, 1 - TILT * (1 - ratio))

    @property
    def evidence(self) -> Fraction:
        return Fraction(2 * self.threshold * self.clauses)

    def failure(self, n: int, error: Fraction) -> arb:
        ratio, tilt, clauses = ball(self.ratio), ball(self.tilt), self.clauses
        miss = clauses * ratio ** (self.threshold + 1) / (1 + ratio)
        noise = (1 - ratio) ** 2 / ((1 - ratio * tilt) * (1 - ratio / tilt))
        heavy = ball(1 - error / clauses * (1 - self.tilt)) ** n
        return miss + clauses * noise * heavy / tilt**self.threshold


@lru_cache(maxsize=64)
def clauses_for(tests: int, width: int, *, failure: Fraction, epsilon: Fraction) -> ClauseAccuracy:
    """The bound for a budget: half of all failures are left to patterns that are missed.

    >>> clauses_for(6, 2, failure=Fraction(1, 20), epsilon=Fraction(1)).threshold
    213
    """
    sets = math.comb(tests, width)
    clauses, ratio = sets << width, ratio_for(min(epsilon, MOST_EPSILON) / (2 * sets))
    if ratio == 1:
        allowed = "larger: counts would drown in their noise"
        raise ParameterError(OWNER, "epsilon", plain(epsilon), allowed=allowed)
    steps = first_power(ratio, lambda: ball(failure * (1 + ratio) / (2 * clauses)).log())
    return ClauseAccuracy.of(clauses, ratio, max(0, steps - 1))


@dataclass(frozen=True)
class ClauseCounts(Certified, ReadsOnce):
    """Class 1, except where a pattern of `width` answers hardly occurs in it; `bound` None: the one for this budget."""

    schema: Schema
    epsilon: Fraction
    tests: Binarisation
    width: int = 2
    failure: Fraction = FAILURE
    bound: ClauseAccuracy | None = None

    name: ClassVar[str] = "clause counts"

    def __post_init__(self) -> None:
        if len(self.schema.classes) != 2:
            raise ParameterError(OWNER, "number of classes", len(self.schema.classes), allowed="2")
        positive(self.epsilon, owner=OWNER, name="epsilon")
        chance(self.failure, owner=OWNER, name="failure")
        most = min(WIDEST, len(self.tests.tests))
        if whole_positive(self.width, owner=OWNER, name="width") > most:
            raise ParameterError(OWNER, "width", self.width, allowed=f"an integer from 1 to {most}")
        if self.patterns.size > MOST_CLAUSES:
            raise SizeError(
                f"{len(self.tests.tests)} tests have {self.patterns.size:,} patterns of {self.width} answers, and"
                f" {MOST_CLAUSES:,} are counted at most.",
                remedy="Name fewer or coarser columns in the schema, or a smaller number: clauses:1.",
            )
        _ = self.numbers  # refuses an epsilon that is too small for this many counts

    @property
    def word(self) -> str:
        return f"clauses:{self.width}"

    @cached_property
    def patterns(self) -> Patterns:
        """What is counted."""
        return Patterns(self.tests, self.width)

    @cached_property
    def numbers(self) -> ClauseAccuracy:
        """How right the rule is, with the public numbers of the counts."""
        tests, budget = len(self.tests.tests), {"failure": self.failure, "epsilon": self.epsilon}
        return clauses_for(tests, self.width, **budget) if self.bound is None else self.bound

    @property
    def concepts(self) -> Conjunctions:
        """What the exceptions are taken from; the rule itself is no member."""
        return Conjunctions(self.schema, self.width, self.tests)

    @property
    def outcomes(self) -> int:
        """As many as there are sets of patterns."""
        return 1 << self.patterns.size

    def require(self, size: Size) -> None:
        size.require_labelled(OWNER)
        require_counts(size.labelled)

    def loss(self, size: Size) -> Proof[Privacy]:
        noise = rules.geometric_noise(ratio=self.numbers.ratio, change=2 * self.patterns.sets, single=True)
        return rules.post_processing(noise, what="patterns with low noisy counts become exceptions")

    def bounds(self, size: Size) -> Iterator[ClauseAccuracy]:
        yield self.numbers

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        if not isinstance(hypothesis, Exceptions):
            return False
        if self.numbers.threshold >= size.labelled:  # no count can be above it
            return hypothesis == self.patterns.rule(self.patterns.listed)
        return self.patterns.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        evidence = sample.reduce(CooccurrenceTensor(self.tests, self.width, 2))
        return self.rule(self.noisy(evidence, sample.size.labelled, coins))

    def noisy(self, evidence: Cooccurrence, records: int, coins: Coins) -> list[int]:
        """The count of every pattern, with its noise."""
        counts = self.patterns.counts(evidence).tolist()
        return add_noise(counts, ratio=self.numbers.ratio, low=0, high=records, coins=coins)

    def rule(self, noisy: list[int]) -> Exceptions:
        """What these counts say, without the records."""
        pairs = zip(self.patterns.listed, noisy, strict=True)
        return self.patterns.rule(pattern for pattern, count in pairs if count <= self.numbers.threshold)


# --- How people ask for it ---


def _word(request: Request, rest: str) -> Learner:
    request.require_two_classes("clauses")
    request.refuse_costs("clauses:K")
    tests = Binarisation.of(request.schema, cuts=CUTS)
    width = count_of("clauses", rest or "2")
    return ClauseCounts(request.schema, request.per_record, tests, width, request.failure)


WORDS: Mapping[str, Word] = {
    "clauses": Word(
        "clauses:K",
        "class 1 but for patterns of K answers that hardly occur in it",
        _word,
        planned=(Planned(title="exceptions by noisy counts of patterns"),),
    )
}


# --- What the exact audit runs ---


def tight_clauses(
    *cells: int, width: int, ratio: Fraction = Fraction(1, 2), threshold: int = 0
) -> ClauseCounts:
    """With little noise and a low threshold, so that on a tiny domain both are often in question."""
    schema = tiny_schema(*cells)
    tests = Binarisation.of(schema)
    clauses = ClauseCounts(schema, Fraction(1), tests, width).patterns
    bound = ClauseAccuracy.of(clauses.size, ratio, threshold)
    return ClauseCounts(schema, 2 * clauses.sets * Fraction(7, 10), tests, width, bound=bound)


def clause_case(name: str, learner: ClauseCounts, n: int) -> Case:
    """What it does with this many records."""
    return learner_case(name, learner, learner.schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {
    "clauses": lambda: clause_case("exceptions of one answer", tight_clauses(2, 2, width=1), 2),
    "clauses-pairs": lambda: clause_case("exceptions of two answers", tight_clauses(2, 2, width=2), 2),
    "clauses-tight": lambda: clause_case(
        "exceptions of one answer, less noise",
        tight_clauses(2, width=1, ratio=Fraction(1, 4), threshold=1),
        3,
    ),
}
