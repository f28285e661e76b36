"""A cut of a column with many bits: one draw among the middles of occupied blocks, or no answer.

Statement: (epsilon, delta)-DP when one record is replaced, for any records. If the records are independent and some cut
makes no error, the released cut errs by more than `error`, or none is released, with probability at most `failure`;
what that takes grows with the logarithm of the number of bits, and is less than one draw among all cuts needs from
about 25 bits on at delta 10^-6.
Source: register `occupied-blocks`, `occupied-blocks-accuracy`.
Holds if: column, direction and plan are public. Inconsistent labels cost accuracy, never privacy.
Proof: docs/proofs/occupied-blocks.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.blocks import BlockMiddles, block_middles
from privpac.concepts.line.thresholds import Threshold, cut_rows
from privpac.concepts.no_answer import NoAnswer
from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.cuts.blocks_formulas import (
    BlockPlan,
    mistakes_of_blocks,
    plan_blocks,
)
from privpac.constructions.cuts.directed import DirectedCuts
from privpac.data.sample import Sample, Size
from privpac.data.statistics import ColumnCounts
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs

__all__ = ["BlockCuts"]


@dataclass(frozen=True)
class BlockCuts(DirectedCuts):
    """A cut in one direction, in the middle of a block that holds records; `plan` None: the one for this budget."""

    plan: BlockPlan | None = None

    def __post_init__(self) -> None:
        self._check(
            requirement="a number above 0, of at most 1/2 and half of epsilon",
            holds=lambda: 0 < 2 * self.delta <= min(self.epsilon, Fraction(1)),
        )

    @cached_property
    def numbers(self) -> BlockPlan:
        """The public numbers of the draw."""
        if self.plan is not None:
            return self.plan
        return plan_blocks(self._domain, failure=self.failure, epsilon=self.epsilon, delta=self.delta)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self.numbers
        draws = cuts_rules.occupied_blocks(ratio=plan.ratio, levels=plan.levels, stake=plan.stake)
        return Certificate(
            privacy=rules.declared(draws, epsilon=self.epsilon, delta=self.delta),
            accuracy=plan.promise(size.labelled, self.failure),
            learner=self._parameters("blocks"),
            labelled=size.labelled,
        )

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """Mistakes on the very records, whatever they are, if some cut makes none: the smallest number proved."""
        plan = self.numbers
        mistakes = mistakes_of_blocks(plan, failure=self.failure)
        if mistakes is None or mistakes >= size.labelled:
            return None
        error = Fraction(mistakes, size.labelled)
        return cuts_rules.occupied_blocks_empirical(
            **vars(plan), records=size.labelled, error=error, failure=self.failure
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        middles = self.middles(sample.reduce(self.concepts.statistic))
        cut = gibbs.draw(middles, self.numbers.ratio, coins)
        if cut is None:
            return NoAnswer(self.concepts.column)
        return Threshold(self.concepts.column, cut, self.concepts.direction == "up")

    def middles(self, evidence: ColumnCounts) -> BlockMiddles:
        """All that may be drawn, by cost."""
        plan, up = self.numbers, self.concepts.direction == "up"
        (row,) = cut_rows(evidence, self._domain, (1, 1), (up,), distinct=False)
        return block_middles(
            evidence,
            row.scores,
            domain=self._domain,
            levels=plan.levels,
            reach=plan.reach,
            stake=plan.stake,
        )
