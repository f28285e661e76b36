"""Trees that rank: the statistic, the levels, what is released, and how they rank."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import NotCertified, Schema, learn, load, verify
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.tree import Leaf, Split
from privpac.constructions.card.risk_tree import MOST_LEVELS, RiskTrees, levels_for
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.errors import ParameterError, SchemaError
from privpac.model import digest, model_from

COLUMNS = [
    {"name": "a", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
    {"name": "b", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
    {"name": "c", "kind": "categorical", "categories": ["u", "v", "w"]},
]
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)
TREE = Split(Test("a", 4, "at least"), Leaf(0), Leaf(1))


def table(n: int = 3000) -> dict[str, Any]:
    """Rare: nearly nowhere are more than half of the records of class 1, and still risks differ."""
    random = np.random.default_rng(5)
    a, b = random.integers(0, 8, n), random.integers(0, 8, n)
    risk = 0.04 + 0.05 * a + 0.02 * b * (a >= 4)
    return {"a": a, "b": b, "c": random.choice(list("uvw"), n), "y": (random.random(n) < risk).astype(int)}


def sample(n: int = 3000) -> MemorySample:
    return MemorySample.of(table(n), SCHEMA)


def learner(**more: Any) -> RiskTrees:
    return RiskTrees(**{"schema": SCHEMA, "epsilon": Fraction(1), "tests": TESTS, "levels": 3, **more})


def test_levels_grow_with_what_there_is_to_learn_from() -> None:
    depths = [levels_for(n, Fraction(1, 2)) for n in (1, 100, 600, 3000, 10**5, 10**12)]
    assert depths == sorted(depths)
    assert depths[0] == 1
    assert depths[-1] == MOST_LEVELS


def test_later_levels_have_fewer_points() -> None:
    assert [learner(levels=k).schedule for k in (1, 2, 4)] == [(6,), (6, 3), (6, 4, 3, 2)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": 0},
        {"levels": 7},
        {"epsilon": Fraction(0)},
        {"epsilon": Fraction(1, 10**30)},
        {"costs": (1, 0)},
    ],
)
def test_other_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        learner(**wrong)


def test_a_word_of_strange_depth_and_three_classes_are_refused() -> None:
    request = Request(schema=SCHEMA, size=Size(100), epsilon=Fraction(1))
    for word in ("risk-tree:0", "risk-tree:7", "risk-tree:deep"):
        with pytest.raises(ParameterError, match="risk-tree"):
            _ = Recipe(word, request).learner
    three = Schema.from_json({"label": "y", "classes": [0, 1, 2], "columns": COLUMNS})
    with pytest.raises(SchemaError, match="separates two"):
        _ = Recipe("risk-tree", Request(schema=three, size=Size(100), epsilon=Fraction(1))).learner


def test_no_test_is_asked_whose_answer_is_known() -> None:
    for seed in range(10):
        tree = learner(epsilon=Fraction(1, 100)).learn(sample(50), SeededCoins(seed))
        assert learner().releases(tree, Size(50))
    twice = Split(TREE.test, Split(TREE.test, Leaf(0), Leaf(1)), Leaf(1))
    assert not learner().releases(twice, Size(50))
    assert not learner(levels=1).releases(
        Split(TREE.test, Leaf(0), Split(Test("b", 3, "at least"), Leaf(0), Leaf(1))), Size(50)
    )
    assert not learner().releases(Split(Test("b", 0, "at least"), Leaf(0), Leaf(1)), Size(50))


def test_siblings_of_one_class_are_kept_apart_and_rank() -> None:
    from sklearn.metrics import roc_auc_score

    data = table()
    ranks = learn(data, schema=SCHEMA, concepts="risk-tree", epsilon=2, random_state=1)
    labels = learn(data, schema=SCHEMA, concepts="trees:3", epsilon=2, random_state=1, probabilities=True)
    aucs = [roc_auc_score(data["y"], model.predict_proba(data)[:, 1]) for model in (ranks, labels)]
    assert aucs[0] > 0.66
    assert aucs[0] > aucs[1] + 0.02
    assert ranks.leaf_counts is not None
    assert len(ranks.leaf_counts.counts) > 4


def test_labels_follow_from_the_counts_and_the_costs() -> None:
    data = table()
    for costs in ((1, 1), (1, 5)):
        model = learn(data, schema=SCHEMA, concepts="risk-tree:2", epsilon=2, costs=costs, random_state=1)
        risks = model.predict_proba(data)[:, 1]
        assert (model.predict(data) == (risks * costs[1] >= (1 - risks) * costs[0])).all()


def test_it_is_stored_and_verified_and_a_foreign_tree_is_refused(tmp_path: Path) -> None:
    model = learn(table(300), schema=SCHEMA, concepts="risk-tree:2", epsilon=1, estimate_epsilon="0.5")
    model.save(tmp_path / "m.json")
    assert str(verify(tmp_path / "m.json").epsilon) == "1.5"
    assert load(tmp_path / "m.json") == model
    tree = model.to_json()
    tree["certificate"]["request"]["concepts"] = "risk-tree:1"
    tree["digest"] = digest(tree)
    from privpac.verification import verify_document

    with pytest.raises(NotCertified):
        verify_document(tree)
    assert model_from(model.to_json()) == model
