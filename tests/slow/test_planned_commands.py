"""Commands of harder questions, whose tables are large: small epsilon, the usual failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.planned_commands import Printed, carried_out, printed

HARD = {"error": "0.2", "epsilon": "0.5", "failure": "0.05"}
MOST_RECORDS = 2_100_000
"""Beyond that a table of text takes longer to write than its rows take to learn from."""

ROWS = [row for row in printed(**HARD) if row.labelled + row.unlabelled <= MOST_RECORDS]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_printed_command_delivers_what_it_charges(row: Printed, tmp_path: Path) -> None:
    certificate = carried_out(row, tmp_path)
    assert certificate["epsilon"] == HARD["epsilon"]
