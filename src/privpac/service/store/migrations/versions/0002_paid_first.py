"""Questions and requests that are paid for before they are answered, and bundles that have ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NULLABLE = (("answer", "label", sa.SmallInteger()), ("request", "reply", sa.Text()))


def upgrade() -> None:
    """Let answers be paid for before they are known, and note bundles that ended."""
    for table, column, kind in NULLABLE:
        with op.batch_alter_table(table) as changed:
            changed.alter_column(column, existing_type=kind, nullable=True)
    op.create_table(
        "bundle_end",
        sa.Column("bundle", sa.Text, primary_key=True),
        sa.Column("time", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop answers that were paid for and are not known."""
    op.drop_table("bundle_end")
    op.execute("DELETE FROM answer WHERE label IS NULL")
    op.execute("UPDATE request SET reply = '' WHERE reply IS NULL")
    for table, column, kind in NULLABLE:
        with op.batch_alter_table(table) as changed:
            changed.alter_column(column, existing_type=kind, nullable=False)
