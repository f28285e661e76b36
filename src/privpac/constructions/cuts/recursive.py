"""Thresholds of very long keys: a cut found in three private steps of few candidates each, or no answer.

Statement: (epsilon, delta)-DP when one record is replaced, for any records. If the records are independent and some cut
makes no error, the released cut errs by more than `error`, or none is released, with probability at most `failure`;
what that takes grows with the logarithm of the number of bits of a key.
Source: after Beimel–Nissim–Stemmer 2013 (RecConcave), one level, with geometric noise; register `rec-concave`.
Holds if: column, direction and plan are public. Inconsistent labels cost accuracy, never privacy.
Proof: docs/proofs/rec-concave.md, docs/proofs/stable-choice.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.no_answer import NoAnswer
from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.cuts.directed import DirectedCuts
from privpac.constructions.cuts.recursive_formulas import Plan, error_rec_concave, plan_rec_concave, widths
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.mechanisms.stable_choice import release_chance

__all__ = ["RecConcave", "Steps"]


class Steps(NamedTuple):
    """What the three steps found: the width, the offset of the blocks, the block (None: not clear), the answer."""

    width: int
    offset: int
    block: tuple[int, int] | None
    answer: Hypothesis


@dataclass(frozen=True)
class RecConcave(DirectedCuts):
    """A cut in one direction, by its width, its block and a cut near it; `plan` None: the best for this budget."""

    plan: Plan | None = None

    def __post_init__(self) -> None:
        self._check(requirement="a number strictly between 0 and 1", holds=lambda: 0 < self.delta < 1)

    @cached_property
    def numbers(self) -> Plan:
        """The public numbers of the three steps."""
        if self.plan is not None:
            return self.plan
        return plan_rec_concave(self._domain, failure=self.failure, epsilon=self.epsilon, delta=self.delta)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self.numbers
        steps = rules.sequential(
            rules.exponential_mechanism(ratio=plan.ratios[0]),
            cuts_rules.stable_choice(ratio=plan.ratios[1], threshold=plan.threshold),
            rules.exponential_mechanism(ratio=plan.ratios[2]),
        )
        return Certificate(
            privacy=rules.declared(steps, epsilon=self.epsilon, delta=self.delta),
            accuracy=self._accuracy(size.labelled),
            learner=self._parameters("recconcave"),
            labelled=size.labelled,
        )

    def _accuracy(self, records: int) -> tuple[Proof[Accuracy], ...]:
        plan = self.numbers
        error = error_rec_concave(records, domain=self._domain, failure=self.failure, plan=plan)
        if error >= 1:
            return ()
        proof = cuts_rules.rec_concave(
            widths=widths(self._domain), **vars(plan), records=records, error=error, failure=self.failure
        )
        return (proof,)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return self.steps(sample, coins).answer

    def steps(self, sample: Sample, coins: Coins) -> Steps:
        """All three steps. The certificate covers them all, not only the answer."""
        plan, column, up = self.numbers, self.concepts.column, self.concepts.direction == "up"
        regions = CutRegions(sample.reduce(self.concepts.statistic), self._domain, up)
        width = 1 << gibbs.draw_index(self.width_costs(regions), plan.ratios[0], coins)
        offset = coins.below(2 * width * plan.blocks)
        block, lead = self.block(regions, width, offset)
        if lead is not None and not coins.flip(self.release_chance(lead)):
            return Steps(width, offset, None, NoAnswer(column))
        cuts = self.candidates(width, block)
        cut = cuts[gibbs.draw_index([regions.cost(cut) for cut in cuts], plan.ratios[2], coins)]
        return Steps(width, offset, block, Threshold(column, cut, up))

    def width_costs(self, regions: CutRegions) -> list[int]:
        """Step 1, one cost a k: low where the region reaches 2^k cuts below the goal, and 2^(k+1) only above it."""
        goal, start, firsts = self.numbers.goal, 0, []
        for k in range(widths(self._domain) + 1):
            start = regions.first_width(1 << k, start=start)
            firsts.append(start)
        # 2^(k+1) cuts never fit after the last k, which is public: there only the first condition is left.
        costs = [max(here - goal, goal - after) for here, after in pairwise(firsts)]
        return [*costs, firsts[-1] - goal]

    def block(self, regions: CutRegions, width: int, offset: int) -> tuple[tuple[int, int], int | None]:
        """Step 2: the block that holds the best cuts, the first of several, and its lead; None: there is no other."""
        length = 2 * width * self.numbers.blocks
        first = (regions.low(regions.best) + offset) // length * length - offset
        last = first + length - 1
        if first <= 0 and last >= self._domain:  # a public fact, given the width and the offset
            return (first, last), None
        return (first, last), regions.lead(first, last)

    def release_chance(self, lead: int) -> Fraction:
        """How often a block with this lead is released; leads count up to a public number only."""
        plan = self.numbers
        cap = 2 * (1 + plan.threshold + plan.margin)
        return release_chance(min(lead, cap), ratio=plan.ratios[1], threshold=plan.threshold)

    def candidates(self, width: int, block: tuple[int, int]) -> range:
        """Step 3: the multiples of the width in the block or less than a width away from it."""
        first, last = max(0, block[0] - width + 1), min(self._domain, block[1] + width - 1)
        return range(-(-first // width) * width, last + 1, width)
