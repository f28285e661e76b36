"""Columns that are kept short: text in one buffer, and values that repeat with a number for each record.

Reading them makes no object of Python per cell. Every way here ends in the functions of `values`, cell by cell, or in
one that agrees with them on the cells it takes: what a record becomes never depends on another record, and is the same
whether or not pyarrow is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from privpac.compiled import plainly
from privpac.data.values import Array

__all__ = ["Distinct", "Raw", "Texts", "held_text", "plain_array", "worth_compiling"]

FEW = 2**12
"""Records up to which a column of a frame is read as an array: loading pyarrow takes as long as those."""
MANY = 2**17
"""Records from which on numbers in text are read by compiled code, whether or not it is loaded."""
CARE = 2**8
"""Reading a number out of text by itself takes as long as this many of numpy's operations on elements of arrays."""


@dataclass(frozen=True, repr=False, eq=False)
class Distinct:
    """A raw column as its distinct values and, for every record, which of them it holds."""

    values: Array
    index: Array

    def __len__(self) -> int:
        return len(self.index)

    def array(self) -> Array:
        """The raw column itself."""
        return self.values[self.index]


@dataclass(frozen=True, repr=False, eq=False)
class Texts:
    """A raw column of text, or of gaps, as Arrow holds it: one array of pyarrow's `large_string`."""

    held: Any

    def __len__(self) -> int:
        return len(self.held)

    def array(self) -> Array:
        """The raw column itself, an object per record."""
        texts: Array = self.held.to_numpy(zero_copy_only=False)
        return texts

    def at(self, places: Array) -> Texts:
        """The cells of some records."""
        return Texts(self.held.take(places))

    def distinct(self) -> Distinct:
        """Every text once."""
        encoding = self.held.dictionary_encode()
        words = encoding.dictionary.to_pylist()
        values = np.fromiter((*words, None), dtype=object, count=len(words) + 1)
        gaps = encoding.indices.null_count
        index = encoding.indices.fill_null(len(words)) if gaps else encoding.indices
        return Distinct(values if gaps else values[: len(words)], index.to_numpy())

    def doubles(self) -> tuple[Array, Array]:
        """The numbers, NaN for empty cells, and the positions of the cells that have to be read by themselves."""
        from privpac.data.decimals import EXACT_WHOLE, LONGER, ODD

        kinds, doubles, _ = self._decimals()
        longer = np.flatnonzero((kinds == EXACT_WHOLE) | (kinds == LONGER))
        if len(longer):
            doubles[longer] = self.held.take(longer).cast("double").to_numpy()
        odd = np.flatnonzero(kinds == ODD)
        doubles[odd] = 0.0  # not NaN, which stands for an empty cell
        return doubles, odd

    def wholes(self) -> tuple[Array, Array]:
        """The numbers rounded down, masked where a cell is empty, and the positions of the cells that have to be read
        by themselves."""
        from privpac.data.decimals import LONGER, NOTHING

        kinds, _, wholes = self._decimals()
        empty = kinds == NOTHING
        numbers = np.ma.MaskedArray(wholes, mask=empty) if empty.any() else wholes
        return numbers, np.flatnonzero((kinds >= LONGER) & ~empty)

    def _decimals(self) -> tuple[Array, Array, Array]:
        from privpac.data.decimals import NOTHING, read_decimals  # compiled, and seldom needed

        _, ends, data = self.held.buffers()
        first = self.held.offset
        places = np.frombuffer(ends, dtype=np.int64)[first : first + len(self.held) + 1]
        bytes_ = np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
        kinds, doubles, wholes = read_decimals(bytes_, places)
        if self.held.null_count:  # what a gap holds besides is not said
            gaps = self.held.is_null().to_numpy(zero_copy_only=False)
            kinds[gaps], doubles[gaps], wholes[gaps] = NOTHING, np.nan, 0
        return kinds, doubles, wholes


Raw: TypeAlias = Array | Distinct | Texts
"""A raw column, in whichever form it came."""


def held_text(values: Any) -> Texts | None:
    """A column of pyarrow, if it holds text."""
    import pyarrow as pa

    kind, long = values.type, pa.large_string()
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return None
    wide = (
        values if kind == long else values.cast(long)
    )  # before the chunks are joined: four bytes may not count them
    return Texts(wide.combine_chunks() if isinstance(wide, pa.ChunkedArray) else wide)


def worth_compiling(n: int) -> bool:
    """Whether this many numbers in text are read sooner by compiled code, loading it included."""
    return n > MANY or not plainly(CARE * n)


def plain_array(raw: Raw) -> Array:
    """The raw column as an array, whichever form it came in."""
    return raw.array() if isinstance(raw, (Distinct, Texts)) else raw
