"""Records to simulate on: invented ones that are as hard as a person says hers are, or a table she calls public.

Columns are independent and spread evenly over what is usual, or else over their ranges. For two classes labels are
drawn with probabilities that are logistic in a signal, matched to the share of class 1 and to the AUC that is
attainable; the signal is a tree, one strong column, or many weak effects, for nobody knows which of these her records
are like. All rows of a population are equally likely, so the true error of a rule is its error rate on all of them.
Seeded coins make every population and every sample repeatable; nothing here ever sees a private record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import SeededCoins
from privpac.coins.tosses import BitCoins
from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf, Split
from privpac.data.columns import Column, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

__all__ = [
    "KINDS",
    "Population",
    "attained",
    "from_class",
    "from_table",
    "lone_value",
    "matched",
    "matched_population",
    "uniforms",
]

ROWS = 20_000
"""Error rates are known to a third of a percent, and a rule is scored in a moment."""
DEPTH, CANDIDATES = 3, 32
"""Of a planted tree, and random ones of which the one with the most even leaves is taken."""
WEAK, LEAST_WEIGHT = 0.15, 0.4
"""What the other columns weigh beside a strong one; and the least of many weak effects beside the largest."""
MOST_EXCHANGED = 1 / 3
"""The largest share of a rare class whose labels are exchanged: beyond one half, to name the commonest class would be
the best rule, and there would be nothing to learn."""
STEPS, STEEPEST = 40, 40.0
"""Halvings in a search for a probability, and the steepest slope that is tried."""
_CHUNK = 512
"""Numbers made at a time: the pool of seeded coins is one long integer."""

Values = NDArray[np.float64]
Cells = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Equally likely records, and what they are in words."""

    records: MemorySample
    what: str

    @property
    def n(self) -> int:
        """The number of records."""
        return self.records.size.total

    @property
    def labels(self) -> NDArray[np.uint8]:
        """All of them."""
        labels = self.records.block().labels
        assert labels is not None
        return labels

    @property
    def constant(self) -> float:
        """How often the best constant is wrong."""
        return 1 - float(np.bincount(self.labels).max()) / self.n

    def sample(self, n: int, coins: BitCoins) -> MemorySample:
        """n independent draws; a larger n with the same coins begins with the same records."""
        return self.records.take(_places(coins, n, self.n))

    def error(self, rule: Hypothesis) -> float:
        """The share of these records that a rule misjudges."""
        return float(np.mean(rule.predict(self.records.block().cells) != self.labels))


