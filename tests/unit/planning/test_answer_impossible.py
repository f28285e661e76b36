"""What a plan calls impossible is never done by a row of the same plan; and what it promises, a certificate says."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from privpac import plan
from privpac.constructions.option import Setting
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.planning.answer import Answer, Limit, limit_of
from privpac.planning.floors import FLOORS
from privpac.planning.making import Plan
from privpac.planning.question import COVERS
from privpac.planning.words import in_short
from privpac.theory import any_floors, floors
from tests.planned import learner_of

CLASSES: dict[str, dict[str, Any]] = {
    "thresholds": {},
    "thresholds:COLUMN:either": {},
    "points": {},
    "intervals": {},
    "unions:2": {},
    "rectangles:2": {},
    "stumps": {},
    "any:1": {},
    "any:40": {},
}
PROTECT = ("records", "labels", "predictions")
NUMBERS = pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(((4, "4"), (100, "0.2")), id="some"),
        pytest.param(((4, "0.2"), (100, "4")), id="others", marks=pytest.mark.long),
    ],
)
"""Bits and epsilon: every bits and every epsilon once, and the other pairs of them."""


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows alone: advice asks many more questions, none of which matters here."""
    monkeypatch.setattr("privpac.planning.making.advise", lambda plan: iter(()))


@cache
def asked(word: str, protect: str, bits: int, epsilon: str, **more: Any) -> Plan | None:
    """Without advice, to whoever is `silent`; two tests ask the same."""
    if word.startswith("any:") and bits < 40:
        return None
    return plan.needed(
        word, bits=bits, error="0.1", epsilon=epsilon, protect=protect, **CLASSES[word], **more
    )


def limits(found: Plan, row: Answer) -> list[tuple[Setting, Limit]]:
    """All that is said of every method that answers the question, as the headline and the advice ask for it."""
    pure = not found.question.asked.delta
    settings: tuple[Setting, ...] = ("realizable", "agnostic")
    every = [
        (setting, limit_of(found.question, row, setting=setting, proper=proper, pure=pure))
        for setting, proper in product(settings, (False, True))
    ]
    return [(setting, limit) for setting, limit in every if limit is not None]


def refutes(row: Answer, setting: Setting, *, proper: bool) -> bool:
    """Whether a row is a method that a limit speaks of: what holds for any records holds for a perfect rule too."""
    return (row.option.setting == "agnostic" or setting == "realizable") and (row.option.proper or not proper)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("word", CLASSES)
@pytest.mark.parametrize("protect", PROTECT)
@pytest.mark.parametrize("more", [{}, {"delta": "1e-6"}], ids=("pure", "delta"))
@NUMBERS
def test_no_floor_of_a_question_is_above_what_a_row_proves(
    word: str, protect: str, more: dict[str, str], numbers: tuple[tuple[int, str], ...]
) -> None:
    """Under label privacy 415 records were called impossible beside a row that does it with 287."""
    for bits, epsilon in numbers:
        found = asked(word, protect, bits, epsilon, **more)
        if found is None or found.best is None:
            continue
        every = {
            limit for row in (found.best, found.headline) if row is not None for limit in limits(found, row)
        }
        for (setting, limit), row in product(every, found.answers):
            if refutes(row, setting, proper=limit.proper):
                total = row.need.labelled + row.need.unlabelled
                assert total >= limit.value, (bits, epsilon, row.option.key, limit)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("word", CLASSES)
@pytest.mark.parametrize("more", [{}, {"delta": "1e-6"}], ids=("pure", "delta"))
@NUMBERS
def test_no_floor_of_a_row_is_above_what_a_stricter_row_proves(
    word: str, more: dict[str, str], numbers: tuple[tuple[int, str], ...]
) -> None:
    for protect, (bits, epsilon) in product(PROTECT, numbers):
        found = asked(word, protect, bits, epsilon, **more)
        for one, other in product(*[[] if found is None else found.answers] * 2):
            alike = one.option.protects in COVERS and other.option.protects in COVERS[one.option.protects]
            alike = alike and (one.option.pool, one.option.asks) == (other.option.pool, other.option.asks)
            alike = alike and (other.option.pure or not one.option.pure)
            if alike and refutes(other, one.option.setting, proper=one.option.proper):
                assert other.need.labelled >= (one.floor or 0), (
                    bits,
                    epsilon,
                    one.option.key,
                    other.option.key,
                )


@pytest.mark.long_cases("intervals")
@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("release", ["points", "thresholds", "intervals"])
def test_floors_of_released_tables_are_not_said_of_a_delta(release: str) -> None:
    for bits in (20, 4096):
        found = plan.needed(release, bits=bits, error="0.1", epsilon=1, delta="1e-6", release=True)
        assert all(row.floor is None for row in found.answers if not row.option.pure)


def test_the_headline_speaks_of_what_was_asked_to_be_hidden() -> None:
    hidden = {
        protect: in_short(plan.needed("thresholds", bits=100, error="0.1", epsilon=1, protect=protect))
        for protect in PROTECT
    }
    assert (
        "No private method that answers with such a rule can do it with fewer than 415" in hidden["records"]
    )
    assert "415" not in hidden["labels"]
    assert "no method that releases a rule, private or not, can do it with fewer than 269" in hidden["labels"]
    assert "no method at all, private or not, can do it with fewer than 67 records" in hidden["predictions"]


