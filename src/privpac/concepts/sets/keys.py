"""Sets given by a keyed hash and a shift: {x : (F_K(x) + shift mod modulus) < below}, F_K = BLAKE2b with key K.

With a uniform shift every cell lies in a random set with probability exactly below/modulus, *for any function F*:
privacy needs nothing of the hash. Only accuracy does: that cells look independent, which a certificate says it assumes.
Source: ours, instead of the key rejection of Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 4.8 (register
`key-rejection`), whose loss cannot be certified. Proof: docs/proofs/sampled-points.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, Hypothesis, OneColumn
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.sets.cell_numbers import members_sql
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.fields import record, require, text, written_whole

__all__ = ["KeyedFamily", "KeyedSet"]

MODULUS = 2**64
KEY_BITS = 256
LARGEST_MODULUS = 2**128
"""As far as the longer hash reaches."""
_KEY = re.compile(r"[0-9a-f]{64}")
_CELL_BYTES = 32
"""Cells below 2^256 are hashed as this many bytes."""


def _hash(key: int, cell: int, modulus: int) -> int:
    """A value below the modulus; for modulus 2^64 the hash itself."""
    size = max(_CELL_BYTES, (cell.bit_length() + 7) // 8)
    data, secret = cell.to_bytes(size, "little"), key.to_bytes(KEY_BITS // 8, "little")
    width = 8 if modulus == MODULUS else 16
    return int.from_bytes(hashlib.blake2b(data, key=secret, digest_size=width).digest(), "little") % modulus


@dataclass(frozen=True)
class KeyedSet(OneColumn):
    """Class 1 where a keyed hash of the cell, shifted, is small."""

    kind: ClassVar[str] = "keyed-set"
    column: str
    key: int
    shift: int
    modulus: int
    below: int

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        values, where = np.unique(cells[self.column], return_inverse=True)
        members = [
            (_hash(self.key, int(cell), self.modulus) + self.shift) % self.modulus < self.below
            for cell in values.tolist()
        ]
        return np.asarray(members, dtype=np.uint8)[where]

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        name = schema.column(self.column).called
        return (
            f"{one} if {name} lies in a keyed set of one value in {self.modulus / self.below:.4g}: BLAKE2b of "
            f"its number with a released key, plus {self.shift} modulo {self.modulus}, is below {self.below}; "
            f"else {zero}"
        )

    def to_sql(self, schema: Schema) -> str:
        return members_sql(self, self.column, schema, why="A set given by a keyed hash has no SQL form")

    def to_json(self) -> dict[str, object]:
        numbers = {name: str(getattr(self, name)) for name in ("shift", "modulus", "below")}
        return {"kind": self.kind, "column": self.column, "key": f"{self.key:064x}", **numbers}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> KeyedSet:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        names = ("shift", "modulus", "below")
        record(tree, "kind", "column", "key", *names)
        shift, modulus, below = (written_whole(tree[name]) for name in names)
        key = text(tree["key"])
        require(_KEY.fullmatch(key) is not None, "a key is not written in 64 digits")
        require(0 <= shift < modulus <= LARGEST_MODULUS and 0 < below < modulus, "a number is out of range")
        return cls(text(tree["column"]), int(key, 16), shift, modulus, below)

    def misfit(self, schema: Schema) -> str | None:
        return two_classes_misfit(schema)


@dataclass(frozen=True)
class KeyedFamily:
    """All keyed sets with one bound; `key_bits` is smaller only where every key is to be enumerated."""

    column: str
    below: int
    modulus: int = MODULUS
    key_bits: int = KEY_BITS

    assumption: ClassVar[str | None] = (
        "keyed BLAKE2b is a pseudorandom function, so that cells of a random set look pairwise independent"
    )
    conditioned: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < 2 * self.below <= self.modulus or not 0 <= self.key_bits <= KEY_BITS:
            raise ParameterError(
                "KeyedFamily", "below", self.below, allowed=f"between 1 and half of {self.modulus}"
            )

    @classmethod
    def sharing(cls, column: str, share: Fraction) -> KeyedFamily:
        """The family whose sets hold a cell with about this probability."""
        return cls(column, int(share * MODULUS))

    @property
    def share(self) -> Fraction:
        """The probability that a set holds a given cell."""
        return Fraction(self.below, self.modulus)

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether it is one of these sets."""
        if not isinstance(hypothesis, KeyedSet):
            return False
        place = hypothesis.column, hypothesis.modulus, hypothesis.below
        inside = 0 <= hypothesis.key < 2**self.key_bits and 0 <= hypothesis.shift < self.modulus
        return place == (self.column, self.modulus, self.below) and inside

    def draw(self, coins: Coins) -> KeyedSet:
        key, shift = coins.below(2**self.key_bits), coins.below(self.modulus)
        return KeyedSet(self.column, key, shift, self.modulus, self.below)

    def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> KeyedSet:
        key = coins.below(2**self.key_bits)
        value = coins.below(self.below) if holds else self.below + coins.below(self.modulus - self.below)
        shift = (value - _hash(key, cell, self.modulus)) % self.modulus
        return KeyedSet(self.column, key, shift, self.modulus, self.below)
