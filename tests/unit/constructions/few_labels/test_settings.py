"""Settings of the methods of few labels: they come back from a document as they were, and nothing else does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac.constructions.few_labels.settings import Boost, Generic, Goal, Plain, Relabel, Session, Settings
from privpac.fields import MALFORMED

PURE = Goal(Fraction(1, 2), Fraction(1, 20))
SPENT = Goal(Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6))
THIRD = Fraction(1, 3)
EVERY = [
    Plain(goal=PURE),
    Plain(goal=PURE, session=Session(100, 50, 7)),
    Generic(goal=PURE),
    Generic(goal=SPENT),
    *(
        Boost(goal=goal, draw_epsilon=THIRD, base_epsilon=THIRD, kept_labelled=1, kept_unlabelled=2, taken=3)
        for goal in (PURE, SPENT)
    ),
    *(
        Relabel(
            goal=goal, draw_epsilon=THIRD, base_epsilon=THIRD, kept_unlabelled=1, taken=2, change=3, mistake=4
        )
        for goal in (PURE, SPENT)
    ),
]


@pytest.mark.parametrize("settings", EVERY, ids=lambda settings: settings.method)
def test_they_come_back_as_they_were(settings: Settings) -> None:
    tree = settings.to_json()
    assert Settings.from_json(tree) == settings
    assert ("delta" in tree) == (settings.goal.delta > 0)


@pytest.mark.parametrize(
    "change",
    [
        {"method": "guess"},
        {"method": "plain"},
        {"taken": -1},
        {"taken": 2.0},
        {"taken": "2"},
        {"further": 1},
        {"base_delta": "0"},
        {"active": {"records": 100, "kept": 50}},
    ],
    ids=str,
)
def test_other_fields_and_numbers_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MALFORMED):
        Settings.from_json(EVERY[4].to_json() | change)


def test_one_draw_spends_no_delta() -> None:
    with pytest.raises(MALFORMED, match="no delta"):
        Settings.from_json(Plain(goal=PURE).to_json() | {"delta": "0.1"})
