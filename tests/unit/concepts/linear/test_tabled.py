"""Half-spaces of more than five columns, in directions of a public table, and in those between public records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac import Schema, Size, learn, plan
from privpac.coins import SeededCoins, law
from privpac.concepts.linear.halfspaces import Halfspaces
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.errors import ParameterError
from privpac.request import LearnRequest
from privpac.verification import verify_document

NAMES = tuple("abcdef")
SCHEMA = Schema.from_json(
    {"label": "y", "columns": [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in NAMES]}
)
WORD = "halfspaces:" + ",".join(NAMES)


def records(n: int, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    table = {name: rng.random(n) for name in NAMES}
    return table, (table["a"] + table["b"] >= 1.1).astype(int)


def test_the_law_is_that_of_all_candidates() -> None:
    tiny = Schema.from_json(
        {
            "label": "y",
            "columns": [
                {"name": name, "kind": "numeric", "lower": 0, "upper": 2, "integer": True} for name in "ab"
            ],
        }
    )
    concepts = TabledHalfspaces(tiny, ("a", "b"), 4, levels=3)
    cells, labels = {"a": np.array([0, 1, 2, 2]), "b": np.array([1, 0, 2, 1])}, np.array([0, 0, 1, 1])
    sample = MemorySample.from_cells(tiny, cells, labels)
    ratio = Fraction(3, 5)
    drawn = law(concepts.gibbs(sample.reduce(concepts.statistic), ratio=ratio, costs=(1, 1)).draw)
    weights: dict[object, Fraction] = {}
    for part in concepts.parts:
        share = Fraction(1, part.size(concepts.top))
        for chunk in part.chunks():
            for chosen in chunk.tolist():
                for pattern in part.patterns:
                    for cut in range(sum(map(abs, pattern)) * concepts.top + 1):
                        for above in (True, False):
                            rule = concepts.candidate(chosen, pattern, cut, above)
                            mistakes = int((rule.predict(cells) != labels).sum())
                            weights[rule] = weights.get(rule, Fraction(0)) + share * ratio**mistakes
                            assert concepts.contains(rule)
    total = sum(weights.values())
    assert drawn == {rule: weight / total for rule, weight in weights.items()}


def test_six_columns_are_learnt_verified_and_planned_alike() -> None:
    table, labels = records(1500)
    model = learn(table, y=labels, schema=SCHEMA, concepts=WORD, epsilon=2, random_state=3)
    cells = MemorySample.of(table, SCHEMA, y=labels).block().cells
    assert np.mean(model.hypothesis.predict(cells) != labels) < 0.1
    assert verify_document(model.to_json()).rebuilt
    grid = model.certificate["learner"]["grid"]
    assert "8,192 of a public table" in grid
    assert "one in another direction may be better" in grid
    concepts = learner_for(WORD, Request(SCHEMA, Size(1500), LearnRequest(epsilon=Fraction(2)))).concepts
    assert isinstance(concepts, TabledHalfspaces)
    row = plan.needed(WORD, schema=SCHEMA, error="0.1", epsilon=1).rows[0]
    assert row.promise.grid == concepts.grid


def test_a_rule_in_another_direction_is_no_member() -> None:
    concepts = TabledHalfspaces(SCHEMA, NAMES, 50)
    own = concepts.candidate(range(6), concepts.parts[2].patterns[7], 20, True)
    assert concepts.contains(own)
    other = Halfspaces(SCHEMA, NAMES, ((1, 2, 3, 4, 5, 6),)).candidate(range(6), (1, 2, 3, 4, 5, 6), 20, True)
    assert not concepts.contains(other)


def test_directions_between_public_records_separate_them() -> None:
    table, labels = records(12, seed=1)
    public = MemorySample.of(table, SCHEMA, y=labels)
    concepts = Halfspaces.between(SCHEMA, NAMES, public, most=20)
    assert len(concepts.directions) == 20
    assert all(next(filter(None, row)) > 0 for row in concepts.directions)
    private, truth = records(800, seed=2)
    sample = MemorySample.of(private, SCHEMA, y=truth)
    law_of_all = concepts.gibbs(sample.reduce(concepts.statistic), ratio=Fraction(1, 10), costs=(1, 1))
    rule = law_of_all.draw(SeededCoins(0))
    assert np.mean(rule.predict(sample.block().cells) != truth) < 0.25
    same = MemorySample.of({name: [0.5, 0.5] for name in NAMES}, SCHEMA, y=[0, 1])
    with pytest.raises(ParameterError, match="two records that differ"):
        Halfspaces.between(SCHEMA, NAMES, same)
