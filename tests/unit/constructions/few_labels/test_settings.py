"""Settings of the methods of few labels: they come back from a document as they were, and nothing else does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac.constructions.few_labels.after_labels import Budget
from privpac.constructions.few_labels.boost import Round
from privpac.constructions.few_labels.methods import Goal, Session, Settings
from privpac.constructions.few_labels.relabel import Votes
from privpac.fields import MALFORMED

PURE = Goal(Fraction(1, 2), Fraction(1, 20))
SPENT = Goal(Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6))
THIRD = Fraction(1, 3)
EVERY = [
    Settings("plain", PURE),
    Settings("plain", PURE, session=Session(100, 50, 7)),
    Settings("generic", PURE),
    Settings("generic", SPENT),
    Settings("boost", PURE, Round(THIRD, 1, 3, 2), Budget(THIRD)),
    Settings("boost", SPENT, Round(THIRD, 1, 3, 2), Budget(THIRD, THIRD)),
    Settings("relabel", PURE, Votes(THIRD, 1, 2, 3, 4), Budget(THIRD)),
    Settings("relabel", SPENT, Votes(THIRD, 1, 2, 3, 4), Budget(THIRD, THIRD)),
]


@pytest.mark.parametrize("settings", EVERY, ids=lambda settings: settings.method)
def test_they_come_back_as_they_were(settings: Settings) -> None:
    assert Settings.from_json(settings.to_json()) == settings


@pytest.mark.parametrize(
    "change",
    [
        {"method": "guess"},
        {"method": "plain"},
        {"taken": -1},
        {"taken": 2.0},
        {"taken": "2"},
        {"further": 1},
        {"base_delta": 0},
        {"draw_epsilon": "-1"},
        {"active": {"records": 100, "kept": 50}},
    ],
    ids=str,
)
def test_other_fields_and_numbers_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MALFORMED):
        Settings.from_json(EVERY[4].to_json() | change)


def test_one_draw_spends_no_delta() -> None:
    with pytest.raises(MALFORMED, match="no delta"):
        Settings.from_json(EVERY[0].to_json() | {"delta": "0.1"})
