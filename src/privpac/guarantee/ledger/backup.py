"""Copies of a ledger, made while it is in use, and ledgers made from copies.

A ledger in a file is copied as a file, with all tables beside it. One in PostgreSQL becomes a text file: a line for the
account and a line per charge, of one moment; what others keep in that database is for the database's own tools. Either
kind of copy can be restored to either place. A copy is verified before it is written, and before it is restored.

A restored ledger has the identity of the original and forgets what was charged after the copy was made. Two of them in
use are two budgets where one was declared; that is for people to prevent.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from privpac.checker.document import refuse_earlier
from privpac.drafts import new_file
from privpac.errors import NotCertified, ParameterError
from privpac.guarantee.ledger.account import Account, Entry
from privpac.guarantee.ledger.chain import verify_rows
from privpac.guarantee.ledger.ledger import Ledger, is_url
from privpac.guarantee.ledger.store import SQLITE, SqliteStore, sqlite_file, stored_account

__all__ = ["BACKUP_FORMAT", "backup", "restore"]

BACKUP_FORMAT = "privpac-ledger-backup/2"
FIRST = b"SQLite format 3\x00"  # how every SQLite file begins


def backup(place: str, out: str | os.PathLike[str]) -> Account:
    """Write a verified copy of the ledger at a file or URL to a new file; the account as it was copied."""
    try:
        if is_url(place) and not place.startswith(SQLITE):
            return _write_lines(place, Path(out))
        source = SqliteStore.open(sqlite_file(place) if is_url(place) else place)
        Ledger.over(source).verify()
        return source.copy_to(out).account()
    except FileExistsError:
        raise _in_use("backup", "out", out) from None


def restore(copy: str | os.PathLike[str], place: str) -> Ledger:
    """Make a ledger at a file or URL, where there is none yet, from a copy; verified first."""
    path = Path(copy)
    if not path.is_file():
        raise ParameterError("restore", "copy", str(copy), allowed="an existing copy of a ledger")
    to_database = is_url(place) and not place.startswith(SQLITE)
    target = sqlite_file(place) if is_url(place) and not to_database else place
    try:
        if _is_sqlite(path):
            source = SqliteStore.open(path)
            Ledger.over(source).verify()
            if not to_database:
                return Ledger.over(source.copy_to(target))
            account, entries = source.account(), source.entries()
        else:
            account, entries = _read_lines(path)
            verify_rows(account, entries)
        if not to_database:
            return Ledger.over(SqliteStore.restore(target, account=account, entries=entries))
        from privpac.guarantee.ledger.sql_store import SqlStore

        return Ledger.over(SqlStore.restore(place, account=account, entries=entries))
    except FileExistsError as problem:
        raise _in_use("restore", "place", problem) from None


def _in_use(owner: str, parameter: str, place: object) -> ParameterError:
    requirement = "a place where there is nothing yet"
    remedy = "Nothing is overwritten: a copy written over a ledger would forget charges."
    return ParameterError(owner, parameter, str(place), allowed=requirement, remedy=remedy)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(FIRST)) == FIRST


def _write_lines(url: str, out: Path) -> Account:
    from privpac.guarantee.ledger.sql_store import SqlStore

    account, entries = SqlStore.open(url).contents()
    verify_rows(account, entries)
    with new_file(out.resolve()) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(json.dumps({"backup": BACKUP_FORMAT, **account.facts()}) + "\n")
        for entry in entries:
            stream.write(json.dumps(entry.row()) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    return account


def _read_lines(path: Path) -> tuple[Account, tuple[Entry, ...]]:
    """What the lines say; whether it adds up is looked at by the caller."""
    try:
        with path.open(encoding="utf-8") as stream:
            head: dict[str, Any] = json.loads(stream.readline())
            for kind in (head.get("backup"), head.get("format")):
                refuse_earlier(kind, f"'{path}'")
            if head.pop("backup") != BACKUP_FORMAT:
                raise ValueError
            account = stored_account([head])
            entries = tuple(Entry.from_row(json.loads(line)) for line in stream)
    except (ValueError, AttributeError, KeyError, TypeError):
        account = None
    if account is None:
        raise NotCertified(
            f"'{path}' is not a copy of a ledger, or it was truncated or edited.", remedy="Take another copy."
        )
    return account, entries
