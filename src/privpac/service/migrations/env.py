"""Run by Alembic: migrate through the connection that `privpac.service.migrating` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from privpac.service.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="service_version",
)
with context.begin_transaction():
    context.run_migrations()
