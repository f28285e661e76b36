"""All cells and labels of a sample, for training outside of the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Block, Sample

__all__ = ["gathered"]


@dataclass(frozen=True)
class _Rows:
    """The statistic that is the records themselves."""

    columns: tuple[str, ...]

    def zero(self) -> list[Block]:
        return []

    def absorb(self, state: list[Block], block: Block) -> list[Block]:
        return [*state, block]

    def merge(self, a: list[Block], b: list[Block]) -> list[Block]:
        return a + b


def gathered(sample: Sample) -> tuple[dict[str, NDArray[Any]], NDArray[np.uint8]]:
    """Cells by column, and labels."""
    schema = sample.schema
    blocks: list[Block] = sample.reduce(_Rows(schema.names))
    labels = [np.empty(0, np.uint8), *(block.labels for block in blocks if block.labels is not None)]
    cells = {
        column.name: np.concatenate(
            [np.empty(0, column.dtype), *(block.cells[column.name] for block in blocks)]
        )
        for column in schema.columns
    }
    return cells, np.concatenate(labels).astype(np.uint8)
