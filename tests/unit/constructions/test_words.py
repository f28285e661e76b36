"""Words: what each builds, who takes more than two classes, and that every learner can be built again from its file."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import privpac.concepts as concept_modules
from privpac import Ledger, Model, NotCertified, PrivateClassifier, Schema, learn, load, verify
from privpac.cli import main
from privpac.concepts.base import ConceptClass
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.catalogue import stored_classes
from privpac.concepts.derived.snapped import Snapped
from privpac.concepts.finite import Finite
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.sets.codes import CodeSets
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.words import (
    WORDS,
    Request,
    concepts_from_json,
    learner_for,
    stored_concepts,
    takes_many_classes,
)
from privpac.data.sample import Size
from privpac.errors import ParameterError, SchemaError, SizeError
from privpac.model import digest
from privpac.report.page import report_html
from privpac.request import LearnRequest

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 20, "integer": True},
            {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1},
            {"name": "city", "kind": "categorical", "categories": ["north", "south", "west"]},
        ],
    }
)
TESTS = Binarisation(SCHEMA, (Test("age", 7, "at least"), Test("city", 1, "equals")))
HALF = Fraction(1, 2)
GIVEN: tuple[ConceptClass, ...] = (
    Conjunctions(SCHEMA, 2, TESTS, shares=(1, 2, 3)),
    DecisionLists(SCHEMA, 2, TESTS, stop=HALF, label_prior=(Fraction(1, 3), Fraction(2, 3))),
    Disjunctions(SCHEMA, 2),
    Finite(SCHEMA, ("age >= 7", "city == 'south'"), (1, 3)),
    intervals(SCHEMA, "age", inside=0),
    Rectangles(SCHEMA, ("age", "dose"), bins=(5, 4)),
    Scorecards(SCHEMA, count=2, points=1, levels=5),
    Halfspaces(SCHEMA, ("age", "dose"), ((1, -2), (0, 1)), levels=9),
    TabledHalfspaces(SCHEMA, ("age", "city"), 5, levels=9),
    Cuts(SCHEMA, "age", cells=(3, 7, 9)),
    Stumps(SCHEMA, {"age": 5}),
    Thresholds(SCHEMA, "age", "either"),
    Trees(SCHEMA, 2, TESTS, stop=HALF, root_splits=False, weights=(1, 4)),
    Unions(SCHEMA, "age", intervals=2, inside=0),
    OneTest(SCHEMA, TESTS),
    Constants(SCHEMA, TESTS),
    TreeMixture((Trees(SCHEMA, 1, TESTS), Trees(SCHEMA, 2, TESTS, stop=HALF)), (1, 2)),
    CodeSets(SCHEMA, "age", 5, 2),
)


def frame(n: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(11)
    age, city = random.integers(0, 21, n), random.choice(["north", "south", "west"], n)
    ill = np.where((age >= 7) & (city == "south"), "yes", "no")
    return pd.DataFrame({"age": age, "dose": random.uniform(size=n), "city": city, "ill": ill})


def learnt(concepts: str | ConceptClass, **wishes: Any) -> Model:
    return learn(frame(), schema=SCHEMA, concepts=concepts, **{"epsilon": 10, **wishes})


def request(schema: Schema = SCHEMA) -> Request:
    return Request(schema, Size(300), LearnRequest(epsilon=Fraction(1)))


@pytest.mark.parametrize("word", ["lists:2", "conjunctions:2", "conjunctions", "lists"])
def test_lists_and_conjunctions_find_the_rule_and_verify(word: str, tmp_path: Path) -> None:
    model = learnt(word)
    assert (model.predict(frame()) == frame()["ill"]).mean() > 0.95
    model.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").rebuilt
    assert (load(tmp_path / "model.json").predict(frame()) == model.predict(frame())).all()
    assert "post-processing" in json.dumps(model.certificate)


def test_disjunctions_find_the_opposite() -> None:
    table = frame().assign(ill=lambda t: np.where(t["ill"] == "yes", "no", "yes"))
    model = learn(table, schema=SCHEMA, concepts="disjunctions:2", epsilon=10)
    assert (model.predict(table) == table["ill"]).mean() > 0.95
    assert " or " in model.describe()


def test_a_released_list_holds_no_rule_that_changes_nothing() -> None:
    for seed in range(8):
        rule = learnt("lists:3", epsilon="0.01", random_state=seed).hypothesis
        assert rule == rule.merged()  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["unions:age:²", "unions:age:" + "9" * 5000, "trees:²", "generated:age:²"])
def test_a_digit_that_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(ParameterError):
        learner_for(word, request())


@pytest.mark.parametrize("word", ["lists:x", "lists:-1", "conjunctions:1.5", "disjunctions:²"])
def test_a_bad_number_names_the_form(word: str) -> None:
    with pytest.raises(ParameterError) as refused:
        learner_for(word, request())
    assert refused.value.parameter == "word"


@pytest.mark.parametrize("word", ["lists:0", "lists:9", "conjunctions:0", "disjunctions:9"])
def test_a_number_out_of_reach_is_refused(word: str) -> None:
    with pytest.raises(ParameterError, match="1 to 4"):
        learner_for(word, request())


def test_many_classes_is_said_of_words_and_classes() -> None:
    many = {word for word, entry in WORDS.items() if entry.many_classes and not entry.transforms}
    assert many == {"auto", "one-test", "trees", "lists"}
    assert takes_many_classes(DecisionLists(SCHEMA, 1))
    assert not takes_many_classes(Stumps(SCHEMA))
    assert not takes_many_classes("nonsense")


def test_many_classes_is_what_a_class_can_do_and_not_what_it_is_called() -> None:
    class Ended(Trees):
        @property
        def word(self) -> str:
            return "ended"

    class Fancy(Thresholds):
        @property
        def word(self) -> str:
            return "trees:fancy"

    assert takes_many_classes(Ended(SCHEMA, 1))
    assert not takes_many_classes(Fancy(SCHEMA, "age"))


def test_the_word_for_points_names_every_way() -> None:
    page = Path(__file__).parents[3] / "docs/reference/words.md"
    (row,) = (line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `points:"))
    for way in POINT_WAYS:
        assert way in WORDS["points"].meaning
        assert f"`:{way}`" in row


def test_a_protection_no_word_offers_is_refused_for_words_and_classes() -> None:
    for concepts in ("stumps", Stumps(SCHEMA)):
        with pytest.raises(ParameterError) as refused:
            learner_for(concepts, request().asking(protect="predictions"))
        assert refused.value.parameter == "protect"


def three_classes() -> Schema:
    return Schema(SCHEMA.columns, label="ill", classes=("a", "b", "c"))


@pytest.mark.parametrize("word", ["stumps", "conjunctions:2", "disjunctions", "thresholds:age"])
def test_rules_for_two_classes_refuse_three(word: str) -> None:
    with pytest.raises(SchemaError) as refused:
        learner_for(word, request(three_classes()))
    assert refused.value.column == "ill"


def test_classes_given_as_objects_take_three_if_their_rules_do() -> None:
    schema = three_classes()
    for concepts in (Trees(schema, 1), DecisionLists(schema, 1)):
        assert learner_for(concepts, request(schema)).certify(Size(300)).epsilon == 1
    with pytest.raises(SchemaError) as refused:
        learner_for(Stumps(schema), request(schema))
    assert refused.value.column == "ill"


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: type(given).__name__)
def test_a_class_given_as_an_object_is_stored_with_all_of_its_options(
    given: ConceptClass, tmp_path: Path
) -> None:
    stored = json.loads(json.dumps(stored_concepts(given)))
    assert concepts_from_json(stored, SCHEMA) == given
    learnt(given).save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").rebuilt


ELSEWHERE = {"Points", "GeneratedPoints", "CentredHalfspaces", "Halfplanes"}
"""Classes that need another schema or label privacy, tried with their own tests."""


NOT_LEARNT = {"NamedMixture", "Snapped", "SymmetricDifference", "SparseSets"}
"""What other constructions are made of: `learn` refuses them."""


def test_every_class_of_concepts_is_storable_or_refused() -> None:
    """Found by looking at all modules, so that a new class cannot be forgotten."""
    found: dict[str, type[Any]] = {}
    for module in pkgutil.walk_packages(concept_modules.__path__, "privpac.concepts."):
        own = importlib.import_module(module.name)
        for name, kind in vars(own).items():
            written = inspect.isclass(kind) and kind.__module__ == own.__name__
            law = hasattr(kind, "gibbs") and hasattr(kind, "statistic")  # bases of classes have one of them
            if (
                written
                and law
                and not name.startswith("_")
                and not inspect.isabstract(kind)
                and not is_protocol(kind)
            ):
                found[name] = kind
    assert set(found) - NOT_LEARNT == set(stored_classes())
    assert all(hasattr(kind, "contains") for kind in found.values())


def is_protocol(kind: type[Any]) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def test_a_class_that_cannot_be_stored_is_refused_before_anything_is_spent() -> None:
    snapped = Snapped.at(Thresholds(SCHEMA, "age"), {"age": [3, 9]})
    with pytest.raises(ParameterError) as refused:
        learner_for(snapped, request())
    assert refused.value.parameter == "concepts"


def test_every_storable_class_is_tried_here() -> None:
    assert {type(given).__name__ for given in GIVEN} | ELSEWHERE == set(stored_classes())


@pytest.mark.parametrize(
    "concepts",
    [
        {"class": "Nonsense", "options": {}},
        {"class": "Trees"},
        {"class": "Trees", "options": {"depth": 2, "colour": 1}},
        {"class": "Trees", "options": {"depth": 3, "binarisation": {"tests": 5}}},
        {"class": "Finite", "options": {"rows": 1}},
    ],
)
def test_an_edited_class_is_not_certified(concepts: dict[str, Any], tmp_path: Path) -> None:
    tree = learnt(Trees(SCHEMA, 2, TESTS)).to_json()
    tree["certificate"]["request"]["concepts"] = concepts
    tree["digest"] = digest(tree)
    (tmp_path / "model.json").write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(NotCertified):
        verify(tmp_path / "model.json")


@pytest.mark.long_cases(
    "lists:3-load_wine",
)
@pytest.mark.parametrize("table", [load_iris, load_wine])
@pytest.mark.parametrize("concepts", ["auto", "trees:2", "lists:3"])
@pytest.mark.filterwarnings("ignore:n·epsilon")
def test_three_classes_from_data(table: Any, concepts: str, tmp_path: Path) -> None:
    bunch = table(as_frame=True)
    classifier = PrivateClassifier(
        concepts, schema="from_data", epsilon=20, estimate_epsilon=1, holdout=0.2, random_state=0
    ).fit(bunch.data, bunch.target)
    assert classifier.classes_.tolist() == [0, 1, 2]
    assert classifier.score(bunch.data, bunch.target) > 0.8
    assert np.array(classifier.estimate_.counts).shape == (3, 3)
    page = report_html(classifier.model_)
    assert page.count("truly ") == 3
    classifier.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").rebuilt


@pytest.mark.parametrize("concepts", ["auto", "lists:3"])
def test_three_classes_on_the_command_line(
    concepts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["setosa", "versicolor", "virginica"]
    bunch = load_iris(as_frame=True)
    data = tmp_path / "iris.csv"
    bunch.data.assign(species=[names[k] for k in bunch.target]).to_csv(data, index=False)
    model = str(tmp_path / "model.json")
    read = ["learn", str(data), "--schema", "from_data", "--label", "species"]
    assert main([*read, "--concepts", concepts, "--epsilon", "20", "--out", model]) == 0
    capsys.readouterr()
    assert main(["predict", model, str(data)]) == 0
    predicted = capsys.readouterr().out.split()[1:]
    assert set(predicted) == set(names)
    assert main(["verify", model]) == 0


@pytest.mark.parametrize("concepts", ["auto", "trees:2", "stumps", Stumps(SCHEMA)])
def test_a_delta_that_would_be_ignored_is_refused_before_anything_is_charged(
    concepts: str | ConceptClass,
) -> None:
    table = {"age": [1, 2] * 40, "dose": [0.5] * 80, "city": ["north"] * 80, "ill": ["no", "yes"] * 40}
    ledger = Ledger(epsilon=5, delta="1e-3")
    left = ledger.left
    with pytest.raises(ParameterError) as refused:
        learn(table, schema=SCHEMA, concepts=concepts, epsilon=1, delta="1e-6", ledger=ledger)
    assert refused.value.parameter == "delta"
    assert ledger.left == left


def test_files_of_a_delta_that_was_ignored_can_still_be_made_anew() -> None:
    request = Request(SCHEMA, Size(80), LearnRequest(epsilon=Fraction(1), delta=Fraction(1, 10**6)))
    assert learner_for("stumps", request).certify(Size(80)).delta == 0


@pytest.mark.parametrize(
    ("word", "stored", "groups"),
    [
        ("rectangles:a", "rectangles:a:full", (2**20,)),
        ("rectangles:a:full", "rectangles:a:full", (2**20,)),
        ("rectangles:a:first", "rectangles:a", (4096,)),
        ("rectangles:a,b:256", "rectangles:a,b:256", (256, 9)),
        ("rectangles:a,b:64x3", "rectangles:a,b:64x3", (64, 3)),
    ],
)
def test_documents_name_the_grid_of_boxes_and_words_may(
    word: str, stored: str, groups: tuple[int, ...]
) -> None:
    columns = [
        {"name": name, "kind": "numeric", "lower": 0, "upper": size - 1, "integer": True}
        for name, size in (("a", 2**20), ("b", 9))
    ]
    schema = Schema.from_json({"label": "y", "columns": columns})
    assert stored_concepts(word) == stored
    again = concepts_from_json(stored, schema)
    assert isinstance(again, str)
    assert stored_concepts(again) == stored
    for said in (word, again):
        concepts = learner_for(said, request(schema)).concepts
        assert isinstance(concepts, Rectangles)
        assert concepts.groups == groups


@pytest.mark.parametrize("protect", ["records", "labels"])
def test_boxes_that_take_too_long_are_refused_with_a_grid_that_does_not(protect: str) -> None:
    columns = [{"name": name, "kind": "numeric", "lower": 0, "upper": 1} for name in "ab"]
    schema = Schema.from_json({"label": "y", "columns": columns})
    wide = Request(schema, Size(10**6), LearnRequest(epsilon=Fraction(1), protect=protect))
    with pytest.raises(SizeError, match="coarser grid: rectangles:a,b:1024"):
        learner_for("rectangles:a,b", wide)
    learner_for("rectangles:a,b:1024", wide).certify(Size(10**6))
