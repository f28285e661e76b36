"""The statements of the service's tables, for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from privpac.guarantee.ledger.driver_statement import DriverStatement
from privpac.service.store.tables import ANSWER, API_KEY, END, REQUEST

__all__ = ["ANSWERS", "ANSWER_ROWS", "ENDED", "HOLDERS", "LABELLED", "REPLIED", "REQUESTS", "REQUEST_ROWS"]

AT_ONCE = 512  # values of one IN clause: every SQLite takes this many


class _In:
    """A statement about a list of values, put together once for every power of two that is long enough: to write out a
    list of parameters anew takes longer than to look them up."""

    def __init__(self, select: Callable[[Sequence[sa.BindParameter[Any]]], sa.Select[Any]]) -> None:
        self._select = select
        self._by_length: dict[int, DriverStatement] = {}

    def rows(self, connection: Any, keys: Sequence[Any], **facts: Any) -> list[Mapping[str, Any]]:
        """The rows of all values."""
        rows: list[Mapping[str, Any]] = []
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            length = 1 << (len(some) - 1).bit_length()
            if length not in self._by_length:
                names: list[sa.BindParameter[Any]] = [sa.bindparam(f"value_{i}") for i in range(length)]
                self._by_length[length] = DriverStatement(self._select(names))
            values = {f"value_{i}": value for i, value in enumerate(some)}
            values |= {f"value_{i}": some[-1] for i in range(len(some), length)}
            rows += self._by_length[length].read(connection, facts | values)
        return rows


# Made once: to put a statement together takes longer than to run it.
ENDED = DriverStatement(sa.select(END.c.bundle).where(END.c.bundle == sa.bindparam("of")))
ANSWERS = _In(
    lambda values: sa.select(ANSWER.c.question, ANSWER.c.label).where(
        ANSWER.c.bundle == sa.bindparam("of"), ANSWER.c.question.in_(values)
    )
)
HOLDERS = _In(lambda values: sa.select(API_KEY).where(API_KEY.c.id.in_(values)))
REQUESTS = _In(
    lambda values: sa.select(
        REQUEST.c.api_key, REQUEST.c.idempotency_key, REQUEST.c.digest, REQUEST.c.epsilon, REQUEST.c.reply
    ).where(REQUEST.c.api_key == sa.bindparam("holder"), REQUEST.c.idempotency_key.in_(values))
)
ANSWER_ROWS = DriverStatement(sa.insert(ANSWER).inline(), "bundle", "question", "label")
REQUEST_ROWS = DriverStatement(
    sa.insert(REQUEST).inline(), "api_key", "idempotency_key", "digest", "reply", "epsilon", "entry", "time"
)
LABELLED = DriverStatement(
    sa.update(ANSWER)
    .where(ANSWER.c.bundle == sa.bindparam("of"), ANSWER.c.question == sa.bindparam("asked"))
    .values(label=sa.bindparam("drawn"))
)
REPLIED = DriverStatement(
    sa.update(REQUEST)
    .where(REQUEST.c.api_key == sa.bindparam("holder"), REQUEST.c.idempotency_key == sa.bindparam("name"))
    .values(reply=sa.bindparam("text"))
)
