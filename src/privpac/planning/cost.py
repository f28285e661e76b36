"""What learning from a table will take, before any record is looked at: passes, seconds, memory.

Times are rough: constants measured on one core of an ordinary server, rounded up.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from privpac.concepts.literals.cooccurrence import Estimated
from privpac.constructions.base import Learner
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.constructions.recipe import Recipe
from privpac.data.engines.database import database_count, is_database
from privpac.data.engines.files import FileSource, files_at
from privpac.data.engines.opening import Engine, chosen_engine
from privpac.data.schema import Schema

__all__ = ["Cost", "Extent", "cost_of", "estimated_class", "extent_of"]

START_SECONDS = 2
"""To import and to load kernels that have been compiled before."""
READ_NANOSECONDS = 25
"""To read, decode and encode one cell of Parquet."""
COUNT_NANOSECONDS = 15
"""To count one cell of one column."""
IN_MEMORY = 12
"""Bytes of one cell in memory: raw and encoded."""
STREAM_BYTES = 600 * 2**20
"""Bytes of the batches under way and of what was imported, however many records there are."""


@dataclass(frozen=True)
class Extent:
    """How much there is to read. A table in a database has no files.

    Bytes on disk are left out: they depend on the values of the records, and this is said free of charge.
    """

    records: int
    files: int


def extent_of(place: str, schema: Schema) -> Extent:
    """Of files or of a table in a database; names and types of columns are checked, and no record is read."""
    columns = (*schema.names, schema.label)
    if is_database(place):
        return Extent(database_count(place, columns), files=0)
    source = FileSource(files_at(place), columns)
    return Extent(source.n, len(source.paths))


@dataclass(frozen=True)
class Cost:
    """What would be read, and about what it would take."""

    engine: str
    files: int
    records: int
    columns: int
    passes: int
    seconds: float
    memory: int

    def to_json(self) -> dict[str, Any]:
        """The cost as JSON."""
        return asdict(self)


def cost_of(place: str, recipe: Recipe, *, engine: str) -> Cost:
    """The cost of a recipe on the records at a place; from their number and the schema alone."""
    engine_kind: Engine = chosen_engine(place, engine)
    schema = recipe.request.schema
    extent = extent_of(place, schema)
    n = extent.records
    passes = 1 if engine_kind == "memory" else recipe.passes
    counting = _counting_seconds(recipe, n)
    read = passes * n * (len(schema.names) + 1) * READ_NANOSECONDS * 1e-9
    return Cost(
        engine=engine_kind,
        files=extent.files,
        records=n,
        columns=len(schema.names) + 1,
        passes=passes,
        seconds=round(START_SECONDS + read + counting, 1),
        memory=_memory(recipe, n, schema, engine_kind),
    )


def estimated_class(learner: Learner) -> Estimated | None:
    """The class that is drawn from, if it estimates what that takes; labellings of features are another one."""
    concepts = learner.concepts
    return (
        concepts
        if isinstance(concepts, Estimated) and not isinstance(learner, LabelPrivateDichotomies)
        else None
    )


def _counting_seconds(recipe: Recipe, n: int) -> float:
    if (concepts := estimated_class(recipe.learner)) is not None:
        return concepts.estimate(n).seconds
    return n * len(recipe.learner.concepts.statistic.columns) * COUNT_NANOSECONDS * 1e-9


def _memory(recipe: Recipe, n: int, schema: Schema, engine: str) -> int:
    concepts = estimated_class(recipe.learner)
    counts = 0 if concepts is None else concepts.estimate(n).bytes
    return STREAM_BYTES + counts + (n * IN_MEMORY * (len(schema.names) + 1) if engine == "memory" else 0)