def uniforms(coins: BitCoins, count: int) -> Values:
    """This many numbers in [0, 1), in steps of 2^-53."""
    words = []
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        words.append(np.frombuffer(coins.bits(64 * size).to_bytes(8 * size, "little"), dtype="<u8"))
    return (np.concatenate(words) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _places(coins: BitCoins, count: int, rows: int) -> NDArray[np.int64]:
    """This many rows, all equally likely to within 2^-32 a row."""
    words = []
    for start in range(0, count, 2 * _CHUNK):
        size = min(2 * _CHUNK, count - start)
        words.append(np.frombuffer(coins.bits(32 * size).to_bytes(4 * size, "little"), dtype="<u4"))
    places: NDArray[np.int64] = (np.concatenate(words).astype(np.int64) * rows) >> 32
    return places


def from_table(table: object, schema: Schema) -> Population:
    """A public or synthetic table."""
    source = Path(table) if isinstance(table, str) else table
    records = MemorySample.of(source, schema)
    return Population(records, f"draws from the given table of {records.size.labelled:,} records")


# Two classes, as hard as somebody says.


def matched(signal: Values, rate: float, auc: float) -> Values:
    """Probabilities logistic in the signal, with this mean and this AUC, as far as the signal can have it.

    >>> chances = matched(np.linspace(-1, 1, 1001), 0.2, 0.8)
    >>> round(float(chances.mean()), 3), round(attained(chances), 3)
    (0.2, 0.8)
    """
    low, high = 0.0, STEEPEST
    for _ in range(STEPS):
        slope = (low + high) / 2
        low, high = (slope, high) if attained(_with_mean(slope * signal, rate)) < auc else (low, slope)
    return _with_mean(low * signal, rate)


def _with_mean(signal: Values, rate: float) -> Values:
    end = float(np.abs(signal).max()) + 20.0
    low, high = -end, end
    for _ in range(STEPS):
        shift = (low + high) / 2
        mean = float(np.mean(1 / (1 + np.exp(-(signal + shift)))))
        low, high = (shift, high) if mean < rate else (low, shift)
    return np.asarray(1 / (1 + np.exp(-(signal + low))))


def attained(chances: Values) -> float:
    """The expected AUC of ranking by these probabilities, where labels are drawn with them; ties count half."""
    order = np.sort(chances)
    zeros = 1 - order
    below = np.cumsum(zeros) - zeros
    values, first = np.unique(order, return_index=True)
    tied = np.add.reduceat(zeros, first)
    place = np.searchsorted(values, order)
    return float((order * (below[first][place] + tied[place] / 2)).sum() / (order.sum() * zeros.sum()))


def _tree(schema: Schema, cells: Cells, coins: BitCoins) -> Values:
    """A tree of three tests on every way, whose leaves differ evenly."""
    tests = Binarisation.of(schema).tests

    def leaves() -> NDArray[np.int64]:
        found = np.zeros(ROWS, dtype=np.int64)
        for depth in range(DEPTH):
            here = found.copy()
            for leaf in range(2**depth):
                test = tests[coins.below(len(tests))]
                holds = Split(test, Leaf(1), Leaf(0)).predict(cells)
                found[here == leaf] = 2 * leaf + holds[here == leaf]
        return found

    def evenness(found: NDArray[np.int64]) -> float:
        return -float((np.bincount(found, minlength=2**DEPTH).astype(np.float64) ** 2).sum())

    found = max((leaves() for _ in range(CANDIDATES)), key=evenness)
    order = np.argsort(uniforms(coins, 2**DEPTH))
    return np.linspace(-1.0, 1.0, 2**DEPTH)[order][found]


def _strong(schema: Schema, cells: Cells, coins: BitCoins) -> Values:
    """One column tells nearly all there is."""
    columns = _standard(schema, cells, coins)
    weights = WEAK * _signs(coins, columns.shape[1])
    weights[coins.below(len(weights))] = 1.0
    return np.asarray(columns @ weights)


def _weak(schema: Schema, cells: Cells, coins: BitCoins) -> Values:
    """All columns tell a little."""
    columns = _standard(schema, cells, coins)
    count = columns.shape[1]
    weights = (LEAST_WEIGHT + (1 - LEAST_WEIGHT) * uniforms(coins, count)) * _signs(coins, count)
    return np.asarray(columns @ weights)


KINDS: Mapping[str, Callable[[Schema, Cells, BitCoins], Values]] = {
    "a tree": _tree,
    "one strong column": _strong,
    "many weak effects": _weak,
}


def matched_population(kind: str, schema: Schema, *, rate: float, auc: float) -> Population:
    """One of `KINDS`, with this share of class 1 and this AUC without privacy."""
    coins = SeededCoins(list(KINDS).index(kind))
    cells = _cells_of(schema, coins)
    signal = KINDS[kind](schema, cells, coins)
    spread = float(signal.std())
    chances = matched(signal / spread if spread else signal, rate, auc)
    labels = (uniforms(coins, ROWS) < chances).astype(np.uint8)
    return Population(MemorySample.from_cells(schema, cells, labels), kind)


def _signs(coins: BitCoins, count: int) -> Values:
    return np.where(uniforms(coins, count) < 0.5, -1.0, 1.0)


def _standard(schema: Schema, cells: Cells, coins: BitCoins) -> Values:
    """Every column with mean 0 and variance 1: by its order, or by an effect of each value where it has none."""
    columns = []
    for column in schema.columns:
        values = cells[column.name]
        seen = (
            values.astype(np.float64)
            if column.ordered
            else uniforms(coins, column.size)[values.astype(np.int64)]
        )
        spread = float(seen.std())
        columns.append((seen - seen.mean()) / (spread or 1.0))
    return np.column_stack(columns)


# Labels of the class that is asked about.


def from_class(schema: Schema, member: Callable[[MemorySample], Hypothesis], *, flipped: float) -> Population:
    """Labels from the member of a class that is nearest to those of a random tree, a share of them flipped.

    If that is nearly a constant, which nobody needs to learn, from the one that is nearest to a cut at a median.
    """
    coins = SeededCoins(0)
    cells = _cells_of(schema, coins)
    records, classes = MemorySample.from_cells(schema, cells), len(schema.classes)
    leaves = np.argsort(np.argsort(_tree(schema, cells, coins))) * classes // ROWS
    clean = _member_labels(records, leaves.astype(np.uint8), member)
    if int(np.bincount(clean).max()) > EVEN * ROWS:
        values = next(iter(cells.values()))
        halves = (values > np.sort(values)[ROWS // 2]).astype(np.uint8)
        clean = _member_labels(records, halves, member)
    noise = f", {flipped:.0%} of them flipped" if flipped else ""
    what = f"labels of such a rule{noise}"
    if schema.base_rate is None:
        return Population(records.relabelled(_flipped(clean, flipped, classes, coins)), what)
    rows = _as_common(clean, schema.base_rate, coins)
    if rows is None:
        return Population(records.relabelled(_flipped(clean, flipped, classes, coins)), what)
    labels = _exchanged(clean[rows], flipped, classes=classes)
    return Population(records.take(rows).relabelled(labels), f"{what}, as common as the base rate says")


EVEN = 0.75
"""The largest share of one class among planted labels."""


def lone_value(schema: Schema, column: str, *, flipped: float) -> Population:
    """One value of a column carries class 1, and half of the records: what a point is learnt from."""
    coins = SeededCoins(0)
    cells = dict(_cells_of(schema, coins))
    target, alone = schema.column(column).size // 2, uniforms(coins, ROWS) < 1 / 2
    cells[column][cells[column] == target] = 0
    cells[column][alone] = target
    labels = _flipped(alone.astype(np.uint8), flipped, 2, coins)
    noise = f", {flipped:.0%} of labels flipped" if flipped else ""
    return Population(MemorySample.from_cells(schema, cells, labels), f"labels of one value{noise}")


def _member_labels(
    records: MemorySample, labels: NDArray[np.uint8], member: Callable[[MemorySample], Hypothesis]
) -> NDArray[np.uint8]:
    rule = member(records.relabelled(labels))
    return np.broadcast_to(np.asarray(rule.predict(records.block().cells), dtype=np.uint8), (ROWS,)).copy()


def _flipped(labels: NDArray[np.uint8], share: float, classes: int, coins: BitCoins) -> NDArray[np.uint8]:
    wrong = uniforms(coins, len(labels)) < share
    other = (labels + 1 + (uniforms(coins, len(labels)) * (classes - 1)).astype(np.uint8)) % classes
    return np.where(wrong, other, labels).astype(np.uint8)


def _as_common(
    labels: NDArray[np.uint8], rates: Sequence[float], coins: BitCoins
) -> NDArray[np.int64] | None:
    """Rows, drawn within each class, of which as many have each class as there should be; None where one has no row."""
    n, total = len(labels), sum(rates)
    ends = [0, *(round(n * sum(rates[: place + 1]) / total) for place in range(len(rates)))]
    rows = []
    for place, (first, last) in enumerate(pairwise(ends)):
        members = np.flatnonzero(labels == place)
        if not len(members):
            return None
        rows.append(members[(uniforms(coins, max(1, last - first)) * len(members)).astype(np.int64)])
    return np.concatenate(rows)


def _exchanged(labels: NDArray[np.uint8], share: float, *, classes: int) -> NDArray[np.uint8]:
    """As many labels of each class moved on to the next, so that all stay as common as they are."""
    rarest = int(np.bincount(labels, minlength=classes).min())
    each = min(int(share * len(labels) / classes), int(MOST_EXCHANGED * rarest))
    noisy = labels.copy()
    for place in range(classes):
        noisy[np.flatnonzero(labels == place)[:each]] = (place + 1) % classes
    return noisy


def _cells_of(schema: Schema, coins: BitCoins) -> dict[str, NDArray[Any]]:
    return {column.name: _evenly(column, uniforms(coins, ROWS)) for column in schema.columns}


def _evenly(column: Column, shares: Values) -> NDArray[Any]:
    """Cells at these shares of what is usual in a column, of any size: the shares are multiples of 2^-53."""
    first, last = (
        column.cut_cells if isinstance(column, Numeric) and column.usual is not None else (0, column.size - 1)
    )
    size = last - first + 1
    if size <= 2**53:
        return (first + np.minimum((shares * size).astype(np.int64), size - 1)).astype(column.dtype)
    return np.array(
        [first + (int(share * 2.0**53) * size >> 53) for share in shares.tolist()], dtype=column.dtype
    )
