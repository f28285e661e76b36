"""Sets of a code: shared members, good sets, scores against brute force, SQL, files."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.registry import sample_of as tiny_sample
from privpac.audit.registry import tiny_schema
from privpac.coins import SeededCoins
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.concepts.sets.codes import CodeSet, CodeSets
from privpac.constructions.points.coded import Code, CodedPoints
from privpac.data.sample import Size
from privpac.errors import NoSqlForm, ParameterError
from tests.unit.point_rules import KINDS, by_database, keys, names, random_cells, sample_of


@pytest.mark.parametrize(("prime", "digits"), [(2, 2), (3, 2), (5, 2), (3, 3), (5, 3)])
def test_two_points_share_few_sets_and_each_lies_in_one_set_a_place(prime: int, digits: int) -> None:
    schema = tiny_schema(prime**digits)
    cells = {"a": np.arange(prime**digits, dtype=np.uint32)}
    held = np.array(
        [
            CodeSet("a", prime, digits, place, value).predict(cells)
            for place in range(prime)
            for value in range(prime)
        ],
        dtype=np.int64,
    )
    assert CodeSets(schema, "a", prime, digits).size == len(held)
    assert (held.sum(axis=0) == prime).all()
    shared = held.T @ held
    np.fill_diagonal(shared, 0)
    assert shared.max() <= digits - 1


@pytest.mark.parametrize(("prime", "digits"), [(5, 2), (7, 2), (5, 3)])
def test_there_are_at_least_as_many_good_sets_as_promised(prime: int, digits: int) -> None:
    generator = np.random.default_rng(prime * digits)
    size = prime**digits
    cells = {"a": np.arange(size, dtype=np.uint32)}
    held = np.array(
        [
            CodeSet("a", prime, digits, place, value).predict(cells)
            for place in range(prime)
            for value in range(prime)
        ],
        dtype=bool,
    )
    for trial in range(300):
        masses = generator.dirichlet(np.full(size, 10.0 ** generator.uniform(-2, 1)))
        target, tolerated = int(generator.integers(size)), Fraction(int(generator.integers(1, 100)), 100)
        masses[target] = 0.0
        good = sum(masses[row].sum() <= float(tolerated) + 1e-12 for row in held if row[target])
        assert good >= Code(prime, digits).good(tolerated), trial


def test_scores_are_mistakes() -> None:
    schema = tiny_schema(9)
    concepts = CodeSets(schema, "a", 3, 2)
    generator = np.random.default_rng(1)
    data = [
        (int(x), int(y))
        for x, y in zip(generator.integers(0, 9, 12), generator.integers(0, 2, 12), strict=True)
    ]
    evidence = tiny_sample(schema, data).reduce(concepts.statistic)
    scores = concepts.scores(evidence, costs=(1, 1))
    histogram = scores.histogram(None)
    found: dict[int, list[CodeSet]] = {}
    for step, count in zip(histogram.steps.tolist(), histogram.counts, strict=True):
        found[histogram.best + step] = [scores.locate(histogram.best + step, i) for i in range(count)]  # type: ignore[misc]
    listed = [CodeSet("a", 3, 2, u, v) for u, v in itertools.product(range(3), repeat=2)]
    assert sorted(map(str, listed)) == sorted(str(rule) for rules in found.values() for rule in rules)
    cells = {"a": np.array([x for x, _ in data], dtype=np.uint32)}
    labels = np.array([y for _, y in data])
    for score, rules in found.items():
        assert all(int((rule.predict(cells) != labels).sum()) == score for rule in rules)


@pytest.mark.long_cases(
    "62",
    "100",
    "8",
    "64",
)
@pytest.mark.parametrize("bits", [8, 16, 32, 62, 64, 100])
def test_sql_says_what_predict_says(bits: int) -> None:
    schema = keys(bits)
    cells = random_cells(schema, 300)
    cells[0], cells[1] = 0, schema.column("code").size - 1
    code = CodedPoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(400))
    prime, digits = (17, 2) if code is None else (code.concepts.prime, code.concepts.digits)
    for place in (0, 1, prime - 1):
        value = int(CodeSet("code", prime, digits, place, 0).predict({"code": cells[:1]})[0])
        rule = CodeSet("code", prime, digits, place, value)
        assert by_database(rule, schema, cells, KINDS[bits]) == rule.predict({"code": cells}).tolist()


def test_fractions_shifted_bounds_and_categories_in_sql() -> None:
    schema = keys(16, lower=-100)
    cells = random_cells(schema, 200)
    rule = CodeSet("code", 257, 2, 3, int(cells[0]) % 257)
    assert by_database(rule, schema, cells, "DOUBLE") == rule.predict({"code": cells}).tolist()
    short = names()
    rule = CodeSet("code", 3, 2, 1, 2)
    cells = np.arange(6, dtype=np.uint32)
    assert by_database(rule, short, cells, "VARCHAR") == rule.predict({"code": cells}).tolist()
    with pytest.raises(NoSqlForm, match="no SQL form"):
        CodeSet("code", 3847, 11, 1, 2).to_sql(keys(128))


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_the_target_is_found_and_the_file_reads_back(bits: int) -> None:
    schema = keys(bits)
    cells = random_cells(schema, 400, seed=bits)
    cells[::4] = cells[0]
    labels = (cells == cells[0]).astype(np.uint8)
    learner = CodedPoints.tuned(schema, "code", epsilon=Fraction(1), size=Size(400))
    assert learner is not None

    rule = learner.learn(sample_of(schema, cells, labels), SeededCoins(bits))
    assert rule.predict({"code": cells[:1]})[0] == 1
    assert (rule.predict({"code": cells}) == labels).mean() > 0.9
    assert hypothesis_from_json(rule.to_json()) == rule
    assert misfit(rule, schema) is None
    assert misfit(rule, keys(256)) is not None


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="digits"):
        CodeSets(keys(64), "code", 17, 2)
    concepts = CodeSets(keys(8), "code", 17, 2)
    with pytest.raises(ParameterError, match="costs"):
        concepts.scores(concepts.statistic.zero(), costs=(1, 2))
    assert misfit(CodeSet("code", 17, 2, 17, 0), keys(8)) == "its field has no room for the column"
    with pytest.raises(Exception, match="malformed"):
        hypothesis_from_json({"kind": "code-set", "column": "code", "prime": "7"})
