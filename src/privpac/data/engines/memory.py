"""Records held in memory, encoded once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from privpac.data.raw import Array
from privpac.data.sample import Block, Derivation, Indices, Number, Size, Statistic, checked_positions
from privpac.data.schema import Schema
from privpac.data.statistics import FromCellCounts
from privpac.data.tables import read, vector
from privpac.errors import DataError, SchemaError
from privpac.numbers.words import Words, split

__all__ = ["MemorySample"]

S = TypeVar("S")

CHUNK = 1 << 20
"""Records whose codes are made at a time, which bounds the memory beyond the codes themselves."""
MOST_KEPT = 1 << 30
"""Codes, mostly of one byte, that are kept between stages."""


class _Part(Mapping[str, Array]):
    """Columns of some records, each taken out of all records when it is first asked for."""

    def __init__(self, whole: Mapping[str, Array], positions: Array, names: Collection[str]) -> None:
        self._whole = whole
        self._positions = positions
        self._names = names
        self._known: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = self._whole[name][self._positions]
        return self._known[name]

    def of(self, names: Collection[str]) -> _Part:
        """Only these columns."""
        return _Part(self._whole, self._positions, names)

    def __contains__(self, name: object) -> bool:
        return name in self._names  # without taking it out

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Codes:
    """What was derived from the cells of all records, kept for their parts up to a public number of values."""

    def __init__(self, cells: Mapping[str, Array], n: int) -> None:
        self._cells = cells
        self._room = MOST_KEPT // max(n, 1)
        self._known: dict[tuple[str, Derivation], Array] = {}

    def __call__(self, column: str, derivation: Derivation, start: int, stop: int, /) -> Array:
        return self.at(column, derivation, slice(start, stop))

    def at(self, column: str, derivation: Derivation, places: slice | Array) -> Array:
        """Those of some records."""
        key = column, derivation  # looked up once: a derivation's hash goes over all its cuts
        whole = self._known.get(key)
        if whole is None:
            if len(self._known) >= self._room:
                return derivation(self._cells[column][places])
            whole = self._known[key] = self._whole(column, derivation)
        values: Array = whole[places]
        return values

    def _whole(self, column: str, derivation: Derivation) -> Array:
        cells = self._cells[column]
        starts = range(0, max(len(cells), 1), CHUNK)
        return np.concatenate([derivation(cells[start : start + CHUNK]) for start in starts])


@dataclass(frozen=True)
class _PartCodes:
    """The same for some of the records."""

    codes: _Codes
    positions: Array

    def __call__(self, column: str, derivation: Derivation, start: int, stop: int, /) -> Array:
        return self.codes.at(column, derivation, self.positions[start:stop])


class MemorySample:
    """All `n` records as cells, column by column, with their labels or without any.

    Encoding is validation: a sample that exists has no cell its schema does not allow, so no record can stop
    a computation after its budget has been charged.

    >>> from privpac import MemorySample, Schema
    >>> age = {"name": "age", "kind": "numeric", "lower": 18, "upper": 99, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "columns": [age]})
    >>> sample = MemorySample.of({"age": [18, 40, 99], "ill": [0, 0, 1]}, schema)
    >>> sample.size, sample.block("age").cells["age"].tolist(), sample.validate()
    (Size(labelled=3, unlabelled=0), [0, 22, 81], None)
    >>> MemorySample.from_cells(schema, {"age": np.array([0, 81])}).size.unlabelled
    2
    """

    def __init__(
        self, schema: Schema, *, cells: Mapping[str, Array], labels: npt.NDArray[np.uint8] | None, n: int
    ) -> None:
        self._schema = schema
        self._cells = cells
        self._derived: _Codes | _PartCodes = _Codes(cells, n)
        self._labels = labels
        self._n = n
        self._words: dict[str, Words] = {}

    @classmethod
    def of(cls, table: object, schema: Schema, *, y: object = None, labelled: bool = True) -> MemorySample:
        """Encode a `table` under a `schema`; labels are `y` or the table's label column, none if `labelled` is False.

        Raises `SchemaError` if a column is missing, and `DataError` if a cell or label does not fit.
        """
        has_labels = labelled and y is None
        raw = read(table, columns=(*schema.names, schema.label) if has_labels else schema.names)
        labels = None
        if labelled:
            answers = raw.column(schema.label) if y is None else vector(y)
            if len(answers) != raw.n:
                raise DataError(
                    f"There are {raw.n} records but {len(answers)} labels.",
                    remedy="Give one label per record.",
                )
            labels = schema.label_cells(answers)
        cells = {column.name: column.encode(raw.column(column.name)) for column in schema.columns}
        return cls(schema, cells=cells, labels=labels, n=raw.n)

    @classmethod
    def from_cells(
        cls, schema: Schema, cells: Mapping[str, Array], labels: Array | None = None
    ) -> MemorySample:
        """A sample of records whose `cells` and `labels` are encoded already; `SchemaError` if they do not fit
        the `schema`.
        """
        for name, values in cells.items():
            if len(values) and not 0 <= int(values.min()) <= int(values.max()) < schema.column(name).size:
                raise SchemaError(f"Column '{name}' has cells outside of its schema.", column=name)
        columns = {
            name: np.asarray(values, dtype=schema.column(name).dtype) for name, values in cells.items()
        }
        counts = {len(values) for values in cells.values()} | (set() if labels is None else {len(labels)})
        if len(counts) != 1:
            raise DataError("The columns and labels differ in length.", remedy="Give one value per record.")
        if labels is not None:
            if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < len(schema.classes):
                raise SchemaError(
                    f"Label '{schema.label}' has codes outside of its classes.", column=schema.label
                )
            labels = np.asarray(labels, dtype=np.uint8)
        return cls(schema, cells=columns, labels=labels, n=counts.pop())

    def __repr__(self) -> str:
        return f"MemorySample(size={self.size}, columns={list(self._cells)})"

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def size(self) -> Size:
        return Size(0, unlabelled=self._n) if self._labels is None else Size(self._n)

    def block(self, *columns: str) -> Block:
        """All records as one block; with `columns`, only those. `SchemaError` for a column that is not there."""
        for name in columns:
            if name not in self._cells:
                self._schema.column(name)  # an unknown name: the error lists the nearest ones
                raise SchemaError(f"This sample does not carry column '{name}'.", column=name)
        names = columns or tuple(self._cells)
        whole = self._cells
        cells = whole.of(names) if isinstance(whole, _Part) else {name: whole[name] for name in names}
        return Block(cells=cells, labels=self._labels, n=self._n, derived=self._derived)

    def validate(self) -> None:
        """Nothing to do: what is in memory was read as a whole."""

    def reduce(self, statistic: Statistic[S]) -> S:
        block = self.block(*statistic.columns)
        wide = [name for name in statistic.columns if 2**64 < self._schema.column(name).size <= 2**128]
        if wide and isinstance(statistic, FromCellCounts):
            block = replace(block, words=self._wide(wide))
        return statistic.absorb(statistic.zero(), block)

    def _wide(self, wide: list[str]) -> dict[str, Words]:
        """Cells of more than 64 bits as words: made once, since all that sorts them needs them."""
        for name in wide:
            if name not in self._words:
                self._words[name] = split(self._cells[name])
        return {name: self._words[name] for name in wide}

    def take(self, positions: Indices) -> MemorySample:
        return self._at(self._valid_positions(positions))

    def rest(self, positions: Indices) -> MemorySample:
        remains = np.ones(self._n, dtype=np.bool_)
        remains[self._valid_positions(positions)] = False
        return self._at(np.flatnonzero(remains))

    def parts(self, number: Number, count: int, *, columns: tuple[str, ...]) -> list[MemorySample]:
        if not columns:  # nothing to look at: everyone is in the first part
            nobody = np.empty(0, dtype=np.intp)
            return [self, *(self._at(nobody) for _ in range(count - 1))]
        numbers = number(self.block(*columns).cells)
        if count <= 2**16:
            numbers = numbers.astype(np.uint16)  # two bytes are sorted by counting
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(count + 1))
        return [self._part(order[ends[i] : ends[i + 1]]) for i in range(count)]

    def relabelled(self, labels: npt.NDArray[np.uint8]) -> MemorySample:
        return MemorySample.from_cells(self._schema, self._cells, labels)

    def _part(self, positions: Array) -> MemorySample:
        """As `_at`, for as long as these records are counted: a column is copied when somebody asks for it."""
        labels = None if self._labels is None else self._labels[positions]
        cells = _Part(self._cells, positions, tuple(self._cells))
        part = MemorySample(self._schema, cells=cells, labels=labels, n=len(positions))
        if isinstance(self._derived, _Codes):
            part._derived = _PartCodes(self._derived, positions)
        return part

    def _at(self, positions: Array) -> MemorySample:
        cells = {name: values[positions] for name, values in self._cells.items()}
        labels = None if self._labels is None else self._labels[positions]
        return MemorySample(self._schema, cells=cells, labels=labels, n=len(positions))

    def _valid_positions(self, positions: Indices) -> Array:
        return checked_positions(positions, self._n, owner="MemorySample")
