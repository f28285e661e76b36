"""Points whose values come from a public pseudorandom generator: few seeds, long values (POINT-hat of Beimel et al.).

The class holds the values G(0), …, G(2^seed_bits - 1) of a column of 2^d values. Who can try every seed answers within
the class and needs records for `seed_bits` bits only; who cannot must treat the value as random and needs records for
all d bits (`Points`, and register `floor-generated-points`): computing time instead of records.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Section 6. G is ChaCha20 keyed by the seed; privacy and accuracy of
this class do not depend on how random G looks.
Proof: docs/proofs/generated-points.md.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs, CountedByScore, DrawnByScore, Hypothesis, OverColumn, Stored
from privpac.concepts.sets import chacha
from privpac.concepts.sets.points import Point
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import ParameterError
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.mechanisms.sparse_noise import nth_absent

__all__ = ["GeneratedPoints"]

OWNER = "GeneratedPoints"
MOST_SEED_BITS = 28
"""Every seed is tried, once for a draw and once to check it: 2^24 take a second or two, 2^28 twenty."""


@dataclass(frozen=True)
class GeneratedPoints(CountedByScore, DrawnByScore, OverColumn, Stored):
    """Class 1 on the value of one seed; `salt` is a public name that chooses the generator."""

    schema: Schema
    column: str
    seed_bits: int
    salt: str = "privpac"

    def __post_init__(self) -> None:
        size = self.schema.column(self.column).size
        if size & (size - 1) or size < 2:
            raise ParameterError(
                OWNER,
                "column",
                self.column,
                allowed="a column with 2^d values",
                remedy="Declare the bounds of an identifier of d bits: 0 and 2^d - 1.",
            )
        if not 1 <= self.seed_bits <= min(MOST_SEED_BITS, self.bits):
            raise ParameterError(
                OWNER,
                "seed_bits",
                self.seed_bits,
                allowed=f"a whole number from 1 to {min(MOST_SEED_BITS, self.bits)}",
                remedy="Trying more seeds is out of reach; points:COLUMN needs no seeds, but more records.",
            )

    @property
    def bits(self) -> int:
        """Length of a value, d."""
        return self.schema.column(self.column).size.bit_length() - 1

    @property
    def word(self) -> str:
        return f"generated:{self.column}:{self.seed_bits}"

    @property
    def size(self) -> int:
        """Seeds; values that two of them share count twice, and weigh twice."""
        return int(2**self.seed_bits)

    @property
    def vc(self) -> int:
        return 1

    @cached_property
    def _salt(self) -> NDArray[np.uint32]:
        digest = hashlib.blake2b(self.salt.encode(), digest_size=24, person=b"privpac points").digest()
        return np.frombuffer(digest, dtype="<u4").astype(np.uint32)

    def value(self, seed: int) -> int:
        """G(seed): which cell a seed stands for."""
        return chacha.expand(seed, salt=self._salt, bits=self.bits)

    def _hits(self, values: NDArray[np.uint64]) -> tuple[NDArray[np.int64], list[int]]:
        """Seeds whose value was seen, ascending, and where it stands among the values."""
        whole: list[int] = values.tolist()
        short = sorted({value & (2**64 - 1) for value in whole})
        cells = np.array(short, dtype=np.uint64)
        seeds = chacha.hits(cells, seeds=self.size, salt=self._salt, bits=self.bits)
        place = {value: i for i, value in enumerate(whole)}
        pairs = [(seed, place[value]) for seed in seeds.tolist() if (value := self.value(seed)) in place]
        return np.array([seed for seed, _ in pairs], dtype=np.int64), [i for _, i in pairs]

    def scores(self, evidence: ColumnCounts, *, costs: Costs) -> NamedScores[Hypothesis]:
        seeds, places = self._hits(evidence.values)
        counts = np.asarray(evidence.counts, dtype=np.int64)
        positives = int(counts[:, 1].sum()) * costs[1]
        rows, count = [], len(seeds)
        if count:
            prices = positives - counts[places, 1] * costs[1] + counts[places, 0] * costs[0]
            rows.append(Row.of(0, np.arange(count - 1, dtype=np.uint64), prices, count - 1))
        if self.size > count:
            empty = np.array([], dtype=np.uint64)
            rows.append(Row.of(0, empty, np.array([positives], dtype=np.int64), self.size - count - 1))

        def name(place: Place) -> Hypothesis:
            row, index = place
            seed = int(seeds[index]) if count and row == 0 else nth_absent(seeds, index)
            return Point(self.column, self.value(seed))

        return NamedScores(Runs(rows), name)

    def contains(self, hypothesis: Hypothesis) -> bool:
        """By trying every seed, as a draw does."""
        if not isinstance(hypothesis, Point) or hypothesis.column != self.column:
            return False
        if not 0 <= hypothesis.cell < 2**self.bits:
            return False
        whole = self.schema.column(self.column).dtype
        return len(self._hits(np.array([hypothesis.cell], dtype=whole))[0]) > 0
