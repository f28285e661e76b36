"""The only handle on records: a sample, its blocks, and the additive statistics it can be reduced to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from privpac.data.schema import Schema
from privpac.errors import DataError, ParameterError, SizeError
from privpac.numbers.words import Words

__all__ = [
    "Block",
    "Counted",
    "Derivation",
    "InMemory",
    "Indices",
    "Number",
    "Remembered",
    "Sample",
    "Size",
    "Statistic",
    "checked_positions",
    "labels_of",
]

Indices: TypeAlias = npt.NDArray[np.int64]
Number: TypeAlias = Callable[[Mapping[str, npt.NDArray[Any]]], npt.NDArray[Any]]
"""What numbers records by their cells."""
S = TypeVar("S")


class Derivation(Protocol):
    """What follows from the cells of one column, each by itself; equal derivations give equal results."""

    def __call__(self, cells: npt.NDArray[Any], /) -> npt.NDArray[Any]: ...

    def __hash__(self) -> int: ...


class Derived(Protocol):
    """What an engine keeps of derivations while it has the records."""

    def __call__(self, column: str, derivation: Derivation, start: int, stop: int, /) -> npt.NDArray[Any]: ...


@dataclass(frozen=True, order=True)
class Size:
    """How many `labelled` and `unlabelled` records there are: public, because neighbours differ by replacing a record.

    >>> Size(100, unlabelled=20).total
    120
    """

    labelled: int
    unlabelled: int = 0

    def __post_init__(self) -> None:
        for part, count in (("labelled", self.labelled), ("unlabelled", self.unlabelled)):
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise ParameterError("Size", part, count, allowed="a non-negative integer")

    @property
    def total(self) -> int:
        """Labelled and unlabelled records together."""
        return self.labelled + self.unlabelled

    def require_labelled(self, owner: str, *, least: int = 1) -> None:
        """Raise `SizeError` for fewer labelled records than `least`, which a learner with the name `owner` needs.

        >>> Size(100).require_labelled("Stable", least=20)
        """
        if self.labelled < least:
            count = "one labelled record" if least == 1 else f"{least} labelled records"
            raise SizeError(f"{owner} needs at least {count}.")


def checked_positions(positions: Indices, n: int, *, owner: str) -> Indices:
    """Positions among n records, or the reason why not; none of them is quoted."""
    numbers = np.asarray(positions, dtype=np.int64)
    if numbers.ndim != 1 or (len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < n):
        raise ParameterError(
            owner, "positions", f"an array of shape {numbers.shape}", allowed=f"between 0 and {n - 1}"
        )
    return numbers


@dataclass(frozen=True, repr=False, eq=False)
class Block:
    """Some encoded records: cells by column name, and their labels (None: these records have none)."""

    cells: Mapping[str, npt.NDArray[Any]]
    labels: npt.NDArray[np.uint8] | None
    n: int
    words: Mapping[str, Words] = field(default_factory=dict)
    """Cells beyond 64 bits once more, as pairs of words, where these are known."""
    derived: Derived | None = None
    """Where the engine keeps what follows from cells, so that it is not computed again for parts of the records."""

    def derive(
        self, column: str, derivation: Derivation, *, start: int = 0, stop: int | None = None
    ) -> npt.NDArray[Any]:
        """What follows from the cells of the records from `start` to `stop`."""
        stop = self.n if stop is None else stop
        if self.derived is None:
            return derivation(self.cells[column][start:stop])
        return self.derived(column, derivation, start, stop)

    def __repr__(self) -> str:
        return f"Block(n={self.n}, columns={list(self.cells)}, labelled={self.labels is not None})"


def labels_of(block: Block, classes: int) -> npt.NDArray[np.uint8]:
    """The block's labels, checked, because kernels use them as positions."""
    if classes == 1:
        return np.zeros(block.n, dtype=np.uint8)
    if block.labels is None:
        raise DataError(
            "These records have no labels, and counting by class needs them.", remedy="Give labels."
        )
    if int(block.labels.max(initial=0)) >= classes:
        raise DataError(f"There are labels beyond the {classes} classes that are counted.")
    return block.labels


@runtime_checkable
class Statistic(Protocol[S]):
    """A commutative monoid over blocks: the same state whatever the order and the cuts.

    `absorb` may change `state` in place and returns what to use from then on; `merge` changes neither.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a block must carry."""
        ...

    def zero(self) -> S:
        """The state of no records."""

    def absorb(self, state: S, block: Block) -> S:
        """The state with the records of a block added."""

    def merge(self, a: S, b: S) -> S:
        """The state of the records of both."""


@runtime_checkable
class Counted(Protocol):
    """Records that can be counted, wherever they are."""

    @property
    def size(self) -> Size:
        """The public number of records."""

    @property
    def schema(self) -> Schema:
        """The schema under which the records were encoded."""

    def reduce(self, statistic: Statistic[S]) -> S:
        """The statistic of all records."""
        ...


@runtime_checkable
class Sample(Counted, Protocol):
    """Records under a schema. Each engine provides one."""

    def take(self, positions: Indices) -> InMemory:
        """The records at `positions`, in that order, repeats allowed, brought into memory."""
        ...

    def rest(self, positions: Indices) -> Sample:
        """All records not at `positions`, in their own order, left where they are."""
        ...

    def parts(self, number: Number, count: int, *, columns: tuple[str, ...]) -> Sequence[Counted]:
        """The records by a number from 0 to count - 1 computed from the cells of `columns`; empty parts included."""
        ...


@runtime_checkable
class InMemory(Sample, Protocol):
    """Records that can be looked at one by one."""

    def rest(self, positions: Indices) -> InMemory: ...

    def block(self, *columns: str) -> Block:
        """All records as one block, in their order; with `columns`, only those."""
        ...

    def relabelled(self, labels: npt.NDArray[np.uint8]) -> InMemory:
        """The same records with these labels instead, one per record in their order."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Remembered:
    """A sample whose statistics are computed once, however often they are asked for; they must not be changed."""

    inner: Sample
    known: dict[object, Any] = field(default_factory=dict)

    @property
    def size(self) -> Size:
        return self.inner.size

    @property
    def schema(self) -> Schema:
        return self.inner.schema

    def reduce(self, statistic: Statistic[S]) -> S:
        if statistic not in self.known:
            self.known[statistic] = self.inner.reduce(statistic)
        state: S = self.known[statistic]
        return state

    def take(self, positions: Indices) -> InMemory:
        return self.inner.take(positions)

    def rest(self, positions: Indices) -> Sample:
        return self.inner.rest(positions)

    def parts(self, number: Number, count: int, *, columns: tuple[str, ...]) -> Sequence[Counted]:
        return self.inner.parts(number, count, columns=columns)
