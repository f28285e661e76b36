"""Seconds to release tables, against the bars they are held to: `python -m benchmarks.release [--json FILE]`."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.measuring import Row, least_seconds, publish, row
from privpac.coins import SystemCoins
from privpac.constructions.release.blr import ThresholdBLR
from privpac.constructions.release.histogram import PointHistogram
from privpac.constructions.release.quantiles import Quantiles
from privpac.constructions.release.tree_counts import TreeCounts
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

TREE_SECONDS = 2.0
"""A tree over 32 bits of a million records."""


def _sample(bits: int, n: int) -> MemorySample:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 2**bits - 1, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    cells = np.random.default_rng(1).integers(0, 2**bits, n, dtype=np.uint64)
    return MemorySample.from_cells(schema, {"x": cells})


def measure() -> list[Row]:
    one, coins = Fraction(1), SystemCoins()
    million, small = _sample(32, 10**6), _sample(16, 14_549)
    jobs = {
        "tree, 32 bits, a million records": lambda: TreeCounts(million.schema, "x", one).release(
            million, coins
        ),
        "quantiles, 32 bits, a million records": lambda: Quantiles(million.schema, "x", one).release(
            million, coins
        ),
        "points, 32 bits, a million records": lambda: PointHistogram(million.schema, ("x",), one).release(
            million, coins
        ),
        "blr, 16 bits, 14,549 records": lambda: ThresholdBLR(small.schema, "x", one).release(small, coins),
    }
    seconds = least_seconds(jobs, repeats=3)
    rows = [row(f"seconds: {what}", value) for what, value in seconds.items()]
    rows[0] |= {"limit": TREE_SECONDS, "holds": rows[0]["value"] <= TREE_SECONDS}
    return rows


def main() -> int:
    file = Path(sys.argv[sys.argv.index("--json") + 1]) if "--json" in sys.argv else None
    rows = measure()
    publish("released tables", rows, file)
    return 0 if all(entry.get("holds", True) for entry in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
