"""The planner's numbers about a class are those of the class itself."""

from __future__ import annotations

import json
from contextlib import suppress
from fractions import Fraction

import pytest

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.grids import HALFSPACE_POINTS
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.linear.halfspaces import Scorecards
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.literals.round_cuts import on_round_numbers
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.class_facts import Description, description_from
from privpac.constructions.words import WORDS, Request, learner_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.planning.kinds import AUTO, KINDS, facts_of
from privpac.request import LearnRequest
from tests.forms import written_out

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 60},
            {"name": "smoker", "kind": "boolean"},
            {"name": "town", "kind": "categorical", "categories": ["a", "b", "c"]},
            {"name": "same", "kind": "categorical", "categories": ["only"]},
        ],
    }
)
TESTS = Binarisation.default(SCHEMA, n=1000)

CLASSES = {
    "points:age": Points(SCHEMA, "age"),
    "thresholds:age": Thresholds(SCHEMA, "age"),
    "thresholds:bmi:down": Thresholds(SCHEMA, "bmi", "down"),
    "thresholds:age:either": Thresholds(SCHEMA, "age", "either"),
    "intervals:age": intervals(SCHEMA, "age"),
    "unions:age:3": Unions(SCHEMA, "age", 3),
    "rectangles:age,bmi": Rectangles(SCHEMA, ("age", "bmi")),
    "stumps": Stumps(SCHEMA),
    "one-test": OneTest(SCHEMA, TESTS),
    "trees:1": Trees(SCHEMA, 1, TESTS),
    "trees:3": Trees(SCHEMA, 3, TESTS),
    "lists:2": DecisionLists(SCHEMA, 2, TESTS),
    "conjunctions:2": Conjunctions(SCHEMA, 2, TESTS),
    "disjunctions:3": Disjunctions(SCHEMA, 3, TESTS),
    "scorecards:2": Scorecards(SCHEMA, 2),
    "halfspaces:age,bmi": Scorecards(SCHEMA, 2, HALFSPACE_POINTS[2], columns=("age", "bmi")),
    "halfspaces:age,bmi,smoker": Scorecards(SCHEMA, 3, HALFSPACE_POINTS[3], columns=("age", "bmi", "smoker")),
}


def test_facts_of_listed_rules_are_those_of_the_class() -> None:
    rules = ["age >= 30", "age >= 60", "bmi < 20"]
    real = Finite(SCHEMA, tuple(rules))
    (facts,) = facts_of(f"finite:{json.dumps(rules)}", Description(schema=SCHEMA))
    assert (facts.size, facts.odds, facts.vc) == (real.size, real.odds, real.vc)
    assert not facts.named


@pytest.mark.parametrize("word", CLASSES)
def test_facts_are_those_of_the_class(word: str) -> None:
    real = CLASSES[word]
    (facts,) = facts_of(word, Description(schema=SCHEMA, records=1000))
    assert facts.word == word == real.word
    assert facts.size == real.size
    assert facts.odds == real.odds
    assert facts.vc == real.vc
    assert 1 <= facts.shatters <= facts.vc
    assert facts.named


HEADS_OF_CLASSES = {word.partition(":")[0] for word in CLASSES}
OTHER_HEADS = {"any", "generated", "reference", "sphere", "card", "clauses", "finite"}
"""Kinds that stand for more, or for less, than the class that their word draws from."""


def test_facts_of_every_further_word_are_those_of_the_class_that_it_draws_from() -> None:
    for head in set(KINDS) - HEADS_OF_CLASSES - OTHER_HEADS:
        word = written_out(WORDS[head].form, "age", "bmi")
        (facts,) = facts_of(word, Description(schema=SCHEMA, records=1000))
        real = learner_for(word, Request(SCHEMA, Size(1000), LearnRequest(epsilon=Fraction(1)))).concepts
        assert (facts.word, facts.size, facts.odds, facts.vc) == (word, real.size, real.odds, real.vc)


def test_cards_are_counted_by_their_draws() -> None:
    tests = len(on_round_numbers(SCHEMA).tests)
    (facts,) = facts_of("card:3", Description(schema=SCHEMA, records=1000))
    assert (facts.word, facts.size) == ("card:3", (2 * tests) ** 3)
    assert facts_of("card", Description(columns=3))[0].word == "card"
    for wrong in ("card:0", "card:301", "card:x", "card:²", "card:03"):
        with pytest.raises(ParameterError, match="card:1 to"):
            facts_of(wrong, Description(columns=3))


HEADS = "card clauses conjunctions generated halfspaces lists rectangles scorecards trees unions"


