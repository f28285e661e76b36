"""Keys, requests and answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "api_key",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("salt", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("revoked", sa.Text),
        sa.Column("epsilon_total", sa.Text),
        sa.Column("epsilon_spent", sa.Text, nullable=False, server_default="0"),
    )
    op.create_table(
        "request",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("api_key", sa.Text, sa.ForeignKey("api_key.id"), nullable=False),
        sa.Column("idempotency_key", sa.Text),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.Column("epsilon", sa.Text, nullable=False),
        sa.Column("entry", sa.BigInteger),
        sa.Column("time", sa.Text, nullable=False),
        sa.UniqueConstraint("api_key", "idempotency_key", name="one_reply_a_key"),
    )
    op.create_table(
        "answer",
        sa.Column("bundle", sa.Text, primary_key=True),
        sa.Column("question", sa.LargeBinary, primary_key=True),
        sa.Column("label", sa.SmallInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for name in ("answer", "request", "api_key"):
        op.drop_table(name)
