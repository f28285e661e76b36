"""Finite classes: a public list of predicates, or the rows of a Boolean matrix over the cells of a column.

Statement: member i has `weights[i]` equal places (one each without weights), and a place is drawn with
probability proportional to ratio^price, where the price of a member is the summed cost of the records it gets
wrong. So a member has probability proportional to weight · ratio^price, and replacing one record moves a
price by at most max(costs).
Source: McSherry–Talwar 2007; the weights as copies are ours.
Holds if: members and weights are public.
Proof: docs/proofs/finite.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import (
    AnyNumber,
    Cells,
    Costs,
    CountedByScore,
    DrawnByScore,
    E,
    Hypothesis,
    OneColumn,
    Stored,
)
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.labellings.base import reduce_all
from privpac.concepts.labellings.table import TableDichotomies, require_table
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.formulas import one_set
from privpac.concepts.literals.hits import Hits, PredicateHits
from privpac.concepts.literals.predicates import Predicate
from privpac.data.columns import Column
from privpac.data.rows import RowCounts
from privpac.data.sample import Sample, Statistic
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError, SchemaError
from privpac.fields import as_list, record, require, text, whole
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.theory.listing import most_distinct

__all__ = ["Finite", "Lookup", "Table"]

_BLOCK = 2**22
"""Entries of a matrix multiplied at a time: 32 MB as doubles."""


@dataclass(frozen=True)
class Lookup(OneColumn):
    """Class 1 on the cells of a column whose bit is '1'."""

    kind: ClassVar[str] = "lookup"
    column: str
    bits: str

    @property
    def _predicate(self) -> Predicate:
        """The same function as a set of cells, which knows text and SQL."""
        edges = [i for i, (a, b) in enumerate(pairwise(f"0{self.bits}0")) if a != b]
        spans = zip(edges[::2], (edge - 1 for edge in edges[1::2]), strict=True)
        return Predicate(one_set(CellSet.of(self.column, len(self.bits), spans)))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        bits = np.frombuffer(self.bits.encode("ascii"), dtype=np.uint8) & 1  # '0' is 48, '1' is 49
        return np.asarray(bits[cells[self.column].astype(np.intp)], dtype=np.uint8)

    def describe(self, schema: Schema) -> str:
        return self._predicate.describe(schema)

    def to_sql(self, schema: Schema) -> str:
        return self._predicate.to_sql(schema)

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column, "bits": self.bits}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Lookup:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "bits")
        bits = text(tree["bits"])
        require(bits != "" and not set(bits) - {"0", "1"}, "bits are not zeros and ones")
        return cls(text(tree["column"]), bits)

    def misfit(self, schema: Schema) -> str | None:
        if len(self.bits) != schema.column(self.column).size:
            return "its column has another number of cells"
        return two_classes_misfit(schema)


class _Members(Protocol[E]):
    """The two ways to give a class; both count, by class, the records that each member puts into class 1."""

    @property
    def size(self) -> int: ...

    def statistic(self, classes: int) -> Statistic[E]: ...

    def hits(self, evidence: E) -> Hits: ...

    def member(self, index: int) -> Hypothesis: ...

    def contains(self, hypothesis: Hypothesis) -> bool: ...

    def options(self, schema: Schema) -> dict[str, object]: ...


@dataclass(frozen=True)
class _Predicates:
    predicates: tuple[Predicate, ...]

    @property
    def size(self) -> int:
        return len(self.predicates)

    def statistic(self, classes: int) -> PredicateHits:
        return PredicateHits(tuple(predicate.formula for predicate in self.predicates), classes)

    def hits(self, evidence: Hits) -> Hits:
        return evidence

    def member(self, index: int) -> Predicate:
        return self.predicates[index]

    def contains(self, hypothesis: Hypothesis) -> bool:
        return hypothesis in self.predicates

    def options(self, schema: Schema) -> dict[str, object]:
        return {"members": [predicate.text(schema) for predicate in self.predicates]}


@dataclass(frozen=True)
class Table:
    """Rows of a Boolean matrix over the cells of a column; the bytes are its entries, row by row."""

    column: Column
    entries: bytes

    @classmethod
    def of(cls, column: Column, matrix: object) -> Table:
        """A table from a matrix of zeros and ones: one row per concept, one entry per cell of the column."""
        array = np.asarray(matrix)
        if array.ndim != 2 or array.shape[1] != column.size or array.shape[0] == 0:
            raise ParameterError(
                "Finite",
                "matrix",
                f"of shape {array.shape}",
                allowed=f"at least one row of {column.size} entries, one per cell of column '{column.name}'",
            )
        if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
            raise ParameterError("Finite", "matrix", f"of type {array.dtype}", allowed="zeros and ones")
        return cls(column, array.astype(np.uint8).tobytes())

    @property
    def size(self) -> int:
        """The number of concepts."""
        return len(self.entries) // self.column.size

    @property
    def matrix(self) -> NDArray[np.uint8]:
        """One row per concept, one column per cell."""
        return np.frombuffer(self.entries, dtype=np.uint8).reshape(-1, self.column.size)

    def statistic(self, classes: int) -> CellCounts:
        """Counts of the column by class."""
        return CellCounts(self.column, classes=classes)

    def hits(self, evidence: ColumnCounts) -> Hits:
        """Counts stay below 2^53, so products and sums of doubles are exact whatever their order."""
        counts = evidence.counts.astype(np.float64)
        result = Hits(
            evidence.counts.sum(axis=0, dtype=np.int64), np.zeros((self.size, counts.shape[1]), np.int64)
        )
        cells = evidence.values.astype(np.intp)
        step = max(1, _BLOCK // max(1, len(cells)))
        for first in range(0, self.size if len(cells) else 0, step):
            part = self.matrix[first : first + step, cells].astype(np.float64)
            result.hits[first : first + step] = part @ counts
        return result

    def member(self, index: int) -> Lookup:
        """The concept with this number."""
        return Lookup(self.column.name, _digits(self.matrix[index]))

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether the rule is one of the rows."""
        if not isinstance(hypothesis, Lookup) or hypothesis.column != self.column.name:
            return False
        return any(_digits(row) == hypothesis.bits for row in self.matrix)

    def options(self, schema: Schema) -> dict[str, object]:
        """The public parameters, as a certificate stores them."""
        return {"column": self.column.name, "rows": [_digits(row) for row in self.matrix]}


