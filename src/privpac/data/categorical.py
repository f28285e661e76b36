"""Columns of categories."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from privpac.data import raw as reading
from privpac.data.column import Column
from privpac.data.raw import EMPTY, UNKNOWN, Array
from privpac.data.words import Meanings, meanings_of, with_meaning
from privpac.errors import DataError

__all__ = ["Categorical"]

MOST_NAMED = 12
"""Categories that are named where a column is described in words."""
MOST_LISTED = 8
"""Categories in a message."""


@dataclass(frozen=True)
class Categorical(Column):
    """Categories compared as text, so that 1, "1" and 1.0 agree.

    `other` takes every value that is not listed, `missing` every empty cell; each is a listed category or a
    further one of its own.
    """

    kind: ClassVar[str] = "categorical"
    ordered: ClassVar[bool] = False
    categories: tuple[str, ...]
    other: str | None = None
    missing: str | None = None
    meanings: Meanings | None = field(default=None, compare=False, repr=False, kw_only=True)
    """What people call the categories, where that is not the category itself."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "categories", tuple(reading.text_of(name) for name in self.categories))
        for option in ("other", "missing"):
            if getattr(self, option) is not None:
                object.__setattr__(self, option, reading.text_of(getattr(self, option)))
        if not self.categories:
            raise self._contradiction("categories is empty", "List the public categories.")
        if len(set(self.categories)) < len(self.categories):
            repeats = [name for name, count in Counter(self.categories).items() if count > 1]
            raise self._contradiction(
                f"the category '{min(repeats)}' is listed twice (categories are compared as text)",
                "List it once.",
            )
        if "" in self.categories:
            raise self._contradiction("a category is the empty text", 'Name it with "missing" instead.')
        if self.meanings is not None:
            owner = f"Column '{self.name}'"
            words = meanings_of(self.meanings, self.names, self._table, owner=owner, column=self.name)
            object.__setattr__(self, "meanings", words)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The category of each cell, `other` and `missing` included."""
        extra = [name for name in (self.other, self.missing) if name is not None]
        return tuple(dict.fromkeys((*self.categories, *extra)))

    @property
    def size(self) -> int:
        return len(self.names)

    @cached_property
    def _table(self) -> dict[str, int]:
        return reading.lookup(self.names)

    def _cells(self, raw: object) -> Array:
        codes = reading.codes(self.name, raw, table=self._table)
        if codes.min(initial=0) >= 0:
            return codes.astype(self.dtype)
        empty, unknown = codes == EMPTY, codes == UNKNOWN
        if empty.any():
            if self.missing is None:
                raise self._no_empty()
            codes[empty] = self.names.index(self.missing)
        if unknown.any():
            if self.other is None:
                raise DataError(
                    f"Column '{self.name}' has a value that is not among its declared categories.",
                    column=self.name,
                    remedy='Add it to "categories", or declare "other": "other" to take the rest.',
                )
            codes[unknown] = self.names.index(self.other)
        return codes.astype(self.dtype)

    def value(self, cell: int) -> str:
        return self.names[self._inside(cell)]

    def show(self, cell: int) -> str:
        name = self.value(cell)
        return (self.meanings or {}).get(name, name)

    def sql_value(self, cell: int) -> str:
        return "'" + self.value(cell).replace("'", "''") + "'"

    def value_in_words(self) -> str:
        more = ", ..." if len(self.categories) > MOST_LISTED else ""
        return f"one of {', '.join(self.categories[:MOST_LISTED])}{more}"

    def values_in_words(self) -> str:
        names = ", ".join(with_meaning(name, self.meanings) for name in self.names[:MOST_NAMED])
        return names if self.size <= MOST_NAMED else f"{names}, … ({self.size} in all)"

    def _range_words(self) -> str:
        first = ", ".join(with_meaning(name, self.meanings) for name in self.categories[:MOST_NAMED])
        more = len(self.categories) - MOST_NAMED
        names = f"one of {first}" + (f" and {more} more" if more > 0 else "")
        return f"{names}; any other value " + (
            "is refused" if self.other is None else f"counts as {self.other}"
        )

    def to_json(self) -> dict[str, Any]:
        entry = {"name": self.name, "kind": self.kind, "categories": list(self.categories)}
        return self._entry(entry, other=self.other, missing=self.missing, meanings=self.meanings)
