"""Finite classes: the exact law against brute force, weights, both ways to give members, storage, SQL."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.coins import law
from privpac.concepts.base import Hypothesis
from privpac.concepts.finite import Finite, Lookup
from privpac.concepts.literals import hits
from privpac.concepts.literals.predicates import Predicate
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError, SchemaError
from privpac.mechanisms.scores import Histogram

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 4, "integer": True},
            {"name": "sex", "kind": "categorical", "categories": ["F", "M", "X"]},
            {"name": "smoker", "kind": "boolean"},
        ],
    }
)
TEXTS = [
    "age >= 2",
    "age >= 2 and sex == 'F'",
    "smoker or not (1 <= age < 3)",
    "sex in ['F', 'X']",
    "True",
    "age < 0",
    "age > 1",  # the same function as the first
]
MATRIX = np.array([[0, 0, 1, 1, 1], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [0, 0, 1, 1, 1]], bool)
WEIGHTS = {None: None, "some": (1, 5, 2, 3, 1, 1, 4), "huge": (2**70, 1, 2**64, 3, 2**65 - 1, 7, 2**70)}
RATIO = Fraction(3, 4)


def random_sample(seed: int, n: int) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {c.name: rng.integers(0, c.size, n).astype(c.dtype) for c in SCHEMA.columns}
    return MemorySample.from_cells(SCHEMA, cells, rng.integers(0, 2, n).astype(np.uint8))


def classes(weights: str | None) -> list[Finite]:
    given = WEIGHTS[weights]
    return [
        Finite(SCHEMA, TEXTS, given),
        Finite.of_matrix(SCHEMA, "age", MATRIX, given and given[: len(MATRIX)]),
    ]


def members_of(concepts: Finite) -> list[Hypothesis]:
    if isinstance(concepts.members, tuple):
        return list(concepts.members)
    return [Lookup("age", "".join(str(int(bit)) for bit in row)) for row in MATRIX]


def brute_force(concepts: Finite, sample: MemorySample, costs: tuple[int, int]) -> dict[Hypothesis, Fraction]:
    """Straight from the definition: weight times ratio to the power of the summed cost of mistakes."""
    block = sample.block()
    weights = concepts.weights or (1,) * concepts.size
    found: dict[Hypothesis, Fraction] = {}
    for member, weight in zip(members_of(concepts), weights, strict=True):
        wrong = member.predict(block.cells) != block.labels
        price = sum(costs[label] for label in np.asarray(block.labels)[wrong].tolist())
        found[member] = found.get(member, Fraction(0)) + weight * RATIO**price
    total = sum(found.values())
    return {member: mass / total for member, mass in found.items()}


def places_by_score(histogram: Histogram) -> dict[int, int]:
    assert histogram.beyond == 0
    return {
        histogram.best + int(step): int(count)
        for step, count in zip(histogram.steps, histogram.counts, strict=True)
    }


@pytest.mark.parametrize("weights", [None, "some"])
@pytest.mark.parametrize("costs", [(1, 1), (1, 3), (4, 1)])
@pytest.mark.parametrize("n", [0, 1, 13])
def test_the_exact_law_is_that_of_the_definition(weights: str | None, costs: tuple[int, int], n: int) -> None:
    sample = random_sample(n, n)
    for concepts in classes(weights):
        gibbs = concepts.gibbs(sample.reduce(concepts.statistic), ratio=RATIO, costs=costs)
        assert law(gibbs.draw) == brute_force(concepts, sample, costs)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", [0, 13])
def test_a_member_occupies_as_many_places_as_its_weight(weights: str | None, n: int) -> None:
    """Also beyond 64 bits: both ends of every member's stretch, and no place left over."""
    sample, costs = random_sample(n, n), (1, 3)
    block = sample.block()
    for concepts in classes(weights):
        scores = concepts.scores(sample.reduce(concepts.statistic), costs=costs)
        passed: Counter[int] = Counter()
        given = concepts.weights or (1,) * concepts.size
        for member, weight in zip(members_of(concepts), given, strict=True):
            wrong = member.predict(block.cells) != block.labels
            price = sum(costs[label] for label in np.asarray(block.labels)[wrong].tolist())
            assert scores.locate(price, passed[price]) == member
            assert scores.locate(price, passed[price] + weight - 1) == member
            passed[price] += weight
        assert passed == places_by_score(scores.histogram(None))


