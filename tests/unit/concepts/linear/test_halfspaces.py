"""Scorecards and half-spaces: scores and law against the definition, storage, SQL, refusals."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations

import duckdb
import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.linear.direction_kernels import BINS, WIDEST, cutoff, scale
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.levels import Feature, LevelTable, features_of
from privpac.concepts.linear.scorecard import Item, Scorecard
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import DataError, NotCertified, ParameterError, SizeError

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 40, "integer": True},
            {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 60, "missing": 20},
            {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
            {"name": "sex", "kind": "categorical", "categories": ["F", "M", "X"]},
            {"name": "smoker", "kind": "boolean"},
            {"name": "day", "kind": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
            {"name": "same", "kind": "categorical", "categories": ["one"]},
        ],
    }
)
RATIO = Fraction(3, 4)


def sample(seed: int, n: int) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {}
    for c in SCHEMA.columns:
        drawn = [int(rng.integers(0, 2**62)) * c.size >> 62 for _ in range(n)]
        cells[c.name] = np.array(drawn, dtype=c.dtype)
    return MemorySample.from_cells(SCHEMA, cells, rng.integers(0, 2, n).astype(np.uint8))


def level(feature: Feature, cell: int) -> int:
    """The definition, in Python integers."""
    if feature.category is not None:
        return feature.top if cell == feature.category else 0
    steps = min(feature.size, feature.top + 1)
    return (cell * steps // feature.size) * feature.top // (steps - 1)


def candidates(concepts: Scorecards | Halfspaces) -> list[tuple[int, Scorecard]]:
    """Every candidate in order, with the number of its part."""
    found = []
    for number, part in enumerate(concepts.parts):
        for chosen in combinations(range(part.features), part.chosen):
            for points in part.patterns:
                width = sum(map(abs, points)) * concepts.top
                for cut in range(min(BINS, width + 1)):
                    found += [
                        (number, concepts.candidate(chosen, points, cut, above)) for above in (True, False)
                    ]
    return found


def price(rule: Scorecard, block: Block, costs: tuple[int, int]) -> int:
    wrong = rule.predict(block.cells) != block.labels
    return int(sum(costs[int(label)] for label in block.labels[wrong]))


@pytest.mark.parametrize("top", [1, 2, 7, 31, 255])
def test_levels_follow_the_definition(top: int) -> None:
    block = sample(1, 50).block()
    features = features_of(SCHEMA, top=top)
    assert [f.column for f in features] == ["age", "bmi", "key", "sex", "sex", "sex", "smoker", "day"]
    for feature in features:
        values = block.cells[feature.column].tolist()
        assert feature.levels(block.cells).tolist() == [level(feature, int(cell)) for cell in values]


def test_blocks_do_not_matter() -> None:
    records = sample(2, 40)
    statistic = LevelTable(features_of(SCHEMA, top=31))
    whole = records.reduce(statistic)
    first, second = records.take(np.arange(13)), records.take(np.arange(13, 40))
    joined = statistic.merge(first.reduce(statistic), second.reduce(statistic))
    assert all((a == b).all() for a, b in zip(whole.by_class, joined.by_class, strict=True))


@pytest.mark.parametrize("width", [1, 5, 254, 255, 256, 257, 1000, WIDEST])
def test_bins_are_monotone_and_cut_offs_are_where_they_begin(width: int) -> None:
    bins = [(value * scale(width)) >> 16 for value in range(width + 1)]
    assert bins == sorted(bins)
    assert bins[-1] < BINS
    assert width >= BINS or bins == list(range(width + 1))
    for cut in range(min(BINS, width + 1)):
        start = cutoff(cut, width)
        assert all((value >= start) == (found >= cut) for value, found in enumerate(bins))


CLASSES = {
    "scorecards": Scorecards(SCHEMA, count=2, points=2, levels=4),
    "one feature": Scorecards(SCHEMA, count=1, points=3, levels=256),
    "columns": Scorecards(SCHEMA, count=2, points=3, levels=5, columns=("bmi", "smoker")),
    "declared": Halfspaces(SCHEMA, ("age", "bmi", "sex"), ((1, -2, 3, 0, 0), (0, 0, 0, -1, 1)), levels=64),
    "widest": Halfspaces(SCHEMA, ("age", "bmi"), ((64, -64), (127, 1)), levels=256),
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("costs", [(1, 1), (2, 5), (1, 10**9)])
def test_every_candidate_is_counted_with_its_price_and_found_again(name: str, costs: tuple[int, int]) -> None:
    concepts, records = CLASSES[name], sample(3, 9)
    evidence, listed = records.reduce(concepts.statistic), candidates(concepts)
    assert concepts.size == len(listed)
    laws = list(enumerate(concepts.gibbs(evidence, ratio=Fraction(1, 2), costs=costs).parts))
    for number, scores in [*laws, (None, concepts.scores(evidence, costs=costs))]:
        rules = [rule for own, rule in listed if number in (own, None)]
        prices = [price(rule, records.block(), costs) for rule in rules]
        histogram = scores.histogram(None)
        found = dict(zip((histogram.best + histogram.steps).tolist(), histogram.counts, strict=True))
        assert found == Counter(prices)
        near = scores.histogram(costs[0])
        assert near.beyond == sum(1 for p in prices if p > near.best + costs[0])
        for score in sorted(set(prices))[:3]:
            own = [rule for rule, p in zip(rules, prices, strict=True) if p == score]
            for index in {0, len(own) // 2, len(own) - 1}:
                assert scores.locate(score, index) == own[index]


def test_the_law_is_prior_times_power_of_the_price() -> None:
    concepts = Scorecards(SCHEMA, count=2, points=1, levels=3, columns=("age", "smoker"))
    records = sample(4, 5)
    sizes = [part.size(concepts.top) for part in concepts.parts]
    weights: Counter[Scorecard] = Counter()
    for number, rule in candidates(concepts):
        weights[rule] += RATIO ** price(rule, records.block(), (1, 2)) / sizes[number]  # type: ignore[assignment]
    total = sum(weights.values())
    evidence = records.reduce(concepts.statistic)
    drawn = law(lambda coins: concepts.gibbs(evidence, ratio=RATIO, costs=(1, 2)).draw(coins))
    assert drawn == {rule: Fraction(weight) / total for rule, weight in weights.items()}
    assert concepts.odds == 2 * max(sizes) - 1


def test_no_records_draw_from_the_prior() -> None:
    concepts = Scorecards(SCHEMA, count=1, points=1, levels=2, columns=("smoker",))
    evidence = concepts.statistic.zero()
    drawn = law(lambda coins: concepts.gibbs(evidence, ratio=RATIO, costs=(1, 1)).draw(coins))
    assert set(drawn.values()) == {Fraction(1, 4)}


def test_rules_are_stored_described_and_written_as_sql() -> None:
    records, coins = sample(5, 60), SeededCoins(1)
    raw = {
        "age": [-3, 0, 20, 40, 99],
        "bmi": [9.0, 10.0, None, 59.9, 70.0],
        "key": [0, 2**69, 2**70, 5, 7],
        "sex": ["F", "M", "X", "M", "F"],
        "smoker": [True, False, True, False, True],
        "day": ["2020-01-01", "2020-06-30", "2020-12-31", "2019-01-01", "2021-01-01"],
        "same": ["one"] * 5,
    }
    encoded = MemorySample.of(raw, SCHEMA, labelled=False).block().cells
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t (age INT, bmi DOUBLE, key HUGEINT, sex VARCHAR, smoker BOOLEAN, day DATE)"
    )
    rows = zip(*(raw[name] for name in ("age", "bmi", "key", "sex", "smoker", "day")), strict=True)
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [list(row) for row in rows])
    for concepts in (CLASSES["scorecards"], CLASSES["declared"]):
        law_of = concepts.gibbs(records.reduce(concepts.statistic), ratio=Fraction(1, 2), costs=(1, 1))
        for _ in range(25):
            rule = law_of.draw(coins)
            assert hypothesis_from_json(json.loads(json.dumps(rule.to_json()))) == rule
            assert misfit(rule, SCHEMA) is None
            assert "always" in rule.describe(SCHEMA) or "if the points reach" in rule.describe(SCHEMA)
            answers = [
                row[0] for row in connection.execute(f"SELECT {rule.to_sql(SCHEMA)} FROM t").fetchall()
            ]
            assert answers == rule.predict(encoded).tolist()


def test_words_of_a_scorecard() -> None:
    features = {(f.column, f.category): f for f in features_of(SCHEMA, top=4)}
    rule = Scorecard(
        (
            Item(features["age", None], 2),
            Item(features["sex", 1], -1),
            Item(features["smoker", None], 3),
        ),
        9,
        4,
    )
    assert rule.describe(SCHEMA).splitlines() == [
        "1 if the points reach 9, else 0",
        "  age: 0 below 9, evenly to +8 from 33 on",
        "  sex is M: -4",
        "  smoker is true: +12",
    ]
    assert rule.columns == ("age", "sex", "smoker")


@pytest.mark.parametrize(
    "change",
    [
        {"top": 0},
        {"top": 256},
        {"top": True},
        {"cutoff": "3"},
        {"items": [{"column": "age", "cells": "41", "category": None, "points": 0}]},
        {"items": [{"column": "age", "cells": "41", "category": None, "points": 1}] * 2},
        {"items": [{"column": "age"}]},
    ],
)
def test_a_malformed_scorecard_is_refused(change: dict[str, object]) -> None:
    tree = Scorecard((Item(Feature("age", 41, 4), 2),), 3, 4).to_json() | change
    with pytest.raises(NotCertified):
        hypothesis_from_json(tree)


@pytest.mark.parametrize(
    "feature",
    [Feature("age", 40, 4), Feature("sex", 3, 4), Feature("sex", 3, 4, 3), Feature("age", 41, 4, 1)],
)
def test_a_scorecard_of_another_schema_does_not_fit(feature: Feature) -> None:
    assert misfit(Scorecard((Item(feature, 1),), 1, 4), SCHEMA) is not None


REFUSED = {
    "zero direction": (lambda: Halfspaces(SCHEMA, ("age", "bmi"), ((0, 0),)), ParameterError, "zeros"),
    "short direction": (
        lambda: Halfspaces(SCHEMA, ("age", "bmi"), ((1,),)),
        ParameterError,
        "2 whole numbers",
    ),
    "real weights": (lambda: Halfspaces(SCHEMA, ("age",), ((0.5,),)), ParameterError, "whole numbers"),
    "no directions": (lambda: Halfspaces(SCHEMA, ("age",), ()), ParameterError, "at least one direction"),
    "constant column": (lambda: Scorecards(SCHEMA, columns=("same",)), ParameterError, "constant column"),
    "a column twice": (
        lambda: Scorecards(SCHEMA, columns=("age", "age")),
        ParameterError,
        "different columns",
    ),
    "one level": (lambda: Scorecards(SCHEMA, levels=1), ParameterError, "between 2 and 256"),
    "no points": (lambda: Scorecards(SCHEMA, points=0), ParameterError, "points"),
    "too wide": (lambda: Halfspaces(SCHEMA, ("age",), ((200,),), levels=256), SizeError, "exactly"),
    "too many patterns": (lambda: Scorecards(SCHEMA, count=8, points=9), SizeError, "patterns"),
    "too slow": (lambda: Scorecards(SCHEMA, count=5).require(10**9), SizeError, "minutes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_counted_is_refused_in_one_sentence(name: str) -> None:
    make, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        make()


def test_labels_are_needed() -> None:
    block = sample(1, 3).block()
    with pytest.raises(DataError, match="no labels"):
        LevelTable(features_of(SCHEMA, top=3)).absorb(
            LevelTable(features_of(SCHEMA, top=3)).zero(), Block(block.cells, None, block.n)
        )


def test_the_grid_is_named() -> None:
    described = Schema((Numeric("x0", 0, 9, integer=True), Numeric("x1", 0, 9, integer=True)), "y")
    text = Scorecards(described, 2, 16, columns=("x0", "x1")).grid
    assert "points are whole numbers up to 16" in text
    assert "within 0.2 of its cut-off" in text
    assert "directions are those declared" in Halfspaces(described, ("x0", "x1"), ((1, 2),)).grid
