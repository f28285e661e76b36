"""Commands whose tables are large: those of an easy question that `make test` leaves out, and those of a harder one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.planned_commands import Printed, carried_out, printed, spent
from tests.contracts.test_planned_commands import EASY
from tests.contracts.test_planned_commands import MOST_RECORDS as MOST_QUICK

HARD = {"error": "0.2", "epsilon": "0.5", "failure": "0.05"}
MOST_RECORDS = 600_000
"""Of the harder question: beyond that a table of text takes longer to write than its rows take to learn from."""


def rows() -> list[tuple[Printed, str]]:
    easy = [(row, EASY["epsilon"]) for row in printed(**EASY) if row.records > MOST_QUICK]
    return easy + [(row, HARD["epsilon"]) for row in printed(**HARD) if row.records <= MOST_RECORDS]


@pytest.mark.parametrize(("row", "epsilon"), rows(), ids=str)
def test_a_printed_command_delivers_what_it_charges(row: Printed, epsilon: str, tmp_path: Path) -> None:
    assert carried_out(row, tmp_path)["epsilon"] == spent(row, epsilon)