def test_replacing_a_record_costs_no_more_than_epsilon() -> None:
    """All pairs of neighbours of two records: the loss is at most ratio^(-2·max cost)."""
    costs = (1, 3)
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 1, "integer": True}],
        }
    )
    concepts = Finite(schema, ["x == 1", "x == 0", "True", "False"], (1, 2, 1, 7))
    records = list(product((0, 1), (0, 1)))

    def output(data: tuple[tuple[int, int], ...]) -> dict[Hypothesis, Fraction]:
        cells = {"x": np.array([x for x, _ in data], np.uint32)}
        sample = MemorySample.from_cells(schema, cells, np.array([y for _, y in data], np.uint8))
        return law(concepts.gibbs(sample.reduce(concepts.statistic), ratio=RATIO, costs=costs).draw)

    laws = {data: output(data) for data in product(records, repeat=2)}
    worst = Fraction(0)
    for (a, kept), b in product(product(records, repeat=2), records):
        one, other = laws[(a, kept)], laws[(b, kept)]
        worst = max(worst, *(one[h] / other[h] for h in one))
    assert 1 < worst <= RATIO ** (-2 * max(costs))


def test_blocks_and_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = random_sample(8, 1000)
    block = sample.block()
    assert block.labels is not None
    concepts = Finite(SCHEMA, TEXTS)
    whole = sample.reduce(concepts.statistic)
    for index, member in enumerate(members_of(concepts)):
        for number in (0, 1):
            holds = member.predict(block.cells)[block.labels == number].sum() if member.columns else None
            if holds is not None:
                assert whole.hits[index, number] == holds
    assert whole.hits[4].tolist() == whole.records.tolist() == np.bincount(block.labels).tolist()
    assert whole.hits[5].tolist() == [0, 0]
    monkeypatch.setattr(hits, "_LARGEST_CHUNK", 100)
    monkeypatch.setattr(hits, "_SMALLEST_CHUNK", 7)
    small = sample.reduce(concepts.statistic)
    statistic = concepts.statistic
    state = statistic.zero()
    for start in (0, 1, 400):
        end = {0: 1, 1: 400, 400: 1000}[start]
        cells = {name: values[start:end] for name, values in block.cells.items()}
        state = statistic.merge(
            state,
            statistic.absorb(
                statistic.zero(), Block(cells=cells, labels=block.labels[start:end], n=end - start)
            ),
        )
    for other in (small, state):
        assert (other.hits == whole.hits).all()
        assert (other.records == whole.records).all()


def test_a_class_of_constants_looks_at_no_column() -> None:
    concepts = Finite(SCHEMA, ["True", "False"])
    assert concepts.statistic.columns == ()
    evidence = random_sample(1, 20).reduce(concepts.statistic)
    assert evidence.hits[0].tolist() == evidence.records.tolist()


def test_evidence_needs_labels_and_shows_no_counts() -> None:
    concepts = Finite(SCHEMA, TEXTS)
    block = random_sample(1, 20).block()
    with pytest.raises(DataError, match="no labels"):
        concepts.statistic.absorb(concepts.statistic.zero(), Block(cells=block.cells, labels=None, n=20))
    assert repr(concepts.statistic.zero()) == "Hits(members=7, classes=2)"


