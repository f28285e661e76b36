"""What `privpac plan` prints can be run: every command at its planned size, up to verified predictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.planned_commands import Printed, carried_out, printed

EASY = {"error": "0.4", "epsilon": "2", "failure": "0.4"}
MOST_RECORDS = 250_000
"""Larger tables wait for tests/slow/test_planned_commands.py."""

ROWS = [row for row in printed(**EASY) if row.records <= MOST_RECORDS]


def test_there_are_commands_of_every_kind() -> None:
    text = "\n".join(row.command for row in ROWS)
    for part in ("active ask", "--protect labels", "--protect predictions", "--unlabelled", "release"):
        assert part in text
    assert len(ROWS) > 80


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_printed_command_delivers_what_it_charges(row: Printed, tmp_path: Path) -> None:
    certificate = carried_out(row, tmp_path)
    assert certificate["epsilon"] == EASY["epsilon"]
