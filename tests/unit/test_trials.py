"""Simulations run the learner that ships, answer in the unit of the question, and are kept."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import plan
from privpac.data.schema import Schema
from privpac.plan.class_facts import Description
from privpac.plan.populations import synthetic
from privpac.plan.trials import Run, as_schema, best_error, drawn_errors, quantile

SCHEMA = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {"name": "smoker", "kind": "boolean"},
    ],
}


def test_errors_shrink_with_more_records_and_more_epsilon() -> None:
    made = best_error("trees:2", synthetic(Schema.from_json(SCHEMA), flipped=0.1))

    def mean(n: int, epsilon: Fraction) -> float:
        errors = drawn_errors(Run("trees:2"), made, n=n, epsilon=epsilon, repetitions=12)
        assert min(errors) >= made.best - 1e-12
        return float(np.mean(errors))

    few, many, sharp = mean(50, Fraction(1, 2)), mean(2000, Fraction(1, 2)), mean(2000, Fraction(20))
    assert sharp <= many < few
    assert sharp - made.best < 0.02


def test_the_best_member_of_a_class_is_found() -> None:
    made = synthetic(Schema.from_json(SCHEMA), flipped=0.1)
    assert best_error("trees:3", made).best <= made.best + 1e-12, "the planted tree is a member"
    assert (
        best_error("one-test", made).best
        >= best_error("trees:1", made).best
        >= best_error("trees:2", made).best
    )


def test_quantiles_have_limits_that_cover_the_truth() -> None:
    """200 uniform values, the 0.95 quantile: in 300 runs at most 1 in 100 intervals may miss, about."""
    generator = np.random.default_rng(0)
    missed = 0
    for _ in range(300):
        value, low, high = quantile(list(generator.random(200)), 0.05)
        assert high is not None
        assert low <= value <= high
        missed += not low <= 0.95 <= high
    assert missed <= 10
    assert quantile([0.1] * 20, 0.05)[2] is None, (
        "twenty values cannot bound their largest twentieth from above"
    )
    assert quantile(list(np.arange(100) / 100), 0.5)[0] == 0.49


class Kept:
    """A cache that counts."""

    def __init__(self) -> None:
        self.stored: dict[str, Any] = {}
        self.hits = 0

    def get(self, name: str, *, options: str) -> Any | None:
        self.hits += options in self.stored
        return self.stored.get(options)

    def put(self, name: str, value: Any, *, options: str) -> None:
        self.stored[options] = value


def test_reachable_on_synthetic_tables_is_far_below_the_proof_and_is_kept() -> None:
    kept, seen = Kept(), []

    def ask() -> plan.Plan:
        return plan.reachable(
            "trees:2",
            schema=SCHEMA,
            records=1000,
            epsilon=1,
            marginals={"age": [20, 45, 90]},
            keep=kept,
            progress=lambda what, done, of: seen.append((what, done, of)),
        )

    first = ask().option("occam", "agnostic")
    assert first.simulated is not None
    assert not first.simulated.exact
    assert first.simulated.low <= first.simulated.value < first.proved / 2
    assert "with the given marginals" in first.simulated.on
    assert seen
    assert seen[-1][1] == seen[-1][2]
    assert kept.hits == 0
    again = ask().option("occam", "agnostic")
    assert again.simulated == first.simulated
    assert kept.hits == 2, "both settings come from what was kept"


def test_needed_on_a_table_of_ones_own() -> None:
    generator = np.random.default_rng(1)
    age = generator.integers(0, 121, size=3000)
    table = {
        "age": age,
        "smoker": generator.integers(0, 2, size=3000).astype(bool),
        "ill": (age >= 60).astype(int),
    }
    found = plan.needed("thresholds:age", schema=SCHEMA, error="0.1", epsilon=1, table=table)
    row = found.option("occam", "realizable")
    assert row.simulated is not None
    assert 10 < row.simulated.value < row.need.labelled
    assert row.simulated.low <= row.simulated.value
    assert "given table of 3,000 records" in row.simulated.on


def test_the_smallest_epsilon_is_searched_in_steps() -> None:
    found = plan.smallest_epsilon("one-test", schema=SCHEMA, records=2000, error="0.1", simulate=True)
    row = found.option("occam", "agnostic")
    assert row.simulated is not None
    assert 0 < row.simulated.value <= math.ceil(row.wish.epsilon * 100) / 100


def test_numbers_stand_for_a_schema() -> None:
    schema = as_schema(Description(bits=8, columns=3))
    assert [column.size for column in schema.columns] == [256, 256, 256]
    assert as_schema(Description(schema=schema)) is schema
    assert len(as_schema(Description(tests=2)).columns) == 2


def test_what_cannot_be_run_is_not_simulated() -> None:
    found = plan.needed("any:3", bits=8, error="0.2", epsilon=1, simulate=True)
    assert all(row.simulated.exact for row in found.answers if row.simulated is not None)
    boxes = plan.needed("rectangles:2", bits=3, error="0.3", epsilon=4, simulate=True).option(
        "occam", "realizable"
    )
    assert boxes.simulated is not None
    assert boxes.simulated.value <= boxes.need.labelled
    with pytest.raises(Exception, match="no column 'village'"):
        plan.needed("trees:1", schema=SCHEMA, error="0.2", epsilon=1, marginals={"village": [1, 2]})