def test_many_rows_are_multiplied_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 2, (500, 5))
    concepts = Finite.of_matrix(SCHEMA, "age", matrix)
    sample = random_sample(2, 300)
    block = sample.block()
    evidence = sample.reduce(concepts.statistic)
    assert not isinstance(concepts.members, tuple)
    whole = concepts.members.hits(evidence)
    monkeypatch.setattr("privpac.concepts.finite._BLOCK", 64)
    parts = concepts.members.hits(evidence)
    assert (whole.hits == parts.hits).all()
    for row in (0, 123, 499):
        inside = matrix[row][block.cells["age"].astype(int)] == 1
        assert whole.hits[row].tolist() == [int((inside & (block.labels == c)).sum()) for c in (0, 1)]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_options_rebuild_the_class(weights: str | None) -> None:
    for concepts in classes(weights):
        stored = json.loads(json.dumps(concepts.options))
        again = Finite.from_options(SCHEMA, stored)
        assert again == concepts
        assert hash(again) == hash(concepts)
        assert again.options == concepts.options
        sample = random_sample(4, 30)
        one, other = (
            c.scores(sample.reduce(c.statistic), costs=(1, 1)).histogram(None) for c in (again, concepts)
        )
        assert places_by_score(one) == places_by_score(other)
    assert Finite(SCHEMA, TEXTS).options["members"][2] == "age == 0 or age >= 3 or smoker"
    assert Finite.of_matrix(SCHEMA, "age", MATRIX).options["rows"][0] == "00111"


def test_members_may_be_predicates_or_a_column_and_a_matrix() -> None:
    read = [Predicate.read(text, schema=SCHEMA) for text in TEXTS]
    assert Finite(SCHEMA, read) == Finite(SCHEMA, tuple(TEXTS))
    assert Finite(SCHEMA, ("age", MATRIX)) == Finite.of_matrix(SCHEMA, "age", MATRIX.astype(float))
    assert Finite(SCHEMA, ("age < 1", "age < 2")).size == 2


def test_what_is_refused() -> None:
    other = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}],
        }
    )
    with pytest.raises(SchemaError, match="another schema"):
        Finite(other, [Predicate.read("age < 2", schema=SCHEMA)])
    with pytest.raises(SchemaError, match="differs"):
        Finite(other, Finite.of_matrix(SCHEMA, "age", MATRIX).members)
    with pytest.raises(SchemaError, match="'age'"):
        Finite(SCHEMA, ["aeg < 2"])
    for members in ([], "age < 2", 7, Predicate.read("True", schema=SCHEMA)):
        with pytest.raises(ParameterError, match="members"):
            Finite(SCHEMA, members)  # type: ignore[arg-type]
    for matrix in (np.ones((2, 4)), np.ones(5), np.ones((0, 5)), np.full((1, 5), 2), [["a"] * 5]):
        with pytest.raises(ParameterError, match="matrix"):
            Finite.of_matrix(SCHEMA, "age", matrix)
    for weights in ((1, 2), (1,) * 6 + (0,), (1,) * 6 + (True,), (1,) * 6 + (0.5,)):
        with pytest.raises(ParameterError, match="weights"):
            Finite(SCHEMA, TEXTS, weights)  # type: ignore[arg-type]


def test_lookup_reads_like_a_predicate_and_survives_storage() -> None:
    lookup = Lookup("age", "01100")
    cells = {"age": np.array([0, 1, 2, 3, 4], np.uint32)}
    assert lookup.predict(cells).tolist() == [0, 1, 1, 0, 0]
    assert lookup.predict({"age": np.zeros(0, np.uint32)}).tolist() == []
    assert lookup.columns == ("age",)
    assert lookup.describe(SCHEMA) == "1 if 1 <= age < 3, else 0"
    assert Lookup("age", "11111").describe(SCHEMA) == "always 1"
    assert Lookup("sex", "101").describe(SCHEMA) == "1 if sex != 'M', else 0"
    assert Lookup.from_json(json.loads(json.dumps(lookup.to_json()))) == lookup
    assert lookup.to_json()["kind"] == "lookup"
    for bits in ("", "012"):
        with pytest.raises(ValueError, match="zeros and ones"):
            Lookup.from_json({"kind": "lookup", "column": "age", "bits": bits})
