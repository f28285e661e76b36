"""What learning from a table will take, before any record is looked at: passes, seconds, memory.

Times are rough: constants measured on one core of an ordinary server, rounded up.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from privpac.data.engines.files import FileSource
from privpac.data.engines.opening import chosen_engine
from privpac.data.schema import Schema
from privpac.learners.recipe import Recipe

__all__ = ["Cost", "cost_of"]

START_SECONDS = 2
"""To import and to load kernels that have been compiled before."""
READ_NANOSECONDS = 25
"""To read, decode and encode one cell of Parquet."""
COUNT_NANOSECONDS = 15
"""To count one cell of one column."""
IN_MEMORY = 12
"""Bytes of one cell in memory: raw and encoded."""
STREAMED = 600 * 2**20
"""Bytes of the batches under way and of what was imported, however many records there are."""


@dataclass(frozen=True)
class Cost:
    """What would be read, and about what it would take."""

    engine: str
    files: int
    records: int
    bytes: int
    columns: int
    passes: int
    seconds: float
    memory: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def cost_of(source: FileSource, recipe: Recipe, *, engine: str) -> Cost:
    """The cost of a recipe on files; from their sizes and the schema alone."""
    chosen = chosen_engine(str(source.paths[0]), engine) if len(source.paths) == 1 else engine
    chosen = "files" if chosen == "auto" else chosen
    n, schema = source.n, recipe.request.schema
    passes = 1 if chosen == "memory" else passes_of(recipe)
    counted = _counting_seconds(recipe, n)
    read = passes * n * (len(schema.names) + 1) * READ_NANOSECONDS * 1e-9
    return Cost(
        engine=chosen,
        files=len(source.paths),
        records=n,
        bytes=source.bytes,
        columns=len(schema.names) + 1,
        passes=passes,
        seconds=round(START_SECONDS + read + counted, 1),
        memory=_memory(recipe, n, schema, chosen),
    )


def passes_of(recipe: Recipe) -> int:
    """How often all records are read: once a stage, once for what is released beside the rule."""
    stages = len(getattr(recipe.learner, "stages", (0,)))
    looks = len(recipe.request.schema.names) if recipe.request.protect == "labels" else 0
    beside = (recipe.leaf_epsilon is not None) + (recipe.estimate_epsilon is not None)
    aside = (
        2 if recipe.holdout else 0
    )  # one look before the budget is charged, one to fetch the records kept aside
    return stages + looks + beside + aside


def _counting_seconds(recipe: Recipe, n: int) -> float:
    estimate = getattr(recipe.learner.concepts, "estimate", None)
    if estimate is not None:
        return float(estimate(n).seconds)
    return n * len(recipe.learner.concepts.statistic.columns) * COUNT_NANOSECONDS * 1e-9


def _memory(recipe: Recipe, n: int, schema: Schema, engine: str) -> int:
    estimate = getattr(recipe.learner.concepts, "estimate", None)
    counts = 0 if estimate is None else int(estimate(n).bytes)
    return STREAMED + counts + (n * IN_MEMORY * (len(schema.names) + 1) if engine == "memory" else 0)
