"""The default tree with graded leaves: labels stay, risks differ within leaves, and what is released is checked."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import NotCertified, Schema, learn, load, verify
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split
from privpac.constructions.card.graded_tree import GRADED, GradedTrees
from privpac.constructions.draw.default import auto
from privpac.constructions.draw.occam import Merged
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.errors import ParameterError, SchemaError
from privpac.model import digest
from privpac.request import LearnRequest
from privpac.verification import verify_document

COLUMNS: list[dict[str, Any]] = [
    {"name": "a", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
    {"name": "b", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
]
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": COLUMNS})
REQUEST = Request(SCHEMA, Size(3000), LearnRequest(epsilon=Fraction(1)))


def table(n: int = 3000) -> dict[str, Any]:
    """Nowhere are more than half of the records of class 1, and still risks differ."""
    random = np.random.default_rng(5)
    a, b = random.integers(0, 8, n), random.integers(0, 8, n)
    return {"a": a, "b": b, "y": (random.random(n) < 0.03 + 0.05 * a + 0.02 * b * (a >= 4)).astype(int)}


def learner() -> GradedTrees:
    graded = Recipe("graded-tree", REQUEST).learner
    assert isinstance(graded, GradedTrees)
    return graded


def test_classes_are_those_of_the_first_tree_and_risks_differ_within_its_leaves() -> None:
    sample = MemorySample.of(table(), SCHEMA)
    tree = learner().learn(sample, SeededCoins(3))
    first = learner().first.learn(sample, SeededCoins(3))
    cells = sample.block().cells
    assert tree.merged() == first
    assert sum(1 for _ in tree.leaves()) > 1
    assert (tree.leaf_numbers(cells, n=3000) >= 0).all()
    assert learner().releases(tree, Size(3000))


def test_what_it_promises_of_errors_is_what_the_first_tree_promises() -> None:
    assert learner().certify(Size(3000)).accuracy == learner().first.certify(Size(3000)).accuracy != ()


def test_probabilities_ask_for_it_and_rank() -> None:
    from sklearn.metrics import roc_auc_score

    data = table()
    aucs = {}
    for name, wish in {"graded": {"probabilities": True}, "plain": {"leaf_epsilon": "0.4"}}.items():
        model = learn(data, schema=SCHEMA, epsilon=2 if name == "graded" else "1.6", random_state=1, **wish)
        aucs[name] = roc_auc_score(data["y"], model.predict_proba(data)[:, 1])
    assert aucs["graded"] > 0.62
    assert aucs["graded"] > aucs["plain"] + 0.05


def test_it_declares_what_it_spends_where_the_first_tree_spends_no_more() -> None:
    """At epsilon 10 the first tree takes 3, as `auto` does: declared are these and what the grading takes."""

    def declared(epsilon: int) -> Fraction:
        wishes = Request(SCHEMA, Size(2_000), LearnRequest(epsilon=Fraction(epsilon)))
        return learner_for("graded-tree", wishes).certify(Size(2_000)).epsilon

    assert declared(4) == 4
    assert declared(10) == 3 + 10 * GRADED


def test_few_records_get_the_default_tree_as_it_is() -> None:
    few = Request(SCHEMA, Size(799), LearnRequest(epsilon=Fraction(1)))
    assert Recipe("graded-tree", few).learner == auto(few, "")
    assert isinstance(Recipe("graded-tree", few).learner, Merged)
    many = Request(SCHEMA, Size(20_000), LearnRequest(epsilon=Fraction(1)))
    large = Recipe("graded-tree", many).learner
    assert isinstance(large, GradedTrees)
    assert isinstance(large.first, RefinedTrees)


def test_other_trees_are_not_released() -> None:
    graded = learner()
    a, b = Test("a", 4, "at least"), Test("b", 4, "at least")
    grade = Split(b, Leaf(0), Leaf(0))
    assert graded.releases(Split(a, grade, Leaf(1)), Size(3000))
    assert not graded.releases(Split(a, Split(a, Leaf(0), Leaf(0)), Leaf(1)), Size(3000))
    strange = Split(Test("b", 0, "at least"), Leaf(0), Leaf(0))
    assert not graded.releases(Split(a, strange, Leaf(1)), Size(3000))
    twice = Split(a, Leaf(0), Leaf(1))
    assert not graded.releases(Split(b, twice, twice), Size(3000))  # not what grows below a leaf
    deep = Split(Test("b", 2, "at least"), Split(Test("b", 1, "at least"), Leaf(0), Leaf(0)), grade)
    assert graded.releases(Split(a, deep, Leaf(1)), Size(3000))
    deeper = Split(Test("b", 6, "at least"), deep, Leaf(0))
    assert not graded.releases(Split(a, deeper, Leaf(1)), Size(3000))


def test_it_is_stored_and_verified_and_a_foreign_tree_is_refused(tmp_path: Path) -> None:
    model = learn(table(), schema=SCHEMA, probabilities=True, epsilon=1, estimate_epsilon="0.5", holdout=0)
    model.save(tmp_path / "m.json")
    assert str(verify(tmp_path / "m.json").epsilon) == "1.5"
    assert load(tmp_path / "m.json") == model
    document = model.to_json()
    document["certificate"]["request"]["concepts"] = "auto"
    document["digest"] = digest(document)
    with pytest.raises(NotCertified):
        verify_document(document)


def test_an_estimate_follows_the_choice_of_labels_alone() -> None:
    wishes = LearnRequest.read(epsilon=1, probabilities=True, estimate_epsilon=1, holdout=0)
    recipe = Recipe.of(wishes, schema=SCHEMA, size=Size(3000))
    graded = recipe.learner
    assert isinstance(graded, GradedTrees)
    own = recipe._own_choice
    assert own is not None
    assert own.flattery is not None
    assert own.flattery < graded.epsilon * (1 - GRADED) * Fraction(1001, 1000)
    assert own.rules == graded.first.outcomes


def test_a_number_behind_the_word_and_three_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="graded-tree"):
        _ = Recipe("graded-tree:2", REQUEST).learner
    three = Schema.from_json({"label": "y", "classes": [0, 1, 2], "columns": COLUMNS})
    with pytest.raises(SchemaError, match="separates two"):
        _ = Recipe("graded-tree", Request(three, Size(3000), LearnRequest(epsilon=Fraction(1)))).learner
