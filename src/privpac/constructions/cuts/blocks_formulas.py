"""How many records a cut needs under (epsilon, delta) if it is drawn among the middles of occupied blocks.

One draw does the whole work: no budget is divided. What is paid grows with the logarithm of the number of *bits*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb

from privpac.errors import ParameterError
from privpac.guarantee.proof import need
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import (
    ball,
    certainly_below,
    first_power,
    plain,
    ratio_for,
)
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.theory.register import formula

__all__ = [
    "BlockPlan",
    "levels",
    "mistakes_of_blocks",
    "plan_blocks",
    "records_blocks",
]


@dataclass(frozen=True)
class BlockPlan(AccuracyBound, key="occupied-blocks-accuracy"):
    """The released cut errs by more than `error`, or none is released, with probability at most

    stake·r^(2a) + 2·(2·levels/(1 - r) + 1)·r^(1 - a)·(1 - error·(1 - r))^n,

    if some cut makes no error: r = `ratio` weighs one unit of cost, `levels` is how often the domain can be halved,
    `stake` how often no answer counts, and a block of 2a records, a = `reach`, costs nothing if its middle makes fewer
    than a mistakes.
    """

    as_text: ClassVar[tuple[str, ...]] = ("stake",)
    proper: ClassVar[bool] = True

    ratio: Fraction
    levels: int
    stake: int
    reach: int

    def check(self) -> None:
        need(self.key, 0 < self.ratio < 1, "the ratio must lie strictly between 0 and 1")
        need(self.key, min(self.levels, self.stake, self.reach) >= 1, "a number is too small")
        is_short = (self.reach - 1) * int(1 / self.ratio).bit_length() <= LONGEST
        need(self.key, is_short, "the reach is out of its range")

    @property
    def evidence(self) -> Fraction:
        return Fraction(self.reach)

    def failure(self, n: int, error: Fraction) -> arb:
        return self.blank_or_rivals(ball(1 - error * (1 - self.ratio)) ** n)

    def blank_or_rivals(self, least: arb) -> arb:
        """No answer, or a bad cut, where the best of the bad cuts weighs `least` before its reach is taken off."""
        ratio = ball(self.ratio)
        rivals = 2 * (2 * self.levels / (1 - ratio) + 1) * ratio ** (1 - self.reach)
        return self.stake * ratio ** (2 * self.reach) + rivals * least


LONGEST = 2**24
"""Bits that a power in a bound may have: enough for every plan, and no file can ask for more."""


@formula("occupied-blocks")
def levels(domain: int) -> int:
    """How often a column of this many cells can be halved: the bits of its last cell, at least 1.

    Statement: max(1, ceil(log2(domain))). Source: register `occupied-blocks`. Holds if: always.
    Proof: docs/proofs/occupied-blocks.md.
    """
    return max(1, (domain - 1).bit_length())


@formula("occupied-blocks")
def plan_blocks(domain: int, *, failure: Number, epsilon: Number, delta: Number) -> BlockPlan:
    """The public numbers for a budget: as much pull as it allows, and no answer in a third of all failures at most.

    Statement: ratio = e^-(epsilon/2 - delta) rounded up, stake = ceil((levels - 1)(1 - delta)/(ratio·delta)), and reach
    the smallest a with stake·ratio^(2a) ≤ failure/3, near which the bound on records is smallest for every error.
    Source: register `occupied-blocks`. Holds if: 0 < delta ≤ 1/2 and epsilon above 2·delta.
    Proof: docs/proofs/occupied-blocks.md.

    >>> plan_blocks(2**64, failure=0.05, epsilon=1, delta="0.000001").reach
    23
    """
    owner = "plan_blocks"
    size = at_least(1, domain, owner=owner, name="domain")
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    slip = chance(delta, owner=owner, name="delta")
    if 2 * slip > min(loss, Fraction(1)):
        raise ParameterError(
            owner, "delta", plain(slip), allowed="a number above 0, of at most 1/2 and half of epsilon"
        )
    return _plan(levels(size), miss, loss, slip)


@lru_cache(maxsize=64)
def _plan(depth: int, failure: Fraction, epsilon: Fraction, delta: Fraction) -> BlockPlan:
    ratio = ratio_for(epsilon / 2 - delta)
    if ratio == 1:
        raise ParameterError(
            "plan_blocks", "epsilon", plain(epsilon), allowed="larger: it tells no two scores apart"
        )
    stake = max(1, math.ceil((depth - 1) * (1 - delta) / (ratio * delta)))
    pairs = first_power(ratio * ratio, lambda: ball(failure / (3 * stake)).log())
    return BlockPlan(ratio, depth, stake, max(1, pairs))


@formula("occupied-blocks-accuracy")
def records_blocks(domain: int, *, error: Number, failure: Number, epsilon: Number, delta: Number) -> int:
    """Records after which a draw among occupied blocks finds a cut of error at most `error`.

    Statement: the smallest n at which that of the plan fails at most `failure` often.
    Source: register `occupied-blocks-accuracy`. Holds if: independent records and some cut makes no error.
    Proof: docs/proofs/occupied-blocks.md.

    >>> records_blocks(2**64, error=0.1, failure=0.05, epsilon=1, delta="0.000001")
    517
    """
    owner = "records_blocks"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    plan = plan_blocks(domain, failure=miss, epsilon=epsilon, delta=delta)
    return plan.records(wrong, miss)


@formula("occupied-blocks-empirical")
def mistakes_of_blocks(plan: BlockPlan, *, failure: Number) -> int | None:
    """How many mistakes a cut drawn under a plan makes on the very records it was drawn with, at most, if some cut
    makes none; None where no answer, which is a failure, is too likely by itself.

    Statement: the smallest m with stake·r^(2a) + 2·(2·levels/(1 - r) + 1)·r^(m + 2 - a) <= failure, r = ratio and
    a = reach. Source: register `occupied-blocks-empirical`. Holds if: some cut makes no mistake on the records.
    Proof: docs/proofs/occupied-blocks.md.

    >>> mistakes_of_blocks(plan_blocks(2**64, failure=0.05, epsilon=1, delta="0.000001"), failure=0.05)
    41
    """
    miss = chance(failure, owner="mistakes_of_blocks", name="failure")
    if not certainly_below(lambda: plan.stake * ball(plan.ratio) ** (2 * plan.reach), miss * 99 / 100):
        return None

    def exponent() -> arb:
        ratio = ball(plan.ratio)
        rivals = 2 * (2 * plan.levels / (1 - ratio) + 1)
        return ((ball(miss) - plan.stake * ratio ** (2 * plan.reach)) / rivals).log()

    return max(0, first_power(plan.ratio, exponent) - 2 + plan.reach)
