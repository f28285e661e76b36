"""A statement that is put together once for every kind of database and handed to its driver: what stands between takes
longer than the database does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privpac.errors import MissingExtra

try:
    import sqlalchemy as sa
    from sqlalchemy.sql.compiler import SQLCompiler
except ImportError:
    raise MissingExtra("A ledger in a database", "database") from None

__all__ = ["DriverStatement"]


class DriverStatement:
    """Of named values; an insertion names its `columns`. Values are of types that drivers take as they are."""

    def __init__(self, statement: sa.Insert | sa.Update | sa.Select[Any], *columns: str) -> None:
        self._statement, self._columns = statement, columns
        self._compiled: dict[str, tuple[str, Sequence[str] | None]] = {}

    def write(self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it for all rows, if there are any."""
        if not rows:
            return
        text, places = self._text(connection.dialect)
        if places is None:
            connection.exec_driver_sql(text, [dict(row) for row in rows])
        else:
            connection.exec_driver_sql(text, [tuple([row[name] for name in places]) for row in rows])

    def read(self, connection: sa.Connection, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The rows it selects."""
        text, places = self._text(connection.dialect)
        parameters = dict(values) if places is None else tuple([values[name] for name in places])
        return connection.exec_driver_sql(text, parameters).mappings().all()  # type: ignore[return-value]

    def _text(self, dialect: sa.Dialect) -> tuple[str, Sequence[str] | None]:
        if dialect.name not in self._compiled:
            form = self._statement.compile(dialect=dialect, column_keys=self._columns or None)
            assert isinstance(form, SQLCompiler)
            self._compiled[dialect.name] = (form.string, form.positiontup)
        return self._compiled[dialect.name]