def _digits(row: NDArray[np.uint8]) -> str:
    return (row + np.uint8(48)).tobytes().decode("ascii")


@dataclass(frozen=True)
class Finite(AnyNumber, CountedByScore, DrawnByScore, Stored):
    """A listed class. Two members may be the same function; then their weights add up.

    `members` are predicates, as text or read already, or a pair of a column and a Boolean matrix whose rows
    are functions on its cells. `weights` are positive integers, the public prior; without them it is uniform.
    """

    schema: Schema
    members: Sequence[str | Predicate] | tuple[str, Any] | Table
    weights: Sequence[int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", _read_members(self.schema, self.members))
        if self.weights is not None:
            object.__setattr__(self, "weights", _read_weights(self.weights, self._members.size))

    @classmethod
    def of_matrix(
        cls, schema: Schema, column: str, matrix: object, weights: Sequence[int] | None = None
    ) -> Finite:
        """Row i of the matrix is member i: class 1 on the cells where it is true."""
        return cls(schema, Table.of(schema.column(column), matrix), weights)

    @classmethod
    def from_options(cls, schema: Schema, options: Mapping[str, Any]) -> Finite:
        """The class that wrote `options`."""
        weights = ("weights",) if "weights" in options else ()
        prior = [whole(weight) for weight in as_list(options["weights"])] if weights else None
        if "members" in options:
            record(options, "members", *weights)
            return cls(schema, tuple(text(member) for member in as_list(options["members"])), prior)
        record(options, "column", "rows", *weights)
        rows = [[int(digit) for digit in text(row)] for row in as_list(options["rows"])]
        return cls.of_matrix(schema, text(options["column"]), rows, prior)

    @property
    def options(self) -> dict[str, object]:
        """Everything besides the schema, as plain data."""
        weights = {} if self.weights is None else {"weights": list(self.weights)}
        return {**self._members.options(self.schema), **weights}

    @property
    def _members(self) -> _Members[Any]:
        return self.members if isinstance(self.members, Table) else _Predicates(self.members)  # type: ignore[arg-type]

    @property
    def word(self) -> str:
        return "finite"

    @property
    def size(self) -> int:
        return self._members.size

    @property
    def odds(self) -> Fraction:
        """The lightest member against all others."""
        weights = self.weights or (1,) * self.size
        return Fraction(sum(weights), min(weights)) - 1

    def member(self, index: int) -> Hypothesis:
        """The index-th concept of the list."""
        return self._members.member(index)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return self._members.contains(hypothesis)

    @property
    def vc(self) -> int:
        """d points are shattered by 2^d different members only."""
        return self.size.bit_length() - 1

    @property
    def statistic(self) -> Statistic[Any]:
        return self._members.statistic(len(self.schema.classes))

    @cached_property
    def _lasts(self) -> NDArray[Any]:
        """The last place of every member but the last."""
        if self.weights is None:
            return np.arange(self.size - 1, dtype=np.uint64)
        ends = [end - 1 for end in accumulate(self.weights)][:-1]
        return np.array(ends, dtype=np.uint64 if sum(self.weights) <= 2**64 else object)

    @property
    def _rows(self) -> RowCounts:
        """What of a record the members look at."""
        names = self.statistic.columns or self.schema.names[:1]
        return RowCounts(tuple(self.schema.column(name) for name in names))

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        distinct = most_distinct(points, (column.size for column in self._rows.of))
        require_table("Finite", candidates=self.size, points=distinct)

    def require_relabelled(self, records: int, *, voters: int) -> None:
        """Every kept record counts, not only different ones."""
        require_table("Finite", candidates=self.size, points=records)

    def dichotomies(self, *points: Sample) -> TableDichotomies:
        """Its labellings of the distinct points of these records; the prior does not matter for them."""
        members, statistic = self._members, self._rows
        rows = reduce_all(statistic, points)
        cells = statistic.cells(rows)
        table = np.stack([members.member(i).predict(cells) for i in range(self.size)])

        def mistakes(sample: Sample) -> NDArray[np.int64]:
            return members.hits(sample.reduce(self.statistic)).prices((1,) * len(self.schema.classes))

        return TableDichotomies(statistic, rows, table, mistakes, members.member)

    def scores(self, evidence: object, *, costs: Costs) -> NamedScores[Hypothesis]:
        members = self._members
        prices = members.hits(evidence).prices(costs)
        places = self.size if self.weights is None else sum(self.weights)
        lasts = self._lasts

        def name(place: Place) -> Hypothesis:
            return members.member(bisect_left(lasts, place[1], key=int))

        return NamedScores(Runs([Row.of(0, lasts, prices, places - 1)]), name)


def _read_members(schema: Schema, members: object) -> tuple[Predicate, ...] | Table:
    if isinstance(members, Table):
        if schema.column(members.column.name) != members.column:
            raise SchemaError(
                f"Finite: column '{members.column.name}' of the table differs from the schema's."
            )
        return members
    if isinstance(members, str | Predicate) or not isinstance(members, Sequence) or len(members) == 0:
        raise ParameterError(
            "Finite", "members", members, allowed="a list of predicates, or a column and a Boolean matrix"
        )
    if len(members) == 2 and isinstance(members[0], str) and not isinstance(members[1], str | Predicate):
        return Table.of(schema.column(members[0]), members[1])
    return tuple(_read_predicate(schema, member) for member in members)


def _read_predicate(schema: Schema, member: str | Predicate) -> Predicate:
    if not isinstance(member, Predicate):
        return Predicate.read(member, schema=schema)
    if not member.fits(schema):
        raise SchemaError(
            "Finite: a predicate was read under another schema.", remedy="Give its text, or read it again."
        )
    return member


def _read_weights(weights: Sequence[int], size: int) -> tuple[int, ...]:
    numbers = tuple(weights)
    good = all(isinstance(w, int | np.integer) and not isinstance(w, bool) and w > 0 for w in numbers)
    if not good or len(numbers) != size:
        raise ParameterError(
            "Finite", "weights", numbers, allowed=f"{size} positive integers, one per member"
        )
    return tuple(int(w) for w in numbers)
