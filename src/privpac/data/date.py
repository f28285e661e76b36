"""Columns of dates, and of dates with a time of day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import numpy as np

from privpac.data import raw as reading
from privpac.data.column import Column
from privpac.data.raw import Array

__all__ = ["Date"]


@dataclass(frozen=True)
class Date(Column):
    """Days between two ISO dates; with a time of day, seconds on the wall clock of `timezone`.

    A value that carries an offset is first moved to that clock; one without is taken to be on it. A time of
    day in a column of days, and fractions of a second, are rounded down.
    """

    kind: ClassVar[str] = "date"
    ordered: ClassVar[bool] = True
    lower: str
    upper: str
    with_time: bool = False
    timezone: str | None = None
    missing: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.with_time and self.timezone is None:
            raise self._contradiction(
                "its bounds have a time of day but no time zone is named",
                'Add "timezone": "UTC" or another zone.',
            )
        if self.timezone is not None and self._zone is None:
            raise self._contradiction(
                f"the time zone {self.timezone!r} is not known here",
                "Use a name such as UTC or Europe/Paris (on Windows: pip install tzdata).",
            )
        for end in ("lower", "upper", "missing"):
            bound = getattr(self, end)
            if end != "missing" or bound is not None:
                object.__setattr__(self, end, self._text(self._count(end, bound)))
        first, last = self._count("lower", self.lower), self._count("upper", self.upper)
        if first >= last:
            raise self._contradiction(
                f"lower is {self.lower}, which is not before upper, {self.upper}",
                "Exchange or widen the bounds.",
            )
        if self.missing is not None and not first <= self._count("missing", self.missing) <= last:
            raise self._contradiction(
                f"missing is {self.missing}, outside of {self.lower} to {self.upper}",
                "Choose a date between the bounds.",
            )

    @cached_property
    def _zone(self) -> tzinfo | None:
        if self.timezone == "UTC":  # known everywhere, even where no zone data are installed
            return UTC
        try:
            return None if self.timezone is None else ZoneInfo(self.timezone)
        except (KeyError, ValueError, OSError, TypeError):
            return None

    def _count(self, end: str, bound: object) -> int:
        if isinstance(bound, (str, date)) and not reading.is_empty(bound):
            read = reading.each([bound], lambda item: reading.instant(item, self.with_time, self._zone))
            if read is not None:
                return int(read[0])
        raise self._contradiction(f"{end} is not an ISO date", f'Write "{end}": "YYYY-MM-DD".')

    def _text(self, count: int) -> str:
        if self.with_time:
            return (datetime(1970, 1, 1) + timedelta(seconds=count)).isoformat(timespec="seconds")
        return (date(1970, 1, 1) + timedelta(days=count)).isoformat()

    @cached_property
    def _ends(self) -> tuple[int, int]:
        return self._count("lower", self.lower), self._count("upper", self.upper)

    @property
    def size(self) -> int:
        return self._ends[1] - self._ends[0] + 1

    def _cells(self, raw: object) -> Array:
        counts, empty = reading.instants(self.name, raw, seconds=self.with_time, zone=self._zone)
        if empty is not None:
            if self.missing is None:
                raise self._no_empty()
            counts[empty] = self._count("missing", self.missing)
        np.clip(counts, *self._ends, out=counts)
        counts -= self._ends[0]
        return counts.astype(self.dtype)

    def value(self, cell: int) -> str:
        return self._text(self._ends[0] + self._inside(cell))

    def show(self, cell: int) -> str:
        return self.value(cell)

    def sql_value(self, cell: int) -> str:
        # Without a type: SQLite has none for dates, and other databases read the text as what it is compared with.
        return f"'{self.value(cell).replace('T', ' ')}'"

    def value_in_words(self) -> str:
        return f"an ISO date from {self.lower} to {self.upper}"

    def values_in_words(self) -> str:
        return f"{self.lower} to {self.upper}"

    def _range_words(self) -> str:
        clock = f"moments on the clock of {self.timezone}" if self.with_time else "days"
        return f"{clock} from {self.lower} to {self.upper}; earlier ones count as the first, later ones as the last"

    def to_json(self) -> dict[str, Any]:
        entry = {"name": self.name, "kind": self.kind, "lower": self.lower, "upper": self.upper}
        return self._entry(entry, timezone=self.timezone, missing=self.missing)
