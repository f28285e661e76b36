"""Cells that no query tells apart count as one: what a list promises depends on what it asks, not on the domain."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privpac import MemorySample, Schema, SeededCoins, Size
from privpac.concepts.finite import Finite
from privpac.concepts.line.thresholds import Threshold
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.release.blr import ListedBLR

ONE = Fraction(1)


def schema(cells: int) -> Schema:
    column = {"name": "a", "kind": "numeric", "lower": 0, "upper": cells - 1, "integer": True}
    return Schema.from_json({"label": "y", "columns": [column]})


def table(cells: int) -> ListedBLR:
    quarter = cells // 4
    queries = tuple(Threshold("a", cut * quarter, up=True) for cut in (1, 2, 3))
    return ListedBLR(schema(cells), ("a",), queries, ONE)


def test_the_promise_is_that_of_the_atoms() -> None:
    plans = {cells: table(cells).plan(10**6) for cells in (4, 16, 1024)}
    assert plans[4] == plans[16] == plans[1024]
    assert plans[4].error < Fraction(1, 100)


def test_four_rules_on_sixteen_cells_promise_something() -> None:
    """Counted by cells, no number of records promised less than .39."""
    rules = Finite(schema(16), ("a >= 4", "a >= 8", "a >= 12", "a < 4"))
    certificate = GenericLearner(rules, ONE).certify(Size(1000, 10**10))
    (promised,) = certificate.accuracy
    assert promised.fact.error < Fraction(2, 100)


def test_a_released_table_lies_on_first_cells_and_answers() -> None:
    learner = table(16)
    cells = np.random.default_rng(1).integers(0, 16, 20_000)
    sample = MemorySample.of({"a": cells}, schema(16), labelled=False)
    released = learner.release(sample, SeededCoins(1))
    assert learner.releases(released, sample.size)
    assert {cell for cell, _ in released.counts} <= {0, 4, 8, 12}
    for query in learner.queries:
        true = float(query.predict({"a": cells}).mean())
        places = np.repeat([cell for cell, _ in released.counts], [count for _, count in released.counts])
        assert abs(float(query.predict({"a": places}).mean()) - true) <= learner.plan(20_000).error
    moved = type(released)(released.names, ((1, released.total),), released.total)
    assert not learner.releases(moved, sample.size)
