"""What the exact audit runs on, a `Case`, and what cases are made of: tiny schemas, samples that remember, symmetries.

The rows of a family are in its folder, in `cases.py`; `privpac.audit` enumerates them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins, Raised, outcome_law
from privpac.constructions.base import Learner
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block, Size, Statistic
from privpac.data.schema import Schema
from privpac.guarantee.facts import Privacy, Unit
from privpac.numbers.exact import ball

__all__ = [
    "Case",
    "KnownChances",
    "LawMemory",
    "Record",
    "RememberedSample",
    "Symmetry",
    "cells_only",
    "learner_case",
    "mirrored",
    "records_of",
    "remembered",
    "reordered",
    "sample_of",
    "tiny_schema",
    "with_claim",
]


Record = tuple[Hashable, ...]


@dataclass(frozen=True)
class Symmetry:
    """One generator: what it does to a record, and what it thereby does to an output."""

    record: Callable[[Record], Record]
    output: Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """Something to audit: `run` on every input made of `n` of the possible `records`.

    `ordered`: inputs are sequences and a neighbour replaces the record at one position. Otherwise the run ignores the
    order, inputs are multisets, and a neighbour replaces one record by another. With unit LABEL only the last entry of
    a record (its label) may change. `symmetries` generate a group under which the run looks the same (`symmetry.py`).
    `sets`: the run ignores the order of the subsets it draws, so that each of them is visited once; this, too, is tried
    on a few inputs. `inputs`: only these are compared with their neighbours, instead of all there are. `certified`:
    what is claimed of this many records, for those who run the same with another number of them (`limits.py`).
    """

    name: str
    run: Callable[[Sequence[Record], Coins], Hashable]
    records: tuple[Record, ...] = field(repr=False)
    n: int
    claim: Privacy
    ordered: bool = False
    symmetries: tuple[Symmetry, ...] = field(default=(), repr=False)
    sets: bool = False
    inputs: tuple[tuple[Record, ...], ...] | None = field(default=None, repr=False)
    certified: Callable[[int], Privacy] | None = field(default=None, repr=False)

    @property
    def changes(self) -> frozenset[tuple[int, int]]:
        """Which record may take the place of which, by their numbers, the smaller first."""
        labels_only = self.claim.unit is Unit.LABEL
        places = list(enumerate(self.records))
        return frozenset(
            (i, j) for (i, a), (j, b) in combinations(places, 2) if not labels_only or a[:-1] == b[:-1]
        )


def tiny_schema(*cells: int, categories: int = 0, classes: int = 2) -> Schema:
    """Integer columns a, b, … with this many cells each, and maybe a categorical one."""
    columns: list[Numeric | Categorical] = [
        Numeric(name, lower=0, upper=size - 1, integer=True)
        for name, size in zip("abcdef", cells, strict=False)
    ]
    if categories:
        columns.append(Categorical("kind", tuple("uvwxyz"[:categories])))
    return Schema(tuple(columns), label="y", classes=tuple(str(k) for k in range(classes)))


def records_of(schema: Schema) -> tuple[Record, ...]:
    """Every possible record: cells in column order, then the label."""
    cells = [range(column.size) for column in schema.columns]
    return tuple(product(*cells, range(len(schema.classes))))


def cells_only(count: int) -> tuple[Record, ...]:
    """Records of one column; their label is not looked at."""
    return tuple((cell, 0) for cell in range(count))


def sample_of(schema: Schema, data: Sequence[Record]) -> MemorySample:
    """Records, each its cells and then its label, as a sample."""
    table = np.array(data, dtype=np.int64).reshape(len(data), len(schema.columns) + 1)
    cells = {name: table[:, i] for i, name in enumerate(schema.names)}
    return MemorySample.from_cells(schema, cells, table[:, -1])


@dataclass(frozen=True)
class RememberedSample:
    """A sample that computes each statistic once for all branches: the same records give the same evidence."""

    sample: MemorySample
    data: tuple[Record, ...]
    memory: dict[Hashable, Any]

    @property
    def size(self) -> Size:
        return self.sample.size

    @property
    def schema(self) -> Schema:
        return self.sample.schema

    def reduce(self, statistic: Statistic[Any]) -> Any:
        key = (self.data, statistic)
        if key not in self.memory:
            self.memory[key] = self.sample.reduce(statistic)
        return self.memory[key]

    def take(self, positions: Any) -> RememberedSample:
        return self._wrap([self.data[i] for i in positions])

    def rest(self, positions: Any) -> RememberedSample:
        out = {int(i) for i in positions}
        return self._wrap([record for i, record in enumerate(self.data) if i not in out])

    def parts(
        self, number: Callable[[Mapping[str, Any]], Any], count: int, *, columns: tuple[str, ...]
    ) -> list[RememberedSample]:
        numbers = number(self.sample.block(*columns).cells) if columns else [0] * len(self.data)
        return [
            self._wrap([d for d, k in zip(self.data, numbers, strict=True) if k == i]) for i in range(count)
        ]

    def block(self, *columns: str) -> Block:
        return self.sample.block(*columns)

    def relabelled(self, labels: Any) -> RememberedSample:
        return self._wrap([(*record[:-1], int(y)) for record, y in zip(self.data, labels, strict=True)])

    def _wrap(self, data: list[Record]) -> RememberedSample:
        return remembered(self.schema, data, self.memory)


def remembered(schema: Schema, data: Sequence[Record], memory: dict[Hashable, Any]) -> RememberedSample:
    """These records, encoded once for a whole audit, which has one schema and one memory."""
    records = tuple(data)
    key = ("sample", records)
    if key not in memory:
        memory[key] = sample_of(schema, records)
    return RememberedSample(memory[key], records, memory)


@dataclass(frozen=True, eq=False, repr=False)
class KnownChances:
    """Outcomes with probabilities that were enumerated before, as weights; every one has a key of its own."""

    chances: tuple[Fraction, ...]
    key: Hashable = field(default_factory=object)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return np.array([float(chance) for chance in self.chances]), 1.0  # a bound that claims nothing

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return [ball(chance) for chance in self.chances]

    def exact(self) -> Sequence[Fraction]:
        return self.chances


class LawMemory:
    """Laws of inner runs by what they depend on: each is enumerated once for a whole audit, then drawn from.

    The keys are a promise that runs with equal keys have equal laws.
    """

    def __init__(self) -> None:
        self._laws: dict[Hashable, tuple[tuple[Any, ...], KnownChances]] = {}

    def draw(self, key: Hashable, run: Callable[[Coins], Any], coins: Coins) -> Any:
        """An outcome of the run, drawn from its exact law; the law is computed once per key."""
        if key not in self._laws:
            law = outcome_law(run)
            self._laws[key] = tuple(law), KnownChances(tuple(law.values()))
        outcomes, chances = self._laws[key]
        outcome = outcomes[coins.choose(chances)]
        if isinstance(outcome, Raised):
            raise outcome.again()
        return outcome


def learner_case(
    name: str, learner: Learner, schema: Schema, n: int, *, claim: Privacy | None = None
) -> Case:
    """A learner on every multiset of n records of a tiny schema."""

    memory: dict[Hashable, Any] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(remembered(schema, data, memory), coins)

    def certified(records: int) -> Privacy:
        return claim or learner.certify(Size(records)).privacy.fact

    return Case(name, run, records_of(schema), n, certified(n), certified=certified)


def with_claim(case: Case, loss: Fraction) -> Case:
    """The case with the loss itself as claim, not the decimal above it: equality can then be seen."""
    claim = replace(case.claim, epsilon=type(case.claim.epsilon)(factor=loss))
    return replace(case, claim=claim, certified=lambda records: claim)


def mirrored(case: Case, *, cells: int) -> Case:
    """Cuts in one column look the same if its cells are read backwards and classes are exchanged."""

    def record(record: Record) -> Record:
        cell, label = record
        return cells - 1 - int(str(cell)), 1 - int(str(label))

    def output(threshold: Any) -> Any:
        return replace(threshold, cut=cells - threshold.cut)

    return replace(case, symmetries=(Symmetry(record, output),))


def reordered(case: Case, *, cells: int, output: Callable[[Any, list[int]], Any]) -> Case:
    """Cells without an order may be exchanged: a swap and a cycle generate every permutation."""

    def moving(row: list[int]) -> Symmetry:
        return Symmetry(lambda record: (row[int(str(record[0]))], *record[1:]), lambda o: output(o, row))

    swap, cycle = [1, 0, *range(2, cells)], [*range(1, cells), 0]
    return replace(case, symmetries=(moving(swap), moving(cycle)))
