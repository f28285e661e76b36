"""Every slip of the pen in the rule book is noticed by a vector, or listed with the reason why none can notice it.

The vectors are judged by the book as it is and with one change at a time. A slip that is listed and noticed has no
business in the list.
"""

from __future__ import annotations

from functools import cache

import pytest

from privpac.checker.book import Book, Condition, Misprint, book
from tests.vectors.frozen import vectors
from tests.vectors.judge import Judge
from tests.vectors.slips import Slip, listed, slips
from tests.vectors.tight import derivations


@cache
def judge() -> Judge:
    return Judge(book(), derivations(vectors()))


@cache
def all_slips() -> list[Slip]:
    return slips(book())


def misjudged(some: list[Slip]) -> list[str]:
    """Those that are neither noticed nor listed, or both."""
    known = listed()
    return [str(slip) for slip in some if bool(judge().noticed(slip)) == (str(slip) in known)]


def test_every_slip_is_noticed_or_listed() -> None:
    assert misjudged(all_slips()) == []


def test_what_is_listed_is_a_slip_and_has_its_reason() -> None:
    known = listed()
    names = [str(slip) for slip in all_slips()]
    assert len(set(names)) == len(names)
    assert known.keys() <= set(names)
    assert all(len(reason) > 20 and "OPEN" not in reason for reason in known.values())
    assert len(known) < len(names) / 10


def test_a_vector_lies_above_every_limit_of_size() -> None:
    for forms in book().rules.values():
        for rule in forms:
            for i, part in enumerate(rule.body):
                if isinstance(part, Condition) and part.limit:
                    above = [case for case in judge().cases[id(rule)] if (id(rule), "body", i) in case.fails]
                    assert any(not case.accepted for case in above), (rule.name, part.formula.text)


def test_limits_stand_before_what_they_limit() -> None:
    """Nothing but other limits, and what a limit itself rests on, is worked out before one."""
    for forms in book().rules.values():
        for rule in forms:
            body = rule.body
            last = max(
                (i for i, part in enumerate(body) if isinstance(part, Condition) and part.limit), default=-1
            )
            conditions = [part for part in body[: last + 1] if isinstance(part, Condition)]
            assert all(part.limit for part in conditions), rule.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fact.delta == 0 and fact.unit", "fact.delt == 0 and fact.unit"),
        ("pow(1 / ratio, 2 * sensitivity)", "powr(1 / ratio, 2 * sensitivity)"),
        ("same_scope(fact, p) and p.delta", "same_scope(fact) and p.delta"),
        ("ratio ratio, sensitivity count", "ratio rate, sensitivity count"),
        ("rule stable-choice: privacy", "rule stable-choice: privacies"),
        ("kept <= of and fact.unit", "kept is of and fact.unit"),
        ("let weight = ratio * stake", "let weight = rato * stake"),
        ("instead of persons: same", "instead of people: same"),
    ],
)
def test_a_misprint_is_found_when_the_book_is_read(old: str, new: str) -> None:
    from importlib.resources import files

    text = files("privpac.checker").joinpath("rules.txt").read_text(encoding="utf-8")
    assert old in text
    Book.read(text)
    with pytest.raises(Misprint):
        Book.read(text.replace(old, new))
