"""Whoever makes certificates never reads the rule book: a formula is stated twice, or agreement means nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from privpac.checker import book as reader
from tests.contracts.examples import EXAMPLES

SOURCE = Path(__file__).resolve().parents[2] / "src" / "privpac"
READERS = {"checker", "report", "service"}
"""Packages that may name the book: who checks, and who shows what was checked."""


def test_nobody_else_names_it() -> None:
    named = re.compile(r"checker\.book|checker import .*\bbook\b|rules\.txt")
    found = {
        path.relative_to(SOURCE).parts[0]
        for path in SOURCE.rglob("*.py")
        if named.search(path.read_text(encoding="utf-8"))
    }
    assert "checker" in found
    assert found <= READERS


def test_every_step_is_made_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object) -> None:
        raise AssertionError("a maker reads the rule book")

    monkeypatch.setattr(reader.Book, "read", closed)
    monkeypatch.setattr(reader.Book, "derive", closed)
    reader.book.cache_clear()
    try:
        assert all(make().rule == key for key, make in EXAMPLES.items())
    finally:
        reader.book.cache_clear()
