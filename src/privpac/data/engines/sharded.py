"""Records in many files that several workers read at the same time, each its own files; what comes back is added up.

A worker runs the streamed engine on one file and returns a statistic, never records, except those that were asked for
by position. A position is a place in the order of the files, so it means the same record whoever reads it, however
often: a file whose worker was lost is simply read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from privpac.data.arrow import arrow_installed
from privpac.data.engines.files import FileSource
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.streamed import StreamedSample, add_up, within
from privpac.data.raw import Array
from privpac.data.sample import Block, Indices, Number, Size, Statistic, checked_positions
from privpac.data.schema import Schema
from privpac.errors import DataError

__all__ = ["Runner", "Shard", "ShardedSample"]

S = TypeVar("S")
Positions = npt.NDArray[np.int64]
Work = Callable[[StreamedSample], Any]


class Runner(Protocol):
    """Runs one function on every task, somewhere, and returns the results in the order of the tasks."""

    def __call__(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]: ...


@dataclass(frozen=True)
class Shard:
    """One file, and the position of its first record."""

    path: str
    n: int
    start: int


@dataclass(frozen=True, eq=False)
class Task:
    """One shard and some of its records, counted from its first: those to leave out, or those to take."""

    shard: Shard
    positions: Positions


class ShardedSample:
    """Records in shards; `absent` are the positions of those left out."""

    def __init__(
        self, schema: Schema, shards: Sequence[Shard], *, run: Runner, absent: Positions | None = None
    ) -> None:
        self._schema = schema
        self._shards = tuple(shards)
        self._run = run
        self._absent: Positions = np.empty(0, dtype=np.int64) if absent is None else absent
        self._read = False

    @classmethod
    def of(cls, paths: Sequence[Path], schema: Schema, *, run: Runner) -> ShardedSample:
        """All files are looked at first: a missing column, another type, a damaged file is named now."""
        arrow_installed()
        source = FileSource(paths, (*schema.names, schema.label))
        ends = np.cumsum([0, *source.counts])
        shards = [
            Shard(str(path), int(n), int(start))
            for path, n, start in zip(source.paths, source.counts, ends, strict=False)
        ]
        return cls(schema, shards, run=run)

    def __repr__(self) -> str:
        return f"ShardedSample(size={self.size}, shards={len(self._shards)})"

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def size(self) -> Size:
        return Size(sum(shard.n for shard in self._shards) - len(self._absent))

    def validate(self) -> None:
        """Read every record once, unless that has been done: whatever is wrong with one is found out now."""
        if not self._read:
            for _ in self._results(_validate):
                pass

    def reduce(self, statistic: Statistic[S]) -> S:
        work: Work = partial(_reduce, statistic)
        total: S = add_up(statistic, self._results(work))
        self._read = True
        return total

    def take(self, positions: Indices) -> MemorySample:
        places, inverse = np.unique(self._base(positions), return_inverse=True)
        tasks = [Task(shard, within(places, shard.start, shard.n)) for shard in self._shards]
        blocks: list[Block] = list(self._run(partial(_take, self._schema), tasks))
        names = self._schema.names
        cells = {name: np.concatenate([block.cells[name] for block in blocks]) for name in names}
        labels = np.concatenate([_labels(block) for block in blocks])
        distinct = MemorySample(self._schema, cells=cells, labels=labels, n=len(places))
        return distinct.take(inverse.astype(np.int64))

    def rest(self, positions: Indices) -> ShardedSample:
        absent = np.union1d(self._absent, self._base(positions))
        return ShardedSample(self._schema, self._shards, run=self._run, absent=absent)

    def parts(self, number: Number, count: int, *, columns: tuple[str, ...]) -> Sequence[_ShardedPart]:
        division = _ShardedDivision(self, number, count, columns)
        return [_ShardedPart(division, which) for which in range(count)]

    def _results(self, work: Work) -> Iterator[Any]:
        """What `work` makes of the records of each shard."""
        tasks = [Task(shard, within(self._absent, shard.start, shard.n)) for shard in self._shards]
        return iter(self._run(partial(_run, self._schema, work), tasks))

    def _base(self, positions: Indices) -> Positions:
        """Places among the records that are left, as positions among all: each is moved on by those gone before it."""
        numbers = checked_positions(positions, self.size.total, owner="ShardedSample")
        before = self._absent - np.arange(len(self._absent))
        return numbers + np.searchsorted(before, numbers, side="right")


class _ShardedDivision:
    """Records by number: one job serves all parts, if they ask for the same statistic."""

    def __init__(self, whole: ShardedSample, number: Number, count: int, columns: tuple[str, ...]) -> None:
        self.whole = whole
        self._divide = partial(_divide, number, count, columns)
        self._count = count
        self._last: tuple[Any, list[Any]] | None = None

    def sizes(self) -> list[int]:
        totals = np.zeros(self._count, dtype=np.int64)
        for sizes in self.whole._results(partial(_part_sizes, self._divide)):
            totals += np.asarray(sizes)
        return [int(n) for n in totals]

    def states(self, statistic: Statistic[S]) -> list[S]:
        if self._last is None or self._last[0] != statistic:
            states = [statistic.zero() for _ in range(self._count)]
            for some in self.whole._results(partial(_part_states, self._divide, statistic)):
                states = [statistic.merge(state, more) for state, more in zip(states, some, strict=True)]
            self._last = statistic, states
        return self._last[1]


class _ShardedPart:
    """The records of one number, for counting: nobody takes single records out of a leaf."""

    def __init__(self, division: _ShardedDivision, which: int) -> None:
        self._division = division
        self._which = which

    @property
    def schema(self) -> Schema:
        return self._division.whole.schema

    @property
    def size(self) -> Size:
        return Size(self._division.sizes()[self._which])

    def reduce(self, statistic: Statistic[S]) -> S:
        # A later call may change the state in place, so everyone gets a copy of what is kept for the others.
        return statistic.merge(statistic.zero(), self._division.states(statistic)[self._which])


# What workers run: plain functions of the module, so that they can be sent by name.


def _open(schema: Schema, shard: Shard) -> StreamedSample:
    source = FileSource([Path(shard.path)], (*schema.names, schema.label))
    if source.n != shard.n:
        raise DataError(
            "The records changed while they were read.", remedy="Learn from a copy nobody writes to."
        )
    return StreamedSample.of(source, schema)


def _run(schema: Schema, work: Work, task: Task) -> Any:
    sample = _open(schema, task.shard)
    return work(sample.rest(task.positions) if len(task.positions) else sample)


def _take(schema: Schema, task: Task) -> Block:
    return _open(schema, task.shard).take(task.positions).block()


def _reduce(statistic: Statistic[S], sample: StreamedSample) -> S:
    return sample.reduce(statistic)


def _validate(sample: StreamedSample) -> int:
    sample.validate()
    return 0


def _divide(number: Number, count: int, columns: tuple[str, ...], sample: StreamedSample) -> Any:
    return sample.parts(number, count, columns=columns)


def _part_states(
    divide: Callable[[StreamedSample], Any], statistic: Statistic[S], sample: StreamedSample
) -> list[S]:
    return [part.reduce(statistic) for part in divide(sample)]


def _part_sizes(divide: Callable[[StreamedSample], Any], sample: StreamedSample) -> list[int]:
    return [part.size.total for part in divide(sample)]


def _labels(block: Block) -> Array:
    assert block.labels is not None  # shards are opened with their labels
    return block.labels
