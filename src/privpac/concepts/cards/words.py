"""A card in words: its blocks, its table of risks, and where the cut-off lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privpac.concepts.cards.blocks import Block, BothBlock, PointsBlock
from privpac.concepts.cards.risks import SCALE, Interval, Table
from privpac.concepts.shapes import TOGETHER, PointsSheet, RiskBar
from privpac.data.schema import Schema

__all__ = ["description", "percent", "sheet"]

MOST_ROWS = 10
"""Rows of a table of risks that can be taken in at a glance."""
MOST_SUMS = 12
"""Up to this many sums have a row each: whoever has a sum wants its risk, and not that of its neighbours too."""

CAUTION = "Blocks were drawn with noise: some may be there by chance, or even point the wrong way."
"""How many records a block holds for is not counted, so no block can be marked."""

NO_POINTS = "No column brings points: all that were drawn cancelled out."

Costs = tuple[int, int]
"""Price of misjudging a record of either class."""


@dataclass(frozen=True)
class RiskRow:
    """Neighbouring sums of points, the risk at the first and at the last of them, and what their counts allow."""

    first: int
    last: int
    low: int
    high: int
    counted: Interval
    within: tuple[int, int]
    """The first and the last sum that these counts are about: more than the row's own where the cut-off splits a
    bucket."""

    @property
    def sums(self) -> str:
        return _from_to(self.first, self.last)

    @property
    def whole(self) -> str:
        """The sums that the counts are about, if they are not the row's own."""
        return "" if self.within == (self.first, self.last) else _from_to(*self.within)

    @property
    def risk(self) -> str:
        low, high = percent(self.low), percent(self.high)
        return f"{low} %" if low == high else f"{low} to {high} %"

    @property
    def interval(self) -> str:
        """What the counts allow; empty where these say nothing."""
        low, high = self.counted.low, self.counted.high
        return "" if self.counted.says_nothing else f"{percent(low)} to {percent(high)} %"

    def __str__(self) -> str:
        counting = f"counted for {self.whole}" if self.whole else "counted"
        return f"{self.sums}: {self.risk}" + (f" ({counting}: {self.interval})" if self.interval else "")


def _from_to(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def percent(risk: int) -> str:
    """A risk in percent: whole numbers, with one decimal below 1 and above 99.

    >>> percent(1234), percent(56), percent(9950)
    ('12', '0.6', '99.5')
    """
    share = 100 * risk / SCALE
    return (
        f"{share:.1f}" if 0 < risk < SCALE // 100 or SCALE - SCALE // 100 < risk < SCALE else f"{share:.0f}"
    )


def risk_rows(table: Table, risks: Sequence[int], cutoff: int) -> tuple[RiskRow, ...]:
    """The risk of every sum where these are few; else in about ten rows, none of which has sums on both sides of the
    cut-off."""
    if len(table.sums) <= MOST_SUMS:
        return tuple(_row(table, risks, [total]) for total in table.sums)
    together = -(-table.buckets // MOST_ROWS)
    rows = []
    for start in range(0, table.buckets, together):
        last = table.bounds(min(start + together, table.buckets) - 1)[1]
        sums = [total for total in table.sums if table.bounds(start)[0] <= total <= last]
        for side in ([t for t in sums if t < cutoff], [t for t in sums if t >= cutoff]):
            if side:
                rows.append(_row(table, risks, side))
    return tuple(rows)


def _row(table: Table, risks: Sequence[int], sums: Sequence[int]) -> RiskRow:
    """Neighbouring sums, with what is counted in all buckets that hold one of them."""
    first, last = sums[0], sums[-1]
    within = [i for i in range(table.buckets) if table.bounds(i)[1] >= first and table.bounds(i)[0] <= last]
    interval = table.interval(range(within[0], within[-1] + 1))
    ends = table.bounds(within[0])[0], table.bounds(within[-1])[1]
    return RiskRow(first, last, risks[first], risks[last], interval, ends)


def description(
    blocks: Sequence[Block], table: Table, risks: Sequence[int], cutoff: int, costs: Costs, schema: Schema
) -> str:
    """The whole card, one line per row."""
    return "\n".join(_lines(blocks, table, risks, cutoff, costs, schema))


def _lines(
    blocks: Sequence[Block], table: Table, risks: Sequence[int], cutoff: int, costs: Costs, schema: Schema
) -> Iterator[str]:
    one = schema.class_names[1]
    yield f"Points for {schema.label_called}"
    if not blocks:
        yield f"  {NO_POINTS}"
    for block in blocks:
        if isinstance(block, PointsBlock):
            rows = ", ".join(f"{row.values}: {row.points}" for row in block.rows(schema))
            yield f"  {schema.column(block.column).heading}  {rows}"
    lines = [row for block in blocks if isinstance(block, BothBlock) for row in block.rows(schema)]
    if lines:
        yield TOGETHER
    yield from (f"  {row.values}: {row.points}" for row in lines)
    yield f"Risk of {schema.label_called} = {one} by sum of points"
    rows_of_risks = risk_rows(table, risks, cutoff)
    yield from (f"  {row}" for row in rows_of_risks)
    if note := uncounted(rows_of_risks):
        yield note
    yield _verdict(cutoff, table.top, schema)
    if weighing := _weighing(costs, schema):
        yield weighing
    yield CAUTION


def sheet(
    blocks: Sequence[Block], table: Table, risks: Sequence[int], cutoff: int, costs: Costs, schema: Schema
) -> PointsSheet:
    """What a picture of the card shows."""
    bars = []
    for row in risk_rows(table, risks, cutoff):
        middle = risks[(row.first + row.last) // 2] / SCALE
        label = int(cutoff <= row.first)
        least, most = row.counted.low / SCALE, row.counted.high / SCALE
        bars.append(RiskBar(row.sums, row.risk, middle, least, most, label, row.whole))
    points = tuple(
        (schema.column(block.column).heading, block.rows(schema))
        for block in blocks
        if isinstance(block, PointsBlock)
    )
    together = tuple(row for block in blocks if isinstance(block, BothBlock) for row in block.rows(schema))
    verdict, weighing = _verdict(cutoff, table.top, schema), _weighing(costs, schema)
    return PointsSheet(points, tuple(bars), verdict, CAUTION, together, weighing)


def uncounted(rows: Sequence[RiskRow]) -> str:
    """What is to be known of risks that the counts say nothing about; empty if there are none."""
    without = sum(not row.interval for row in rows)
    if not without:
        return ""
    which = "These risks have" if without == len(rows) else "Risks without a counted range have"
    return f"{which} nothing behind them but a curve: there the counts are mostly noise."


def _verdict(cutoff: int, top: int, schema: Schema) -> str:
    zero, one = schema.class_names
    if cutoff > top:
        return f"Always {zero}: no sum of points is worth calling {one}."
    if cutoff == 0:
        return f"Always {one}: every sum of points is worth calling {one}."
    return f"{schema.label_called} = {one} from {cutoff} points on, else {zero}"


def _weighing(costs: Costs, schema: Schema) -> str:
    """Why the cut-off is not where either class is as likely as the other; empty if it is there."""
    zero, one = costs
    if zero == one:
        return ""
    miss, false = f"missed {schema.class_names[1]}", "false alarm"
    dear, cheap = (miss, false) if one > zero else (false, miss)
    ratio = max(costs) / min(costs)
    times = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    return f"Decided with costs: one {dear} counts {times} times as much as one {cheap}."
