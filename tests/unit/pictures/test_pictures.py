"""Pictures: the drawn tree is the rule, everything fits on the sheet, and any names give a sound file."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from privpac import Model, Schema, learn
from privpac.cli import main
from privpac.concepts.base import Hypothesis
from privpac.concepts.boxes.box import Box
from privpac.concepts.line.stumps import Constant, Match
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.line.unions import Union, interval
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.conjunctions import Conjunction, Disjunction
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList, Rule
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.pictures import drawing, tree
from privpac.pictures.drawing import Drawing
from privpac.pictures.tree import as_tree, picture

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 5, "integer": True},
            {"name": "city", "kind": "categorical", "categories": ["north", "south", "west"]},
            {"name": "smoker", "kind": "boolean"},
            {"name": "since", "kind": "date", "lower": "2020-01-01", "upper": "2020-01-06"},
        ],
    }
)
OLD, SOUTH = Test("age", 3, "at least"), Test("city", 1, "equals")
RULES: tuple[Hypothesis, ...] = (
    Constant(1),
    *(Threshold("age", cut, up) for cut in range(7) for up in (True, False)),
    interval("age", 2, 4),
    interval("age", 0, 6, inside=0),
    interval("age", 3, 3),
    Union("age", ((0, 1), (2, 3), (5, 6))),
    Union("age", (), inside=0),
    Point("age", 4),
    Match("city", 2, False),
    Box(("age", "since"), (1, 0), (3, 4)),
    Box(("age", "since"), (2, 2), (2, 2), inside=0),
    DecisionList((Rule(OLD, False, 1), Rule(SOUTH, True, 0)), 1),
    DecisionList((), 0),
    Conjunction(((OLD, True), (SOUTH, False))),
    Conjunction(()),
    Disjunction(((OLD, False), (SOUTH, True))),
    Disjunction(()),
    Split(OLD, Leaf(0), Leaf(1)),
)
NS = "{http://www.w3.org/2000/svg}"


def cells() -> dict[str, np.ndarray]:
    every = np.array(list(product(*(range(column.size) for column in SCHEMA.columns))))
    return {name: every[:, i] for i, name in enumerate(SCHEMA.names)}


def texts(drawn: Drawing) -> list[str]:
    root = ElementTree.fromstring(drawn.svg())
    return ["".join(node.itertext()) for node in root.iter(f"{NS}text")]


def boxes(drawn: Drawing) -> list[drawing.Box]:
    return [shape for shape in drawn.shapes if isinstance(shape, drawing.Box)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.describe(SCHEMA)[:40])
def test_the_drawn_tree_is_the_same_function(rule: Hypothesis) -> None:
    drawn = as_tree(rule, SCHEMA)
    assert isinstance(drawn, Tree)
    assert drawn.predict(cells()).tolist() == rule.predict(cells()).tolist()
    for test in drawn.tests():
        assert 0 <= test.cell < SCHEMA.column(test.column).size
    assert picture(rule, SCHEMA).svg()


def test_tests_are_in_the_columns_own_units() -> None:
    since = Test("since", 3, "at least")
    rule = Split(OLD, Split(SOUTH, Leaf(0), Leaf(1)), Split(since, Leaf(1), Leaf(0)))
    shown = texts(picture(rule, SCHEMA))
    for expected in ("age ≥ 3", "city is south", "since ≥ 2020-01-04", "Predicted ill", "yes", "no"):
        assert any(text.endswith(expected) for text in shown), expected


def test_a_cut_has_few_digits_in_the_picture_and_all_of_them_on_request() -> None:
    column = {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1}
    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [column]})
    cut = schema.column("dose").size // 3
    rule = Threshold("dose", cut, True)
    shown = texts(picture(rule, schema))
    assert any(text.endswith("dose ≥ 0.333333") for text in shown)
    assert any(f"dose >= {schema.column('dose').show(cut)}" in text for text in shown)


@pytest.mark.parametrize("value", [140, 175, 160.5, 80.25])
@pytest.mark.parametrize("after", [0, 1])
def test_a_record_with_just_the_number_of_a_cut_is_on_the_side_that_is_drawn(
    value: float, after: int
) -> None:
    column = {"name": "bp", "kind": "numeric", "lower": 80, "upper": 300}
    schema = Schema.from_json({"label": "ill", "columns": [column]})
    test = Test("bp", schema.column("bp").cell(value) + after, "at least")
    (drawn,) = (
        text
        for text in map(str, texts(picture(Split(test, Leaf(0), Leaf(1)), schema)))
        if "bp >" in text or "≥" in text
    )
    sign, shown = drawn.removeprefix(test.describe(schema)).removeprefix("bp ").split()
    assert float(shown) == value
    (holds,) = test.holds({"bp": schema.column("bp").encode([value])})
    assert holds == (sign == "≥")


def test_counts_stand_beside_their_own_leaf() -> None:
    rule = Split(OLD, Leaf(0), Split(SOUTH, Leaf(1), Leaf(0)))
    counts = LeafCounts(((7, 1), (1, 17), (97, 1)), 1000, Fraction(1))
    drawn = picture(rule, SCHEMA, leaf_counts=counts)
    shapes = list(drawn.shapes)
    found = {}
    for shape in shapes:
        if isinstance(shape, drawing.Words) and "·" in shape.text:
            pill = next(
                box for box in boxes(drawn) if box.height == tree.NODE and abs(box.y + 18 - shape.y) < 1
            )
            found[shape.text] = pill.style
    assert found == {"8 · 88%": "k0", "18 · 84%": "k1", "98 · 99%": "k0"}
    bars = [box for box in boxes(drawn) if box.height == tree.BAR]
    assert len(bars) == 6
    order = sorted({bar.y for bar in bars})
    top = [bar.width for bar in bars if bar.y == order[0]]  # south and old: the third leaf
    shares = counts.shares(rule)
    assert top[0] / sum(top) == pytest.approx(shares[2].max())


NASTY = ['<script>alert("1")</script>', "a & b", "$\\frac{1}{2}$", "tab\tand\x07bell", "血圧", "'"]


def nasty() -> tuple[Schema, Tree]:
    columns = [{"name": name, "kind": "categorical", "categories": ["<", "$x_1$"]} for name in NASTY]
    schema = Schema.from_json({"label": "<b>&</b>", "classes": ["]]>", "$y$"], "columns": columns})
    rule: Tree = Leaf(0)
    for name in NASTY:
        rule = Split(Test(name, 1, "equals"), rule, Leaf(1))
    return schema, rule


def test_any_name_gives_a_sound_file(tmp_path: Path) -> None:
    schema, rule = nasty()
    drawn = picture(rule, schema)
    root = ElementTree.fromstring(drawn.svg())
    assert root.find(f".//{NS}script") is None
    assert any(text.endswith('<script>alert("1")</script> is $x_1$') for text in texts(drawn))
    drawn.save(tmp_path / "tree.png")
    head = (tmp_path / "tree.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(head[16:20]) == int(2 * drawn.width)
    assert int.from_bytes(head[20:24]) == int(2 * drawn.height)


def frame(n: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(3)
    age = random.integers(0, 6, n)
    return pd.DataFrame(
        {
            "age": age,
            "city": random.choice(["north", "south", "west"], n),
            "smoker": random.integers(0, 2, n).astype(bool),
            "since": "2020-01-03",
            "ill": np.where(age >= 3, "yes", "no"),
        }
    )


def learnt(**wishes: Any) -> Model:
    return learn(frame(), schema=SCHEMA, **{"epsilon": 9, "concepts": "trees:2", "random_state": 2, **wishes})


def test_explain_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = learnt()
    path = tmp_path / "model.json"
    model.save(path)
    assert main(["explain", str(path), "--picture", str(tmp_path / "tree.svg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rule"] == model.describe()
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == model.picture()
    assert main(["explain", str(path), "--picture", str(tmp_path / "tree.gif")]) == 2
    assert ".svg or .png" in capsys.readouterr().err
    assert main(["explain", str(path), "--picture", str(path)]) == 2
    assert "destroy" in capsys.readouterr().err
