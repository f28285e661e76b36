"""Records that pass by in batches, always in the same order: for what does not fit in memory.

A source yields raw batches; they are encoded as they come and reduced at once, so that memory holds a few batches and
the statistic. Cells, labels and counts are those of the memory engine: encoding looks at one record at a time, and
statistics do not depend on where the records are cut.
A position is a record's place in the source's order, which must be the same in every pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from privpac.data.engines.memory import MemorySample
from privpac.data.raw import Array
from privpac.data.sample import Block, Indices, Number, Size, Statistic, checked_positions
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts, FromCellCounts
from privpac.data.texts import Raw
from privpac.errors import DataError

__all__ = ["Batch", "Progress", "Source", "StreamedSample", "add_up", "block_of", "within"]

S = TypeVar("S")
Stream = Callable[[tuple[str, ...]], Iterator[Block]]
Progress = Callable[[int, int], None]


Batch = Mapping[str, Raw]
"""Some records, raw, column by column."""


class Source(Protocol):
    """Where records lie."""

    @property
    def n(self) -> int:
        """The number of rows."""

    @property
    def columnar(self) -> bool:
        """Whether one column can be read without the others."""
        ...

    def batches(self, columns: tuple[str, ...]) -> Iterator[Batch]:
        """All records in one fixed order."""
        ...

    def grouped(self, columns: tuple[str, ...]) -> Iterator[tuple[Batch, Array]] | None:
        """Different records and how many there are of each, in parts; None where the source does not group."""
        ...


class StreamedSample:
    """Records that are read anew in every pass."""

    def __init__(
        self,
        schema: Schema,
        *,
        stream: Stream,
        size: Callable[[], Size],
        passes: list[int] | None = None,
        counter: Callable[[CellCounts], ColumnCounts | None] | None = None,
    ) -> None:
        self._schema = schema
        self._stream = stream
        self._size = size
        self._passes = [0] if passes is None else passes
        self._counter = counter

    @classmethod
    def of(
        cls, source: Source, schema: Schema, *, labelled: bool = True, progress: Progress | None = None
    ) -> StreamedSample:
        """The records of a source; its label column is read if `labelled`. `progress` is told, in every pass, how many
        records have been read and of how many."""
        n = source.n
        size = Size(n) if labelled else Size(0, unlabelled=n)
        passes = [0]

        def stream(columns: tuple[str, ...]) -> Iterator[Block]:
            names = (*columns, schema.label) if labelled else columns
            count = 0
            for batch in source.batches(names):
                block = block_of(batch, schema, columns, labelled=labelled)
                count += block.n
                yield block
                if progress is not None:
                    progress(count, n)
            if count != n:
                raise _records_changed()
            passes[0] += 1

        def count(statistic: CellCounts) -> ColumnCounts | None:
            return _group(statistic, source, schema, n) if labelled or statistic.classes == 1 else None

        by_column = count if source.columnar else None
        return cls(schema, stream=stream, size=lambda: size, passes=passes, counter=by_column)

    def __repr__(self) -> str:
        return f"StreamedSample(columns={list(self._schema.names)})"

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def size(self) -> Size:
        return self._size()

    def validate(self) -> None:
        """Read every record once, unless a pass has been completed: whatever is wrong with one is found out now."""
        if not self._passes[0]:
            for _ in self.blocks(*self._schema.names):
                pass

    @property
    def passes(self) -> int:
        """How often all records have been read."""
        return self._passes[0]

    def gathered(self) -> MemorySample:
        """All records in memory."""
        size, here = self.size, 0
        cells = {
            name: np.empty(size.total, dtype=self._schema.column(name).dtype) for name in self._schema.names
        }
        labels = np.empty(size.labelled, dtype=np.uint8) if size.labelled else None
        for block in self.blocks(*cells):
            if here + block.n > size.total:
                raise _records_changed()
            for name, values in cells.items():
                values[here : here + block.n] = block.cells[name]
            if labels is not None and block.labels is not None:
                labels[here : here + block.n] = block.labels
            here += block.n
        return MemorySample(self._schema, cells=cells, labels=labels, n=size.total)

    def blocks(self, *columns: str) -> Iterator[Block]:
        """The records, some at a time, with these columns."""
        for name in columns:
            self._schema.column(name)  # an unknown name: the error lists the nearest ones
        return self._stream(columns)

    def reduce(self, statistic: Statistic[S]) -> S:
        state = None if self._counter is None else self._cell_counts(statistic)
        return _reduce(statistic, self.blocks(*statistic.columns)) if state is None else state

    def _cell_counts(self, statistic: Statistic[S]) -> S | None:
        """What follows from cell counts of single columns, each read by itself: grouped by the source, or streamed."""
        if self._counter is None or not isinstance(statistic, FromCellCounts):
            return None
        before, parts = self._passes[0], statistic.cell_counts
        groups = [self._counter(part) for part in parts]
        counts = [
            _reduce(part, self.blocks(*part.columns)) if group is None else group
            for part, group in zip(parts, groups, strict=True)
        ]
        self._passes[0] = before + 1  # every column once
        together: S = statistic.of_cell_counts(counts)
        return together

    def take(self, positions: Indices) -> MemorySample:
        """One pass; the records at `positions`, in that order, are kept in memory."""
        places, inverse = np.unique(self._valid_positions(positions), return_inverse=True)
        cells: dict[str, list[Array]] = {name: [] for name in self._schema.names}
        labels: list[Array] = []
        for block, here in _with_positions(self.blocks(*self._schema.names)):
            inside = within(places, here, block.n)
            for name, parts in cells.items():
                parts.append(block.cells[name][inside])
            if block.labels is not None:
                labels.append(block.labels[inside])
        together = {name: _join(parts, self._schema.column(name).dtype) for name, parts in cells.items()}
        distinct = MemorySample(
            self._schema,
            cells=together,
            labels=_join(labels, np.dtype(np.uint8)) if self.size.labelled or labels else None,
            n=len(places),
        )
        return distinct.take(inverse.astype(np.int64))

    def rest(self, positions: Indices) -> StreamedSample:
        """The same pass without some records; nothing is copied."""
        absent = np.unique(self._valid_positions(positions))
        left = _less(self.size, len(absent))

        def stream(columns: tuple[str, ...]) -> Iterator[Block]:
            for block, here in _with_positions(self._stream(columns)):
                inside = within(absent, here, block.n)
                yield block if len(inside) == 0 else _at(block, np.delete(np.arange(block.n), inside))

        return StreamedSample(self._schema, stream=stream, size=lambda: left)

    def parts(self, number: Number, count: int, *, columns: tuple[str, ...]) -> Sequence[_Part]:
        division = _Division(self, number, count, columns)
        return [_Part(division, which) for which in range(count)]

    def _valid_positions(self, positions: Indices) -> npt.NDArray[np.int64]:
        return checked_positions(positions, self.size.total, owner="StreamedSample")


class _Division:
    """Records by number: one pass serves all parts, if they ask for the same statistic."""

    def __init__(self, whole: StreamedSample, number: Number, count: int, columns: tuple[str, ...]) -> None:
        self.whole = whole
        self.count = count
        self._number = number
        self._columns = columns
        self._last: tuple[Any, list[Any]] | None = None

    def numbers(self, block: Block) -> Array:
        if not self._columns:  # nothing to look at: everyone is in the first part
            return np.zeros(block.n, dtype=np.int64)
        return self._number({name: block.cells[name] for name in self._columns})

    def blocks(self, columns: tuple[str, ...]) -> Iterator[list[Block]]:
        """For every block of the whole its parts."""
        for block in self.whole.blocks(*dict.fromkeys((*columns, *self._columns))):
            numbers = self.numbers(block)
            order = np.argsort(numbers, kind="stable")
            ends = np.searchsorted(numbers[order], np.arange(self.count + 1))
            yield [_at(block, order[ends[i] : ends[i + 1]]) for i in range(self.count)]

    def states(self, statistic: Statistic[S]) -> list[S]:
        if self._last is None or self._last[0] != statistic:
            states = [statistic.zero() for _ in range(self.count)]
            for parts in self.blocks(statistic.columns):
                states = [statistic.absorb(state, part) for state, part in zip(states, parts, strict=True)]
            self._last = statistic, states
        return self._last[1]


class _Part(StreamedSample):
    """The records of one number. How many there are is found out when somebody asks."""

    def __init__(self, division: _Division, which: int) -> None:
        self._division = division
        self._which = which
        super().__init__(division.whole.schema, stream=self._own_blocks, size=self._own_size)

    def _own_blocks(self, columns: tuple[str, ...]) -> Iterator[Block]:
        return (parts[self._which] for parts in self._division.blocks(columns))

    def _own_size(self) -> Size:
        n = sum(block.n for block in self._own_blocks(()))
        return Size(n) if self._division.whole.size.labelled else Size(0, unlabelled=n)

    def reduce(self, statistic: Statistic[S]) -> S:
        # A later call may change the state in place, so everyone gets a copy of what is kept for the others.
        return statistic.merge(statistic.zero(), self._division.states(statistic)[self._which])


def _reduce(statistic: Statistic[S], blocks: Iterator[Block]) -> S:
    """Absorbed one after the other; states that grow with the records are added up instead."""
    grows = isinstance(statistic, FromCellCounts)
    if grows:
        return add_up(statistic, (statistic.absorb(statistic.zero(), block) for block in blocks))
    state = statistic.zero()
    for block in blocks:
        state = statistic.absorb(state, block)
    return state


def add_up(statistic: Statistic[S], states: Iterable[S]) -> S:
    """Pairs of equal age first, so that a state that grows with the records is copied a logarithmic number of times."""
    waiting: list[tuple[int, S]] = []
    for one in states:
        age, state = 0, one
        while waiting and waiting[-1][0] == age:
            age, state = age + 1, statistic.merge(waiting.pop()[1], state)
        waiting.append((age, state))
    total = statistic.zero()
    while waiting:
        total = statistic.merge(waiting.pop()[1], total)
    return total


def _group(statistic: CellCounts, source: Source, schema: Schema, n: int) -> ColumnCounts | None:
    """Cell counts by the source's own grouping: a value is encoded once, however often it occurs."""
    groups = source.grouped((*statistic.columns, *((schema.label,) if statistic.classes > 1 else ())))
    if groups is None:
        return None
    state = statistic.zero()
    for batch, totals in groups:
        cells = statistic.column.encode(batch[statistic.column.name])
        labels = schema.label_cells(batch[schema.label]) if statistic.classes > 1 else None
        state = statistic.merge(state, statistic.of_groups(cells, labels, totals))
    if state.n != n:
        raise _records_changed()
    return state


