"""Invented records: as rare and as hard as was asked, repeatable, with labels that some rule of a class has."""

from __future__ import annotations

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Threshold
from privpac.data.schema import Schema
from privpac.planning.invented import (
    KINDS,
    attained,
    from_class,
    lone_value,
    matched,
    matched_population,
    uniforms,
)
from privpac.planning.simulation import area_under

SCHEMA = Schema.from_json({
    "label": "ill",
    "base_rate": 0.15,
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True, "usual": [20, 79]},
        {"name": "height", "kind": "numeric", "lower": 0, "upper": 250, "integer": True},
        {"name": "smokes", "kind": "boolean"},
        {"name": "ward", "kind": "categorical", "categories": ["a", "b", "c", "d"]},
        {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**80, "integer": True},
    ],
})  # fmt: skip


def _auc(scores: np.ndarray, labels: np.ndarray) -> float:
    return area_under(np.unique(scores, return_inverse=True)[1], labels)


@pytest.mark.parametrize(("rate", "auc"), [(0.05, 0.85), (0.15, 0.7), (0.5, 0.6)])
def test_probabilities_have_the_mean_and_the_auc_that_were_asked_for(rate: float, auc: float) -> None:
    chances = matched(np.random.default_rng(1).normal(size=20_000), rate, auc)
    assert float(chances.mean()) == pytest.approx(rate, abs=1e-6)
    assert attained(chances) == pytest.approx(auc, abs=1e-6)
    labels = (np.random.default_rng(2).random(20_000) < chances).astype(np.uint8)
    assert _auc(chances, labels) == pytest.approx(auc, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_as_rare_and_as_hard_as_was_asked_and_made_the_same_again(kind: str) -> None:
    made, again = (matched_population(kind, SCHEMA, rate=0.15, auc=0.72) for _ in range(2))
    assert float(made.labels.mean()) == pytest.approx(0.15, abs=0.01)
    assert made.constant == pytest.approx(0.15, abs=0.01)
    assert np.array_equal(made.labels, again.labels)
    cells = made.records.block().cells
    assert cells["age"].min() >= 20
    assert cells["age"].max() <= 79, "what is usual"
    assert max(cells["key"]) > 2**79


def test_one_column_is_strong_where_one_should_be_and_none_where_effects_are_weak() -> None:
    wide = Schema.from_json({
        "label": "y",
        "columns": [{"name": f"c{k}", "kind": "numeric", "lower": 0, "upper": 999, "integer": True} for k in range(12)],
    })  # fmt: skip

    def best(kind: str) -> float:
        made = matched_population(kind, wide, rate=0.3, auc=0.8)
        cells = made.records.block().cells
        found = [_auc(cells[column.name], made.labels) for column in wide.columns]
        return max(max(auc, 1 - auc) for auc in found)

    assert best("one strong column") > 0.75
    assert best("many weak effects") < 0.65


def test_samples_begin_alike_and_numbers_are_spread() -> None:
    made = matched_population("a tree", SCHEMA, rate=0.3, auc=0.7)
    few, many = (made.sample(n, SeededCoins(4)).block().cells["age"] for n in (50, 500))
    assert np.array_equal(few, many[:50])
    numbers = uniforms(SeededCoins(1), 5_000)
    assert 0 <= numbers.min() <= numbers.max() < 1
    assert abs(float(numbers.mean()) - 0.5) < 0.02


def test_labels_of_a_class_are_those_of_a_member_but_for_those_that_are_flipped() -> None:
    bare = Schema.from_json({"label": "y", "columns": [SCHEMA.to_json()["columns"][1]]})
    rule = Threshold("height", 100, up=True)
    for flipped in (0.0, 0.2):
        made = from_class(bare, lambda records: rule, flipped=flipped)
        assert made.error(rule) == pytest.approx(flipped, abs=0.01)
    rare = Schema.from_json({"label": "y", "base_rate": 0.1, "columns": [SCHEMA.to_json()["columns"][1]]})
    made = from_class(rare, lambda records: rule, flipped=0.1)
    assert float(made.labels.mean()) == pytest.approx(0.1, abs=1e-3)
    assert "as common as the base rate says" in made.what


def test_half_of_the_records_have_the_lone_value() -> None:
    made = lone_value(SCHEMA, "age", flipped=0.0)
    cells = made.records.block().cells["age"]
    assert set(cells[made.labels == 1]) == {60}
    assert 60 not in cells[made.labels == 0]
    assert float(made.labels.mean()) == pytest.approx(0.5, abs=0.02)
