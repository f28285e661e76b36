"""Run by Alembic: migrates through the connection that `service.store.migrating` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from privpac.service.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="service_version",
)
with context.begin_transaction():
    context.run_migrations()