def _records_changed() -> DataError:
    return DataError(
        "The records changed while they were read.", remedy="Learn from a copy that nobody writes to."
    )


def block_of(batch: Batch, schema: Schema, columns: tuple[str, ...], *, labelled: bool) -> Block:
    """A raw batch, encoded."""
    cells = {name: schema.column(name).encode(batch[name]) for name in columns}
    labels = schema.label_cells(batch[schema.label]) if labelled else None
    lengths = {len(values) for values in (*cells.values(), *([labels] if labels is not None else []))}
    n = lengths.pop() if lengths else _length(batch)
    return Block(cells=cells, labels=labels, n=n)


def _length(batch: Batch) -> int:
    return len(next(iter(batch.values())))


def _with_positions(blocks: Iterator[Block]) -> Iterator[tuple[Block, int]]:
    """Every block and the position of its first record."""
    here = 0
    for block in blocks:
        yield block, here
        here += block.n


def within(positions: Indices, start: int, n: int) -> Indices:
    """Those of some sorted positions that lie among the n records from `start` on, counted from the first of them."""
    first, last = np.searchsorted(positions, [start, start + n])
    return positions[first:last] - start


def _at(block: Block, places: Array) -> Block:
    cells = {name: values[places] for name, values in block.cells.items()}
    labels = None if block.labels is None else block.labels[places]
    return Block(cells=cells, labels=labels, n=len(places))


def _join(parts: list[Array], dtype: np.dtype[Any]) -> Array:
    return np.concatenate(parts).astype(dtype, copy=False) if parts else np.empty(0, dtype=dtype)


def _less(size: Size, count: int) -> Size:
    if size.labelled:
        return Size(size.labelled - count, size.unlabelled)
    return Size(0, unlabelled=size.unlabelled - count)
