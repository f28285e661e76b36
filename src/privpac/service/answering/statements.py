"""The statements of the service's tables, for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler

from privpac.service.store.tables import ANSWER, API_KEY, END, REQUEST

__all__ = ["ANSWERS", "ANSWER_ROWS", "ENDED", "HOLDERS", "LABELLED", "REPLIED", "REQUESTS", "REQUEST_ROWS"]

AT_ONCE = 512  # values of one IN clause: every SQLite takes so many


class _In:
    """A statement about a list of values, put together once for every power of two that is long enough: to write out a
    list of parameters anew takes longer than to look them up."""

    def __init__(self, select: Callable[[Sequence[sa.BindParameter[Any]]], sa.Select[Any]]) -> None:
        self._select = select
        self._made: dict[int, sa.Select[Any]] = {}

    def rows(self, connection: Any, wanted: Sequence[Any], **facts: Any) -> list[Mapping[str, Any]]:
        """The rows of all values."""
        rows: list[Mapping[str, Any]] = []
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            length = 1 << (len(some) - 1).bit_length()
            if length not in self._made:
                self._made[length] = self._select([sa.bindparam(f"value_{i}") for i in range(length)])
            values = {f"value_{i}": value for i, value in enumerate(some)}
            values |= {f"value_{i}": some[-1] for i in range(len(some), length)}
            rows += connection.execute(self._made[length], facts | values).mappings().all()
        return rows


class _Many:
    """A statement that is run for many rows, put together once for every kind of database and handed to its driver:
    what stands between, for one row, takes longer than the database does."""

    def __init__(self, statement: sa.Insert | sa.Update, *columns: str) -> None:
        self._statement, self._columns = statement, columns
        self._made: dict[str, tuple[str, Sequence[str] | None]] = {}

    def write(self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it, if there are rows."""
        if not rows:
            return
        dialect = connection.dialect
        if dialect.name not in self._made:
            compiled = self._statement.compile(dialect=dialect, column_keys=self._columns or None)
            assert isinstance(compiled, SQLCompiler)
            self._made[dialect.name] = (compiled.string, compiled.positiontup)
        text, places = self._made[dialect.name]
        if places is None:
            connection.exec_driver_sql(text, [dict(row) for row in rows])
        else:
            connection.exec_driver_sql(text, [tuple([row[name] for name in places]) for row in rows])


# Made once: to put a statement together takes longer than to run it.
ENDED = sa.select(END.c.bundle).where(END.c.bundle == sa.bindparam("of"))
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
ANSWER_ROWS = _Many(sa.insert(ANSWER).inline(), "bundle", "question", "label")
REQUEST_ROWS = _Many(
    sa.insert(REQUEST).inline(), "api_key", "idempotency_key", "digest", "reply", "epsilon", "entry", "time"
)
LABELLED = _Many(
    sa.update(ANSWER)
    .where(ANSWER.c.bundle == sa.bindparam("of"), ANSWER.c.question == sa.bindparam("asked"))
    .values(label=sa.bindparam("drawn"))
)
REPLIED = _Many(
    sa.update(REQUEST)
    .where(REQUEST.c.api_key == sa.bindparam("holder"), REQUEST.c.idempotency_key == sa.bindparam("name"))
    .values(reply=sa.bindparam("text"))
)
