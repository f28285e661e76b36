"""What every subject promises is what is stored: a move of sources changes no number, and a change is seen."""

from __future__ import annotations

import json

import pytest

from privpac.constructions import catalogue
from tests.claims import table


@pytest.mark.parametrize("part", table.PARTS)
def test_numbers_are_those_of_the_table(part: str) -> None:
    stored = table.stored()
    changed = {
        f"{family}: {subject}": (stored.get(family, {}).get(subject, "nothing"), value)
        for family, subject, value in json.loads(json.dumps(table.part(part)))
        if stored.get(family, {}).get(subject, "nothing") != value
    }
    assert not changed, "if they were meant to change: python -m tests.claims, in a commit of its own"


def test_nothing_is_stored_of_what_is_gone() -> None:
    made = {(family, subject) for part in table.PARTS for family, subject, _ in table.part(part)}
    assert {(family, subject) for family, lines in table.stored().items() for subject in lines} <= made


def test_every_family_has_numbers() -> None:
    assert set(catalogue.families()) - set(table.stored()) <= {
        "estimates",
        "labels",
    }  # options of other words
