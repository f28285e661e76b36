"""`verify`: whatever is edited in a model file, with a new digest, is refused or said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privpac import Model, NotCertified, Schema, __version__, learn, load, verify
from privpac.cli import main
from privpac.concepts.boxes.box import Box
from privpac.concepts.finite import Lookup
from privpac.concepts.fitting import misfit
from privpac.concepts.line.stumps import Constant, Match
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.line.unions import Union, interval
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.conjunctions import Conjunction
from privpac.concepts.literals.predicates import Predicate
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList, Rule
from privpac.concepts.trees.tree import Leaf, Split
from privpac.data.columns import Categorical, Numeric
from privpac.errors import NotRebuilt
from privpac.model import digest
from privpac.verification import look_at

SCHEMA = Schema(
    (Numeric("a", lower=0, upper=7, integer=True), Categorical("kind", ("u", "v", "w"))),
    label="y",
    classes=("no", "yes"),
)
TABLE = {"a": [i % 8 for i in range(40)], "kind": ["u", "v", "w", "u"] * 10}
LABELS = ["yes" if i % 8 > 3 else "no" for i in range(40)]


def made(concepts: str = "thresholds:a", **wishes: Any) -> Model:
    wishes = {"schema": SCHEMA, "epsilon": 10, **wishes}
    return learn(TABLE, y=LABELS, concepts=concepts, **wishes)


def written(tree: dict[str, Any], folder: Path) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps({**tree, "digest": digest(tree)}))
    return path


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*path, key))


def edited(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The tree with another value at a place; what lies beside the way to it is shared."""
    changed = tree.copy()
    changed[path[0]] = edited(tree[path[0]], path[1:], value) if len(path) > 1 else value
    return changed


JUNK: tuple[Any, ...] = (None, -1, 10**30, "x", "1/0", 1.5, True, [], {})

DRAWN = {("hypothesis", "cut"), ("hypothesis", "up"), ("hypothesis", "label")}
"""What chance decided: another value within the schema is another draw."""


def a_name(path: tuple[Any, ...], value: Any) -> bool:
    """Names of label, classes, categories and unused columns: texts about which a certificate says nothing."""
    spots = {("label",), ("classes", 0), ("classes", 1), ("columns", 1, "name")}
    spots |= {("columns", 1, "categories", i) for i in range(3)}
    return isinstance(value, str) and path[0] == "schema" and path[1:] in spots


@pytest.mark.long_cases("trees:1-wishes1")
@pytest.mark.parametrize(
    ("concepts", "wishes"), [("thresholds:a", {"records_per_person": 2}), ("trees:1", {"leaf_epsilon": 1})]
)
def test_every_forgery_is_refused_as_not_certified(
    concepts: str, wishes: dict[str, Any], tmp_path: Path
) -> None:
    tree = made(concepts, **wishes).to_json()
    tried = 0
    for path in places(tree):
        if path[0] in ("digest", "version") or path in DRAWN:
            continue
        for value in JUNK:
            changed = edited(tree, path, value)
            if changed == tree or a_name(path, value):
                continue
            tried += 1
            with pytest.raises(NotCertified):
                verify(written(changed, tmp_path))
    assert tried > 500


def test_the_honest_file_verifies_without_warnings(tmp_path: Path) -> None:
    found = verify(written(made().to_json(), tmp_path))
    assert found.rebuilt
    assert found.for_release
    assert found.warnings == ()


def test_a_model_in_memory_is_verified_as_its_file_is(tmp_path: Path) -> None:
    model = made()
    tree = model.to_json()
    assert verify(model) == verify(tree) == verify(written(tree, tmp_path))
    with pytest.raises(NotCertified, match="digest"):
        verify({**tree, "version": "9.9"})


def test_an_edited_version_does_not_skip_the_rebuild(tmp_path: Path) -> None:
    tree = made().to_json()
    found = verify(written({**tree, "version": "0.0.9"}, tmp_path))
    assert found.rebuilt
    assert "another version ('0.0.9'" in found.warnings[0]
    # An honest derivation that belongs to a procedure with more noise.
    other = {**tree, "certificate": made(epsilon=1).to_json()["certificate"]}
    other["certificate"] = {**other["certificate"], "request": tree["certificate"]["request"]}
    with pytest.raises(NotCertified, match="not the one these parameters"):
        verify(written(other, tmp_path))
    with pytest.raises(NotRebuilt, match=r"^Not rebuilt: it names another version \('0\.0\.9'"):
        verify(written({**other, "version": "0.0.9"}, tmp_path))
    found = look_at(tmp_path / "model.json")
    assert not found.rebuilt
    assert found.not_rebuilt == found.warnings[0]
    for version in (None, 3, ["0.1"]):
        with pytest.raises(NotCertified):
            verify(written({**tree, "version": version}, tmp_path))


