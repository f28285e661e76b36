"""The distinct questions of a batch: rows that fall into the same cells are one question, asked once.

A question is named by a digest of its cells, so that a store of answers need not hold what was asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells
from privpac.data.schema import Schema

__all__ = ["Queries"]

DIGEST = 16
"""Bytes of a question's name: two of a billion questions share one with probability below 10^-20."""


@dataclass(frozen=True, eq=False, repr=False)
class Queries:
    """Distinct questions, where each first stands in the batch, and which question each row asks."""

    keys: Sequence[bytes]
    first: NDArray[np.int64]
    which: NDArray[np.int64]

    @classmethod
    def of(cls, cells: Cells, schema: Schema, columns: Sequence[str]) -> Queries:
        """The questions of encoded rows; only `columns` decide."""
        rows = _rows(cells, schema, columns)
        salt = "\0".join(columns).encode()[:64]
        numbers: dict[bytes, int] = {}
        first: list[int] = []
        which = np.empty(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            place = numbers.setdefault(row, len(first))
            if place == len(first):
                first.append(i)
            which[i] = place
        keys = [hashlib.blake2b(row, digest_size=DIGEST, key=salt).digest() for row in numbers]
        return cls(keys, np.array(first, dtype=np.int64), which)

    def __len__(self) -> int:
        return len(self.keys)


def _rows(cells: Cells, schema: Schema, columns: Sequence[str]) -> list[bytes]:
    """Every row's cells as bytes of a fixed width a column."""
    n = len(next(iter(cells.values()))) if cells else 0
    parts = [_fixed(cells[name], -(-schema.column(name).size.bit_length() // 8)) for name in columns]
    if not parts:
        return [b""] * n
    table = np.ascontiguousarray(np.concatenate(parts, axis=1))
    width = table.shape[1]
    whole = table.tobytes()
    return [whole[i * width : (i + 1) * width] for i in range(n)]


def _fixed(values: NDArray[Any], width: int) -> NDArray[np.uint8]:
    if values.dtype == object:
        flat = b"".join(int(value).to_bytes(width, "little") for value in values)
        return np.frombuffer(flat, dtype=np.uint8).reshape(len(values), width)
    wide = np.ascontiguousarray(values.astype("<u8"))
    return wide.view(np.uint8).reshape(len(values), 8)[:, : min(width, 8)]
