"""Columns of numbers: integers one cell each, reals on a uniform grid."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from privpac.data import raw as reading
from privpac.data.column import Column
from privpac.data.raw import LONGEST, Array, Mask
from privpac.data.texts import Texts, worth_compiling

__all__ = ["RESOLUTION", "Numeric", "Scale"]

Scale = Literal["even", "mostly small"]
"""How the values of a column lie in its range: spread over it, or mostly small with a few that are huge."""

SPREAD: dict[Scale, str] = {
    "even": "spread over the range",
    "mostly small": "mostly small, with a few huge ones",
}

RESOLUTION = (
    2**32
)  # cells of a non-integer column: finer than most instruments, and a cell fits in four bytes
FINEST = 2**48  # beyond this the spacing of doubles, not the grid, would decide where a cell ends
CHUNK = 2**15  # records encoded at a time: the intermediate doubles stay in the processor's cache
EXACT = 2**53  # integers up to here are doubles
NEAR = (
    2  # doubles at the wider bound: arithmetic puts a cut at most about so far from the decimal that is meant
)
MOST_DIGITS = 18  # a decimal of this many is close to the double that it is read as, whichever that is
DIGITS = 40  # decimal places tried for a short text; a grid between ordinary bounds needs fewer than 17


@dataclass(frozen=True)
class Numeric(Column):
    """Integers between bounds, one cell each; or reals, on a uniform grid of `resolution` cells.

    A real x lies in cell floor((x - lower) * scale), computed in doubles in this order. Each step is monotone
    under IEEE rounding, so the cells are intervals and `value` finds their exact ends by bisection.
    A fraction in an integer column is rounded down, which keeps `x >= k` true for the same records.
    `scale` and `usual` are what is publicly known of how values lie in the range, if anything: they decide where
    rules cut.
    """

    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True
    lower: int | float
    upper: int | float
    integer: bool = False
    resolution: int = RESOLUTION
    missing: int | float | None = None
    scale: Scale | None = None
    usual: tuple[int | float, int | float] | None = None
    """Most values lie between these two: tests on the column are laid between them only."""
    unit: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for end in ("lower", "upper", "missing"):
            if end != "missing" or self.missing is not None:
                object.__setattr__(self, end, self._bound(end, getattr(self, end)))
        if not self.lower < self.upper:
            raise self._contradiction(
                f"lower is {self.lower}, which is not below upper, {self.upper}",
                "Exchange or widen the bounds.",
            )
        if self.missing is not None and not self.lower <= self.missing <= self.upper:
            raise self._contradiction(
                f"missing is {self.missing}, outside of {self.lower} to {self.upper}",
                "Choose a value between the bounds.",
            )
        if not self.integer:
            self._check_grid()
        self._check_scale()
        if self.usual is not None:
            object.__setattr__(self, "usual", self._usual(self.usual))

    def _check_scale(self) -> None:
        if self.scale is not None and self.scale not in get_args(Scale):
            words = " or ".join(f'"{word}"' for word in get_args(Scale))
            raise self._contradiction("scale is not one of the known words", f'Write "scale": {words}.')

    def _usual(self, ends: object) -> tuple[int | float, int | float]:
        remedy = 'Write "usual": [LOW, HIGH], two numbers between which most values lie.'
        if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
            raise self._contradiction("usual is not a pair of numbers", remedy)
        low, high = (self._bound("usual", end) for end in ends)
        if not self.lower <= low < high <= self.upper:
            raise self._contradiction(
                f"usual is {low} to {high}, which is not a part of {self.lower} to {self.upper}", remedy
            )
        if not self.cell(low) < self.cell(high):
            raise self._contradiction(
                f"usual is {low} to {high}, and no two steps of the grid lie between them",
                'Widen it, or give the column a larger "resolution".',
            )
        return low, high

    def _bound(self, end: str, value: object) -> int | float:
        if isinstance(value, str) and self.integer:
            read = reading.each([value], reading.whole)
            value = None if read is None else read[0]
        if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
            plain = value.item() if isinstance(value, np.generic) else value
            if isinstance(plain, int) and abs(plain) < 10**LONGEST:
                return plain
            if isinstance(plain, float) and math.isfinite(plain):
                if not self.integer:
                    return plain
                if plain.is_integer():
                    return int(plain)
        what = "an integer" if self.integer else "a finite number"
        raise self._contradiction(f"{end} is not {what}", f'Write "{end}": followed by {what}.')

    def _check_grid(self) -> None:
        cells = self.resolution
        if isinstance(cells, bool) or not isinstance(cells, int) or not 2 <= cells <= FINEST:
            raise self._contradiction(
                f"resolution is {cells!r}, but must be an integer between 2 and 2**48",
                "Leave it out for 2**32.",
            )
        try:
            width = float(self.upper) - float(self.lower)
            usable = 0 < width < math.inf and 0 < cells / width < math.inf
        except OverflowError:
            usable = False
        if not usable or self._grid(float(self.upper)) != cells - 1:
            raise self._contradiction(
                "the bounds are too close or too far apart for double precision", "Rescale the column."
            )

    @property
    def size(self) -> int:
        return int(self.upper) - int(self.lower) + 1 if self.integer else self.resolution

    @property
    def cut_range(self) -> tuple[int | float, int | float]:
        """Between which values tests are laid: where most values lie if that is public, or all that there may be."""
        return self.usual or (self.lower, self.upper)

    @cached_property
    def cut_cells(self) -> tuple[int, int]:
        """The first and the last cell of `cut_range`."""
        return (
            (0, self.size - 1) if self.usual is None else (self.cell(self.usual[0]), self.cell(self.usual[1]))
        )

    @cached_property
    def _scale(self) -> float:
        return self.resolution / (float(self.upper) - float(self.lower))

    def _grid(self, x: float) -> int:
        """The cell of one double: the same operations in the same order as `_encode_reals`."""
        inside = min(max(x, float(self.lower)), float(self.upper))
        return min(int((inside - float(self.lower)) * self._scale), self.resolution - 1)

    def encode(self, raw: object) -> Array:
        if not isinstance(raw, Texts) or not worth_compiling(len(raw)):
            return super().encode(raw)
        numbers, odd = raw.wholes() if self.integer else raw.doubles()
        cells = self._cells(numbers)
        if len(odd):
            cells[odd] = super().encode(raw.at(odd))
        return cells

    def _cells(self, raw: object) -> Array:
        return self._encode_integers(raw) if self.integer else self._encode_reals(raw)

    def _encode_reals(self, raw: object) -> Array:
        values = reading.floats(self.name, raw)
        cells = np.empty(len(values), dtype=self.dtype)
        lower, upper = float(self.lower), float(self.upper)
        for start in range(0, len(values), CHUNK):
            x = values[start : start + CHUNK].astype(np.float64)
            finite = np.isfinite(x)
            if not finite.all():
                x[~finite] = self._replacement()
            np.clip(x, lower, upper, out=x)
            np.subtract(x, lower, out=x)
            np.multiply(x, self._scale, out=x)
            np.minimum(x, self.resolution - 1, out=x)
            cells[start : start + CHUNK] = x  # the cast cuts the fraction off
        return cells

    def _replacement(self) -> int | float:
        if self.missing is None:
            raise self._no_empty()
        return self.missing

    def _encode_integers(self, raw: object) -> Array:
        array, mask = reading.as_array(self.name, raw)
        small = max(abs(int(self.lower)), abs(int(self.upper))) < EXACT
        if self.size > 2**64 or array.dtype.kind not in ("biuf" if small else "biu"):
            return self._from_exact(raw)
        if array.dtype.kind == "f":
            array, mask = self._floored(array, mask)
        cells = self._shifted(array)
        if mask is not None:
            cells = cells.copy() if cells is array else cells
            cells[mask] = int(self._replacement()) - int(self.lower)
        return cells

    def _floored(self, values: Array, mask: Mask | None) -> tuple[Array, Mask | None]:
        """The floor of finite doubles after clamping, as integers, and which doubles are not finite."""
        empty = ~np.isfinite(values)
        if mask is not None:
            empty |= mask
        x = np.floor(np.where(empty, float(self.lower), values.astype(np.float64, copy=False)))
        np.clip(x, float(self.lower), float(self.upper), out=x)
        return x.astype(np.int64), empty if empty.any() else None

    def _shifted(self, array: Array) -> Array:
        """clamp(value) - lower in wrapping 64-bit arithmetic; the array itself when nothing has to change."""
        if array.dtype.kind == "b":
            array = array.astype(np.uint8)
        info = np.iinfo(array.dtype)
        low, high = max(int(self.lower), info.min), min(int(self.upper), info.max)
        if low > high:  # no value of this type lies between the bounds
            return np.full(len(array), 0 if info.max < self.lower else self.size - 1, dtype=self.dtype)
        has_bounds = low > info.min or high < info.max
        outside = has_bounds and len(array) > 0 and (int(array.min()) < low or int(array.max()) > high)
        if self.lower == 0 and not outside and array.dtype == self.dtype:
            return array
        inside = np.clip(array, low, high) if outside else array
        wide = inside.astype(np.int64).view(np.uint64) if info.min < 0 else inside.astype(np.uint64)
        wide -= np.uint64(int(self.lower) % 2**64)
        return wide.astype(self.dtype, copy=False)

    def _from_exact(self, raw: object) -> Array:
        """Through Python integers: for text, and where 64 bits are not enough."""
        whole = reading.wholes(self.name, raw)
        if self.size <= 2**64:
            try:
                return self._shifted(np.array(whole, dtype=np.int64))
            except (TypeError, OverflowError, ValueError):
                pass  # an empty or infinite cell, or an integer beyond 64 bits
        return np.array(self._clamped(whole), dtype=self.dtype)

    def _clamped(self, whole: list[Any]) -> list[int]:
        lower, upper = int(self.lower), int(self.upper)
        if {*map(type, whole)} == {int} and lower <= min(whole) and max(whole) <= upper:
            return [item - lower for item in whole] if lower else whole
        if any(not isinstance(item, int) for item in whole):
            fill = int(self._replacement())
            whole = [item if isinstance(item, int) else fill for item in whole]
        return [min(max(item, lower), upper) - lower for item in whole]

    def value(self, cell: int) -> int | float:
        cell = self._inside(cell)
        if self.integer:
            return int(self.lower) + cell
        if cell == 0:
            return float(self.lower) + 0.0
        low, high = self._around(cell)
        while high - low > 1:  # the cell of `low` is below `cell`, that of `high` is not
            middle = (low + high) // 2
            low, high = (low, middle) if self._grid(_double(middle)) >= cell else (middle, high)
        return _double(high) + 0.0

    def _around(self, cell: int) -> tuple[int, int]:
        """Ranks of two doubles between which the cell begins, mostly close to where it would begin without rounding."""
        least, most = _rank(float(self.lower)), _rank(float(self.upper))
        guess = _rank(min(max(float(self.lower) + cell / self._scale, float(self.lower)), float(self.upper)))
        reach = 1
        while True:
            low, high = max(guess - reach, least), min(guess + reach, most)
            begun = high == most or self._grid(_double(high)) >= cell
            if begun and (low == least or self._grid(_double(low)) < cell):
                return low, high
            reach *= 8

    def show(self, cell: int) -> str:
        if self.integer:
            return str(self.value(cell))
        first = float(self.value(cell))
        if self._grid(first) != cell:  # no double lies in this cell
            return repr(first)
        top, bottom = first.as_integer_ratio()
        place = Decimal(max(abs(float(self.lower)), abs(float(self.upper)))).adjusted() + 1
        for power in range(place, place - DIGITS, -1):
            ten, tenth = 10 ** max(power, 0), 10 ** max(-power, 0)
            below = top * tenth // (bottom * ten)
            for count in (below, below + 1):  # 0.1 lies just below the double that it is read as
                nearest = (
                    count * ten / tenth
                )  # of whole numbers Python rounds the quotient once, and to the nearest
                if first <= nearest <= float(self.upper) and self._grid(nearest) == cell:
                    return _plain(Decimal(count).scaleb(power))
        return repr(first)

    def sql_value(self, cell: int) -> str:
        value = self.value(cell)
        if self.integer:
            return str(value)
        literal = self.show(cell)
        widest = max(abs(float(self.lower)), abs(float(self.upper)))
        near = abs(float(literal) - float(value)) <= NEAR * math.ulp(widest)
        text = literal if near else _safe(float(value))
        # Some databases round a decimal of more digits than a double holds; an exponent makes it one from the start.
        digits = int("0" + text.lstrip("-").replace(".", "")) if "e" not in text else 0
        return text if digits <= EXACT else f"{text}e0"

    @property
    def json_type(self) -> str:
        return "integer" if self.integer else "number"

    def value_in_words(self) -> str:
        return f"{'a whole number' if self.integer else 'a number'} from {self.lower} to {self.upper}"

    def values_in_words(self) -> str:
        most = f"; most between {self.usual[0]} and {self.usual[1]}" if self.usual else ""
        ends = f"{self.lower} to {self.with_unit(str(self.upper))}"
        return f"{ends}{', whole numbers' if self.integer else ''}{most}"

    def _range_words(self) -> str:
        numbers = ("whole numbers" if self.integer else "numbers") + (
            "" if self.unit is None else f" in {self.unit}"
        )
        ends = f"smaller ones count as {self.lower}, larger ones as {self.upper}"
        lie = "" if self.scale is None else f"; their values are {SPREAD[self.scale]}"
        most = "" if self.usual is None else f"; most lie between {self.usual[0]} and {self.usual[1]}"
        return f"{numbers} from {self.lower} to {self.upper}; {ends}{lie}{most}"

    def to_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "lower": self.lower,
            "upper": self.upper,
        }
        entry["integer"] = self.integer
        if not self.integer and self.resolution != RESOLUTION:
            entry["resolution"] = self.resolution
        usual = None if self.usual is None else list(self.usual)
        return self._entry(entry, missing=self.missing, scale=self.scale, usual=usual)


def _rank(x: float) -> int:
    """The position of a double in the order of doubles."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _double(rank: int) -> float:
    """The double at a position; undoes `_rank`."""
    bits = rank if rank >= 0 else -rank | -(2**63)
    x: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return x


def _safe(x: float) -> str:
    """The shortest decimal that every database reads as this double.

    SQLite rounds in its own arithmetic, so that a decimal close to the middle between two doubles may become the other
    one: at least a sixty-fourth of their distance lies between.
    """
    exact = Fraction(x)
    room = min(exact - Fraction(math.nextafter(x, -math.inf)), Fraction(math.nextafter(x, math.inf)) - exact)
    for digits in range(1, MOST_DIGITS):
        decimal = Decimal(f"{x:.{digits - 1}e}")
        if abs(Fraction(decimal) - exact) <= room * Fraction(31, 64):
            return _plain(decimal)
    return _plain(Decimal(f"{x:.{MOST_DIGITS - 1}e}"))


def _plain(decimal: Decimal) -> str:
    if decimal == 0:
        return "0"
    text = f"{decimal.normalize():f}"
    return text if len(text) <= 20 else f"{decimal.normalize():E}".lower()
