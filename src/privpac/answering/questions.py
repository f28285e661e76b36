"""Questions on their way to an answer: which of them are new, drawing those, and giving every row its label.

One place for whoever answers: `PrivatePredictor` for a batch, the service for many people's batches at once. What is
left to them is to pay before a drawn answer leaves, and to keep it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privpac.answering.queries import Queries
from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.constructions.prediction.base import Predictor, Prepared

__all__ = ["AskedRows", "draw"]


@dataclass(frozen=True, eq=False, repr=False)
class AskedRows:
    """Encoded rows, and the distinct questions among them."""

    cells: Cells
    queries: Queries

    @classmethod
    def of(cls, cells: Cells, predictor: Predictor) -> AskedRows:
        """The questions these cells put to the predictor."""
        return cls(cells, Queries.of(cells, predictor.schema, predictor.columns))

    @property
    def keys(self) -> Sequence[bytes]:
        """The distinct questions, by name."""
        return self.queries.keys

    def new(self, known: Container[bytes]) -> list[bytes]:
        """The questions that are not known yet, each once."""
        return [key for key in self.queries.keys if key not in known]

    def labels(self, answers: Mapping[bytes, int]) -> NDArray[np.uint8]:
        """The answer to every row."""
        labels = np.array([answers[key] for key in self.queries.keys], dtype=np.uint8)
        return labels[self.queries.which]


def draw(
    batches: Sequence[AskedRows], prepared: Prepared, coins: Coins, *, known: Container[bytes]
) -> dict[bytes, int]:
    """Answers to the questions of all batches that are not known, every distinct one drawn once with its own coins."""
    rows: dict[bytes, tuple[int, int]] = {}
    for number, asked in enumerate(batches):
        for place, key in zip(asked.queries.first.tolist(), asked.keys, strict=True):
            if key not in known and key not in rows:
                rows[key] = (number, place)
    if not rows:
        return {}
    wanted: list[list[int]] = [[] for _ in batches]
    for number, place in rows.values():
        wanted[number].append(place)
    parts = [(asked.cells, places) for asked, places in zip(batches, wanted, strict=True) if places]
    together = {
        name: np.concatenate([cells[name][places] for cells, places in parts]) for name in parts[0][0]
    }
    # Batch by batch is the order of `rows` too: a key stands where its first batch has it.
    return dict(zip(rows, prepared.answer(together, coins).tolist(), strict=True))
