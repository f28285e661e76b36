"""Rules with exceptions: they answer as their patterns say, and are written once."""

from __future__ import annotations

from itertools import chain, combinations

import duckdb
import numpy as np
import pytest

from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import CooccurrenceTensor
from privpac.concepts.literals.exceptions import Exceptions, Pattern, Patterns
from privpac.data.schema import Schema
from tests.unit.tiny import counted, mixed_columns, table

FLAGS = Schema.from_json(
    {"label": "y", "columns": [{"name": name, "kind": "boolean"} for name in ("a", "b", "c")]}
)


def has(pattern: Pattern, holds: dict[int, np.ndarray]) -> np.ndarray:
    """Which records have a pattern, test by test."""
    n = len(next(iter(holds.values())))
    return np.logical_and.reduce([np.ones(n, bool), *(holds[test] == answer for test, answer in pattern)])


@pytest.mark.parametrize("width", [1, 2, 3])
def test_patterns_are_counted_as_one_would_one_by_one(width: int) -> None:
    schema, block = table(mixed_columns(), n=60, seed=width)
    tests = Binarisation.of(schema)
    patterns = Patterns(tests, width)
    found = patterns.counts(counted(CooccurrenceTensor(tests, width, 2), block))
    holds = {place: test.holds(block.cells) for place, test in enumerate(tests.tests)}
    wanted = [int((has(pattern, holds) & (block.labels == 1)).sum()) for pattern in patterns.listed]
    assert found.tolist() == wanted
    assert len(set(patterns.listed)) == len(patterns.listed) == patterns.size
    assert found.sum() == patterns.sets * int((block.labels == 1).sum())


@pytest.mark.parametrize("width", [1, 2, 3])
def test_what_is_written_answers_as_the_patterns_do(width: int) -> None:
    rng = np.random.default_rng(width)
    schema, block = table(mixed_columns(), n=200, seed=width)
    tests = Binarisation.of(schema)
    patterns = Patterns(tests, width)
    holds = {place: test.holds(block.cells) for place, test in enumerate(tests.tests)}
    for count in (0, 1, 2, 4, 8, 16):
        chosen = [
            patterns.listed[k] for k in rng.choice(patterns.size, min(count, patterns.size), replace=False)
        ]
        rule = patterns.rule(chosen)
        excepted = np.logical_or.reduce([np.zeros(block.n, bool), *(has(one, holds) for one in chosen)])
        assert np.array_equal(rule.predict(block.cells), ~excepted)
        assert patterns.contains(rule)
        assert hypothesis_from_json(rule.to_json()) == rule


def test_every_set_of_pairs_of_two_flags_is_one_of_the_sixteen_functions() -> None:
    """Two tests have four patterns: every function of them, each written once."""
    schema = Schema.from_json({"label": "y", "columns": [{"name": n, "kind": "boolean"} for n in "ab"]})
    patterns = Patterns(Binarisation.of(schema), 2)
    sets = list(chain.from_iterable(combinations(patterns.listed, k) for k in range(5)))
    rules = [patterns.rule(chosen) for chosen in sets]
    cells = {"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])}
    assert len(set(rules)) == len({tuple(rule.predict(cells)) for rule in rules}) == 16
    shortened = patterns.rule([frozenset({(0, True), (1, False)}), frozenset({(0, True), (1, True)})])
    assert shortened.describe(schema) == "0 if a is true; else 1"
    assert patterns.rule(patterns.listed).describe(schema) == "always 0"
    assert patterns.rule([]).describe(schema) == "always 1"


def test_what_is_not_written_so_is_no_outcome() -> None:
    patterns = Patterns(Binarisation.of(FLAGS), 2)
    a, b, c = patterns.tests.tests
    twice = Exceptions((((a, True), (b, True)), ((a, True), (b, False))))
    assert patterns.rule([frozenset({(0, True)})]) == Exceptions((((a, True),),))
    assert not patterns.contains(twice)
    assert not patterns.contains(Exceptions((((a, True), (b, True), (c, True)),)))
    assert not patterns.contains(Exceptions((((b, True), (a, True)),)))
    assert not patterns.contains(Exceptions((((a, True), (a, True)),)))
    assert not patterns.contains(Exceptions((((a, True),), ((a, True), (b, True)))))
    assert patterns.contains(Exceptions(((),)))


def test_tests_of_one_column_make_no_exceptions_of_the_impossible() -> None:
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 3, "integer": True}],
        }
    )
    patterns = Patterns(Binarisation.of(schema), 2)
    high, low = frozenset({(1, False), (2, True)}), frozenset({(0, True), (1, True)})
    assert patterns.rule([high]) == Exceptions(())
    assert patterns.rule([low]).describe(schema) == "0 if age >= 2; else 1"


def test_sql_answers_as_the_rule_does() -> None:
    patterns = Patterns(Binarisation.of(FLAGS), 2)
    rule = patterns.rule([frozenset({(0, True), (1, False)}), frozenset({(1, True), (2, True)})])
    cells = {name: np.array([(k >> i) & 1 for k in range(8)]) for i, name in enumerate("abc")}
    rows = ", ".join(
        f"({bool(a)}, {bool(b)}, {bool(c)})" for a, b, c in zip(*(cells[n] for n in "abc"), strict=True)
    )
    answers = duckdb.sql(f"SELECT {rule.to_sql(FLAGS)} FROM (VALUES {rows}) AS t(a, b, c)").fetchall()
    assert [row[0] for row in answers] == rule.predict(cells).tolist()
    assert rule.columns == ("a", "b", "c")
    assert patterns.rule([]).to_sql(FLAGS) == "1"
    assert patterns.rule(patterns.listed).to_sql(FLAGS) == "0"
