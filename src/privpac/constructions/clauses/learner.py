"""A rule with exceptions, from noisy counts of patterns among the records of class 1.

Statement: epsilon-DP when one record is replaced, for any records: each record has one pattern on every set of `width`
tests, so that the counts change by at most 2·sets together. If the records are independent and some disjunction of at
most `width` conjunctions of the tests makes no error, the rule errs by more than `error` with probability at most
`failure`. Nothing is searched for: finding such a disjunction itself is hard unless RP = NP.
Source: register `clause-counts`, `geometric-noise`.
Holds if: tests and plan are public. Labels that no such rule gives cost accuracy, never privacy.
Proof: docs/proofs/clause-counts.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor, require_counts
from privpac.concepts.literals.exceptions import Exceptions, Patterns
from privpac.constructions.base import ReadsOnce
from privpac.constructions.clauses import rules as clause_rules
from privpac.constructions.clauses.formulas import ClausePlan, error_clauses, plan_clauses
from privpac.constructions.clauses.kinds import MOST_CLAUSES, WIDEST
from privpac.constructions.draw.occam import FAILURE
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import plain
from privpac.numbers.parameters import chance, positive, whole_positive

__all__ = ["ClauseCounts"]

OWNER = "ClauseCounts"


@dataclass(frozen=True)
class ClauseCounts(ReadsOnce):
    """Class 1, except where a pattern of `width` answers hardly occurs in it; `plan` None: the one for this budget."""

    schema: Schema
    epsilon: Fraction
    tests: Binarisation
    width: int = 2
    failure: Fraction = FAILURE
    plan: ClausePlan | None = None

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

    @cached_property
    def patterns(self) -> Patterns:
        """What is counted."""
        return Patterns(self.tests, self.width)

    @cached_property
    def numbers(self) -> ClausePlan:
        """The public numbers of the counts."""
        if self.plan is not None:
            return self.plan
        tests = len(self.tests.tests)
        return plan_clauses(tests, self.width, failure=self.failure, epsilon=self.epsilon)

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

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        change = 2 * self.patterns.sets
        noise = rules.geometric_noise(ratio=self.numbers.ratio, change=change, single=True)
        return Certificate(
            privacy=rules.post_processing(noise, what="patterns with low noisy counts become exceptions"),
            accuracy=self._accuracy(size.labelled),
            learner={
                "name": "clause counts",
                "concepts": f"clauses:{self.width}",
                "epsilon": plain(self.epsilon),
                "failure": plain(self.failure),
            },
            labelled=size.labelled,
        )

    def _accuracy(self, records: int) -> tuple[Proof[Accuracy], ...]:
        plan = self.numbers
        error = error_clauses(records, failure=self.failure, plan=plan)
        if error >= 1:
            return ()
        proof = clause_rules.clause_counts(
            **vars(plan), tilt=plan.tilt, records=records, error=error, failure=self.failure
        )
        return (proof,)

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
