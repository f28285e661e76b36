"""A sample in two parts: records with labels and records without.

Who has a label is public, as are both numbers: neighbours differ by one record replaced within its part. Somebody who
moved from one part to the other would change both, and lose the sum of what is promised to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from privpac.data.engines.memory import MemorySample
from privpac.data.sample import InMemory, Size
from privpac.data.schema import Schema
from privpac.data.tables import read, vector
from privpac.errors import DataError, ParameterError, SchemaError

__all__ = ["SemiSample", "joined"]

Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SemiSample:
    """What a learner of few labels gets: `learn(sample, coins)` reads `sample.labelled` and `sample.unlabelled`."""

    labelled: InMemory
    unlabelled: InMemory

    def __post_init__(self) -> None:
        if self.labelled.schema != self.unlabelled.schema:
            raise SchemaError(
                "The labelled and the unlabelled records have different schemas.",
                remedy="Read both under one schema.",
            )
        if self.labelled.size.unlabelled or self.unlabelled.size.labelled:
            raise ParameterError(
                "SemiSample",
                "labelled and unlabelled",
                (self.labelled.size, self.unlabelled.size),
                allowed="a sample with labels and one without",
            )

    @property
    def size(self) -> Size:
        """The numbers of labelled and of unlabelled records."""
        return Size(self.labelled.size.labelled, self.unlabelled.size.unlabelled)

    @property
    def schema(self) -> Schema:
        """The schema of both parts."""
        return self.labelled.schema

    @classmethod
    def of(
        cls,
        table: object,
        schema: Schema,
        *,
        y: object = None,
        unlabelled: object = None,
    ) -> SemiSample:
        """Encode a table in which some labels may be missing, and further records without labels.

        A label is missing where the cell is empty or NaN, or is -1 and no class is called so.
        """
        cells, labels = _encode(table, schema, y)
        bare = labels < 0
        parts = [cells.take(np.flatnonzero(bare))]
        if unlabelled is not None:
            parts.append(MemorySample.of(unlabelled, schema, labelled=False))
        labelled = cells.take(np.flatnonzero(~bare)).block()
        return cls(
            MemorySample(schema, cells=labelled.cells, labels=labels[~bare].astype(np.uint8), n=labelled.n),
            joined(*parts),
        )


def _encode(table: object, schema: Schema, y: object) -> tuple[MemorySample, npt.NDArray[np.int64]]:
    raw = read(table, columns=(*schema.names, schema.label) if y is None else schema.names)
    answers = raw.column(schema.label) if y is None else vector(y)
    if len(answers) != raw.n:
        raise DataError(
            f"There are {raw.n} records but {len(answers)} labels.",
            remedy="Give one label per record; leave it empty, or write -1, where there is none.",
        )
    labels = schema.labels_if_any(answers)
    return MemorySample.of(read(raw, columns=schema.names), schema, labelled=False), labels


def joined(*samples: InMemory) -> MemorySample:
    """The records of all these samples one after the other, with their labels if all have any."""
    schema = samples[0].schema
    blocks = [sample.block() for sample in samples]
    cells = {name: np.concatenate([block.cells[name] for block in blocks]) for name in blocks[0].cells}
    labels = [block.labels for block in blocks if block.labels is not None]
    both = np.concatenate(labels) if len(labels) == len(blocks) else None
    return MemorySample(schema, cells=cells, labels=both, n=sum(block.n for block in blocks))
