"""Recursive quantiles of a column with many bits, under a small delta: each cut in the middle of an occupied block.

Statement: L levels of cuts, each drawn among the middles of blocks that hold records, both ends of the column, and a
blank, are (epsilon, delta)-DP. Thresholds between the cuts are answered within the promised error, except with
probability `failure`; what that takes grows with the logarithm of the number of bits.
Source: our proof, for the purpose of Beimel–Nissim–Stemmer 2015, Corollary 3.4; registers `leafwise-blocks`,
`block-quantile-answers`.
Holds if: every copy of one value has a place of its own, and a range for which the blank is drawn is cut at its lower
end, whatever it holds.
Proof: docs/proofs/block-quantiles.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.line.blocks import block_middles
from privpac.constructions.release.quantiles import (
    Places,
    at_the_cuts,
    halvings,
    places,
    rank_errors,
    stands_on_cuts,
)
from privpac.constructions.release.sanitiser import FAILURE, OrderedColumn, Released, answers_fact, need_sizes
from privpac.constructions.release.tables import Buckets
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Answers, Loss, Privacy, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, need, parameters, power
from privpac.mechanisms import gibbs
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import (
    PRECISIONS,
    ball,
    first_power,
    plain,
    ratio_for,
    shortened,
    written,
)
from privpac.theory.register import formula

__all__ = [
    "BlockQuantilePlan",
    "BlockQuantiles",
    "block_quantile_answers",
    "cut_among_blocks",
    "failure_block_quantiles",
    "leafwise_blocks",
    "place_bits",
    "plan_block_quantiles",
]


# --- privacy ---


def leafwise_blocks(*, ratio: Fraction, bits: int, stake: int) -> Proof[Privacy]:
    """A cut drawn, with weight ratio^cost, among middles of occupied blocks in every range of a released partition,
    beside a blank that counts `stake` times: with lone = bits/(ratio·stake) it loses
    e^epsilon = ratio^-4·(1 + lone)² and delta = 2·lone/(1 + lone).

    Register `leafwise-blocks`. Holds if each record lies in one range, a record that is added or removed moves every
    cost by at most 1, and a block that one record alone occupies costs at least one less than the blank (assumed).
    """
    rule = "leafwise-blocks"
    need(rule, 0 < ratio < 1, "the ratio must lie strictly between 0 and 1")
    need(rule, bits >= 1 and stake >= 1, "there must be a bit and a stake")
    lone = bits / (ratio * stake)
    need(rule, lone < 1, "so small a stake promises nothing")
    loss = Loss(factor=shortened(power(rule, 1 / ratio, 4) * (1 + lone) ** 2))
    fact = Privacy(loss, shortened(2 * lone / (1 + lone)), release=Release.NUMBERS)
    return Proof(fact, rule, where=parameters(ratio=ratio, bits=bits, stake=written(stake)), seal=SEAL)


# --- accuracy ---


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


_MOST_HALVINGS = 64
"""Halvings that anybody follows."""


def block_quantile_answers(
    plan: BlockQuantilePlan, *, cells: int, records: int, failure: Fraction
) -> Proof[Answers]:
    """Thresholds between cuts drawn among occupied blocks are right within 1/2^(levels+1) + E_levels/records.

    Register `block-quantile-answers`. Holds if every copy of a value has one of `records` places of its own.
    """
    rule = "block-quantile-answers"
    need_sizes(rule, cells, records, plan.ratio, failure)
    need(rule, min(plan.levels, plan.stake, plan.reach, plan.steps) >= 1, "a number is too small")
    need(rule, plan.levels <= _MOST_HALVINGS, "there are too many levels")
    need(rule, plan.bits == place_bits(records, cells=cells), "the bits are not those of the places")
    need(rule, failure_block_quantiles(plan) <= failure, "the bound is larger than the failure asked for")
    sizes = parameters(cells=written(cells), ratio=plan.ratio, levels=plan.levels, stake=written(plan.stake))
    where = sizes | parameters(reach=plan.reach, steps=plan.steps)
    fact = answers_fact(rule, plan.error(records), failure, Queries.THRESHOLDS, records)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the sanitiser ---


OWNER = "BlockQuantiles"


@dataclass(frozen=True)
class BlockQuantiles(OrderedColumn):
    """2^L - 1 private quantiles, by blocks that hold records; the number of levels L is the one that promises most."""

    schema: Schema
    column: str
    epsilon: Fraction
    error: Fraction | None = None
    failure: Fraction = FAILURE
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if plan_block_quantiles(1, cells=2, epsilon=self.epsilon, delta=self.delta, failure=FAILURE) is None:
            raise ParameterError(
                OWNER,
                "delta",
                plain(self.delta),
                allowed="a number above 0, below 1 and below half of epsilon",
                remedy="Without a delta use method quantiles, tree or blr.",
            )

    def plan(self, records: int) -> BlockQuantilePlan:
        """Levels, stake and reach, from public numbers."""
        plan = plan_block_quantiles(
            records, cells=self.cells, epsilon=self.epsilon, delta=self.delta, failure=self.failure
        )
        assert plan is not None  # the budget was looked at when this was made
        return plan

    def synthetic(self, records: int) -> int:
        """How many synthetic records there will be."""
        return int(2 ** (self.plan(records).levels + 1))

    def promise(self, records: int) -> Fraction:
        return self.plan(records).error(records)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n, plan = size.total, self.plan(size.total)
        level = leafwise_blocks(ratio=plan.ratio, bits=plan.bits, stake=plan.stake)
        prove = partial(block_quantile_answers, plan, cells=self.cells, failure=self.failure)
        return self.certificate(
            rules.sequential(*[level] * plan.levels),
            partial(prove, records=n),
            what="records at the cuts",
            size=size,
            name="block-quantiles",
            delta=self.delta,
            levels=plan.levels,
            reach=plan.reach,
        )

    def releases(self, table: Released, size: Size) -> bool:
        """Records on single cells, two for each cut, and one at either end."""
        return stands_on_cuts(table, self.column, cells=self.cells, total=self.synthetic(size.total))

    def release(self, sample: Sample, coins: Coins) -> Buckets:
        n = sample.size.total
        plan = self.plan(n)
        evidence = sample.reduce(CellCounts(self.schema.column(self.column), classes=1))
        standing = places(evidence, slots=n, batch=1, cells=self.cells)
        end = self.cells * n

        def cut(low: int, high: int) -> int:
            return cut_among_blocks(standing, low, high, end=end, plan=plan, coins=coins)

        cuts = halvings((0, end), levels=plan.levels, cut=cut)
        return at_the_cuts(self.column, cuts, cells=self.cells, slots=n)


def cut_among_blocks(
    standing: Places, low: int, high: int, *, end: int, plan: BlockQuantilePlan, coins: Coins
) -> int:
    """A cut of one range: the middle of an occupied block or an end of the column, moved into the range; its lower end
    if the blank is drawn."""
    at = standing[0]
    here = at[int(np.searchsorted(at, low)) : int(np.searchsorted(at, high))]
    values = here if here.dtype == object else here.astype(np.uint64)
    count = len(values)
    column = ColumnCounts(values, np.ones((count, 1), dtype=np.int64), count)
    # What `block_middles` calls mistakes less reach - 1 is |2·below - all| less 2·reach - 1 here.
    off = np.abs(2 * np.arange(count + 1, dtype=np.int64) - count) - plan.reach
    middles = block_middles(column, off, domain=end, levels=plan.bits, reach=plan.reach, stake=plan.stake)
    place = gibbs.draw(middles, plan.ratio, coins)
    return low if place is None else min(max(place, low), high)
