"""Find a value of a column with a set of an explicit code: improper, deterministic class, O(log d) records.

Statement: the exponential mechanism over all sets of a public code; few hundred records for any number of bits.
Source: register `reed-solomon-points`; Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 4.2, made constructive.
Holds if: class and ratio are public. Accuracy is proved for every distribution if one value carries class 1.
Proof: docs/proofs/reed-solomon-points.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.codes import CodeSets
from privpac.constructions.base import DrawsMembers, DrawsOnce, ReadsOnce
from privpac.constructions.draw.occam import FAILURE, draw_from
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import OneValue
from privpac.constructions.points.representation_formulas import Code, code_for, error_code
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate

__all__ = ["CodedPoints"]

EACH_SUM = 6e-9
"""Seconds of one digit of one value at one place, on the slow side."""
MOST_SECONDS = 60
"""What a draw may take after it was paid for."""


@dataclass(frozen=True)
class CodedPoints(DrawsMembers, DrawsOnce, ReadsOnce, OneValue):
    """Draw a set of a code with weight ratio^mistakes."""

    concepts: CodeSets
    epsilon: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> CodedPoints | None:
        """The code that proves most with this many records; None where that is points themselves (one digit)."""
        code = code_for(size.labelled, domain=schema.column(column).size, failure=failure, epsilon=epsilon)
        if code.digits == 1:
            return None
        return cls(CodeSets(schema, column, code.prime, code.digits), epsilon, failure)

    @property
    def code(self) -> Code:
        """The code whose sets are drawn from."""
        return Code(self.concepts.prime, self.concepts.digits)

    def require(self, size: Size) -> None:
        """Refuse more sums of a code's digits than a minute has time for, were all values different."""
        size.require_labelled("CodedPoints")
        column = self.concepts.schema.column(self.concepts.column)
        sums = self.code.prime * self.code.digits * min(size.labelled, column.size)
        if sums * EACH_SUM > MOST_SECONDS:
            raise SizeError(
                f"points:{column.name}:improper evaluates {self.code.digits} digits of up to {size.labelled} values at"
                f" {self.code.prime} places, which takes more than {MOST_SECONDS} seconds.",
                remedy=f"Use points:{column.name}:clipped, which takes keys of any length, or fewer records.",
            )

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n, domain = size.labelled, self.concepts.schema.column(self.concepts.column).size
        error, tolerated = error_code(n, code=self.code, failure=self.failure, ratio=self.ratio)
        prove = partial(points_rules.reed_solomon_points, domain=domain, code=self.code, tolerated=tolerated)
        return self.certificate(
            rules.exponential_mechanism(ratio=self.ratio),
            error,
            partial(prove, ratio=self.ratio),
            records=n,
            name="coded points",
            word=self.concepts.word,
            prime=self.code.prime,
            digits=self.code.digits,
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return draw_from(self.concepts, sample, coins, ratio=self.ratio)
