"""Boxes at their planned size err as rarely as promised, also where the right box lies within one coarse group."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac import plan
from privpac.coins import SeededCoins
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.constructions.draw.occam import Occam
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema

FAILURE = Fraction(1, 20)
SMALL = ((300, 340), (20, 61))
"""A box that lies within one of 256 groups of 2^16 cells, in both columns."""


def population(rng: np.random.Generator, n: int, bits: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Half of the records in the small box, the others next to it or anywhere."""
    where = rng.integers(0, 4, n)
    cells = {}
    for name, (low, high) in zip("ab", SMALL, strict=True):
        inside, near = rng.integers(low, high, n), rng.integers(max(0, low - 40), high + 40, n)
        anywhere = rng.integers(0, 2**bits, n)
        cells[name] = np.where(where < 2, inside, np.where(where == 2, near, anywhere))
    held = [
        (cells[name] >= low) & (cells[name] < high) for name, (low, high) in zip("ab", SMALL, strict=True)
    ]
    return cells, (held[0] & held[1]).astype(np.uint8)


def failures(concepts: Rectangles, *, n: int, error: Fraction, epsilon: Fraction, runs: int) -> int:
    """How often the rule errs by more than the error, judged on a large fresh table."""
    bits = concepts.schema.columns[0].size.bit_length() - 1
    learner = Occam(concepts, epsilon, failure=FAILURE)
    test_cells, test_labels = population(np.random.default_rng(0), 20_000, bits)
    wrong = 0
    for seed in range(runs):
        cells, labels = population(np.random.default_rng(seed + 1), n, bits)
        typed = {name: values.astype(concepts.schema.column(name).dtype) for name, values in cells.items()}
        rule = learner.learn(MemorySample.from_cells(concepts.schema, typed, labels), SeededCoins(seed))
        wrong += bool(np.mean(rule.predict(test_cells) != test_labels) > error)
    return wrong


def schema(bits: int) -> Schema:
    return Schema(tuple(Numeric(name, 0, 2**bits - 1, integer=True) for name in "ab"), "y")


def planned(word: str, bits: int, *, error: Fraction, epsilon: Fraction) -> int:
    row = plan.needed(word, bits=bits, error=error, epsilon=epsilon, failure=FAILURE).option(
        "occam", "realizable"
    )
    return row.records


@pytest.mark.long
def test_the_failure_rate_at_the_planned_size_is_within_the_promise() -> None:
    error, epsilon, runs = Fraction(1, 10), Fraction(1), 400
    n = planned("rectangles:2", 16, error=error, epsilon=epsilon)
    wrong = failures(Rectangles(schema(16), ("a", "b")), n=n, error=error, epsilon=epsilon, runs=runs)
    # More failures than a rate of 1/20 makes with probability 1/1000 would speak against the promise.
    assert wrong <= 38


def test_a_box_within_one_group_is_found_on_all_cells_and_missed_in_groups() -> None:
    error, epsilon = Fraction(1, 5), Fraction(2)
    n = planned("rectangles:2", 16, error=error, epsilon=epsilon)
    assert failures(Rectangles(schema(16), ("a", "b")), n=n, error=error, epsilon=epsilon, runs=10) <= 2
    coarse = Rectangles(schema(16), ("a", "b"), 256)
    assert failures(coarse, n=n, error=error, epsilon=epsilon, runs=10) >= 8
    assert "may be missed altogether" in str(Occam(coarse, epsilon).certify(Size(n)).explain())


def test_more_columns_never_need_fewer_records() -> None:
    sizes = [planned(f"rectangles:{k}:64", 16, error=Fraction(1, 10), epsilon=Fraction(1)) for k in (1, 2, 3)]
    assert sizes == sorted(sizes)
