"""What a plan calls impossible is never done by a row of the same plan, and every bound decides one number as all."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privpac import plan
from privpac.planning.lower_bounds import BOUNDS, Claim, impossible
from privpac.planning.question import Question
from privpac.planning.table import Row, limit_of, rows_of
from privpac.planning.ways import class_asked, class_word
from privpac.theory import any_floors, floors
from privpac.theory.statements import REGISTER

CLASSES = (
    "thresholds",
    "thresholds:COLUMN:either",
    "points",
    "intervals",
    "unions:2",
    "rectangles:2",
    "stumps",
)
PROTECT = ("records", "labels", "predictions")
NUMBERS = pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(((4, "4"), (100, "0.2")), id="some"),
        pytest.param(((4, "0.2"), (100, "4")), id="others", marks=pytest.mark.long),
    ],
)
"""Bits and epsilon: every bits and every epsilon once, and the other pairs of them."""


def asked(word: str, protect: str, bits: int, epsilon: str, **more: Any) -> tuple[Question, tuple[Row, ...]]:
    question = Question.read(
        concepts=word, bits=bits, columns=1, error="0.1", epsilon=epsilon, protect=protect, **more
    )
    return question, rows_of(question)


def refutes(row: Row, setting: str, *, proper: bool) -> bool:
    """Whether a row is a method that a limit speaks of: what holds for any records holds for a perfect rule too."""
    return (row.setting == "agnostic" or setting == "realizable") and (row.promise.proper or not proper)


QUICK = {
    f"some-{more}-{protect}-thresholds" for more in ("pure", "delta") for protect in ("records", "labels")
}
ALL = (
    f"some-{more}-{protect}-{word}" for more in ("pure", "delta") for protect in PROTECT for word in CLASSES
)


@pytest.mark.long_cases(*(case for case in ALL if case not in QUICK))
@pytest.mark.parametrize("word", CLASSES)
@pytest.mark.parametrize("protect", PROTECT)
@pytest.mark.parametrize("more", [{}, {"delta": "1e-6"}], ids=("pure", "delta"))
@NUMBERS
def test_no_floor_is_above_what_a_row_proves(
    word: str, protect: str, more: dict[str, str], numbers: tuple[tuple[int, str], ...]
) -> None:
    """Under label privacy 415 records were called impossible beside a row that does it with 287."""
    for bits, epsilon in numbers:
        question, rows = asked(word, protect, bits, epsilon, **more)
        if not rows:
            continue
        concepts = class_asked(question)
        for setting, proper in product(("realizable", "agnostic"), (False, True)):
            first = next((row for row in rows if row.setting == setting), rows[0])
            limit = limit_of(first, concepts, proper=proper)
            for row in rows:
                if limit is not None and first.setting == setting and refutes(row, setting, proper=proper):
                    assert row.records + row.unlabelled >= limit.value, (bits, epsilon, row.learner, limit)


def test_floors_of_released_tables_are_not_said_of_a_delta() -> None:
    for release in ("points", "thresholds"):
        found = plan.needed(release, bits=20, error="0.1", epsilon=1, delta="1e-6", release=True)
        assert all(row.floor is None for row in found.rows)


def test_who_asks_for_labels_is_not_bound_by_floors_of_labels_that_are_given() -> None:
    found = plan.needed("thresholds", bits=32, error="0.1", epsilon=1, unlabelled=10**6)
    assert found.option("active").floor is None
    assert found.option("occam", "realizable").floor is not None


@pytest.mark.parametrize("word", ["thresholds", "points", "intervals", "unions:2", "generated:16", "trees:2"])
def test_a_floor_is_the_first_number_that_is_not_excluded(word: str) -> None:
    """The number of a row and the question whether one number is too small are two functions of every bound: plans were
    one below what the functions say."""
    seen = set()
    for protects, (epsilon, error), proper in product(
        PROTECT, (("0.3", "0.1"), ("2.5", "0.2")), (True, False)
    ):
        question = Question.read(concepts=word, bits=40, columns=4, error=error, epsilon=epsilon)
        claim = Claim(
            class_asked(question),
            class_word(question).partition(":")[0],
            Fraction(error),
            Fraction(1, 20),
            Fraction(epsilon),
            setting="agnostic",
            proper=proper,
            protects=protects,
        )
        for bound in BOUNDS:
            if not bound.binds(claim):
                continue
            least = bound.records(claim)
            seen.add(bound.source)
            assert bound.source in REGISTER
            assert least == 0 or bound.excludes(claim, least - 1), (bound.source, least)
            assert not bound.excludes(claim, least), (bound.source, least)
            limit = impossible(claim, asks="records", records=0)
            assert (0 if limit is None else limit.value) >= least
    assert seen


def test_plans_print_the_floors_of_the_functions() -> None:
    for bits, epsilon in product((8, 16, 64), ("0.3", "1")):
        wish = {"error": "0.1", "failure": "0.05", "epsilon": epsilon}
        for word, floor in (
            ("thresholds", floors.floor_thresholds_proper),
            ("points", floors.floor_points_proper),
        ):
            _, rows = asked(word, "records", bits, epsilon)
            row = next(row for row in rows if (row.learner, row.setting) == ("occam", "realizable"))
            assert row.floor == max(floor(2**bits, **wish), any_floors.floor_two_rules(**wish))


def test_floors_by_a_few_points_do_not_bind_under_a_density_bound() -> None:
    (first, *_) = plan.needed("reference:10", error="0.1", epsilon=1).rows
    assert first.limit is not None
    assert first.limit.source == "floor-thresholds-smooth"
