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

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from privpac.coins import Coins
from privpac.concepts.line.blocks import block_middles
from privpac.constructions.release import rules as release_rules
from privpac.constructions.release.block_formulas import BlockQuantilePlan, plan_block_quantiles
from privpac.constructions.release.buckets import Buckets
from privpac.constructions.release.quantiles import Places, at_the_cuts, halvings, places, stands_on_cuts
from privpac.constructions.release.sanitiser import (
    FAILURE,
    OrderedColumn,
    Released,
)
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.mechanisms import gibbs
from privpac.numbers.exact import plain

__all__ = ["BlockQuantiles", "cut_among_blocks"]

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
        level = release_rules.leafwise_blocks(ratio=plan.ratio, bits=plan.bits, stake=plan.stake)
        prove = partial(release_rules.block_quantile_answers, plan, cells=self.cells, failure=self.failure)
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
