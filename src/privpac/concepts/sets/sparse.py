"""Sets of cells, each cell by itself: the class of all sets with a product prior, and sets with independent noise.

Statement: under the exponential mechanism with prior f for every cell, cell x enters with odds f/(1 - f)·ratio^-g, g
its class-1 minus its class-0 records, independently of all others; cells without records are alike and drawn together.
Source: register `sparse-sets-accuracy` (ours); the noise is that of A_1 in Beimel–Brenner–Kasiviswanathan–Nissim 2013.
Holds if: f and ratio are public. Proof: docs/proofs/sparse-sets.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, Costs, Hypothesis, OneColumn
from privpac.concepts.fitting import cells_misfit, two_classes_misfit
from privpac.concepts.literals.cell_sets import CellSet
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError
from privpac.fields import as_list, record, require, text, whole
from privpac.mechanisms.binomial import random_cells
from privpac.mechanisms.gibbs import PowerWeights
from privpac.mechanisms.scores import Histogram

__all__ = ["LARGEST", "ListedFamily", "SparseSet", "SparseSets", "require_listable"]

LARGEST = 2**24
"""Values of a column up to which sets are listed: tens of thousands of cells, a file of some hundred kilobytes."""

_MOST_LISTED = 8


@dataclass(frozen=True)
class SparseSet(OneColumn):
    """Class 1 on the cells of a list, in increasing order."""

    kind: ClassVar[str] = "sparse-set"
    column: str
    cells: tuple[int, ...]

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        column = cells[self.column]
        return np.isin(column, np.array(self.cells, dtype=column.dtype)).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        if not self.cells:
            return f"always {zero}"
        column = schema.column(self.column)
        names = ", ".join(column.show(cell) for cell in self.cells[:_MOST_LISTED])
        more = f" and {len(self.cells) - _MOST_LISTED:,} more" if len(self.cells) > _MOST_LISTED else ""
        return f"{one} if {column.called} is one of {len(self.cells):,} values: {names}{more}; else {zero}"

    def to_sql(self, schema: Schema) -> str:
        column = schema.column(self.column)
        if len(self.cells) in (0, column.size):
            return "1" if self.cells else "0"
        inside = CellSet.of(self.column, column.size, [(cell, cell) for cell in self.cells])
        return f"CASE WHEN {inside.sql(column)} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column, "cells": list(self.cells)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> SparseSet:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "cells")
        rule = cls(text(tree["column"]), tuple(whole(cell, least=0) for cell in as_list(tree["cells"])))
        require(rule.is_ascending, "the cells are not increasing")
        return rule

    @property
    def is_ascending(self) -> bool:
        """Whether the cells increase, as they do in every set that is drawn."""
        return all(a < b for a, b in pairwise(self.cells))

    def misfit(self, schema: Schema) -> str | None:
        return two_classes_misfit(schema) or cells_misfit(schema, self.column, self.cells)


def require_listable(schema: Schema, column: str, *, owner: str) -> int:
    """The number of cells, if sets of them can be listed."""
    size = schema.column(column).size
    if size > LARGEST:
        raise ParameterError(
            owner,
            "column",
            column,
            allowed=f"a column of at most 2^24 values, and it has {size}",
            remedy=f"points:{column}:improper and points:{column}:cover take any number of values.",
        )
    return size


def _has_set(column: str, size: int, hypothesis: Hypothesis) -> bool:
    """Whether it is a set of cells of this column, listed in order."""
    if not isinstance(hypothesis, SparseSet) or hypothesis.column != column:
        return False
    return hypothesis.is_ascending and all(0 <= cell < size for cell in hypothesis.cells)


@dataclass(frozen=True)
class SparseSets:
    """All sets of cells of one column, with a prior that holds every cell with probability `flip`.

    No class for `Occam`: nothing here bounds its accuracy but what `constructions.points.sparse` says about points.
    """

    schema: Schema
    column: str
    flip: Fraction

    def __post_init__(self) -> None:
        require_listable(self.schema, self.column, owner="SparseSets")
        if not 0 < self.flip < 1:
            raise ParameterError("SparseSets", "flip", str(self.flip), allowed="strictly between 0 and 1")

    @property
    def statistic(self) -> CellCounts:
        """Counts of the column by class."""
        return CellCounts(self.schema.column(self.column), classes=len(self.schema.classes))

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether a draw could ever be this set."""
        return _has_set(self.column, self.schema.column(self.column).size, hypothesis)

    def gibbs(self, evidence: ColumnCounts, *, ratio: Fraction, costs: Costs) -> _SparseGibbs:
        """The law over all sets of cells."""
        return _SparseGibbs(self, evidence, ratio, costs)


