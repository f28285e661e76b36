"""Leaf counts: the statistic, what they cost, how they are stored, and what probabilities are made of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privpac import Model, NotCertified, Schema, learn, load, verify
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split
from privpac.constructions.estimates.folding import fold
from privpac.constructions.estimates.leaf_counts import LeafCounts, LeafTable, release_leaf_counts
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.model import digest
from privpac.request import LearnRequest

SCHEMA = Schema.from_json(
    {
        "label": "stage",
        "classes": ["mild", "severe", "none"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
            {"name": "smoker", "kind": "boolean"},
        ],
    }
)
TREE = Split(Test("age", 50, "at least"), Leaf(2), Split(Test("smoker", 1, "equals"), Leaf(0), Leaf(1)))


def frame(n: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(7)
    age, smoker = random.integers(0, 100, n), random.integers(0, 2, n).astype(bool)
    stage = np.where(age < 50, "none", np.where(smoker, "severe", "mild"))
    return pd.DataFrame({"age": age, "smoker": smoker, "stage": stage})


def sample() -> MemorySample:
    return MemorySample.of(frame(), SCHEMA)


def learnt(**wishes: Any) -> Model:
    wishes = {"epsilon": 5, "concepts": "trees:2", "leaf_epsilon": "0.5", "random_state": 1, **wishes}
    return learn(frame(), schema=SCHEMA, **wishes)


def request(**wishes: Any) -> Request:
    return Request(SCHEMA, Size(400), LearnRequest(**{"epsilon": Fraction(1), **wishes}))


def rules_of(proof: dict[str, Any]) -> list[str]:
    return [proof["rule"], *(rule for premise in proof.get("premises", ()) for rule in rules_of(premise))]


def test_the_statistic_counts_every_record_in_its_leaf_and_adds_up() -> None:
    table = frame()
    by_hand = [
        [int(((table.age < 50) & (table.stage == name)).sum()) for name in SCHEMA.classes],
        [int(((table.age >= 50) & ~table.smoker & (table.stage == name)).sum()) for name in SCHEMA.classes],
        [int(((table.age >= 50) & table.smoker & (table.stage == name)).sum()) for name in SCHEMA.classes],
    ]
    statistic = LeafTable(TREE, 3)
    assert sample().reduce(statistic).tolist() == by_hand
    halves = [MemorySample.of(part, SCHEMA).reduce(statistic) for part in (table[:150], table[150:])]
    assert statistic.merge(*halves).tolist() == by_hand


def test_a_tree_of_one_leaf_counts_the_classes() -> None:
    counts = sample().reduce(LeafTable(Leaf(1), 3))
    assert counts.tolist() == [[int((frame().stage == name).sum()) for name in SCHEMA.classes]]


def test_every_cell_has_its_own_noise_and_stays_within_public_bounds() -> None:
    true = sample().reduce(LeafTable(TREE, 3))
    seen = [
        np.array(release_leaf_counts(sample(), TREE, epsilon=Fraction(1), coins=SeededCoins(seed)).counts)
        for seed in range(150)
    ]
    assert all((counts >= 0).all() and (counts <= 400).all() for counts in seen)
    changed = np.mean([counts != true for counts in seen], axis=0)
    # A cell keeps its value with probability (1 - r)/(1 + r), r = e^(-1/2); at 0 noise downwards is cut off.
    expected = np.where(true == 0, 0.378, 0.755)
    assert np.abs(changed - expected).max() < 0.17
    exact = release_leaf_counts(sample(), TREE, epsilon=Fraction(200), coins=SeededCoins(0))
    assert np.array(exact.counts).tolist() == true.tolist()


def test_shares_are_drawn_towards_the_node_above_the_more_the_fewer_records_there_are() -> None:
    few, many = (
        LeafCounts(((200, 0, 0), (0, 1, 0), (0, 0, 2)), 400, Fraction(1)),
        LeafCounts(((200_000, 0, 0), (0, 1000, 0), (0, 0, 2000)), 400_000, Fraction(1)),
    )
    assert few.shares(TREE).sum(axis=1) == pytest.approx(1)
    assert ((few.shares(TREE) > 0) & (few.shares(TREE) < 1)).all()
    assert few.shares(TREE)[1, 0] > 0.4  # one record in a leaf says nearly what everybody says
    assert many.shares(TREE)[1, 1] > 0.97
    # By hand: noise of standard deviation 2 (about), weight 2·2·sqrt(leaves) for the node above; a quarter of what a
    # leaf is drawn towards is its label.
    everyone = (np.array([200, 1, 2]) + 2) / (203 + 6)
    root = (np.array([200, 1, 2]) + 4 * 3**0.5 * everyone) / (203 + 4 * 3**0.5)
    right = (np.array([0, 1, 2]) + 4 * 2**0.5 * root) / (3 + 4 * 2**0.5)
    towards = 0.75 * right + 0.25 * np.eye(3)[list(TREE.leaves())[2].label]
    assert few.shares(TREE)[2] == pytest.approx((np.array([0, 0, 2]) + 4 * towards) / 6)


def test_where_counts_are_all_alike_the_labels_decide() -> None:
    counts = LeafCounts(((5, 5, 5),) * 3, 400, Fraction(1, 10))
    for leaf, shares in zip(TREE.leaves(), counts.shares(TREE), strict=True):
        others = np.delete(shares, leaf.label)
        assert shares[leaf.label] > 0.4
        assert others == pytest.approx((1 - shares[leaf.label]) / 2)


def test_a_label_that_all_leaves_share_is_told_once() -> None:
    """Splits between equal labels, as graded leaves have them, must not lean further and further."""
    grown = Split(next(TREE.tests()), Leaf(1), Leaf(1))
    alone, parted = (LeafCounts(((0, 0, 0),) * leaves, 400, Fraction(1, 10)) for leaves in (1, 2))
    assert parted.shares(grown) == pytest.approx(np.repeat(alone.shares(Leaf(1)), 2, axis=0))


def test_records_enough_outvote_the_label() -> None:
    counts = LeafCounts(((10, 10, 900), (900, 10, 10), (900, 10, 10)), 3000, Fraction(1))
    assert counts.shares(TREE).argmax(axis=1).tolist() == [2, 0, 0]


def test_the_counts_add_to_the_price() -> None:
    alone = learnt(leaf_epsilon=None, epsilon=1).certificate
    assert alone["epsilon"] == "1"
    both = learnt(epsilon=1, leaf_epsilon="0.1", estimate_epsilon="0.2").certificate
    assert both["epsilon"] == "1.3"
    assert rules_of(both["privacy"]).count("geometric-noise") == 2
    aside = learnt(epsilon=1, leaf_epsilon="0.1", estimate_epsilon="0.2", holdout="0.25")
    assert aside.certificate["epsilon"] == "1.1"
    assert aside.leaf_counts is not None
    assert aside.leaf_counts.records == 300


def test_a_person_behind_several_records_pays_no_more_and_gets_more_noise() -> None:
    recipe = Recipe("trees:1", request(records_per_person=4), leaf_epsilon=Fraction(1))
    certificate = recipe.certify()
    assert certificate.epsilon == 2
    assert certificate.to_json()["privacy"]["rule"] == "group"
    counts = recipe.run(sample(), SeededCoins(0)).leaf_counts
    assert counts is not None
    assert counts.epsilon == Fraction(1, 4)


def test_under_label_privacy_the_counts_protect_labels() -> None:
    model = learnt(protect="labels")
    facts = json.dumps(model.certificate["privacy"])
    assert '"record"' not in facts
    assert "geometric-noise" in facts


def _edited(model: Model, path: Path, **parts: Any) -> Path:
    tree = {**model.to_json(), **parts}
    tree["digest"] = digest(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def test_counts_that_do_not_belong_to_the_model_are_refused(tmp_path: Path) -> None:
    model = learnt()
    assert model.leaf_counts is not None
    stored = model.leaf_counts.to_json()
    for wrong in (
        {**stored, "counts": stored["counts"][1:]},
        {**stored, "counts": [row[1:] for row in stored["counts"]]},
        {**stored, "counts": [[10**6] * 3 for _ in stored["counts"]]},
        {**stored, "counts": None},
    ):
        with pytest.raises(NotCertified):
            load(_edited(model, tmp_path / "model.json", leaf_counts=wrong))
    for unpaid in (None, {**stored, "epsilon": "7"}):
        with pytest.raises(NotCertified, match="certificate"):
            verify(_edited(model, tmp_path / "model.json", leaf_counts=unpaid))
    bare = learnt(leaf_epsilon=None)
    with pytest.raises(NotCertified, match="does not speak of"):
        verify(
            _edited(bare, tmp_path / "model.json", leaf_counts=stored, hypothesis=model.hypothesis.to_json())
        )


def test_probabilities_are_those_of_the_leaf_and_the_drawn_label_wins() -> None:
    counts = LeafCounts(((40, 0, 50), (0, 90, 0), (0, 0, 60)), 400, Fraction(1))
    model = replace(learnt(), hypothesis=TREE, leaf_counts=counts)
    three = pd.DataFrame({"age": [10, 60, 60], "smoker": [True, False, True]})
    assert model.predict_proba(three) == pytest.approx(counts.shares(TREE))
    assert counts.shares(TREE).argmax(axis=1).tolist() == [2, 1, 2]
    assert model.predict(three).tolist() == ["none", "mild", "severe"]


def test_a_tree_without_tests_has_one_share_for_everybody() -> None:
    model = replace(learnt(), hypothesis=Leaf(0), leaf_counts=LeafCounts(((3, 0, 0),), 400, Fraction(1)))
    towards = 0.75 * np.array([5, 2, 2]) / 9 + 0.25 * np.array([1, 0, 0])
    assert model.predict_proba(frame(5)) == pytest.approx(
        np.array([(np.array([3, 0, 0]) + 4 * towards) / 7] * 5)
    )


def test_the_tree_in_words_shows_its_counts() -> None:
    counts = LeafCounts(((0, 1, 1234), (9, 90, 0), (0, 3, 0)), 4000, Fraction(1))
    assert fold(TREE, counts, SCHEMA).describe(SCHEMA).splitlines()[:-1] == [
        "if age >= 50:",
        "  if smoker is true: severe, by chance",
        "  if smoker is false: mild (about mild: 9, severe: 90, none: 0)",
        "if age < 50: none (about mild: 0, severe: 1, none: 1,234)",
    ]
    alone = LeafCounts(((10, 20, 30),), 60, Fraction(1))
    assert (
        fold(Leaf(0), alone, SCHEMA).describe(SCHEMA) == "always mild (about mild: 10, severe: 20, none: 30)"
    )
