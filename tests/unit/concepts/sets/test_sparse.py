"""Sets drawn cell by cell: the law against the listed class, cells seen and unseen, files, SQL."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from privpac.audit.registry import sample_of as tiny_sample
from privpac.audit.registry import tiny_schema
from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.sets.sparse import LARGEST, ListedFamily, SparseSet, SparseSets
from privpac.constructions.points.sparse import SparsePoints
from privpac.data.sample import Size
from privpac.errors import ParameterError
from privpac.numbers.exact import ratio_for
from tests.unit.point_rules import KINDS, by_database, keys, random_cells, sample_of

HALF = ratio_for(Fraction(1, 2))


@pytest.mark.parametrize(
    "data", [[], [(1, 1), (1, 1), (1, 0), (3, 0)], [(0, 1), (4, 1), (4, 1), (2, 0), (2, 0)]]
)
def test_the_law_is_the_exponential_mechanism_over_all_sets(data: list[tuple[int, int]]) -> None:
    schema, flip = tiny_schema(5), Fraction(1, 7)
    concepts = SparseSets(schema, "a", flip)
    evidence = tiny_sample(schema, data).reduce(concepts.statistic)
    drawn = law(concepts.gibbs(evidence, ratio=HALF, costs=(1, 1)).draw)
    weights = {}
    for count in range(6):
        for cells in combinations(range(5), count):
            mistakes = sum((x in cells) != (y == 1) for x, y in data)
            weights[SparseSet("a", cells)] = flip**count * (1 - flip) ** (5 - count) * HALF**mistakes
    total = sum(weights.values())
    assert drawn == {rule: weight / total for rule, weight in weights.items()}


@pytest.mark.parametrize("holds", [True, False])
def test_a_set_drawn_for_a_cell_is_noise_elsewhere(holds: bool) -> None:
    share = Fraction(1, 4)
    drawn = law(lambda coins: ListedFamily("a", 3, share).draw_given(1, holds=holds, coins=coins))
    for rule, probability in drawn.items():
        assert (1 in rule.cells) == holds
        others = len(set(rule.cells) - {1})
        assert probability == share**others * (1 - share) ** (2 - others)


def test_a_frequent_class_0_value_costs_nothing_to_draw() -> None:
    schema = keys(20)
    cells = random_cells(schema, 100_000)
    cells[1000:] = 7
    labels = np.zeros(len(cells), dtype=np.uint8)
    labels[cells == cells[0]] = 1
    learner = SparsePoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(len(cells)))
    rule = learner.learn(sample_of(schema, cells, labels), SeededCoins(1))
    assert 7 not in rule.cells  # type: ignore[attr-defined]


def test_the_target_is_found_and_the_file_reads_back() -> None:
    schema = keys(16)
    cells = random_cells(schema, 300, seed=5)
    cells[::4] = cells[0]
    labels = (cells == cells[0]).astype(np.uint8)
    learner = SparsePoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(300))
    rule = learner.learn(sample_of(schema, cells, labels), SeededCoins(5))
    assert (rule.predict({"code": cells}) == labels).mean() > 0.95
    assert hypothesis_from_json(rule.to_json()) == rule
    assert misfit(rule, schema) is None
    assert misfit(rule, keys(8)) is not None
    assert by_database(rule, schema, cells, KINDS[16]) == rule.predict({"code": cells}).tolist()
    assert "values:" in rule.describe(schema)


def test_empty_and_full_sets() -> None:
    schema = keys(2)
    assert SparseSet("code", ()).to_sql(schema) == "0"
    assert SparseSet("code", (0, 1, 2, 3)).to_sql(schema) == "1"
    assert SparseSet("code", ()).describe(schema) == "always 0"


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="points:code:improper"):
        SparsePoints.tuned(keys(32), "code", epsilon=Fraction(1), size=Size(300))
    with pytest.raises(ParameterError, match="2\\^24"):
        SparseSets(keys(LARGEST.bit_length()), "code", Fraction(1, 2))
    with pytest.raises(ParameterError, match="flip"):
        SparseSets(keys(8), "code", Fraction(1))
    with pytest.raises(Exception, match="malformed"):
        hypothesis_from_json({"kind": "sparse-set", "column": "code", "cells": [3, 1]})
