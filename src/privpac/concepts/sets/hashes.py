"""Sets of a pairwise independent family: {x : (a·x + b mod prime) < below}, x the number of a cell.

Every cell lies in a random set with probability exactly below/prime, and given that one cell does, so does any other.
Keys are drawn by coins alone, or conditioned on (not) holding one cell, without rejection.
Source: register `pairwise-cover`; Beimel–Brenner–Kasiviswanathan–Nissim 2013, Section 4.2.1, compresses with
pseudorandom functions instead. Holds if: prime is a prime not below the number of cells (checked).
Proof: docs/proofs/pairwise-cover.md, docs/proofs/sampled-points.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, Hypothesis, OneColumn
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.line.stumps import Constant
from privpac.concepts.sets.cell_numbers import HUGEINT_BITS, members_sql, number_sql
from privpac.concepts.sets.hash_kernels import held_gains
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import ParameterError
from privpac.fields import record, require, text, written_whole
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.numbers.primes import prime_from

__all__ = ["HashFamily", "HashedSet", "field_for", "hashed_scores"]

_SMALL = 2**31
"""Domains up to here get the next prime; above, one whose products are reduced without division."""


_WIDEST = 129
"""Bits of the prime of a domain of up to 2^128 cells; longer domains have one of their own length."""


def field_for(domain: int) -> int:
    """The prime the family of a domain computes with.

    >>> field_for(1000), field_for(2**64) - 2**64, field_for(2**128) - 2**128
    (1009, 13, 51)
    """
    for limit in (2**64, 2**128):
        if _SMALL < domain <= limit:
            return prime_from(limit)
    return prime_from(domain)


def residues(domain: int, share: Fraction) -> int:
    """How many residues of its prime a set of a domain has, if it holds at most this share of the cells."""
    return int(share * field_for(domain))


def share_of(domain: int, share: Fraction) -> Fraction:
    """The largest share up to this one that the sets of a domain can have; 0 if none is so small.

    >>> share_of(256, Fraction(1, 100)), share_of(256, Fraction(1, 300))
    (Fraction(2, 257), Fraction(0, 1))
    """
    return Fraction(residues(domain, share), field_for(domain))


@dataclass(frozen=True)
class HashedSet(OneColumn):
    """Class 1 where a·x + b modulo a prime is small, x the number of the cell."""

    kind: ClassVar[str] = "hashed-set"
    column: str
    prime: int
    a: int
    b: int
    below: int

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        numbers = cells[self.column].astype(object)
        return np.asarray((self.a * numbers + self.b) % self.prime < self.below, dtype=bool).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        name = schema.column(self.column).called
        return (
            f"{one} if {name} lies in a random set of one value in {self.prime / self.below:.4g}: {self.a} "
            f"times its number plus {self.b}, modulo {self.prime}, is below {self.below}; else {zero}"
        )

    def to_sql(self, schema: Schema) -> str:
        column = schema.column(self.column)
        number, room = number_sql(column), HUGEINT_BITS - 1 - self.prime.bit_length()
        if number is None or room < 16:
            why = "A random set over a column of this kind or length has no SQL form"
            return members_sql(self, self.column, schema, why=why)
        # Digits of `room` bits, the highest first: no product leaves 128 bits.
        places = range(-(-column.size.bit_length() // room) - 1, -1, -1)
        value = "0"
        for place in places:
            digit = f"{number} // {2 ** (place * room)} % {2**room}"
            value = f"({value} * {2**room} + {self.a} * ({digit})) % {self.prime}"
        return f"CASE WHEN ({value} + {self.b}) % {self.prime} < {self.below} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        """Numbers as text: they exceed what other readers of JSON take for an integer."""
        numbers = {name: str(getattr(self, name)) for name in ("prime", "a", "b", "below")}
        return {"kind": self.kind, "column": self.column, **numbers}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> HashedSet:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        names = ("prime", "a", "b", "below")
        record(tree, "kind", "column", *names)
        rule = cls(text(tree["column"]), *(written_whole(tree[name]) for name in names))
        inside = 0 <= rule.a < rule.prime and 0 <= rule.b < rule.prime and 0 < rule.below < rule.prime
        require(inside, "a key lies outside of its field")
        return rule

    def misfit(self, schema: Schema) -> str | None:
        size = schema.column(self.column).size
        if not size <= self.prime < 2 ** max(_WIDEST, size.bit_length() + 1):
            return "its field has no room for the column"
        return two_classes_misfit(schema)


@dataclass(frozen=True)
class HashFamily:
    """All sets with this many of the prime's residues, for the cells of one column."""

    column: str
    prime: int
    below: int
    domain: int

    assumption: ClassVar[str | None] = None
    """What accuracy rests on besides the records: nothing, cells are exactly pairwise independent."""
    conditioned: ClassVar[bool] = True
    """A set drawn for a cell can be made to hold it always."""

    def __post_init__(self) -> None:
        if self.prime < self.domain or not 0 < 2 * self.below <= self.prime:
            raise ParameterError(
                "HashFamily",
                "below",
                self.below,
                allowed=f"between 1 and half of the prime {self.prime}, which must not be below {self.domain}",
                remedy="A column of few values is learnt by points:COLUMN.",
            )

    @classmethod
    def sharing(cls, schema: Schema, column: str, share: Fraction) -> HashFamily:
        """The family for a column whose sets hold at most this share of the values."""
        domain = schema.column(column).size
        prime = field_for(domain)
        return cls(column, prime, residues(domain, share), domain)

    @property
    def share(self) -> Fraction:
        """The probability that a set holds a given cell."""
        return Fraction(self.below, self.prime)

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether it is one of these sets."""
        if not isinstance(hypothesis, HashedSet):
            return False
        place = hypothesis.column, hypothesis.prime, hypothesis.below
        inside = all(0 <= key < self.prime for key in (hypothesis.a, hypothesis.b))
        return place == (self.column, self.prime, self.below) and inside

    def draw(self, coins: Coins) -> HashedSet:
        return HashedSet(
            self.column, self.prime, coins.below(self.prime), coins.below(self.prime), self.below
        )

    def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> HashedSet:
        """A uniform key among those whose set holds the cell, or does not."""
        a = coins.below(self.prime)
        value = coins.below(self.below) if holds else self.below + coins.below(self.prime - self.below)
        return HashedSet(self.column, self.prime, a, (value - a * cell) % self.prime, self.below)

    def keys(self, count: int, coins: Coins) -> tuple[list[int], list[int]]:
        """Uniform keys, several to a number drawn: drawing is most of the work otherwise."""
        keys: list[int] = []
        while len(keys) < 2 * count:
            together = min(_TOGETHER, 2 * count - len(keys))
            number = coins.below(self.prime**together)
            for _ in range(together):
                number, key = divmod(number, self.prime)
                keys.append(key)
        return keys[:count], keys[count:]


_TOGETHER = 24
"""Residues drawn as one number of about 1,500 bits."""


def hashed_scores(
    family: HashFamily, keys: tuple[list[int], list[int]], evidence: ColumnCounts
) -> NamedScores[Hypothesis]:
    """Mistakes of the set of every key, and of the empty set behind them."""
    counts = np.asarray(evidence.counts, dtype=np.int64)
    positives, gains = int(counts[:, 1].sum()), counts[:, 1] - counts[:, 0]
    sums = held_gains(family.prime, family.below, keys, evidence.values, gains)
    scores = positives - np.append(sums, 0)
    last = len(sums)

    def name(place: Place) -> Hypothesis:
        index = place[1]
        if index == last:
            return Constant(0)
        return HashedSet(family.column, family.prime, keys[0][index], keys[1][index], family.below)

    return NamedScores(Runs([Row.of(0, np.arange(last, dtype=np.uint64), scores, last)]), name)
