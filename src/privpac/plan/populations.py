"""Distributions to simulate on: a table the user calls public, or a synthetic one with the user's marginals.

All rows of a population are equally likely, so the true error of a rule is its error rate on all of them. Seeded coins
make every population and every sample repeatable; nothing here ever sees a private record.
Tested by tests/unit/plan/test_populations.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.columns import Column
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.errors import SchemaError
from privpac.plan.simulation import MarginalSource

__all__ = [
    "Population",
    "from_table",
    "labelled",
    "lone_value",
    "read_marginals",
    "skewed",
    "synthetic",
    "uniforms",
]

ROWS = 20_000
"""Rows of a synthetic population: error rates are known to a third of a percent, and a rule is scored in a moment."""

PLANTED_DEPTH = 3
CANDIDATES = 32
"""Random rules of which the one with the most even classes is planted: a rule that is nearly constant is no test."""

MOST_SHARES = 2**16
"""A column of more values than this takes quantiles, not a share per value."""

_CHUNK = 512
"""Numbers made at a time: the pool of seeded coins is one long integer."""

MOST_EXCHANGED = 1 / 3
"""The largest share of a rare class whose labels are flipped: beyond one half, to name the commonest class would be the
best rule, and there would be nothing to learn."""

Marginals = Mapping[str, Any]


def uniforms(coins: BitCoins, count: int) -> NDArray[np.float64]:
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


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Equally likely records, the error of the best rule known on them, and where they come from."""

    records: MemorySample
    best: float
    on: str

    @property
    def n(self) -> int:
        """The number of records."""
        return self.records.size.total

    def sample(self, n: int, coins: BitCoins) -> MemorySample:
        """n independent draws; a larger n with the same coins begins with the same records."""
        return self.records.take(_places(coins, n, self.n))

    def error(self, rule: Hypothesis) -> float:
        """The share of these records that a rule misjudges."""
        block = self.records.block()
        assert block.labels is not None
        return float(np.mean(rule.predict(block.cells) != block.labels))


def from_table(table: object, schema: Schema) -> Population:
    """A public or synthetic table; `best` is filled in by whoever knows the class."""
    source = Path(table) if isinstance(table, str) else table
    records = MemorySample.of(source, schema)
    return Population(records, 0.0, f"draws from the given table of {records.size.labelled:,} records")


def synthetic(
    schema: Schema, *, flipped: float, marginals: Marginals | None = None, seed: int = 0, rows: int = ROWS
) -> Population:
    """Independent columns, labels from a planted random tree, a share of them flipped."""
    coins = SeededCoins(seed)
    shares = dict(marginals or {})
    for name in shares:
        schema.column(name)
    cells = {
        column.name: _draw_cells(column, shares.get(column.name), uniforms(coins, rows))
        for column in schema.columns
    }
    records = MemorySample.from_cells(schema, cells)
    rule = _planted_tree(schema, records.block().cells, coins)
    spread = "with the given marginals" if shares else "spread evenly over their ranges"
    whence = f"{rows:,} invented records: independent columns, {spread}; labels from a random tree of depth"
    return labelled(
        records,
        rule.predict(records.block().cells),
        flipped=flipped,
        coins=coins,
        on=f"{whence} {PLANTED_DEPTH}",
    )


def labelled(
    records: MemorySample, clean: NDArray[np.uint8], *, flipped: float, coins: BitCoins, on: str
) -> Population:
    """Records with the labels of a rule, a share of them flipped; where the schema says how common classes are, they
    are."""
    rates = records.schema.base_rate
    if rates is not None and (rows := _as_common(clean, rates, coins)) is not None:
        common = clean[rows]
        labels = _exchange(common, flipped, classes=len(rates))
        records, on = records.take(rows), f"{on}, as common as the base rate says"
    else:
        common, labels = clean, _with_flips(clean, flipped, len(records.schema.classes), coins)
    wrong = float(np.mean(labels != common))
    share = (
        (f", {flipped:.0%} of them flipped" if rates is None else f", {wrong:.1%} of them flipped")
        if wrong
        else ""
    )
    return Population(records.relabelled(labels), wrong, on + share)


def _with_flips(
    labels: NDArray[np.uint8], flipped: float, classes: int, coins: BitCoins
) -> NDArray[np.uint8]:
    wrong = uniforms(coins, len(labels)) < flipped
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


def _exchange(labels: NDArray[np.uint8], flipped: float, *, classes: int) -> NDArray[np.uint8]:
    """As many labels of each class moved on to the next, so that all stay as common as they are."""
    rarest = int(np.bincount(labels, minlength=classes).min())
    each = min(int(flipped * len(labels) / classes), int(MOST_EXCHANGED * rarest))
    noisy = labels.copy()
    for place in range(classes):
        noisy[np.flatnonzero(labels == place)[:each]] = (place + 1) % classes
    return noisy


def lone_value(
    schema: Schema, column: str, *, error: float, flipped: float = 0.0, seed: int = 0, rows: int = ROWS
) -> Population:
    """One value carries class 1, and just so many records that missing it costs more than `error`: what learners of
    points find hard. A share of the labels is flipped."""
    coins, target = SeededCoins(seed), schema.column(column).size // 2
    cells = {each.name: _evenly(each, uniforms(coins, rows)) for each in schema.columns}
    share = min(1.0, error * ABOVE / (1.0 - 2.0 * flipped))
    alone = uniforms(coins, rows) < share
    spread = cells[column]
    spread[spread == target] = 0
    spread[alone] = target
    wrong = uniforms(coins, rows) < flipped
    records = MemorySample.from_cells(schema, cells, (alone ^ wrong).astype(np.uint8))
    noise = f"; {flipped:.0%} of the labels are flipped" if flipped else ""
    on = f"{rows:,} invented records: one value, {share:.3g} of them, is class 1; the others are spread evenly{noise}"
    return Population(records, float(np.mean(wrong)), on)


