"""Ledgers and copies of an earlier format are refused in one sentence, and never taken for empty."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from privpac.errors import NotCertified
from privpac.guarantee.ledger.backup import restore
from privpac.guarantee.ledger.layout import EARLIER_ID, SQLITE_ID
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.sql_store import SqlStore

FIRST_TABLES = f"""
PRAGMA application_id = {EARLIER_ID};
CREATE TABLE account (
    id TEXT NOT NULL, total_epsilon TEXT NOT NULL, total_delta TEXT NOT NULL,
    spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL, count INTEGER NOT NULL, head TEXT NOT NULL
);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
    note TEXT NOT NULL, key TEXT UNIQUE, time TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO account VALUES ('{"0" * 32}', '3', '0.001', '0.1', '0', 1, '{"ab" * 32}');
INSERT INTO entry VALUES (1, '0.1', '0', 'first', NULL, '2026-11-16T00:00:00+00:00', '{"ab" * 32}');
"""
"""As version 0.1.0 made them."""
MIGRATED = f"""
ALTER TABLE entry ADD COLUMN rho TEXT;
ALTER TABLE entry ADD COLUMN purchase TEXT;
ALTER TABLE account ADD COLUMN format TEXT NOT NULL DEFAULT 'privpac-ledger/1';
ALTER TABLE account ADD COLUMN spent_rho TEXT NOT NULL DEFAULT '0';
PRAGMA application_id = {SQLITE_ID};
"""
"""As version 0.2.0 brought them up to date."""
REFUSAL = r"has the format privpac-ledger/1 of an earlier version, which privpac 0\.2\.0 reads"
OPENERS: list[Callable[[Path], Ledger]] = [
    Ledger.open,
    lambda path: Ledger.over(SqlStore.open(f"sqlite:///{path}")),
    lambda path: Ledger(epsilon=3, delta="0.001", path=path),
    lambda path: restore(path, str(path.with_suffix(".again"))),
]


@pytest.fixture(params=[FIRST_TABLES, FIRST_TABLES + MIGRATED], ids=["first", "migrated"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(request.param)
    return path


@pytest.mark.parametrize("opened", OPENERS)
def test_an_earlier_ledger_is_refused_by_name_and_left_as_it_is(
    old: Path, opened: Callable[[Path], Ledger]
) -> None:
    before = old.read_bytes()
    with pytest.raises(NotCertified, match=REFUSAL):
        opened(old)
    assert old.read_bytes() == before
    assert not old.with_suffix(".again").exists()


@pytest.mark.parametrize(
    "head", [{"format": "privpac-ledger-backup/1"}, {"backup": "privpac-ledger-backup/2"}]
)
def test_a_copy_of_an_earlier_ledger_is_refused_by_name(head: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_text(json.dumps({"format": "privpac-ledger/1", **head}) + "\n", encoding="utf-8")
    with pytest.raises(NotCertified, match=r"/1 of an earlier version, which privpac 0\.2\.0 reads"):
        restore(copy, str(tmp_path / "new.sqlite"))


def test_a_new_ledger_has_the_mark_of_this_format(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    Ledger(epsilon=3, delta="1e-6", path=path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (SQLITE_ID,)
