"""Keys whose own budget has a delta: what they may spend and have spent in rho as well."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what a key may spend in rho and delta."""
    op.add_column("api_key", sa.Column("delta_total", sa.Text))
    op.add_column("api_key", sa.Column("rho_spent", sa.Text, nullable=False, server_default="0"))


def downgrade() -> None:
    """Take it away."""
    with op.batch_alter_table("api_key") as changed:
        changed.drop_column("rho_spent")
        changed.drop_column("delta_total")