def skewed(schema: Schema, column: str, *, seed: int = 0, rows: int = ROWS) -> Population:
    """Values at log-uniform distance from the lowest one, so that some are held by many and most by few or none."""
    coins = SeededCoins(seed)
    cells = {each.name: _evenly(each, uniforms(coins, rows)) for each in schema.columns}
    axis, u = schema.column(column), uniforms(coins, rows)
    # 2^(u·bits) beyond doubles: the whole part of the exponent as a shift.
    exponents = u * float(np.log2(float(axis.size))) if axis.size < 2**1000 else u * axis.size.bit_length()
    values = [min(axis.size, int(2.0 ** (50 + e % 1)) << int(e) >> 50) - 1 for e in exponents.tolist()]
    cells[column] = np.array(values, dtype=axis.dtype)
    records = MemorySample.from_cells(schema, cells)
    on = f"{rows:,} synthetic records, log-uniform: a few values are held by many, most by few or none"
    return Population(records, 0.0, on)


ABOVE = 1.1
"""A little more than the error, so that missing the value is a failure."""


def _draw_cells(column: Column, marginal: object, u: NDArray[np.float64]) -> NDArray[Any]:
    """Cells of one column by inverting its distribution function."""
    if marginal is None:
        return _evenly(column, u)
    if column.ordered and not (isinstance(marginal, Mapping) and column.size <= MOST_SHARES):
        return _between_quantiles(column, marginal, u)
    weights = _weights(column, marginal)
    return _cells(np.searchsorted(np.cumsum(weights), u * weights.sum(), side="right"), column)


def _evenly(column: Column, u: NDArray[np.float64]) -> NDArray[Any]:
    """Cells at these shares of a column, of any size: the shares are multiples of 2^-53."""
    if column.size <= 2**53:
        return _cells(u * column.size, column)
    return np.array([int(share * 2.0**53) * column.size >> 53 for share in u.tolist()], dtype=column.dtype)


def _cells(values: NDArray[Any], column: Column) -> NDArray[Any]:
    if column.size > 2**53:  # whole numbers beyond doubles: the position is exact enough, the type must be
        return np.array([min(int(value), column.size - 1) for value in values], dtype=column.dtype)
    return np.minimum(values.astype(np.int64), column.size - 1).astype(column.dtype)


def _between_quantiles(column: Column, marginal: object, u: NDArray[np.float64]) -> NDArray[Any]:
    """Ordered columns: equally spaced quantiles, straight lines between them."""
    if isinstance(marginal, str | Mapping) or not isinstance(marginal, Sequence) or len(marginal) < 2:
        raise SchemaError(
            f"The marginal of column '{column.name}' is not a list of quantiles.",
            column=column.name,
            remedy="Write its smallest value, equally spaced quantiles and its largest value, such as [18, 40, 95].",
        )
    ends = [column.cell(value) for value in marginal]
    if any(a > b for a, b in pairwise(ends)):
        raise SchemaError(
            f"The quantiles of column '{column.name}' are not ascending.",
            column=column.name,
            remedy="Sort them.",
        )
    places = np.linspace(0.0, 1.0, len(ends))
    return _cells(np.interp(u, places, np.array(ends, dtype=np.float64)), column)


def _weights(column: Column, marginal: object) -> NDArray[np.float64]:
    if not isinstance(marginal, Mapping):
        raise SchemaError(
            f"The marginal of column '{column.name}' does not give a share for each value.",
            column=column.name,
            remedy='Write {"VALUE": SHARE, ...}; values that are left out do not occur.',
        )
    weights = np.zeros(column.size)
    for value, share in marginal.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < float("inf"):
            raise SchemaError(
                f"A share of column '{column.name}' is not a number from 0 up.", column=column.name
            )
        weights[column.cell(value)] += share
    if weights.sum() <= 0:
        raise SchemaError(f"The shares of column '{column.name}' are all 0.", column=column.name)
    return weights


def _planted_tree(schema: Schema, cells: Mapping[str, NDArray[Any]], coins: BitCoins) -> Tree:
    """The random tree, among a few, whose classes are most even, or as common as the schema says."""
    tests = Binarisation.of(schema).tests
    classes = len(schema.classes)

    def grow(depth: int) -> Tree:
        if depth == 0:
            return Leaf(coins.below(classes))
        return Split(tests[coins.below(len(tests))], grow(depth - 1), grow(depth - 1))

    def unlikeness(rule: Tree) -> float:
        counts = np.bincount(rule.predict(cells), minlength=classes)
        if schema.base_rate is None:
            return float(counts.max())
        return (
            float("inf")
            if not counts.all()
            else float(np.abs(counts / counts.sum() - schema.base_rate).sum())
        )

    return min((grow(PLANTED_DEPTH) for _ in range(CANDIDATES)), key=unlikeness)


def read_marginals(source: MarginalSource | None) -> Marginals | None:
    """Marginals from a JSON file or a dictionary: column → quantiles (ordered) or shares (others)."""
    if source is None or isinstance(source, Mapping):
        return source
    try:
        tree = json.loads(Path(source).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not JSON"
        raise SchemaError(
            f"The file of marginals {str(source)!r} cannot be read: {reason}.",
            remedy='It holds {"COLUMN": [smallest, quantiles, largest]} or {"COLUMN": {"VALUE": SHARE}}.',
        ) from None
    if not isinstance(tree, dict):
        raise SchemaError(
            "The file of marginals is not a JSON object.", remedy='It starts with {"COLUMN": ...'
        )
    return tree
