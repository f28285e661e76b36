"""Sets of an explicit code that represents all points of a column, and the class of all of them.

Cell number x, written in base `prime` with `digits` digits, is a polynomial; set (place, value) holds the cells whose
polynomial takes that value at that place. Two cells share at most digits - 1 of the `prime` sets that hold one.
Source: register `reed-solomon-points`, instead of Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 4.1.
Holds if: prime^digits is at least the number of cells (checked).
Proof: docs/proofs/reed-solomon-points.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.base import Cells, Costs, DrawnByScore, Hypothesis, OneColumn, OverColumn, Stored
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.sets.cell_numbers import HUGEINT_BITS, members_sql, number_sql
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import ParameterError
from privpac.fields import record, text, whole
from privpac.mechanisms.scores import Histogram

__all__ = ["CodeSet", "CodeSets"]

LARGEST_PRIME = 2**32
"""Products of two elements of the field stay within 64 bits."""


@dataclass(frozen=True)
class CodeSet(OneColumn):
    """Class 1 where the polynomial of the cell's digits takes one value at one place."""

    kind: ClassVar[str] = "code-set"
    column: str
    prime: int
    digits: int
    place: int
    value: int

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        left = cells[self.column]
        left = left.astype(np.uint64) if left.dtype != object else left
        prime = np.uint64(self.prime) if left.dtype != object else self.prime
        total = np.zeros(len(left), dtype=np.uint64)
        power = 1
        for _ in range(self.digits):
            total = (total + (left % prime).astype(np.uint64) * np.uint64(power)) % np.uint64(self.prime)
            left = left // prime
            power = power * self.place % self.prime
        return np.asarray(total == self.value).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        name = schema.column(self.column).called
        return (
            f"{one} if {name} lies in set ({self.place}, {self.value}) of a public code, one value in "
            f"{self.prime}: its number in base {self.prime}, read as a polynomial of {self.digits} coefficients, is "
            f"{self.value} at {self.place} modulo {self.prime}; else {zero}"
        )

    def to_sql(self, schema: Schema) -> str:
        number = number_sql(schema.column(self.column))
        if number is None or self.digits * self.prime.bit_length() > HUGEINT_BITS:
            why = "A set of a code over a column of this kind or length has no SQL form"
            return members_sql(self, self.column, schema, why=why)
        terms, power = [], 1
        for i in range(self.digits):
            terms.append(f"{number} // {self.prime**i} % {self.prime} * {power}")
            power = power * self.place % self.prime
        return f"CASE WHEN ({' + '.join(terms)}) % {self.prime} = {self.value} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, **asdict(self)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> CodeSet:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        names = ("prime", "digits", "place", "value")
        record(tree, "kind", "column", *names)
        return cls(text(tree["column"]), *(whole(tree[name], least=0) for name in names))

    def misfit(self, schema: Schema) -> str | None:
        room = has_room(self.prime, self.digits, schema.column(self.column).size)
        if not room or not max(self.place, self.value) < self.prime:
            return "its field has no room for the column"
        return two_classes_misfit(schema)


def has_room(prime: int, digits: int, size: int) -> bool:
    """Whether different cells are different polynomials, and no digit is more than a cell of this column can have.

    Compared without the power itself, which a file could make as long as it likes.
    """
    if not (2 <= prime < LARGEST_PRIME and 1 <= digits <= max(2, size.bit_length())):
        return False
    words = 1
    for _ in range(digits):
        if words >= size:
            break
        words *= prime
    return words >= size


@dataclass(frozen=True)
class CodeSets(DrawnByScore, OverColumn, Stored):
    """All sets of the code, prime² of them, for a column of up to prime^digits cells."""

    schema: Schema
    column: str
    prime: int
    digits: int

    def __post_init__(self) -> None:
        if not has_room(self.prime, self.digits, self.schema.column(self.column).size):
            raise ParameterError(
                "CodeSets",
                "digits",
                self.digits,
                allowed=f"just so many that {self.prime}^digits is at least the number of cells of '{self.column}'",
            )

    @property
    def word(self) -> str:
        return f"points:{self.column}:improper"

    @property
    def size(self) -> int:
        return self.prime * self.prime

    @property
    def vc(self) -> int:
        return self.size.bit_length() - 1

    def scores(self, evidence: ColumnCounts, *, costs: Costs) -> _CodeScores:
        if set(costs) != {1}:
            raise ParameterError("CodeSets", "costs", costs, allowed="1 for every class")
        counts = np.asarray(evidence.counts, dtype=np.int64)
        digits = np.empty((len(evidence.values), self.digits), dtype=np.int64)
        for row, value in enumerate(evidence.values.tolist()):
            for i in range(self.digits):
                value, digits[row, i] = divmod(value, self.prime)
        return _CodeScores(self, digits, counts[:, 1] - counts[:, 0], int(counts[:, 1].sum()), evidence.n)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, CodeSet):
            return False
        place = hypothesis.column, hypothesis.prime, hypothesis.digits
        inside = all(0 <= number < self.prime for number in (hypothesis.place, hypothesis.value))
        return place == (self.column, self.prime, self.digits) and inside


@dataclass(frozen=True, eq=False, repr=False)
class _CodeScores:
    """Mistakes of all sets: the class-1 records, less what the set holds of them, plus class-0 records it holds."""

    concepts: CodeSets
    digits: NDArray[np.int64]
    gains: NDArray[np.int64]
    positives: int
    records: int

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        counts = np.zeros(self.records + 1, dtype=np.int64)
        _count_sets(self.digits, self.gains, self.concepts.prime, self.positives, counts)
        return counts

    def histogram(self, span: int | None) -> Histogram:
        scores = np.flatnonzero(self._counts)
        return Histogram(int(scores[0]), scores - scores[0], self._counts[scores].tolist())

    def locate(self, score: int, index: int) -> Hypothesis:
        prime = self.concepts.prime
        place, value = _find_set(self.digits, self.gains, prime, self.positives - score, index)
        return CodeSet(self.concepts.column, prime, self.concepts.digits, place, value)


@compiled
def _fill(
    digits: NDArray[np.int64], gains: NDArray[np.int64], prime: int, place: int, table: NDArray[np.int64]
) -> None:
    """What each set of one place gains."""
    table[:] = 0
    for row in range(len(gains)):
        value = 0
        for i in range(digits.shape[1] - 1, -1, -1):
            value = (value * place + digits[row, i]) % prime
        table[value] += gains[row]


@compiled
def _count_sets(
    digits: NDArray[np.int64],
    gains: NDArray[np.int64],
    prime: int,
    positives: int,
    counts: NDArray[np.int64],
) -> None:
    table = np.zeros(prime, np.int64)
    for place in range(prime):
        _fill(digits, gains, prime, place, table)
        for value in range(prime):
            counts[positives - table[value]] += 1


@compiled
def _find_set(
    digits: NDArray[np.int64], gains: NDArray[np.int64], prime: int, gain: int, index: int
) -> tuple[int, int]:
    """The index-th set, place by place, that gains just this much."""
    table = np.zeros(prime, np.int64)
    for place in range(prime):
        _fill(digits, gains, prime, place, table)
        for value in range(prime):
            if table[value] == gain:
                if index == 0:
                    return place, value
                index -= 1
    return -1, -1