def test_the_digest_covers_the_version(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**made().to_json(), "version": "9.9"}))
    with pytest.raises(NotCertified, match="digest"):
        verify(path)


def test_seeded_coins_assumptions_and_a_schema_from_data_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = learn(
        TABLE,
        y=LABELS,
        schema="from_data",
        concepts="stumps",
        random_state=1,
        records_per_person=2,
        label="y",
    )
    path = written({**model.to_json(), "version": "0.0.9"}, tmp_path)
    texts = "\n".join(verify(path).warnings)
    for said in (
        "another version",
        "NOT FOR RELEASE",
        "read from the data",
        "no person stands behind more than 2",
    ):
        assert said in texts
    assert main(["verify", str(path)]) == 0
    assert texts in capsys.readouterr().out
    assert main(["verify", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == texts.split("\n")


def test_a_file_of_another_version_that_cannot_be_rebuilt_is_said_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = made().to_json()
    stored = {**tree["certificate"], "request": {**tree["certificate"]["request"], "concepts": "forests"}}
    path = written({**tree, "certificate": stored, "version": "0.0.9"}, tmp_path)
    assert main(["verify", str(path)]) == 6
    out = capsys.readouterr().out
    assert "Not rebuilt" in out
    assert "follows anew" not in out
    path = written({**tree, "certificate": stored, "version": __version__}, tmp_path)
    assert main(["verify", str(path)]) == 4


A, B = Test("a", 4, "at least"), Test("kind", 1, "equals")
FITTING = [
    Constant(1),
    Threshold("a", 8, True),
    Point("a", 7),
    Match("kind", 2, True),
    interval("a", 0, 8),
    Union("a", ((0, 2), (4, 8))),
    Box(("a",), (0,), (8,)),
    Lookup("a", "01010101"),
    Predicate.read("a >= 3 and kind == 'u'", schema=SCHEMA),
    Conjunction(((A, True), (B, False))),
    DecisionList((Rule(A, True, 1), Rule(B, True, 0)), 1),
    Split(A, Leaf(0), Split(B, Leaf(1), Leaf(0))),
]
ELSEWHERE = Schema(
    (Numeric("a", lower=0, upper=9, integer=True), Categorical("kind", ("u", "v"))),
    label="y",
    classes=("no", "yes"),
)
OUTSIDE = [
    Constant(2),
    Constant(-1),
    Threshold("a", 9, True),
    Threshold("b", 1, True),
    Point("a", 8),
    Point("a", -1),
    Match("kind", 3, True),
    interval("a", 0, 9),
    Union("a", ((0, 2), (4, 9))),
    Box(("a",), (0,), (9,)),
    Box(("a", "b"), (0, 0), (1, 1)),
    Lookup("a", "0101010"),
    Predicate.read("a >= 3", schema=ELSEWHERE),
    Conjunction(((Test("a", 8, "at least"), True),)),
    Conjunction(((Test("b", 1, "at least"), True),)),
    DecisionList((Rule(A, True, 2),), 1),
    DecisionList((), 2),
    Split(A, Leaf(0), Leaf(2)),
    Split(Test("kind", 3, "equals"), Leaf(0), Leaf(1)),
]


@pytest.mark.parametrize("hypothesis", FITTING, ids=lambda h: type(h).__name__)
def test_rules_within_the_schema_fit(hypothesis: Any) -> None:
    assert misfit(hypothesis, SCHEMA) is None
    three = replace(SCHEMA, classes=("no", "yes", "maybe"))
    many = isinstance(hypothesis, Constant | DecisionList | Split)
    assert (misfit(hypothesis, three) is None) == many


@pytest.mark.parametrize("hypothesis", OUTSIDE, ids=lambda h: type(h).__name__)
@pytest.mark.parametrize("version", [__version__, "0.0.9"])
def test_rules_outside_of_the_schema_are_refused(hypothesis: Any, version: str, tmp_path: Path) -> None:
    tree = {**made().to_json(), "hypothesis": hypothesis.to_json(), "version": version}
    path = written(tree, tmp_path)
    for look in (verify, load):
        with pytest.raises(NotCertified):
            look(path)


def test_a_document_of_this_version_must_name_its_grid(tmp_path: Path) -> None:
    tree = made("rectangles:a").to_json()
    assert tree["certificate"]["request"]["concepts"] == "rectangles:a:full"
    assert tree["certificate"]["learner"]["grid"] == "boxes have their edges at any of the cells of a (8)"
    assert verify(written(tree, tmp_path)).rebuilt
    del tree["certificate"]["learner"]["grid"]
    with pytest.raises(NotCertified, match="not the one"):
        verify(written(tree, tmp_path))