@pytest.mark.parametrize("number", ["9" * 9, "9" * 5000])
@pytest.mark.parametrize("head", HEADS.split())
def test_a_number_beyond_all_sense_is_refused_or_a_name(head: str, number: str) -> None:
    word = f"{head}{number}" if head.endswith("+") else f"{head}:{number}"
    with suppress(ParameterError):  # columns may be called so; a fault of ours it never is
        assert facts_of(word, Description(columns=3, bits=8))


def test_every_word_that_can_be_learnt_can_be_planned() -> None:
    # Chosen among others; other learners of a class; learners around any other.
    learners = {"auto", *(word for word, entry in WORDS.items() if entry.way_of or entry.transforms)}
    learnable = {word for word, entry in WORDS.items() if entry.build is not None}
    assert learnable - learners <= set(KINDS)
    assert set(KINDS) >= HEADS_OF_CLASSES | OTHER_HEADS
    assert [facts.word for facts in facts_of("auto", Description(columns=12))] == ["auto", *AUTO]
    assert [facts.word for facts in facts_of("auto", Description(tests=12))] == list(AUTO), (
        "nobody knows its columns"
    )


@pytest.mark.parametrize(("bits", "columns", "tests"), [(32, 1, 31), (32, 8, 248), (32, 9, 135), (3, 9, 63)])
def test_columns_are_cut_as_the_learner_cuts_them(bits: int, columns: int, tests: int) -> None:
    assert Description(bits=bits, columns=columns).number_of_tests("trees") == tests
    names = [{"name": f"c{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(columns)]
    if bits == 32:
        assert (
            len(Binarisation.default(Schema.from_json({"label": "y", "columns": names}), n=0).tests) == tests
        )


def test_numbers_and_a_schema_describe_the_same_class() -> None:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 1, "resolution": 256}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    for word in ("points", "thresholds", "intervals"):
        (by_bits,) = facts_of(word, Description(bits=8))
        (by_schema,) = facts_of(f"{word}:x", Description(schema=schema))
        assert (by_bits.size, by_bits.odds, by_bits.vc) == (by_schema.size, by_schema.odds, by_schema.vc)
        assert not by_bits.named


def test_a_class_of_any_kind_has_the_numbers_it_was_given() -> None:
    (made,) = facts_of("generated:age:12", Description(schema=SCHEMA))
    assert (made.size, made.vc, made.word) == (2**12, 1, "generated:age:12")
    (facts,) = facts_of("any:8", Description(bits=5000))
    assert (facts.vc, facts.size, facts.odds) == (8, 2**5000, Fraction(2**5000 - 1))


@pytest.mark.parametrize(
    ("word", "given", "sentence"),
    [
        ("thresholds", {}, "bits is None, but must be given for thresholds:COLUMN. A column of 2^32 values"),
        ("trees:3", {}, "columns is None, but must be given for trees. Give --columns NUMBER"),
        ("trees:7", {"columns": 3}, "must be trees:1 to trees:4"),
        ("any:inf", {"bits": 9}, "A class of infinite dimension cannot be learnt, private or not"),
        ("any:9", {"bits": 8}, "bits is 8, but must be at least 9"),
        ("reference", {}, "nothing can be promised without a bound on the density"),
        ("reference:0.5", {}, "a number of at least 1"),
        ("sphere:1:2", {}, "dimension"),
        ("forests", {"columns": 3}, "must be one of auto, points, generated:BITS, thresholds"),
        ("rectangles:6", {"bits": 8}, "boxes in one to five columns. Use trees."),
        ("unions:none", {"bits": 8}, "must be of the form unions:COLUMN:K or unions:K"),
        ("points", {"bits": 0}, "bits is 0, but must be a whole number of at least 1"),
        ("points", {"bits": 2**30}, "a whole number from 1 to 1048576"),
    ],
)
def test_nonsense_gets_one_sentence(word: str, given: dict[str, int], sentence: str) -> None:
    with pytest.raises(ParameterError) as caught:
        facts_of(word, description_from(**given))
    assert sentence in str(caught.value)


def test_more_bits_than_a_column_has_are_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"at most 7, since column .age. has 121 values\. Leave bits out"
    ):
        facts_of("points:age", Description(bits=32, schema=SCHEMA))
    (coarser,) = facts_of("points:age", Description(bits=5, schema=SCHEMA))
    assert coarser.size == 32


def test_a_schema_takes_no_second_opinion_on_its_columns() -> None:
    with pytest.raises(SchemaError, match="Leave columns and tests out"):
        description_from(schema=SCHEMA, columns=3)
    assert description_from(schema=SCHEMA.to_json()).schema == SCHEMA
    with pytest.raises(ParameterError, match="Name a column"):
        facts_of("points", Description(schema=SCHEMA))
