"""Questions on their way to an answer: which of them are new, drawing those, and giving every row its label.

One place for whoever answers: `PrivatePredictor` for a batch, the service for many people's batches at once. What is
left to them is to pay before a drawn answer leaves, and to keep it. Rows of a batch that fall into the same cells are
one question, asked once; it is named by a digest of its cells, so that a store of answers need not hold what was asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.constructions.prediction.predictor import Predictor, Prepared
from privpac.data.schema import Schema

__all__ = ["AskedRows", "draw"]


DIGEST = 16
"""Bytes of a question's name: two of a billion questions share one with probability below 10^-20."""


ONE = np.zeros(1, dtype=np.int64)
ONE.flags.writeable = False


def _salt(columns: Sequence[str]) -> bytes:
    return "\0".join(columns).encode()[:64]


def _name(row: bytes, salt: bytes) -> bytes:
    return hashlib.blake2b(row, digest_size=DIGEST, key=salt).digest()


def _rows(cells: Cells, schema: Schema, columns: Sequence[str]) -> list[bytes]:
    """Every row's cells as bytes of a fixed width a column."""
    n = len(next(iter(cells.values()))) if cells else 0
    parts = [_bytes_of(cells[name], -(-schema.column(name).size.bit_length() // 8)) for name in columns]
    if not parts:
        return [b""] * n
    table = np.ascontiguousarray(np.concatenate(parts, axis=1))
    width = table.shape[1]
    whole = table.tobytes()
    return [whole[i * width : (i + 1) * width] for i in range(n)]


def _bytes_of(values: NDArray[Any], width: int) -> NDArray[np.uint8]:
    if values.dtype == object:
        flat = b"".join(int(value).to_bytes(width, "little") for value in values)
        return np.frombuffer(flat, dtype=np.uint8).reshape(len(values), width)
    wide = np.ascontiguousarray(values.astype("<u8"))
    return wide.view(np.uint8).reshape(len(values), 8)[:, : min(width, 8)]


@dataclass(frozen=True, eq=False, repr=False)
class AskedRows:
    """Encoded rows, and the distinct questions among them."""

    cells: Cells
    keys: Sequence[bytes]
    """The distinct questions, by name."""
    first: NDArray[np.int64]
    """Where each of them first stands among the rows."""
    which: NDArray[np.int64]
    """Which of them each row asks."""

    @classmethod
    def of(cls, cells: Cells, predictor: Predictor) -> AskedRows:
        """The questions these cells put to the predictor."""
        rows = _rows(cells, predictor.schema, predictor.columns)
        return cls._of_rows(cells, rows, _salt(predictor.columns))

    @classmethod
    def apart(cls, cells: Cells, sizes: Sequence[int], predictor: Predictor) -> list[AskedRows]:
        """The same for each of several batches, of these sizes, whose rows were encoded together."""
        rows = _rows(cells, predictor.schema, predictor.columns)
        salt, end, batches = _salt(predictor.columns), 0, []
        for size in sizes:
            start, end = end, end + size
            part = {name: values[start:end] for name, values in cells.items()}
            batches.append(cls._of_rows(part, rows[start:end], salt))
        return batches

    @classmethod
    def _of_rows(cls, cells: Cells, rows: Sequence[bytes], salt: bytes) -> AskedRows:
        if len(rows) == 1:
            return cls(cells, [_name(rows[0], salt)], ONE, ONE)
        numbers: dict[bytes, int] = {}
        first: list[int] = []
        which = np.empty(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            place = numbers.setdefault(row, len(first))
            if place == len(first):
                first.append(i)
            which[i] = place
        return cls(cells, [_name(row, salt) for row in numbers], np.array(first, dtype=np.int64), which)

    def new(self, known: Container[bytes]) -> list[bytes]:
        """The questions that are not known yet, each once."""
        return [key for key in self.keys if key not in known]

    def labels(self, answers: Mapping[bytes, int]) -> NDArray[np.uint8]:
        """The answer to every row."""
        labels = np.array([answers[key] for key in self.keys], dtype=np.uint8)
        return labels[self.which]

    def named(self, answers: Mapping[bytes, int], names: Sequence[Any]) -> list[Any]:
        """The same by the names of classes, and sooner for a few rows."""
        of_keys = [names[answers[key]] for key in self.keys]
        return [of_keys[which] for which in self.which.tolist()]


def draw(
    batches: Sequence[AskedRows], prepared: Prepared, coins: Coins, *, known: Container[bytes]
) -> dict[bytes, int]:
    """Answers to the questions of all batches that are not known, every distinct one drawn once with its own coins."""
    rows: dict[bytes, tuple[int, int]] = {}
    for number, batch in enumerate(batches):
        for place, key in zip(batch.first.tolist(), batch.keys, strict=True):
            if key not in known and key not in rows:
                rows[key] = (number, place)
    if not rows:
        return {}
    chosen_places: list[list[int]] = [[] for _ in batches]
    for number, place in rows.values():
        chosen_places[number].append(place)
    parts = [(batch.cells, places) for batch, places in zip(batches, chosen_places, strict=True) if places]
    together = {
        name: np.concatenate([cells[name][places] for cells, places in parts]) for name in parts[0][0]
    }
    # Batch by batch is the order of `rows` too: a key stands where its first batch has it.
    return dict(zip(rows, prepared.answer(together, coins).tolist(), strict=True))
