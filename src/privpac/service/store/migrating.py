"""The service's tables, made and brought up to date inside the ledger's own transaction.

Two processes that start together wait for the ledger's lock, and the second finds nothing left to do.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from privpac.errors import PrivpacError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = ["is_current", "prepare", "try_write"]

PLACE = "privpac.service.store:migrations"
VERSION_TABLE = "service_version"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", PLACE)
    return config


def _current_revision(connection: Any) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    revision: str | None = context.get_current_revision()
    return revision


@cache
def _newest() -> str | None:
    newest: str | None = ScriptDirectory.from_config(_config()).get_current_head()
    return newest


def is_current(store: SqlStore) -> bool:
    """Whether the tables are those of this version."""
    with store.reading() as connection:
        return _current_revision(connection) == _newest()


def try_write(store: SqlStore) -> None:
    """Write what is there already, durably: whoever can do this can charge.

    Nothing less tells of a full disk, for a change that is not committed need not reach it.
    """
    with store.transact() as transaction:
        transaction.connection.execute(_SAME_VERSION)


_SAME_VERSION = sa.text(f"UPDATE {VERSION_TABLE} SET version_num = version_num")


def prepare(store: SqlStore, *, upgrade: bool) -> None:
    """Make the tables if there are none; bring older ones up to date if `upgrade`, or refuse them."""
    with store.reading() as connection:
        revision = _current_revision(connection)
    if revision == _newest():
        return
    if revision is not None and revision > (_newest() or ""):  # numbers of four digits
        raise PrivpacError(
            f"The service's tables at '{store.where}' are of a newer version of privpac than this one.",
            remedy="Install the version that wrote them, or go on with a backup of before.",
        )
    if revision is not None and not upgrade:
        raise PrivpacError(
            f"The service's tables at '{store.where}' are of another version of privpac.",
            remedy="Make a backup, stop every service that uses them, and start once with --migrate.",
        )
    with store.transact() as transaction:
        config = _config()
        config.attributes["connection"] = transaction.connection
        command.upgrade(config, "head")
