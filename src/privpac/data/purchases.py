"""What a charge says it was paid for: names that follow from the request, never from the records."""

from __future__ import annotations

import os
from pathlib import Path

from privpac.data.schema import Schema
from privpac.guarantee.ledger.purchase import Purchase

__all__ = ["purchase_of"]


def purchase_of(word: str, schema: Schema, *, table: object = None) -> Purchase:
    """Paid for `word`, under this schema, from this table if it has a name.

    A schema that was read from the records has no digest here: that would be one of them.
    """
    digest = "" if schema.origin == "from_data" else schema.digest()
    return Purchase.of(table=_table_name(table), schema=digest, word=word, label=schema.label)


def _table_name(table: object) -> str:
    """The name of a file without its folders; an address may hold a password, and a frame has no name."""
    if not isinstance(table, str | os.PathLike) or "://" in str(table):
        return ""
    return Path(table).name
