"""What every kind of column can do: turn a raw value into a cell, by itself and by public rules only.

A column is a finite, public set of cells 0 .. size-1. `encode` maps a record's value to its cell whatever the
other records are; outside the bounds it clamps. That makes every count of cells change by at most one when
one record is replaced, and it makes a comparison of cells the same as a comparison of values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from privpac.data.raw import Array, each_once
from privpac.data.words import LONGEST_TITLE, LONGEST_UNIT, fault_of
from privpac.errors import DataError, ParameterError, SchemaError

__all__ = ["Column", "hashed_once"]


T = TypeVar("T")


def hashed_once(kind: type[T]) -> type[T]:
    """A frozen class that serves as a key again and again: its hash, which goes over all that it holds, is kept.

    It stays in its process, since texts have another hash in the next.
    """
    whole = kind.__hash__

    def key(self: T) -> int:
        if "_hash" not in self.__dict__:
            self.__dict__["_hash"] = whole(self)
        number: int = self.__dict__["_hash"]
        return number

    def state(self: T) -> dict[str, Any]:
        return {name: part for name, part in self.__dict__.items() if name != "_hash"}

    kind.__hash__, kind.__getstate__ = key, state  # type: ignore[method-assign, assignment]
    return kind


@dataclass(frozen=True)
class Column(ABC):
    """A named, finite, public set of cells."""

    name: str
    title: str | None = field(default=None, compare=False, repr=False, kw_only=True)
    """What people call it; changes nothing but the words that they read."""
    extras: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False, kw_only=True)
    kind: ClassVar[str]
    ordered: ClassVar[bool]

    def __post_init__(self) -> None:
        self._check_words("title", self.title, LONGEST_TITLE)
        self._check_words("unit", self.unit, LONGEST_UNIT)

    @property
    def unit(self) -> str | None:
        """What its numbers count, such as mmHg; None for columns without numbers, and where nothing is said."""
        return None

    @property
    @abstractmethod
    def size(self) -> int:
        """How many cells there are; it may exceed 2**64."""

    @property
    @abstractmethod
    def missing(self) -> Any:
        """The raw value that stands for an empty cell; None: an empty cell is refused."""

    def encode(self, raw: object) -> Array:
        """The cell of every record."""
        return each_once(raw, self._cells)

    @abstractmethod
    def _cells(self, raw: object) -> Array:
        """The cell of every value."""

    @abstractmethod
    def value(self, cell: int) -> Any:
        """The smallest legal raw value whose cell is at least `cell`; for a category its name."""

    @abstractmethod
    def show(self, cell: int) -> str:
        """A short text for people that lies in `cell`."""

    @abstractmethod
    def sql_value(self, cell: int) -> str:
        """`value(cell)` as an SQL literal that compares the way the cells do."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The column as an entry of a schema file."""

    @property
    def json_type(self) -> str:
        """What JSON Schema calls its values."""
        return "string"

    @abstractmethod
    def value_in_words(self) -> str:
        """What one cell of it may hold, in words."""

    @abstractmethod
    def values_in_words(self) -> str:
        """Its allowed values, as short as a row of a table."""

    @abstractmethod
    def _range_words(self) -> str:
        """What values it takes and what becomes of others, in words."""

    def in_words(self) -> str:
        """What the schema says of the column, for a person who knows whether that is so.

        >>> from privpac.data.boolean import Boolean
        >>> Boolean("smoker").in_words()
        'smoker: true or false. An empty cell is refused.'
        """
        empty = "is refused" if self.missing is None else f"counts as {self.missing}"
        title = "" if self.title is None else f" ({self.title})"
        return f"{self.name}{title}: {self._range_words()}. An empty cell {empty}."

    @property
    def called(self) -> str:
        """What people call it: its title, or its name."""
        return self.name if self.title is None else self.title

    @property
    def heading(self) -> str:
        """What stands above its numbers.

        >>> from privpac.data.numeric import Numeric
        >>> Numeric("sysBP", 80, 300, title="Systolic blood pressure", unit="mmHg").heading
        'Systolic blood pressure (mmHg)'
        """
        return self.called if self.unit is None else f"{self.called} ({self.unit})"

    def with_unit(self, text: str) -> str:
        """A value of the column, as `show` writes it, for a person who reads nothing else of it."""
        return text if self.unit is None else f"{text} {self.unit}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """What cells are stored as: uint32, uint64, or Python integers beyond 64 bits."""
        if self.size <= 2**32:
            return np.dtype(np.uint32)
        return np.dtype(np.uint64 if self.size <= 2**64 else object)

    def cell(self, value: object) -> int:
        """The cell of one public value, such as a cut or the centre of a prior."""
        return int(self.encode([value])[0])

    def _inside(self, cell: int) -> int:
        if not 0 <= cell < self.size:
            raise ParameterError(
                f"Column '{self.name}'", "cell", int(cell), allowed=f"between 0 and {self.size - 1}"
            )
        return int(cell)

    def _check_words(self, key: str, words: object, longest: int) -> None:
        """Refuse what could not stand in a line of plain text, or would turn the letters around it."""
        fault = None if words is None else fault_of(words, longest)
        if fault is not None:
            raise self._contradiction(
                f"{key} {fault}",
                f'Write "{key}": followed by up to {longest} letters of plain text in quotes, or leave it out.',
            )

    def _entry(self, entry: dict[str, Any], **options: object) -> dict[str, Any]:
        """A schema entry with those options that are set, and the unknown keys the file had."""
        settings = {key: value for key, value in options.items() if value is not None}
        words = {"title": self.title, "unit": self.unit}
        settings |= {key: value for key, value in words.items() if value is not None}
        return {**entry, **settings, **{key: value for key, value in self.extras.items() if key not in entry}}

    def _contradiction(self, problem: str, remedy: str) -> SchemaError:
        return SchemaError(f"Column '{self.name}': {problem}.", column=self.name, remedy=remedy)

    def _no_empty(self) -> DataError:
        """No value is proposed: one of ours, such as a bound, would be a diagnosis nobody made."""
        return DataError(
            f"Column '{self.name}' has an empty, NaN or infinite cell, and its schema does not allow that.",
            column=self.name,
            remedy='Fill the cell. Before a rule is learnt, "missing" in the schema says what an empty cell counts as.',
        )
