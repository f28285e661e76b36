"""The tables of a ledger, in both databases, and how those of the first layout are brought up to date.

A ledger with tables of the first layout is used as it is, by this and by earlier versions at once. Once its tables are
of the second, its mark is another one and earlier versions refuse it: they would add rows without a rho.
"""

from __future__ import annotations

from privpac.guarantee.ledger.account import FIRST_FORMAT, FORMAT

__all__ = [
    "APPLICATION_IDS",
    "FIRST_ID",
    "POSTGRES_TABLES",
    "POSTGRES_UPGRADE",
    "SQLITE_TABLES",
    "SQLITE_UPGRADE",
]

FIRST_ID = 0x70726C31
"""'prl1' in the header of the file: tells a ledger from any other SQLite database."""
SECOND_ID = 0x70726C32
APPLICATION_IDS = (FIRST_ID, SECOND_ID)

_ACCOUNT = """CREATE TABLE account (
    id TEXT NOT NULL, format TEXT NOT NULL, pure_epsilon TEXT, total_epsilon TEXT, total_delta TEXT,
    reserved_delta TEXT, rho_order TEXT, total_rho TEXT, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,
    spent_rho TEXT NOT NULL, count BIGINT NOT NULL, head TEXT NOT NULL
);"""
_ENTRY_COLUMNS = """epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT,
    note TEXT NOT NULL, key TEXT UNIQUE, time TEXT NOT NULL, purchase TEXT, hash TEXT NOT NULL"""

SQLITE_TABLES = f"""
PRAGMA application_id = {SECOND_ID};
PRAGMA journal_mode = WAL;
{_ACCOUNT}
CREATE TABLE entry (number INTEGER PRIMARY KEY, {_ENTRY_COLUMNS});
CREATE TRIGGER no_edit BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER no_removal BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
"""

POSTGRES_TABLES = f"""
{_ACCOUNT}
CREATE TABLE entry (number BIGINT PRIMARY KEY, {_ENTRY_COLUMNS});
CREATE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a ledger only grows'; END $$;
CREATE TRIGGER no_edit BEFORE UPDATE OR DELETE ON entry
    FOR EACH ROW EXECUTE FUNCTION ledger_only_grows();
CREATE TRIGGER no_removal BEFORE TRUNCATE ON entry
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows();
COMMENT ON TABLE account IS '{FORMAT}';
"""

_UPGRADE = (
    "ALTER TABLE entry ADD COLUMN rho TEXT",
    "ALTER TABLE entry ADD COLUMN purchase TEXT",
    f"ALTER TABLE account ADD COLUMN format TEXT NOT NULL DEFAULT '{FIRST_FORMAT}'",
    "ALTER TABLE account ADD COLUMN spent_rho TEXT NOT NULL DEFAULT '0'",
)
"""A pure or adding promise stays one: its columns are those of the first layout."""
SQLITE_UPGRADE = (*_UPGRADE, f"PRAGMA application_id = {SECOND_ID}")
POSTGRES_UPGRADE = (*_UPGRADE, f"COMMENT ON TABLE account IS '{FORMAT}'")
