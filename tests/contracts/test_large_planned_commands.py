"""Commands whose tables are large: those of an easy question that `make test` leaves out, and those of a harder one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.planned_commands import RELEASED, WORDS, carried_out, printed_for, spent
from tests.contracts.test_planned_commands import EASY
from tests.contracts.test_planned_commands import MOST_RECORDS as MOST_QUICK

pytestmark = pytest.mark.long

HARD = {"error": "0.2", "epsilon": "0.5", "failure": "0.05"}
MOST_RECORDS = 600_000
"""Of the harder question: beyond that a table of text takes longer to write than its rows take to learn from."""
LARGE = {"easy": (EASY, lambda n: n > MOST_QUICK), "hard": (HARD, lambda n: n <= MOST_RECORDS)}


# By word, as in `make test`: the list of all commands takes seconds, and every process would make it to collect tests.
@pytest.mark.parametrize("word", sorted({*WORDS, *RELEASED}))
@pytest.mark.parametrize("kind", LARGE)
def test_a_printed_command_delivers_what_it_charges(kind: str, word: str, tmp_path: Path) -> None:
    question, wanted = LARGE[kind]
    for number, row in enumerate(row for row in printed_for(word, **question) if wanted(row.records)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert carried_out(row, folder)["epsilon"] == spent(row, question["epsilon"]), str(row)


def test_there_are_hard_commands_of_every_kind() -> None:
    text = "\n".join(
        row.command for row in printed_for("thresholds:c", **HARD) if row.records <= MOST_RECORDS
    )
    for part in ("active ask", "--protect labels", "--protect predictions", "--unlabelled", "release"):
        assert part in text
