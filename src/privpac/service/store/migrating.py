"""The service's tables, made and brought up to date inside the ledger's own transaction.

Two processes that start together wait for the ledger's lock, and the second finds nothing left to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from privpac.errors import PrivpacError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = ["is_current", "prepare"]

PLACE = "privpac.service.store:migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", PLACE)
    return config


def _current_revision(connection: Any) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table": "service_version"})
    revision: str | None = context.get_current_revision()
    return revision


def _newest() -> str | None:
    newest: str | None = ScriptDirectory.from_config(_config()).get_current_head()
    return newest


def is_current(store: SqlStore) -> bool:
    """Whether the tables are those of this version."""
    with store.reading() as connection:
        return _current_revision(connection) == _newest()


def prepare(store: SqlStore, *, upgrade: bool) -> None:
    """Make the tables if there are none; bring older ones up to date if `upgrade`, or refuse them."""
    with store.reading() as connection:
        revision = _current_revision(connection)
    if revision == _newest():
        return
    if revision is not None and not upgrade:
        raise PrivpacError(
            f"The service's tables at '{store.where}' are of another version of privpac.",
            remedy="Make a backup, stop every service that uses them, and start once with --migrate.",
        )
    with store.transact() as transaction:
        config = _config()
        config.attributes["connection"] = transaction.connection
        command.upgrade(config, "head")