@dataclass(frozen=True, eq=False, repr=False)
class _SparseGibbs:
    """The law of the set, given the evidence."""

    concepts: SparseSets
    evidence: ColumnCounts
    ratio: Fraction
    costs: Costs

    def draw(self, coins: Coins) -> SparseSet:
        counts = np.asarray(self.evidence.counts, dtype=np.int64)
        gains = (counts[:, 1] * self.costs[1] - counts[:, 0] * self.costs[0]).tolist()
        values = self.evidence.values.astype(np.int64)
        coin = _Coin(self.concepts.flip, self.ratio)
        heads = [cell for cell, gain in zip(values.tolist(), gains, strict=True) if coin.toss(gain, coins)]
        size = self.concepts.schema.column(self.concepts.column).size
        unseen = random_cells(size - len(values), share=self.concepts.flip, coins=coins)
        # The i-th cell that was not seen: as many further on as there are seen ones before it.
        places = np.searchsorted(values - np.arange(len(values)), unseen, side="right")
        return SparseSet(self.concepts.column, tuple(sorted([*heads, *(unseen + places).tolist()])))


@dataclass(frozen=True)
class _Coin:
    """Heads with odds flip/(1 - flip)·ratio^-gain, exactly, for gains of either sign and any size."""

    flip: Fraction
    ratio: Fraction

    def toss(self, gain: int, coins: Coins) -> bool:
        if gain == 0:
            return coins.flip(self.flip)
        numerator, left = self.flip.numerator, self.flip.denominator - self.flip.numerator
        groups = _Pair(abs(gain), (numerator, left) if gain > 0 else (left, numerator))
        first = coins.choose(PowerWeights(self.ratio, groups)) == 0
        return first == (gain > 0)


@dataclass(frozen=True, eq=False, repr=False)
class _Pair:
    """Two groups of members, the second this many mistakes worse."""

    gap: int
    sizes: tuple[int, int]

    def histogram(self, span: int | None) -> Histogram:
        if span is not None and self.gap > span:
            return Histogram(0, np.zeros(1, dtype=np.int64), [self.sizes[0]], beyond=self.sizes[1])
        return Histogram(0, np.array([0, self.gap], dtype=np.int64), list(self.sizes))

    def locate(self, score: int, index: int) -> bool:
        return score == 0


@dataclass(frozen=True)
class ListedFamily:
    """Random sets of listed cells, each cell by itself with probability `share`: the noise of A_1."""

    column: str
    domain: int
    share: Fraction

    assumption: ClassVar[str | None] = None
    conditioned: ClassVar[bool] = False
    """The cell a set is drawn for is flipped like every other."""

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether it is one of these sets."""
        return _has_set(self.column, self.domain, hypothesis)

    def draw(self, coins: Coins) -> SparseSet:
        return SparseSet(
            self.column, tuple(random_cells(self.domain, share=self.share, coins=coins).tolist())
        )

    def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> SparseSet:
        others = random_cells(self.domain - 1, share=self.share, coins=coins)
        cells = (others + (others >= cell)).tolist()
        return SparseSet(self.column, tuple(sorted([*cells, cell] if holds else cells)))
