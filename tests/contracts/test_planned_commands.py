"""What `privpac plan` prints can be run: every command at its planned size, up to verified predictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.planned_commands import RELEASED, WORDS, carried_out, printed_for, spent

EASY = {"error": "0.4", "epsilon": "2", "failure": "0.4"}
MOST_RECORDS = 50_000
"""Larger tables are in test_large_planned_commands.py."""


def test_there_are_commands_of_every_kind() -> None:
    text = "\n".join(row.command for row in printed_for("thresholds:c", **EASY))
    for part in ("active ask", "--protect labels", "--protect predictions", "--unlabelled", "release"):
        assert part in text


@pytest.mark.long_cases(
    "scorecards:2",
    "points:c",
    "unions:c:2",
    "lists:2",
    "conjunctions:2",
    "disjunctions:2",
    "auto",
    "rectangles:c,d",
    "thresholds:c",
    "intervals:c",
    "halfspaces:c,d",
)
@pytest.mark.parametrize("word", sorted({*WORDS, *RELEASED}))
def test_a_printed_command_delivers_what_it_charges(word: str, tmp_path: Path) -> None:
    rows = [row for row in printed_for(word, **EASY) if row.records <= MOST_RECORDS]
    assert rows
    for number, row in enumerate(rows):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert carried_out(row, folder)["epsilon"] == spent(row, EASY["epsilon"]), str(row)
