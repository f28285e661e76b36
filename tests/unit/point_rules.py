"""What tests of rules about single values share: schemas of long keys, random cells, SQL run by a database."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

KINDS = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 62: "BIGINT", 64: "UBIGINT", 100: "HUGEINT"}
"""The type a database holds a key of so many bits in."""


def keys(bits: int, *, lower: int = 0) -> Schema:
    column = Numeric("code", lower, lower + 2**bits - 1, integer=True)
    return Schema((column,), label="ill", classes=("0", "1"))


def names() -> Schema:
    return Schema((Categorical("code", tuple("uvwxyz")),), label="ill", classes=("0", "1"))


def random_cells(schema: Schema, n: int, seed: int = 0) -> NDArray[Any]:
    column = schema.column("code")
    generator = np.random.default_rng(seed)
    width = column.size.bit_length() // 8 + 9
    cells = [int.from_bytes(generator.bytes(width), "little") % column.size for _ in range(n)]
    return np.array(cells, dtype=column.dtype)


def sample_of(schema: Schema, cells: NDArray[Any], labels: NDArray[Any]) -> MemorySample:
    return MemorySample.from_cells(schema, {"code": cells}, labels)


def by_database(rule: Hypothesis, schema: Schema, cells: NDArray[Any], kind: str) -> list[int]:
    """The rule's own SQL on the raw values of these cells, in order."""
    column = schema.column("code")
    rows = [(i, str(column.value(int(cell)))) for i, cell in enumerate(cells)]
    with duckdb.connect() as database:
        database.execute("CREATE TABLE texts (i INTEGER, t VARCHAR)")
        database.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        database.execute(f"CREATE TABLE t AS SELECT i, CAST(t AS {kind}) AS code FROM texts")
        found = database.execute(f"SELECT {rule.to_sql(schema)} FROM t ORDER BY i").fetchall()
    return [row[0] for row in found]
