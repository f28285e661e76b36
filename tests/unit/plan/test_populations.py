"""Populations to simulate on: the marginals that were asked for, a planted rule, repeatable."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.trees.tree import Leaf
from privpac.data.schema import Schema
from privpac.errors import SchemaError, SizeError
from privpac.plan.populations import from_table, lone_value, read_marginals, skewed, synthetic, uniforms

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
            {"name": "smoker", "kind": "boolean"},
            {"name": "town", "kind": "categorical", "categories": ["a", "b", "c"]},
        ],
    }
)
MARGINALS = {"age": [20, 40, 60], "smoker": {"true": 1, "false": 3}, "town": {"a": 0.5, "c": 0.5}}


def test_columns_of_any_length_are_drawn_from() -> None:
    for bits in (60, 200, 1100):
        column = {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
        schema = Schema.from_json({"label": "y", "columns": [column]})
        even = synthetic(schema, flipped=0.0, rows=400).records.block().cells["key"]
        assert 0.3 < sum(int(cell) > 2 ** (bits - 1) for cell in even) / 400 < 0.7
        steep = skewed(schema, "key", rows=400).records.block().cells["key"]
        assert 0.3 < sum(int(cell) > 2 ** (bits // 2) for cell in steep) / 400 < 0.7
        lone = lone_value(schema, "key", error=0.2, flipped=0.1, rows=4000)
        assert lone.best == pytest.approx(0.1, abs=0.02)
        held = lone.records.block().cells["key"] == 2 ** (bits - 1)
        assert np.mean(held) == pytest.approx(0.2 * 1.1 / 0.8, abs=0.03)


def test_uniforms_are_uniform_and_begin_alike() -> None:
    """Chi-square with 19 degrees of freedom is above 65 once in 10^6 runs; the seed is fixed."""
    found = uniforms(SeededCoins(3), 20_000)
    counts = np.bincount((found * 20).astype(int), minlength=20)
    assert ((counts - 1000) ** 2 / 1000).sum() < 65
    assert 0.0 <= found.min() < found.max() < 1.0
    assert np.array_equal(uniforms(SeededCoins(3), 700)[:512], found[:512])


def test_columns_have_their_marginals() -> None:
    made = synthetic(SCHEMA, flipped=0.1, marginals=MARGINALS)
    cells = made.records.block().cells
    assert cells["age"].min() >= 20
    assert cells["age"].max() <= 60
    assert abs(np.mean(cells["age"] < 40) - 0.5) < 0.02
    assert abs(np.mean(cells["smoker"] == 1) - 0.25) < 0.02
    assert set(np.unique(cells["town"])) == {0, 2}
    assert max(int(cell) for cell in cells["key"]) > 2**69
    assert "with the given marginals" in made.on
    again = synthetic(SCHEMA, flipped=0.1, marginals=MARGINALS).records.block()
    assert all(np.array_equal(cells[name], again.cells[name]) for name in cells)


def test_labels_follow_a_planted_rule_but_for_the_flips() -> None:
    noisy, clean = synthetic(SCHEMA, flipped=0.2), synthetic(SCHEMA, flipped=0.0)
    assert clean.best == 0.0
    assert abs(noisy.best - 0.2) < 0.02
    differ = np.mean(noisy.records.block().labels != clean.records.block().labels)
    assert differ == pytest.approx(noisy.best)
    share = np.mean(clean.records.block().labels)
    assert 0.25 < share < 0.75, "a planted rule must not be nearly constant"
    assert clean.error(Leaf(1)) == pytest.approx(1 - share)


@pytest.mark.parametrize("rates", [(0.94, 0.06), (0.15, 0.85), (0.7, 0.2, 0.1)])
def test_classes_are_as_common_as_the_schema_says(rates: tuple[float, ...]) -> None:
    classes = [str(place) for place in range(len(rates))]
    schema = Schema.from_json({**SCHEMA.to_json(), "classes": classes, "base_rate": list(rates)})
    for flipped in (0.0, 0.1):
        made = synthetic(schema, flipped=flipped)
        labels = made.records.block().labels
        assert np.bincount(labels) / made.n == pytest.approx(rates, abs=1e-4)
        assert made.best == pytest.approx(min(flipped, len(rates) * min(rates) / 3), abs=1e-3)
        assert made.best < 1 - max(rates), "there is something to learn"
        assert "as common as the base rate says" in made.on
    assert made.error(Leaf(int(np.argmax(rates)))) == pytest.approx(1 - max(rates), abs=1e-4)


def test_a_class_that_no_tree_names_leaves_the_labels_as_they_are() -> None:
    classes = [str(place) for place in range(12)]  # a tree of depth 3 has eight leaves
    schema = Schema.from_json({**SCHEMA.to_json(), "classes": classes, "base_rate": [1 / 12] * 12})
    assert "base rate" not in synthetic(schema, flipped=0.1, rows=2_000).on


def test_samples_are_draws_and_begin_alike() -> None:
    made = synthetic(SCHEMA, flipped=0.1)
    few, many = made.sample(600, SeededCoins(1)), made.sample(5000, SeededCoins(1))
    assert few.size.labelled == 600
    assert np.array_equal(few.block().cells["age"][:512], many.block().cells["age"][:512])
    assert abs(np.mean(many.block().labels) - np.mean(made.records.block().labels)) < 0.05


def test_a_table_is_taken_as_it_is() -> None:
    table = {"age": [30, 50], "key": [1, 2], "smoker": [True, False], "town": ["a", "b"], "ill": [0, 1]}
    made = from_table(table, SCHEMA)
    assert made.n == 2
    assert "given table of 2 records" in made.on
    with pytest.raises(SizeError, match="has no records"):
        from_table({name: [] for name in table}, SCHEMA)


def test_marginals_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "marginals.json"
    path.write_text(json.dumps(MARGINALS))
    assert read_marginals(path) == MARGINALS
    assert read_marginals(None) is None
    path.write_text("[1]")
    with pytest.raises(SchemaError, match="is not a JSON object"):
        read_marginals(path)
    path.write_text("{")
    with pytest.raises(SchemaError, match="cannot be read: it is not JSON"):
        read_marginals(path)


@pytest.mark.parametrize(
    ("marginals", "sentence"),
    [
        ({"key": {"20": 1}}, "The marginal of column 'key' is not a list of quantiles"),
        ({"age": [60, 20]}, "The quantiles of column 'age' are not ascending. Sort them."),
        ({"town": ["a"]}, "The marginal of column 'town' does not give a share for each value"),
        ({"town": {"a": -1}}, "A share of column 'town' is not a number from 0 up"),
        ({"town": {"a": 0}}, "The shares of column 'town' are all 0"),
        ({"village": {"a": 1}}, "There is no column 'village' in the schema"),
    ],
)
def test_wrong_marginals_are_refused(marginals: dict[str, object], sentence: str) -> None:
    with pytest.raises(SchemaError) as caught:
        synthetic(SCHEMA, flipped=0.1, marginals=marginals)
    assert sentence in str(caught.value)
