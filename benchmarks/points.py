"""Finding one value among 2^64 from 1,100 records: a draw by every way, against the seconds it is held to.

`python -m benchmarks.points [--records 1100] [--repeats 5] [--json out.json]`

Rows: processor seconds of a whole `learn` (counting, scores, keys, draw) with the operating system's coins;
`limit` is the bar, left out where none is set.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.measuring import Row, least_seconds, publish
from privpac.coins import SystemCoins
from privpac.concepts.sets.codes import CodeSets
from privpac.concepts.sets.hashes import HashFamily
from privpac.concepts.sets.points import Points
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.points.clipped import ClippedPoints
from privpac.constructions.points.coded import CodedPoints
from privpac.constructions.points.covered import CoveredPoints
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema

ONE = Fraction(1)
LIMITS = {"points": 0.03, "clipped": 0.03, "code of 1,627 places": 1.0, "cover of 69,172 keys": 2.0}
"""Seconds that a draw may take at 64 bits and 1,100 records."""


def sample(bits: int, records: int) -> MemorySample:
    """A quarter of the records carry the target, all others are different."""
    generator = np.random.default_rng(bits)
    schema = Schema((Numeric("key", 0, 2**bits - 1, integer=True),), "label")
    keys = [int.from_bytes(generator.bytes(bits // 8), "little") for _ in range(records)]
    keys = [keys[0] if i % 4 == 0 else key for i, key in enumerate(keys)]
    labels = np.array([key == keys[0] for key in keys], dtype=np.uint8)
    column = schema.column("key")
    return MemorySample.from_cells(schema, {"key": np.array(keys, dtype=column.dtype)}, labels)


def learners(schema: Schema, bits: int, records: int) -> dict[str, Learner]:
    prime, digits = (1627, 6) if bits == 64 else (2963, 12)
    family = HashFamily.sharing(schema, "key", Fraction(1, 400))
    return {
        "points": Occam(Points(schema, "key"), ONE),
        "clipped": ClippedPoints.tuned(schema, "key", epsilon=ONE, size=Size(records)),
        f"code of {prime:,} places": CodedPoints(CodeSets(schema, "key", prime, digits), ONE),
        "cover of 69,172 keys": CoveredPoints(schema, "key", ONE, 69_172, family),
    }


def _job(learner: Learner, data: MemorySample) -> Callable[[], object]:
    return lambda: learner.learn(data, SystemCoins())


def speed(records: int, repeats: int) -> list[Row]:
    rows: list[Row] = []
    for bits in (64, 128):
        data = sample(bits, records)
        jobs = {name: _job(way, data) for name, way in learners(data.schema, bits, records).items()}
        for job in jobs.values():
            job()  # compiles
        for name, seconds in least_seconds(jobs, repeats=repeats).items():
            entry: Row = {"what": f"{name}, {bits} bits", "value": round(seconds, 6)}
            if bits == 64:
                entry |= {"limit": LIMITS[name], "holds": seconds <= LIMITS[name]}
            rows.append(entry)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = speed(options.records, options.repeats)
    publish(f"one value of 2^64, {options.records} records, epsilon 1", rows, options.json)


if __name__ == "__main__":
    main()
