"""Relabelling scores of whole classes, from counted records to the score of every labelling, and one exact draw.

`python -m benchmarks.relabelling [--records 10000000] [--repeats 3] [--json out.json]`

One in ten records is kept; the times begin when columns are sorted and counted. Last, the exact audit of thresholds
under `Agnostic(Occam)` on 4 points, n = 5, next to the same audit without symmetry, sets and memory (every fortieth
input, times forty).
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Row, least_seconds, publish, row
from privpac.audit.exact import audit
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import SystemCoins, law
from privpac.concepts.finite import Finite
from privpac.concepts.labellings.base import Dichotomous
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.concepts.linear.plane import Halfplanes
from privpac.constructions.draw.occam import Occam
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.cases import agnostic_case
from privpac.constructions.wrappers.vote import Vote
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.mechanisms import gibbs

LIMIT = 0.3
"""Seconds for a million kept and ten million voting records, on thresholds."""


@dataclass(frozen=True)
class Counted:
    """Records whose statistics are computed beforehand: what the benchmark measures comes after."""

    sample: MemorySample
    known: dict[Any, Any]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sample, name)

    def reduce(self, statistic: Any) -> Any:
        if statistic not in self.known:
            self.known[statistic] = self.sample.reduce(statistic)
        return self.known[statistic]


def counted(schema: Schema, n: int, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    cells = {c.name: generator.integers(0, c.size, n, dtype=np.uint64) for c in schema.columns}
    first = cells[schema.names[0]].astype(np.float64) / schema.columns[0].size
    labels = (first > 0.5) ^ (generator.random(n) < 0.2)
    return Counted(MemorySample.from_cells(schema, cells, labels.astype(np.uint8)), {})


def scores(concepts: Dichotomous, kept: int, voters: int, repeats: int) -> tuple[float, float, int]:
    """Seconds for all scores, seconds for one draw from them, and how many labellings there are."""
    ours, rest = counted(concepts.schema, kept, 1), counted(concepts.schema, voters, 2)
    vote = Vote(kept, voters, Fraction(1), Fraction(1))
    found = concepts.dichotomies(ours)
    prices = {"change": vote.change, "mistake": vote.mistake}
    ready = found.relabelling(ours, rest, **prices)
    gibbs.draw(ready, vote.ratio, SystemCoins())
    seconds = least_seconds(
        {
            "scores": lambda: found.relabelling(ours, rest, **prices),
            "draw": lambda: gibbs.draw(ready, vote.ratio, SystemCoins()),
        },
        repeats=repeats,
    )
    return seconds["scores"], seconds["draw"], len(ready.scores)


def column(cells: int, name: str = "a") -> Numeric:
    return Numeric(name, 0, cells - 1, integer=True)


def classes(records: int) -> dict[str, tuple[Dichotomous, int, int, float | None]]:
    """Name: class, kept, voters, limit in seconds."""
    wide = Schema((column(2**32),), label="y", classes=("0", "1"))
    narrow = Schema((column(4096),), label="y", classes=("0", "1"))
    two = Schema((column(2**20), column(2**20, "b")), label="y", classes=("0", "1"))
    rows = np.random.default_rng(3).integers(0, 2, (10_000, 4096))
    return {
        "thresholds": (Thresholds(wide, "a"), records // 10, records, LIMIT),
        "thresholds, both directions": (Thresholds(wide, "a", "either"), records // 10, records, None),
        "intervals": (intervals(wide, "a"), 3000, records // 100, None),
        "stumps on two columns": (Stumps(two), 2000, records // 100, None),
        "half-planes, few": (Halfplanes(two, ("a", "b")), 500, 2000, None),
        "half-planes, many": (Halfplanes(two, ("a", "b")), 1000, 4000, None),
        "a thousand rows of a matrix": (
            Finite.of_matrix(narrow, "a", rows[:1000]),
            5000,
            records // 100,
            None,
        ),
        "ten thousand rows of a matrix": (Finite.of_matrix(narrow, "a", rows), 5000, records // 100, None),
    }


def speed(records: int, repeats: int) -> list[Row]:
    found = []
    for name, (concepts, kept, voters, limit) in classes(records).items():
        all_scores, draw, count = scores(concepts, kept, voters, repeats)
        what = f"{name}: {kept} kept, {voters} vote, {count} labellings"
        found.append(row(f"scores, {what}", all_scores, against="one second", base=1.0, limit=limit))
        found.append(row(f"one exact draw, {what}", draw))
    return found


def audits() -> list[Row]:
    """The audit with everything, and what plain enumeration would take."""
    schema, every = tiny_schema(4), 40
    plain = Agnostic(Occam(Thresholds(schema, "a"), Fraction(1, 2)), 2, Fraction(3, 10))
    inputs = list(itertools.combinations_with_replacement(records_of(schema), 5))[::every]

    def enumerate_plainly() -> None:
        for data in inputs:
            sample = sample_of(schema, data)
            law(lambda coins: plain.learn(sample, coins))  # noqa: B023

    seconds = least_seconds(
        {
            "fast": lambda: audit(agnostic_case(cells=4, n=5, kept=2)),
            "plain": enumerate_plainly,
        },
        repeats=1,
    )
    naive = every * seconds["plain"]
    return [
        row(
            "exact audit of Agnostic(Occam), 4 points, n = 5",
            seconds["fast"],
            against="20 s",
            base=20.0,
            limit=1.0,
        ),
        row("the same without symmetry, sets and memory", naive, against="with them", base=seconds["fast"]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = speed(options.records, options.repeats) + audits()
    publish(f"relabelling, {options.records} voting records", rows, options.json)


if __name__ == "__main__":
    main()
