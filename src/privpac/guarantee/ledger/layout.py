"""The tables of a ledger, in both databases, and the marks that tell a ledger from everything else."""

from __future__ import annotations

from privpac.guarantee.ledger.account import FORMAT

__all__ = ["EARLIER_ID", "POSTGRES_TABLES", "SQLITE_ID", "SQLITE_TABLES"]

SQLITE_ID = 0x70726C32
"""'prl2' in the header of the file: tells a ledger from any other SQLite database."""
EARLIER_ID = 0x70726C31
"""Of ledgers that this version refuses by name."""

_ACCOUNT = """CREATE TABLE account (
    id TEXT NOT NULL, format TEXT NOT NULL, pure_epsilon TEXT, total_epsilon TEXT, total_delta TEXT,
    reserved_delta TEXT, rho_order TEXT, total_rho TEXT, spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL,
    spent_rho TEXT NOT NULL, count BIGINT NOT NULL, head TEXT NOT NULL
);"""
_ENTRY_COLUMNS = """epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT,
    note TEXT NOT NULL, key TEXT UNIQUE, time TEXT NOT NULL, purchase TEXT, hash TEXT NOT NULL"""

SQLITE_TABLES = f"""
PRAGMA application_id = {SQLITE_ID};
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
