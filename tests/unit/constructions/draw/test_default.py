"""The default classifier: what it draws from, by public numbers alone, and documents of its first design."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privpac
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import CooccurrenceTensor, Estimated
from privpac.concepts.trees.mixture import MixtureWithExtras, TreeMixture
from privpac.concepts.trees.parts import TreePart
from privpac.concepts.trees.prior import estimate
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.default import (
    DEEP_PACE,
    DEEP_PAIR_COST,
    DEEP_SECONDS,
    FEW_TESTS,
    FEWEST_CUTS,
    WIDE_TESTS,
    coarse_tests,
    deep_tests,
    default_mixture,
)
from privpac.constructions.draw.occam import Merged
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request, concepts_from_json, learner_for, stored_concepts
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError


def _schema(columns: int = 3, *, classes: tuple[str, ...] = ("0", "1"), lower: int = 0) -> Schema:
    numeric = {"kind": "numeric", "lower": lower, "upper": 99, "integer": True}
    entries = [{"name": f"x{i}", **numeric} for i in range(columns)]
    return Schema.from_json({"label": "y", "classes": list(classes), "columns": entries})


def _request(n: int, *, schema: Schema | None = None, **wishes: Any) -> Request:
    return Request(schema or _schema(), Size(n), Fraction(1), **wishes)


@pytest.mark.parametrize(
    ("n", "word"),
    [
        (100, "constants|one-test"),
        (101, "constants|one-test|trees:3|majorities"),
        (999, "constants|one-test|trees:3|majorities"),
        (3_000, "constants|one-test|trees:3|majorities"),
        (4_000, "constants|one-test|trees:3|majorities|trees:4"),
        (5_000, "constants|one-test|trees:3|majorities|trees:4"),
    ],
)
def test_one_draw_from_a_mixture_up_to_5000(n: int, word: str) -> None:
    learner = learner_for("auto", _request(n))
    assert isinstance(learner, Merged)
    assert learner.concepts.word == word
    certificate = learner.certify(Size(n))
    assert certificate.epsilon == 1
    assert n < 5_000 or certificate.accuracy  # enough records for a promise


@pytest.mark.parametrize(("n", "stages"), [(5_001, (3, 3)), (39_999, (3, 3)), (40_000, (3, 3, 2))])
def test_stages_above(n: int, stages: tuple[int, ...]) -> None:
    learner = learner_for("auto", _request(n))
    assert isinstance(learner, StagedTrees)
    assert learner.stages == stages
    assert learner.majorities
    assert len(learner.others) == 1
    assert learner.deeper == _deep_tests(_schema(), n)
    stored = learner.certify(Size(n)).to_json()["learner"]
    assert stored["other_tests"] == [len(learner.others[0].tests)]
    assert stored["deeper_tests"] == [len(tests.tests) for tests in learner.deeper]


def test_few_records_are_asked_three_questions_however_large_epsilon_is() -> None:
    request = replace(_request(999), epsilon=Fraction(5))
    assert learner_for("auto", request).concepts.word == "constants|one-test|trees:3|majorities"
    staged = learner_for("auto", replace(request, epsilon=Fraction(6)))
    assert isinstance(staged, StagedTrees)
    assert staged.deeper == ()
    narrow = _request(1_000, schema=_schema(1))
    assert learner_for("auto", narrow).concepts.word.endswith("trees:4")
    assert "trees:4" not in learner_for("auto", replace(narrow, size=Size(999))).concepts.word


def test_a_fourth_question_is_left_out_where_it_takes_too_long() -> None:
    """Yes-or-no columns cannot be had with fewer tests, and few records are not worth a second."""
    schema = _schema_of_yes_or_no(60)
    assert _deep_tests(schema, 1_000) == ()
    assert len(_deep_tests(schema, 20_000)) == 1
    assert _deep_tests(schema, 400_000) == ()
    assert _deep_tests(_schema_of_yes_or_no(100), 20_000) == ()
    request = Request(schema, Size(400_000), Fraction(1, 100))
    assert learner_for("auto", request).concepts.word == "constants|one-test|trees:3|majorities"
    staged = learner_for("auto", replace(request, epsilon=Fraction(1)))
    assert isinstance(staged, StagedTrees)
    assert staged.deeper == ()


def test_a_fourth_question_is_left_out_where_three_take_as_long() -> None:
    schema = _schema(20, lower=1)
    assert len(_deep_tests(schema, 300_000)) == 1
    assert _deep_tests(schema, 1_000_000) == ()


def test_more_classes_take_longer_to_sum() -> None:
    two, three = (_deep_tests(_schema(10, lower=1, classes=tuple(some)), 40_000) for some in ("ab", "abc"))
    assert [len(tests.tests) for tests in two] == [120]
    assert three == ()


def _deep_tests(schema: Schema, n: int) -> tuple[Binarisation, ...]:
    return deep_tests(schema, n, coarse_tests(schema, n))


def _schema_of_yes_or_no(columns: int) -> Schema:
    entries = [{"name": f"x{i}", "kind": "boolean"} for i in range(columns)]
    return Schema.from_json({"label": "y", "columns": entries})


@pytest.mark.parametrize(("columns", "n", "most"), [(1, 40_000, 31), (10, 40_000, 120), (20, 120_000, 80)])
def test_a_fourth_question_has_as_many_tests_as_its_time_allows(columns: int, n: int, most: int) -> None:
    (tests,) = _deep_tests(_schema(columns, lower=1), n)
    seconds = estimate(CooccurrenceTensor(tests, 4, 2), n, pair_cost=DEEP_PAIR_COST).seconds
    assert seconds <= min(DEEP_SECONDS, n / DEEP_PACE)
    assert columns * 3 <= len(tests.tests) <= most


def test_few_records_of_many_columns_are_not_asked_on_fewer_tests_instead() -> None:
    assert _deep_tests(_schema(20, lower=1), 28_000) == ()


def test_the_prior_of_the_mixture() -> None:
    both = default_mixture(_schema(), n=5_000, levels=4)
    one_scale = default_mixture(_schema(lower=1), n=20_000, levels=4)
    shares = {(part.word, share) for part, share in zip(both.parts, both.shares, strict=True)}
    assert shares == {
        ("constants", 2),
        ("one-test", 24),
        ("trees:3", 12),
        ("majorities", 12),
        ("trees:4", 48),
    }
    assert sum(both.shares) == sum(one_scale.shares) == 146
    assert len(both.parts) == 8
    assert len(one_scale.parts) == 5


def test_three_classes_have_no_majorities() -> None:
    schema = _schema(classes=("a", "b", "c"))
    assert learner_for("auto", _request(900, schema=schema)).concepts.word == "constants|one-test|trees:3"
    staged = learner_for("auto", _request(9_000, schema=schema))
    assert isinstance(staged, StagedTrees)
    assert not staged.majorities


@pytest.mark.parametrize(
    ("columns", "tests"),
    [(1, 31), (10, 120), (32, FEW_TESTS), (40, 40 * FEWEST_CUTS), (64, WIDE_TESTS), (80, 240), (200, 200)],
)
def test_wide_tables_keep_their_depth_and_four_cuts_while_they_can(columns: int, tests: int) -> None:
    mixture = default_mixture(_schema(columns, lower=1), n=1_000)
    (deep,) = (part for part in mixture.parts if part.word == "trees:3")
    (single,) = (part for part in mixture.parts if part.word == "one-test")
    assert len(deep.statistic.binarisation.tests) == tests
    assert len(single.statistic.binarisation.tests) == 31 * columns


def test_very_many_categories_leave_two_questions() -> None:
    column = {"name": "c", "kind": "categorical", "categories": [f"v{i}" for i in range(WIDE_TESTS + 1)]}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    assert default_mixture(schema, n=1_000).word == "constants|one-test|trees:2"
    staged = learner_for("auto", _request(50_000, schema=schema))
    assert isinstance(staged, StagedTrees)
    assert staged.stages == (2, 2, 2)


def test_more_records_than_can_be_counted_in_time_get_fewer_tests() -> None:
    small, large = (default_mixture(_schema(40), n=n) for n in (1_000, 10**8))
    assert _widest(large) < _widest(small)


@pytest.mark.parametrize("columns", [1, 10, 40])
def test_more_records_never_take_much_less_time(columns: int) -> None:
    """The time is a public function of the number of records, as long as no tests have to be saved."""
    schema, most = _schema(columns), 0.0
    for n in (30 * 3**step for step in range(10)):
        if coarse_tests(schema, n) == coarse_tests(schema, 1):
            seconds = _seconds(learner_for("auto", _request(n, schema=schema)), n)
            assert seconds >= most / 1.5
            most = max(most, seconds)
    assert n > 500_000


def _seconds(learner: Learner, n: int) -> float:
    """Estimated: every stage counts all records and sums over the rules once per leaf of the stage before."""
    if not isinstance(learner, StagedTrees):
        assert isinstance(learner.concepts, TreeMixture)
        return sum(_part_seconds(part, n) for part in learner.concepts.parts)
    concepts = learner.concepts
    assert isinstance(concepts, TreeMixture)
    first = sum(_part_seconds(part, n) for part in concepts.parts)
    later = [learner.later[stage, 0] for stage in range(1, len(learner.stages))]
    return first + sum(_part_seconds(part, n) for trees in later for part in _parts(trees))


def _parts(trees: Trees | TreeMixture) -> tuple[TreePart, ...]:
    return trees.parts if isinstance(trees, TreeMixture) else (trees,)


def _part_seconds(part: TreePart, n: int) -> float:
    return part.estimate(n).seconds if isinstance(part, Estimated) else part.statistic.estimate(n).seconds


def _widest(mixture: TreeMixture) -> int:
    """Tests of the rules that ask three."""
    return max(len(part.statistic.binarisation.tests) for part in mixture.parts if part.statistic.depth == 3)


def test_labels_only_is_as_before() -> None:
    request = _request(1_000, protect="labels")
    assert learner_for("auto", request) == learner_for("auto:1", request)


def test_documents_name_the_design() -> None:
    assert stored_concepts("auto") == stored_concepts("auto:2") == "auto:2"
    assert stored_concepts("auto:1") == "auto"
    assert [concepts_from_json(word, _schema()) for word in ("auto", "auto:2")] == ["auto:1", "auto"]
    assert Recipe("auto", _request(500)).certify().to_json()["request"]["concepts"] == "auto:2"
    assert Recipe("auto:1", _request(500)).certify().to_json()["request"]["concepts"] == "auto"
    with pytest.raises(ParameterError, match="auto:2"):
        learner_for("auto:3", _request(500))


@pytest.mark.parametrize("n", [60, 3_000, 8_000])
def test_both_designs_are_learnt_and_verified(n: int, tmp_path: Any) -> None:
    rng = np.random.default_rng(1)
    x = np.minimum(99, rng.exponential(4.0, (n, 2)).astype(int))
    table = {"x0": x[:, 0], "x1": x[:, 1], "y": (x[:, 0] + x[:, 1] >= 7).astype(int)}
    for word in ("auto", "auto:1"):
        model = privpac.learn(
            table, schema=_schema(2), concepts=word, epsilon=1, leaf_epsilon="0.1", random_state=5
        )
        model.save(tmp_path / "model.json")
        assert privpac.verify(tmp_path / "model.json").rebuilt
        assert n < 3_000 or (model.classify(table) == table["y"]).mean() > (0.9 if word == "auto" else 0.8)


def test_mostly_small_values_are_told_apart_without_being_asked_for() -> None:
    """What evenly spaced cuts cannot see: the first of 31 lies far above nearly all records."""
    rng = np.random.default_rng(2)
    schema = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 10_000, "integer": True}],
        }
    )
    x = np.minimum(10_000, rng.exponential(15.0, 2_000).astype(int))
    table = {"x": x, "y": (x >= 12).astype(int)}
    models = {
        word: privpac.learn(table, schema=schema, concepts=word, epsilon=1, random_state=3)
        for word in ("auto", "auto:1")
    }
    accuracy = {word: (model.classify(table) == table["y"]).mean() for word, model in models.items()}
    assert accuracy["auto"] > 0.9 > 0.7 > accuracy["auto:1"]


def test_costs_reach_the_draw() -> None:
    learner = learner_for("auto", replace(_request(2_000), costs=(1, 4)))
    assert learner.certify(Size(2_000)).to_json()["learner"]["costs"] == [1, 4]


def test_what_is_promised_counts_all_members_that_can_be_drawn() -> None:
    """Against the best of several noisy rules the odds alone do not do: very many unlikely rules fit any labels."""
    for n, epsilon in ((5_000, 1), (5_000, Fraction(1, 2)), (10_000, Fraction(1, 10))):
        learner = learner_for("auto", replace(_request(n), epsilon=Fraction(epsilon)))
        concepts = learner.concepts
        assert isinstance(concepts, MixtureWithExtras)
        realizable, agnostic = learner.certify(Size(n)).accuracy
        assert Fraction(str(realizable.where["odds"])) == concepts.odds
        factor, tilt, ratio = (Fraction(str(agnostic.where[name])) for name in ("odds", "tilt", "ratio"))
        theta = math.log(tilt) / math.log(ratio)
        others, odds = math.log(concepts.size - 1), math.log(concepts.odds)
        assert others > odds
        true = (1 - theta) * others + theta * odds
        assert true - 1e-6 <= math.log(factor) <= true + (others - odds) / 8 + 1e-6


def test_a_class_with_extras_is_refused_as_an_object() -> None:
    """Files name `auto`, which builds it again."""
    concepts = default_mixture(_schema(), n=5_000, levels=4)
    assert isinstance(concepts, MixtureWithExtras)
    with pytest.raises(ParameterError, match="one of the classes"):
        learner_for(concepts, _request(5_000))


def test_a_fourth_question_costs_the_promise_nothing_but_its_share() -> None:
    """Where some rule is right; accuracy is promised against rules of at most three questions, and files say so."""
    with_extras, without = (default_mixture(_schema(), n=5_000, levels=levels) for levels in (4, 3))
    assert with_extras.odds + 1 == (without.odds + 1) * Fraction(146, 98)
    everything = TreeMixture(with_extras.parts, with_extras.shares)
    assert everything.odds > with_extras.odds
    assert everything.size == with_extras.size
    stored = learner_for("auto", _request(5_000)).certify(Size(5_000)).to_json()["learner"]
    assert stored["note"] == "accuracy is promised against the best of constants|one-test|trees:3|majorities"
    staged = learner_for("auto", _request(10_000)).certify(Size(10_000)).to_json()["learner"]
    assert staged["note"] == "the class is that of the first stage, trees:3|majorities"


def test_the_odds_of_the_mixture_are_its_rarest_rule() -> None:
    mixture = default_mixture(_schema(2), n=1_000)
    assert isinstance(mixture, TreeMixture)
    rarest = min(part.least * share for part, share in zip(mixture.parts, mixture.shares, strict=True)) / 98
    assert mixture.odds == 1 / rarest - 1


def test_where_little_can_be_told_apart_there_are_fewer_tests() -> None:
    sizes = []
    for n in (400, 401):
        learner = learner_for("auto", Request(_schema(8), Size(n), Fraction(1, 2)))
        assert isinstance(learner, Merged)
        mixture = learner.learner.concepts
        assert isinstance(mixture, TreeMixture)
        sizes.append(max(len(part.tests.tests) for part in mixture.parts if isinstance(part, Trees)))
    assert sizes[0] <= 64 < sizes[1] <= 128
