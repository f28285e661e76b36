"""What a schema tells of who can arrive at a leaf is what trying every record tells."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.reach import NOBODY, UNUSUAL, Reach
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 9, "integer": True, "usual": [3, 6]}
WARD = {"name": "ward", "kind": "categorical", "categories": ["A", "B", "C"]}
DOSE = {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1, "resolution": 5}
SCHEMA = Schema.from_json({"label": "ill", "columns": [AGE, WARD, DOSE]})
FILLED = Schema.from_json({"label": "ill", "columns": [{**AGE, "missing": 0}, WARD, DOSE]})

TESTS = st.one_of(
    st.builds(Test, st.just("age"), st.integers(0, 9), st.just("at least")),
    st.builds(Test, st.just("ward"), st.integers(0, 2), st.just("equals")),
    st.builds(Test, st.just("dose"), st.integers(0, 4), st.just("at least")),
)
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.builds(Leaf, st.integers(0, 1)), lambda below: st.builds(Split, TESTS, below, below), max_leaves=12
)


def _every(schema: Schema) -> dict[str, np.ndarray]:
    rows = np.array(list(product(*(range(column.size) for column in schema.columns))))
    return {name: rows[:, i] for i, name in enumerate(schema.names)}


@pytest.mark.parametrize("schema", [SCHEMA, FILLED])
@given(tree=TREES)
def test_marks_are_those_of_trying_every_record(schema: Schema, tree: Tree) -> None:
    cells = _every(schema)
    leaves = tree.leaf_numbers(cells)
    usual = (cells["age"] >= 3) & (cells["age"] <= 6)
    if schema is FILLED:
        usual |= cells["age"] == 0  # so an empty cell is read
    for number, arrival in enumerate(tree.arrivals(schema)):
        here = leaves == number
        expected = NOBODY if not here.any() else UNUSUAL if not (here & usual).any() else ""
        assert arrival == expected


def test_a_cut_beyond_what_is_usual_marks_the_far_side() -> None:
    old = Test("age", 7, "at least")
    assert [Reach(SCHEMA).after(old, holds=holds).arrival for holds in (True, False)] == [UNUSUAL, ""]
    young = Test("age", 3, "at least")
    assert [Reach(SCHEMA).after(young, holds=holds).arrival for holds in (True, False)] == ["", UNUSUAL]


def test_without_usual_values_nothing_is_known() -> None:
    schema = Schema.from_json(
        {"label": "ill", "columns": [{key: AGE[key] for key in AGE if key != "usual"}, WARD, DOSE]}
    )
    assert Reach(schema).after(Test("age", 9, "at least"), holds=True).arrival == ""


def test_words_are_marked() -> None:
    wards = Split(Test("ward", 0, "equals"), Split(Test("ward", 1, "equals"), Leaf(0), Leaf(1)), Leaf(0))
    assert "(" not in wards.describe(SCHEMA)
    every = Split(
        Test("ward", 2, "equals"),
        Split(Test("ward", 0, "equals"), Split(Test("ward", 1, "equals"), Leaf(1), Leaf(0)), Leaf(0)),
        Leaf(1),
    )
    assert every.describe(SCHEMA).splitlines()[-1] == "    if ward is not B: 1 (no value left)"
    old = Split(Test("age", 8, "at least"), Leaf(0), Leaf(1))
    assert old.describe(SCHEMA).splitlines() == ["if age >= 8: 1 (unusual values only)", "if age < 8: 0"]
