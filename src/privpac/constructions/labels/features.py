"""Tests where the values of a column lie: where features are public, and only labels are protected."""

from __future__ import annotations

from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.data.columns import Column
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts

__all__ = ["is_possible", "tests_from_features"]


def is_possible(test: Test, schema: Schema) -> bool:
    """Whether features could ever choose this test: a cut above the first cell, or a category."""
    if schema.column(test.column).ordered:
        return test.kind == "at least" and test.cell > 0
    return test.kind == "equals"


def tests_from_features(sample: Sample, *, cuts: int) -> Binarisation:
    """At most `cuts` tests per ordered column, where its values lie; otherwise one per category that occurs, but one.

    Looks at features only, so it may be used under label privacy and nowhere else.
    """
    tests: list[Test] = []
    for column in sample.schema.columns:
        tests += _tests_of(column, sample, cuts)
    return Binarisation(sample.schema, tuple(tests)) if tests else Binarisation.of(sample.schema, cuts=cuts)


def _tests_of(column: Column, sample: Sample, cuts: int) -> list[Test]:
    counts = sample.reduce(CellCounts(column, classes=1))
    if len(counts.values) < 2:
        return []
    if not column.ordered:
        cells = [int(cell) for cell in counts.values]
        tested_cells = cells[:1] if len(cells) == 2 else cells
        return [Test(column.name, cell, "equals") for cell in tested_cells]
    return [Test(column.name, cell, "at least") for cell in _cuts_of(column, counts, cuts)]


def _cuts_of(column: Column, counts: ColumnCounts, cuts: int) -> list[int]:
    """Half of the cuts at even steps of the declared range, half at even steps through the values that occur.

    Quantiles of the records would put all cuts where most records are: on a column that is nearly always 0 none would
    be left for the rest (benchmarks/label_privacy.py).
    """
    among = cuts - cuts // 2
    places = {(j * len(counts.values)) // (among + 1) for j in range(1, among + 1)}
    even = {column.size * j // (cuts // 2 + 1) for j in range(1, cuts // 2 + 1)}
    # A cut at or below the smallest value that occurs, or above the largest, would separate nothing.
    low, high = int(counts.values[0]), int(counts.values[-1])
    cells = {int(counts.values[place]) for place in places if place > 0} | {
        c for c in even if low < c <= high
    }
    return sorted(cells) or [int(counts.values[1])]
