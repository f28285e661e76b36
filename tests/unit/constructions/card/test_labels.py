"""Cards whose features are public: how many rules there can be."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privpac import Schema
from privpac.concepts.grids import CUTS
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.steps import lay_points
from privpac.constructions.labels import features
from privpac.data.engines.memory import MemorySample

CELLS, GAP = 10_000, 500


def test_every_cut_that_points_lie_on_is_counted_since_the_features_choose_it() -> None:
    """Values that occur between two even cuts are cuts themselves, wherever they lie, and the points of a round lie on
    nine of them. Two columns make a staircase of the two sums, and six cuts of either can be told from its steps."""
    columns = [
        {"name": name, "kind": "numeric", "lower": 0, "upper": CELLS - 1, "integer": True} for name in "ab"
    ]
    schema = Schema.from_json({"label": "y", "columns": columns})
    learner = LabelPrivateCard(schema, Fraction(1), 2)
    values = np.sort(np.random.default_rng(2).choice(np.arange(1300, 1300 + GAP), 17, replace=False))
    sample = MemorySample.from_cells(schema, {"a": values, "b": values}, np.zeros(17, dtype=np.uint8))
    tests = features.tests_from_features(sample, cuts=CUTS)
    middle = next(i for i, test in enumerate(tests.tests) if test.cell == values[8])
    cuts = [one.test.cell for one in lay_points(tests, middle, 9, cuts=9)]
    assert len(cuts) == 9
    assert set(cuts) <= set(values.tolist())
    assert learner.outcomes >= math.comb(GAP, 6) ** 2


def test_where_points_lie_on_the_drawn_test_alone_one_cut_per_round_is_counted() -> None:
    column = {"name": "a", "kind": "numeric", "lower": 0, "upper": 7, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    assert LabelPrivateCard(schema, Fraction(1), 32).outcomes < 16**32 * 100
