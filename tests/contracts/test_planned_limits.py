"""A plan prints what can be run and nothing else: every printed command is certified at its planned size.

Certifying needs no records and refuses what could not be run, so sizes may be as large as they like.
"""

from __future__ import annotations

import pytest

from privpac import Schema, plan
from privpac.data.sample import Size
from privpac.errors import PrivpacError, SizeError
from privpac.planning.answer import Answer
from tests.claims.commands import certificate_of

SCHEMAS = {
    "fine": Schema.from_json(
        {
            "label": "y",
            "columns": [
                {"name": "c", "kind": "numeric", "lower": 0, "upper": 1},
                {"name": "d", "kind": "numeric", "lower": 0, "upper": 255, "integer": True},
            ],
        }
    ),
    "coarse": Schema.from_json(
        {
            "label": "y",
            "columns": [
                {"name": "c", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
                {"name": "d", "kind": "numeric", "lower": 0, "upper": 30, "integer": True},
            ],
        }
    ),
}
WORDS = (
    "thresholds:c",
    "points:c",
    "intervals:c",
    "rectangles:c,d",
    "stumps",
    "scorecards:2",
    "halfspaces:c,d",
)
QUESTIONS = (("0.4", "2"), ("0.1", "1"), ("0.05", "0.25"))
LISTING = ("label-boost", "ssl-relabel", "vote", "flipped-answers", "relabelled-vote", "net-relabelled")
"""Rows whose learner lists labellings of points."""


def certified(command: str, row: Answer, schema: Schema) -> None:
    """As the command does before it charges anything."""
    certificate_of(command, schema, Size(row.need.labelled, row.need.unlabelled))


def rows(word: str, schema: Schema, error: str, epsilon: str) -> list[Answer]:
    asked = (
        plan.needed(word, schema=schema, error=error, epsilon=epsilon, protect=protect)
        for protect in ("records", "labels", "predictions")
    )
    return [row for made in asked for row in made.answers]


@pytest.mark.long_cases(
    "0.4-2-rectangles:c,d-fine",
    "0.4-2-points:c-fine",
    "0.1-1-points:c-fine",
    "0.1-1-rectangles:c,d-fine",
    "0.4-2-stumps-fine",
    "0.4-2-points:c-coarse",
    "0.05-0.25-halfspaces:c,d-fine",
    "0.1-1-stumps-fine",
    "0.1-1-points:c-coarse",
    *(f"0.05-0.25-{word}-{kind}" for word in WORDS if word != "halfspaces:c,d" for kind in SCHEMAS),
)
@pytest.mark.parametrize("kind", SCHEMAS)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(("error", "epsilon"), QUESTIONS)
def test_what_is_printed_is_not_refused(kind: str, word: str, error: str, epsilon: str) -> None:
    schema = SCHEMAS[kind]
    for row in rows(word, schema, error, epsilon):
        if row.command is not None:
            certified(row.command, row, schema)


def test_what_is_not_printed_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of a fine column: the rows that list too many points have no command, and would be refused."""
    schema, silent = SCHEMAS["fine"], []
    for error, epsilon in QUESTIONS:
        found = [row for row in rows("intervals:c", schema, error, epsilon) if row.option.learner in LISTING]
        silent += [row for row in found if row.command is None]
    assert {row.option.learner for row in silent} >= {"relabelled-vote"}
    for module in ("prediction", "few_labels"):
        monkeypatch.setattr(f"privpac.constructions.{module}.options.can_list", lambda *args, **more: True)
    monkeypatch.setattr("privpac.constructions.prediction.options.MOST_BLOCK", 10**18)
    for row in silent:
        assert row.command is not None
        with pytest.raises(SizeError, match=r"list|voted on"):
            certified(row.command, row, schema)


def test_a_row_without_a_command_is_never_the_advice() -> None:
    for word in ("intervals:c", "rectangles:c,d"):
        for protect in ("records", "predictions"):
            made = plan.needed(
                word, schema=SCHEMAS["fine"], error="0.05", epsilon="0.25", protect=protect, records=10**7
            )
            for line in made.advice:
                if "privpac learn" in line:
                    command = "privpac learn" + line.partition("privpac learn")[2]
                    row = next(row for row in made.answers if row.command and row.command in command)
                    try:
                        certified(row.command or "", row, SCHEMAS["fine"])
                    except PrivpacError as problem:
                        pytest.fail(str(problem))
