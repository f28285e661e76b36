"""How fast half-spaces are counted: directions x 256 cut-offs on one core, and the plane by sweep and by arcs.

    python -m benchmarks.halfspaces [--json FILE]

Limits: 40 G candidates x records per second for up to 20 columns; 1.5 processor seconds for the plane with 2,000
records.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Row, least_seconds, publish
from privpac.coins import SeededCoins
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.direction_kernels import BINS, count_scores
from privpac.concepts.linear.plane import Halfplanes
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

RECORDS, DIRECTIONS, TOP, POINTS = 100_000, 100, 31, 6
PLANE, LIMIT_PLANE, LIMIT_RATE = 2_000, 1.5, 40.0


def rate(columns: int, repeats: int) -> Row:
    generator = np.random.default_rng(columns)
    levels = generator.integers(0, TOP + 1, (columns, RECORDS)).astype(np.uint8)
    zeros, ones = np.ascontiguousarray(levels[:, ::2]), np.ascontiguousarray(levels[:, 1::2])
    everyone = np.arange(columns, dtype=np.int64)[None, :]
    patterns = generator.integers(1, POINTS + 1, (DIRECTIONS, columns)) * generator.choice(
        [-1, 1], (DIRECTIONS, columns)
    )
    counts = np.zeros(RECORDS + 2, dtype=np.int64)

    def job() -> None:
        count_scores(0, counts, zeros, ones, everyone, patterns, TOP, (1, 1))

    job()  # compiled
    seconds = least_seconds({"count": job}, repeats=repeats)["count"]
    found = BINS * DIRECTIONS * RECORDS / seconds / 1e9
    return {
        "what": f"G candidates x records per second, {columns} columns",
        "value": round(found, 1),
        "limit": LIMIT_RATE,
        "holds": found >= LIMIT_RATE,
    }


def plane(repeats: int) -> list[Row]:
    columns = [{"name": n, "kind": "numeric", "lower": -1, "upper": 1} for n in "ab"]
    schema = Schema.from_json({"label": "y", "columns": columns})
    x = np.random.default_rng(0).uniform(-1, 1, (PLANE, 2))
    records = MemorySample.of({"a": x[:, 0], "b": x[:, 1]}, schema, y=(x.sum(axis=1) > 0.1).astype(int))
    centred = CentredHalfspaces(schema, ("a", "b"))
    learner = LabelPrivateDichotomies(Halfplanes(schema, ("a", "b")), Fraction(1))

    def arcs() -> Any:
        return centred.gibbs(records.reduce(centred.statistic), ratio=Fraction(1, 2), costs=(1, 1)).draw(
            SeededCoins(1)
        )

    jobs = {
        "arcs: one private half-plane through the middle": arcs,
        "sweep: mistakes of all 4 million separations": lambda: learner.concepts.dichotomies(
            records
        ).mistakes(records),  # type: ignore[attr-defined]
        "sweep: one label-private half-plane, drawn": lambda: learner.learn(records, SeededCoins(1)),
    }
    for job in jobs.values():
        job()
    return [
        {"what": f"processor seconds, {PLANE} records, {name}", "value": round(seconds, 4), "limit": LIMIT_PLANE,
         "holds": seconds <= LIMIT_PLANE}
        for name, seconds in least_seconds(jobs, repeats=repeats).items()
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [rate(columns, options.repeats) for columns in (2, 5, 10, 20)] + plane(options.repeats)
    publish("Half-spaces: counting candidates", rows, options.json)


if __name__ == "__main__":
    main()
