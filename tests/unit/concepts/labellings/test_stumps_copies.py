"""Copies among stumps, against their labels written down; and stumps at the size that plans ask for."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.labellings.stumps import StumpDichotomies
from privpac.concepts.line.stumps import Stumps
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema


def copies_by_labels(found: StumpDichotomies) -> list[int]:
    seen, first = set(), []
    for number in range(int(found._starts[-1])):
        labels = bytes(found._name(number).predict(found._cells))
        if labels not in seen:
            first.append(number)
        seen.add(labels)
    return first


@pytest.mark.parametrize("seed", range(60))
def test_copies_are_those_with_equal_labels(seed: int) -> None:
    """Columns that are each other's order, its reverse, or coarser; categories that are cuts."""
    generator = np.random.default_rng(seed)
    n = seed % 7
    a = generator.integers(0, 6, n)
    related = [a, 5 - a, a // 2, generator.integers(0, 6, n)]
    cells = {
        "a": a,
        "k": a % 3,
        "b": related[seed % 4],
        "c": related[(seed // 4) % 4],
        "l": (a >= 3).astype(int),
    }
    schema = Schema(
        (
            Numeric("a", 0, 5, integer=True),
            Categorical("k", ("u", "v", "w")),
            Numeric("b", 0, 5, integer=True),
            Numeric("c", 0, 5, integer=True),
            Categorical("l", ("x", "y")),
        ),
        "y",
    )
    found = Stumps(schema).dichotomies(MemorySample.from_cells(schema, cells, np.zeros(n, np.uint8)))
    assert found._first.tolist() == copies_by_labels(found)


def test_ten_columns_of_twenty_thousand_values() -> None:
    """400,000 cuts of 20,000 points: 8 billion labels, of which none is written down."""
    schema = Schema(tuple(Numeric(f"c{i}", 0, 2**32 - 1, integer=True) for i in range(10)), "y")
    generator = np.random.default_rng(1)
    cells = {column.name: generator.integers(0, 2**32, 20_000) for column in schema.columns}
    cells["c9"] = 2**32 - 1 - cells["c0"]  # every cut of it is a copy
    labels = (cells["c3"] > 2**31).astype(np.uint8)
    sample = MemorySample.from_cells(schema, cells, labels)
    start = process_time()
    found = Stumps(schema).dichotomies(sample)
    drawn = found.mistakes(sample).draw(Fraction(9, 10), SeededCoins(1))
    assert process_time() - start < 10
    assert len(found._first) == 2 + sum(2 * (len(np.unique(cells[f"c{i}"])) - 1) for i in range(9))
    assert (found.labels(drawn, cells) != labels).mean() < 0.01
