"""Points for two answers at once: statistics agree with brute force, and every form of a card says the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac import MemorySample, Schema
from privpac.concepts.cards.blocks import BothBlock, blocks_of, reachable
from privpac.concepts.cards.both import Answer, Both
from privpac.concepts.cards.card import Card, bucket_count, bucket_row
from privpac.concepts.cards.tallies import ByPair, BySum, Points, held_by_pair, looks, most_points
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.weights import residuals
from privpac.pictures.card import card_picture

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 9, "integer": True},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east"]},
    {"name": "smoker", "kind": "boolean"},
    {"name": "dose", "kind": "numeric", "lower": 0, "upper": 5, "integer": True},
]
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)
AGE, SOUTH, SMOKER, DOSE = TESTS.tests[5], TESTS.tests[10], TESTS.tests[12], TESTS.tests[15]
OLD_SMOKER = Both(Answer(AGE, True), Answer(SMOKER, True))
YOUNG_ELSEWHERE = Both(Answer(AGE, False), Answer(SOUTH, False))
LITTLE_IN_SOUTH = Both(Answer(SOUTH, True), Answer(DOSE, False))
DRAWN = (
    Points(OLD_SMOKER, 3),
    Points(AGE, 2),
    Points(YOUNG_ELSEWHERE, -2),
    Points(LITTLE_IN_SOUTH, 1),
    Points(OLD_SMOKER, 1),
)


def sample(n: int = 700) -> MemorySample:
    rng = np.random.default_rng(8)
    table = {
        "age": rng.integers(0, 10, n).tolist(),
        "ward": rng.choice(["north", "south", "east"], n).tolist(),
        "smoker": (rng.random(n) < 0.4).tolist(),
        "dose": rng.integers(0, 6, n).tolist(),
        "ill": rng.integers(0, 2, n).tolist(),
    }
    return MemorySample.of(table, SCHEMA)


def card() -> Card:
    counts = tuple((40 - 3 * i, 5 + 4 * i) for i in range(bucket_count(reachable(blocks_of(DRAWN)))))
    return Card(DRAWN, 300, 700, counts, Fraction(1, 10), Fraction(1, 5))


def signed(cells: Any) -> np.ndarray[Any, Any]:
    return sum(one.points * (2 * one.test.holds(cells).astype(int) - 1) for one in DRAWN)  # type: ignore[return-value]


def test_sums_of_weights_by_pair_of_answers_agree_with_brute_force() -> None:
    records = sample()
    block = records.block()
    assert block.labels is not None
    weights = residuals(Fraction(1, 3), most_points(DRAWN))
    by_record = np.array(weights)[block.labels, signed(block.cells) + most_points(DRAWN)]
    for look in (records, looks(records, TESTS)):
        sums = look.reduce(ByPair(TESTS, DRAWN, weights))
        found = held_by_pair(sums, TESTS)
        for (one, other), held in zip(combinations(TESTS.groups, 2), found, strict=True):
            firsts, seconds = (
                [test for test in TESTS.tests if test.column == group.column] for group in (one, other)
            )
            for (i, a), (j, b) in product(enumerate(firsts), enumerate(seconds)):
                answers = product((True, False), repeat=2)
                boths = [Both(Answer(a, x), Answer(b, y)) for x, y in answers]
                assert held[i, j].tolist() == [
                    int(by_record[both.holds(block.cells)].sum()) for both in boths
                ]


def test_every_record_has_a_sum_that_its_blocks_can_reach_and_points_mean_what_was_drawn() -> None:
    records, rule = sample(), card()
    block = records.block()
    assert block.labels is not None
    total = rule.total(block.cells)
    assert set(total.tolist()) <= set(rule.table.sums)
    assert (rule.table.lowest + 2 * total == signed(block.cells)).all()
    rows = np.array(bucket_row(DRAWN))[signed(block.cells) + most_points(DRAWN)]
    for look in (records, looks(records, TESTS)):
        counts = look.reduce(BySum(TESTS, DRAWN, bucket_row(DRAWN)))
        right = [
            [int(((rows == row) & (block.labels == y)).sum()) for y in (0, 1)] for row in range(len(counts))
        ]
        assert counts.tolist() == right


def test_lines_add_up_to_the_points_and_an_answer_that_costs_points_is_told_by_its_opposite() -> None:
    rule, cells = card(), sample().block().cells
    boths = [block for block in rule.blocks if isinstance(block, BothBlock)]
    assert [row for block in boths for row in ((r.values, r.points) for r in block.rows(SCHEMA))] == [
        ("age >= 6 and smoker is true", 4),
        ("age >= 6 or ward is south", 2),
        ("ward is south and dose < 3", 1),
    ]
    costly = next(block for block in boths if block.columns == ("age", "ward"))
    opposite = (np.asarray(cells["age"]) >= 6) | (np.asarray(cells["ward"]) == 1)
    assert (costly.points(cells) == 2 * opposite).all()
    words = rule.describe(SCHEMA)
    assert words.count("\n") > 5
    assert "age >= 6 or ward is south: 2" in words


def test_sql_gives_the_same_points_and_classes() -> None:
    rule, records = card(), sample()
    cells = records.block().cells
    columns = {
        column.name: [column.value(int(cell)) for cell in cells[column.name]] for column in SCHEMA.columns
    }
    database = duckdb.connect()
    database.execute("CREATE TABLE people (age INT, ward TEXT, smoker BOOLEAN, dose INT)")
    database.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", list(zip(*columns.values(), strict=True)))
    rows = database.execute(f"SELECT {rule.points_sql(SCHEMA)}, {rule.to_sql(SCHEMA)} FROM people").fetchall()
    assert [row[0] for row in rows] == rule.total(cells).tolist()
    assert [row[1] for row in rows] == rule.predict(cells).tolist()


def test_a_file_is_read_back_and_strange_pairs_are_not() -> None:
    tree = card().to_json()
    assert hypothesis_from_json(tree) == card()
    pair = OLD_SMOKER.to_json()["both"]
    assert isinstance(pair, list)
    for strange in ([pair[0]], [pair[0], pair[0]], [pair[0], {**pair[1], "holds": 1}], [*pair, pair[1]]):
        with pytest.raises(ValueError):
            Both.from_json({"both": strange})
    assert OLD_SMOKER.misfit(SCHEMA) is None
    other = replace(OLD_SMOKER, second=Answer(replace(SMOKER, cell=99), True))
    assert other.misfit(SCHEMA) is not None


def test_a_picture_has_one_wide_block_with_a_line_for_every_pair() -> None:
    sheet = card().shape(SCHEMA)
    drawing = card_picture(sheet, SCHEMA).svg(alone=True)
    for bar in sheet.together:
        assert bar.values.replace(">", "&gt;").replace("<", "&lt;") in drawing
    assert len(sheet.together) == 3
    assert [column for column, _ in sheet.blocks] == ["age"]


def test_points_of_two_columns_count_for_both() -> None:
    assert card().column_weights(SCHEMA) == {"age": 8, "smoker": 4, "ward": 3, "dose": 1}
    assert set(card().columns) == {"age", "smoker", "ward", "dose"}