def test_who_asks_for_labels_is_not_bound_by_floors_of_labels_that_are_given() -> None:
    """999 rare points: asking at each of them once takes fewer labels than drawing records until all are seen."""
    found = plan.needed("any:1000", bits=1000, error="0.1", epsilon=1)
    assert found.option("active").floor is None
    assert found.option("occam", "realizable").floor is not None


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("word", ["thresholds", "points", "intervals", "unions:2", "any:1", "any:40"])
def test_a_floor_is_the_first_number_that_is_not_excluded(word: str) -> None:
    """The number of a row and the question whether one number is too small are two functions of every floor: plans were
    one below what the functions say."""
    seen = set()
    for bits, (epsilon, error) in product((40, 64), (("0.3", "0.1"), ("1", "0.05"), ("2.5", "0.2"))):
        for row in plan.needed(word, bits=bits, error=error, epsilon=epsilon).answers:
            for floor in FLOORS:
                if floor.purpose != row.option.purpose or not floor.binds(row.option, row.wish):
                    continue
                least = floor.records(row.wish)
                seen.add(floor.source)
                assert least == 0 or floor.excludes(row.wish, least - 1), (floor.source, least, row.wish)
                assert not floor.excludes(row.wish, least), (floor.source, least, row.wish)
                assert (row.floor or 0) >= least
    assert seen


@pytest.mark.usefixtures("silent")
def test_plans_print_the_floors_of_the_functions() -> None:
    for bits, epsilon in product((8, 16, 64), ("0.3", "1")):
        wish = {"error": "0.1", "failure": "0.05", "epsilon": epsilon}
        for word, floor in (
            ("thresholds", floors.floor_thresholds_proper),
            ("points", floors.floor_points_proper),
        ):
            row = plan.needed(word, bits=bits, error="0.1", epsilon=epsilon).option("occam", "realizable")
            assert row.floor == max(floor(2**bits, **wish), any_floors.floor_two_rules(**wish))


SCHEMA = {
    "label": "y",
    "columns": [
        {"name": "c", "kind": "numeric", "lower": 0, "upper": 65535, "integer": True},
        {"name": "d", "kind": "numeric", "lower": 0, "upper": 255, "integer": True},
        {"name": "k", "kind": "categorical", "categories": ["r", "g", "b"]},
    ],
}
WORDS = (
    "thresholds:c",
    "thresholds:c:either",
    "thresholds:d:down",
    "points:c",
    "points:d",
    "intervals:c",
    "unions:c:2",
    "rectangles:c,d",
    "stumps",
    "trees:2",
    "conjunctions:2",
)


EPSILONS, ERRORS = ("0.3", "1.5", "4"), ("0.08", "0.1", "0.2345")
PAIRS = tuple(zip(EPSILONS, ERRORS, strict=True))
"""Every epsilon and every error once; all other pairs of them are long."""
OTHERS = tuple(pair for pair in product(EPSILONS, ERRORS) if pair not in PAIRS)


def promised(row: Answer) -> list[Fraction]:
    learner = learner_of(row, Schema.from_json(json.loads(json.dumps(SCHEMA))), row.need.labelled)
    facts = [proof.fact for proof in learner.certify(Size(row.need.labelled)).accuracy]
    return [
        fact.error
        for fact in facts
        if fact.against.value == row.option.setting and fact.failure <= row.wish.failure
    ]


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("protect", ["records", "labels"])
@pytest.mark.parametrize(
    "pairs", [PAIRS, pytest.param(OTHERS, marks=pytest.mark.long)], ids=("some", "others")
)
def test_a_certificate_of_so_many_records_promises_the_error_that_was_planned(
    word: str, protect: str, pairs: tuple[tuple[str, str], ...]
) -> None:
    """206 records were planned for 0.1 where their certificate says 0.101 (thresholds, labels, epsilon 1.5)."""
    for epsilon, error in pairs:
        found = plan.needed(word, schema=SCHEMA, epsilon=epsilon, error=error, protect=protect, unlabelled=0)
        rows = [row for row in found.answers if row.command is not None and row.option.protects == protect]
        for row in rows:
            assert min(promised(row)) <= Fraction(error), (epsilon, error, row.option.key, row.need)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("protect", ["records", "labels"])
@pytest.mark.parametrize(
    "epsilon", [pytest.param("0.3", marks=pytest.mark.long), "1.5", pytest.param("4", marks=pytest.mark.long)]
)
def test_a_certificate_promises_the_error_that_is_reachable(word: str, protect: str, epsilon: str) -> None:
    found = plan.reachable(word, schema=SCHEMA, epsilon=epsilon, records=700, protect=protect, unlabelled=0)
    for row in found.answers:
        if row.option.protects == protect and row.command is not None:
            assert min(promised(row)) <= row.wish.error, row.option.key


@pytest.mark.usefixtures("silent")
@pytest.mark.long_cases("2000", "500", "30000")
@pytest.mark.parametrize("records", [500, 2_000, 30_000])
def test_hashed_sets_promise_what_is_planned_on_columns_of_every_size(records: int) -> None:
    """Few cells have sets of few shares: 0.1 was planned with 15,161 records on 256 cells, and nothing was proved."""
    for bits in (6, 8, 11, 16):
        schema = {
            "label": "y",
            "columns": [{"name": "c", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}],
        }
        for epsilon in ("0.5", "2"):
            found = plan.reachable("points:c", schema=schema, epsilon=epsilon, records=records, unlabelled=0)
            for row in found.answers:
                if row.option.learner in ("boosted-points", "pairwise-cover"):
                    learner = learner_of(row, Schema.from_json(schema), records)
                    assert (
                        min(proof.fact.error for proof in learner.certify(Size(records)).accuracy)
                        == row.wish.error
                    )
