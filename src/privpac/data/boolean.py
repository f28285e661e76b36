"""Columns of yes and no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from privpac.data import raw as reading
from privpac.data.column import Column
from privpac.data.raw import EMPTY, UNKNOWN, Array
from privpac.data.words import Meanings, meanings_of, with_meaning
from privpac.errors import DataError

__all__ = ["Boolean"]

WORDS = (("0", "0.0", "no", "false"), ("1", "1.0", "yes", "true"))
"""What counts as False and as True."""
NAMES = ("false", "true")


@dataclass(frozen=True)
class Boolean(Column):
    """False and True, two ordered cells; 0/1, true/false and yes/no are read too."""

    kind: ClassVar[str] = "boolean"
    ordered: ClassVar[bool] = True
    TABLE: ClassVar[Mapping[str, int]] = {
        spelling: cell
        for cell, words in enumerate(WORDS)
        for word in words
        for spelling in (word, word.capitalize(), word.upper())
    }
    missing: bool | None = None
    meanings: Meanings | None = field(default=None, compare=False, repr=False, kw_only=True)
    """What people call false and true."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.missing is not None:
            cell = self.TABLE.get(reading.text_of(self.missing))
            if cell is None:
                raise self._contradiction("missing is not a boolean", 'Write "missing": true or false.')
            object.__setattr__(self, "missing", bool(cell))
        if self.meanings is not None:
            owner = f"Column '{self.name}'"
            words = meanings_of(self.meanings, NAMES, self.TABLE, owner=owner, column=self.name)
            object.__setattr__(self, "meanings", words)

    @property
    def size(self) -> int:
        return 2

    def _cells(self, raw: object) -> Array:
        codes = reading.codes(self.name, raw, table=self.TABLE)
        if (codes == UNKNOWN).any():
            raise DataError(
                f"Column '{self.name}' has a cell that is not a boolean.",
                column=self.name,
                remedy="Use true/false, yes/no or 0/1, or declare another kind for it: categorical, or numeric.",
            )
        empty = codes == EMPTY
        if empty.any():
            if self.missing is None:
                raise self._no_empty()
            codes[empty] = int(self.missing)
        return codes.astype(self.dtype)

    def value(self, cell: int) -> bool:
        return bool(self._inside(cell))

    def show(self, cell: int) -> str:
        name = NAMES[self._inside(cell)]
        return (self.meanings or {}).get(name, name)

    def sql_value(self, cell: int) -> str:
        return f"'{NAMES[self._inside(cell)]}'"

    def sql_spellings(self, cell: int) -> str:
        """All that counts as this cell, in small letters: columns hold booleans, 0 and 1, or text."""
        return ", ".join(f"'{word}'" for word in reversed(WORDS[self._inside(cell)]))

    @property
    def json_type(self) -> str:
        return "boolean"

    def value_in_words(self) -> str:
        return "true or false"

    def values_in_words(self) -> str:
        return ", ".join(with_meaning(name, self.meanings) for name in reversed(NAMES))

    def _range_words(self) -> str:
        return " or ".join(with_meaning(name, self.meanings) for name in reversed(NAMES))

    def to_json(self) -> dict[str, Any]:
        return self._entry(
            {"name": self.name, "kind": self.kind}, missing=self.missing, meanings=self.meanings
        )
