"""How far thresholds lie from the truth between quantiles that are drawn among the middles of occupied blocks.

What is paid grows with the logarithm of the number of *bits* of a column, where one draw among all cuts pays for every
bit: from about 50 bits on a small delta is worth it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.constructions.release.formulas import rank_errors
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball, first_power, ratio_for
from privpac.theory.register import formula

__all__ = ["BlockQuantilePlan", "failure_block_quantiles", "place_bits", "plan_block_quantiles"]

_MOST_LEVELS = 12
"""4,095 cuts, as for quantiles without a delta."""


@dataclass(frozen=True)
class BlockQuantilePlan:
    """2^levels - 1 cuts of places that have `bits` bits, each drawn at `ratio` with a blank that counts `stake` times.

    A range of 2·`reach` records or more has a cut that costs nothing, and `steps` is how far a drawn cut may cost more.
    """

    levels: int
    bits: int
    ratio: Fraction
    stake: int
    reach: int
    steps: int

    @property
    def each(self) -> Fraction:
        """How far the rank of one cut may be off within its range."""
        return self.reach - 1 + Fraction(self.steps, 2)

    def error(self, records: int) -> Fraction:
        """Within which all thresholds are answered, as a share of this many records."""
        return Fraction(1, 2 ** (self.levels + 1)) + rank_errors(self.levels, self.each) / max(records, 1)


@formula("block-quantile-answers")
def place_bits(records: int, *, cells: int) -> int:
    """Bits of the last place, if every cell has a place for each of this many copies of its value.

    Statement: max(1, ceil(log2(cells·records))). Source: register `block-quantile-answers`. Holds if: always.
    Proof: docs/proofs/block-quantiles.md.

    >>> place_bits(1000, cells=2**64)
    74
    """
    return max(1, (cells * max(records, 1) - 1).bit_length())


def _failure(plan: BlockQuantilePlan) -> arb:
    ratio = ball(plan.ratio)
    blank = plan.stake * ratio ** (2 * plan.reach)
    rivals = 2 * (2 * plan.bits + 1) * ratio**plan.steps / (1 - ratio * ratio)
    return (2**plan.levels - 1) * (blank + rivals)


@formula("block-quantile-answers")
def failure_block_quantiles(plan: BlockQuantilePlan) -> Fraction:
    """The chance that some cut's rank is off by more than the plan says, rounded up.

    Statement: (2^levels - 1)·(stake·r^(2·reach) + 2·(2·bits + 1)·r^steps/(1 - r²)), r = ratio.
    Source: register `block-quantile-answers`. Holds if: every copy of a value has a place of its own.
    Proof: docs/proofs/block-quantiles.md.
    """
    with ctx.workprec(PRECISIONS[1]):
        return rounded_up(_failure(plan))


@formula("block-quantile-answers")
@lru_cache(maxsize=256)
def plan_block_quantiles(
    records: int, *, cells: int, epsilon: Fraction, delta: Fraction, failure: Fraction
) -> BlockQuantilePlan | None:
    """The number of halvings with the smallest provable error; None where delta is 0 or too large for its epsilon.

    Statement: with L levels, ratio = e^-((epsilon/4 - delta/2)/L) rounded up, stake = ceil(bits·(1 - s)/(ratio·s)) for
    s = delta/(2·L), reach and steps the smallest that leave half of `failure` each to the blank and to bad cuts.
    Source: register `block-quantile-answers`. Holds if: 0 < delta ≤ 1 and 2·delta < epsilon.
    Proof: docs/proofs/block-quantiles.md.
    """
    if not 0 < 2 * delta < min(epsilon, Fraction(2)):
        return None
    bits = place_bits(records, cells=cells)
    plans = [_plan_at(levels, bits, epsilon, delta, failure) for levels in range(1, _MOST_LEVELS + 1)]
    candidates = [plan for plan in plans if plan is not None]
    return min(candidates, key=lambda plan: plan.error(records)) if candidates else None


@lru_cache(maxsize=1024)
def _plan_at(
    levels: int, bits: int, epsilon: Fraction, delta: Fraction, failure: Fraction
) -> BlockQuantilePlan | None:
    ratio = ratio_for((epsilon / 4 - delta / 2) / levels)
    if ratio == 1:
        return None
    slip = delta / (2 * levels)
    stake = max(1, math.ceil(bits * (1 - slip) / (ratio * slip)))
    share = failure / (2 * (2**levels - 1))
    reach = first_power(ratio * ratio, lambda: ball(share / stake).log())
    rivals = 2 * (2 * bits + 1) / (1 - ratio * ratio)
    steps = first_power(ratio, lambda: ball(share / rivals).log())
    return BlockQuantilePlan(levels, bits, ratio, stake, max(1, reach), max(1, steps))
