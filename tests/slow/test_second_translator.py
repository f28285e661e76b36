"""Two programs write the rules of the book as Coq definitions, with two readers of the book, and both write the same.

Without node these tests are left out, and the end of the report says so (`conftest.py`).
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
BOOK = (PROOFS.parent / "src" / "privpac" / "checker" / "rules.txt").read_text(encoding="utf-8")
SLIPS = runpy.run_path(str(PROOFS / "slips.py"))
EDITED = [(rule, was, becomes) for rule, changes in SLIPS["SLIPS"].items() for was, becomes, _ in changes]


def written(book: Path) -> list[bytes]:
    first, second = (
        subprocess.run(command, capture_output=True, timeout=120, check=False)
        for command in (
            [sys.executable, PROOFS / "book_to_coq.py", book, book.parent],
            ["node", PROOFS / "book_to_coq.mjs", book],
        )
    )
    assert first.returncode == 0, first.stderr
    assert second.returncode == 0, second.stderr
    return [(book.parent / "Rules.v").read_bytes(), second.stdout]


def test_both_translators_write_the_same(tmp_path: Path) -> None:
    book = tmp_path / "rules.txt"
    book.write_text(BOOK, encoding="utf-8")
    first, second = written(book)
    assert first == second
    assert first.count(b"Definition rule_") >= 40


@pytest.mark.parametrize(("rule", "was", "becomes"), EDITED[::8])
def test_both_write_the_same_of_an_edited_book(rule: str, was: str, becomes: str, tmp_path: Path) -> None:
    book = tmp_path / "rules.txt"
    book.write_text(SLIPS["changed"](BOOK, rule, was, becomes), encoding="utf-8")
    first, second = written(book)
    assert first == second
