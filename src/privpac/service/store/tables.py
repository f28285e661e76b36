"""The service's tables. They live in the ledger's database, so that one transaction covers a charge and its answer."""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["ANSWER", "API_KEY", "END", "METADATA", "REQUEST"]

METADATA = sa.MetaData()

API_KEY = sa.Table(
    "api_key",
    METADATA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("revoked", sa.Text),
    # Exact text, as in the ledger; no total: only the dataset's budget limits this key.
    sa.Column("epsilon_total", sa.Text),
    sa.Column("epsilon_spent", sa.Text, nullable=False, server_default="0"),
    # With a delta the total is one of epsilon and delta, kept by the same filter as a ledger's.
    sa.Column("delta_total", sa.Text),
    sa.Column("rho_spent", sa.Text, nullable=False, server_default="0"),
)

REQUEST = sa.Table(
    "request",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("api_key", sa.Text, sa.ForeignKey("api_key.id"), nullable=False),
    sa.Column("idempotency_key", sa.Text),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    # Kept for whoever may send the request again; none while it waits for answers.
    sa.Column("reply", sa.Text),
    sa.Column("epsilon", sa.Text, nullable=False),
    # The ledger's row, if anything was charged.
    sa.Column("entry", sa.BigInteger),
    sa.Column("time", sa.Text, nullable=False),
    sa.UniqueConstraint("api_key", "idempotency_key", name="one_reply_a_key"),
)

ANSWER = sa.Table(
    "answer",
    METADATA,
    sa.Column("bundle", sa.Text, primary_key=True),
    sa.Column("question", sa.LargeBinary, primary_key=True),
    # None while the question is paid for and not drawn yet.
    sa.Column("label", sa.SmallInteger),
)

END = sa.Table(
    "bundle_end",
    METADATA,
    # Of a bundle from which an answer could not be drawn: nothing is answered from it any more.
    sa.Column("bundle", sa.Text, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
)
