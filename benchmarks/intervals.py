"""Intervals of a 64-bit column: a whole `learn` next to `np.sort` of the same array, in one run.

`python -m benchmarks.intervals [--records 10000000] [--repeats 5] [--json out.json]`

Rows: seconds of the sort, of a whole learn (counting, sums, draw) and of its parts; the same learn with
coins that trust their floats; what a further draw costs with either; the peak of memory in a fresh process.
`ratio` is against the row named in `against`, `limit` what it is held to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchmarks.measuring import Row, UnsafeCoins, command, least_seconds, resident, row
from privpac.coins import Coins, SystemCoins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.unions import Unions, intervals
from privpac.constructions.draw.occam import Occam
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema


def sample(records: int) -> MemorySample:
    """Uniform 64-bit keys; class 1 on a quarter of the domain, one label in ten turned round. Made in
    pieces, so that making it does not raise the peak of memory."""
    rng = np.random.default_rng(7)
    keys, labels = np.empty(records, np.uint64), np.empty(records, np.uint8)
    for first in range(0, records, 2**18):
        part = slice(first, min(first + 2**18, records))
        keys[part] = rng.integers(0, 2**64, part.stop - first, dtype=np.uint64)
        inside = (keys[part] >= 2**62) & (keys[part] < 2**63)
        labels[part] = inside ^ (rng.random(part.stop - first) < 0.1)
    schema = Schema((Numeric("key", 0, 2**64 - 1, integer=True),), "label")
    return MemorySample.from_cells(schema, {"key": keys}, labels)


def speed(records: int, repeats: int) -> list[Row]:
    data = sample(records)
    keys = data.block().cells["key"]
    learner = Occam(intervals(data.schema, "key"), Fraction(1))
    learner.learn(sample(1000), SystemCoins())  # compiles
    counts = data.reduce(learner.concepts.statistic)
    single, several = intervals(data.schema, "key"), Unions(data.schema, "key", 3)
    ready = single.gibbs(counts, ratio=learner.ratio, costs=(1, 1))
    system, unsafe_coins = SystemCoins(), UnsafeCoins(1)

    def draw(coins: Coins) -> Hypothesis:  # a new law on the same sums: nothing remembered from before
        return replace(ready).draw(coins)

    jobs: dict[str, Callable[[], object]] = {
        "np.sort": lambda: np.sort(keys),
        "learn": lambda: learner.learn(data, system),
        "learn, unsafe coins": lambda: learner.learn(data, unsafe_coins),
        "counting": lambda: data.reduce(single.statistic),
        "sums, one interval": lambda: single.gibbs(counts, ratio=learner.ratio, costs=(1, 1)).draw(system),
        "sums, three intervals": lambda: several.gibbs(counts, ratio=learner.ratio, costs=(1, 1)).draw(
            system
        ),
        "50 further draws": lambda: [draw(system) for _ in range(50)],
        "50 further draws, unsafe coins": lambda: [draw(unsafe_coins) for _ in range(50)],
    }
    seconds = least_seconds(jobs, repeats=repeats)
    sort, unsafe = seconds["np.sort"], seconds["learn, unsafe coins"]
    unsafe_draws = seconds["50 further draws, unsafe coins"]
    return [
        row("np.sort", sort),
        row("learn", seconds["learn"], against="np.sort", base=sort, limit=7),
        row("learn", seconds["learn"], against="learn, unsafe coins", base=unsafe, limit=1.5),
        row(
            "50 further draws",
            seconds["50 further draws"],
            against="50 further draws, unsafe coins",
            base=unsafe_draws,
            limit=1.5,
        ),
        *(
            row(name, seconds[name], against="np.sort", base=sort)
            for name in ("counting", "sums, one interval", "sums, three intervals")
        ),
    ]


def peak_memory(records: int) -> dict[str, int]:
    """Input bytes and the peak above what was there before, the input included."""
    learner = Occam(intervals(sample(10).schema, "key"), Fraction(1))
    learner.learn(sample(1000), SystemCoins())
    data = sample(records)
    block = data.block()
    assert block.labels is not None
    size = block.cells["key"].nbytes + block.labels.nbytes
    before, _ = resident()
    learner.learn(data, SystemCoins())
    return {"input": size, "peak": size + resident()[1] - before}


def main() -> None:
    command(
        __doc__,
        module="benchmarks.intervals",
        what="intervals, 64-bit domain, {records} records, epsilon 1",
        records=10**7,
        speed=speed,
        peak_memory=peak_memory,
    )


if __name__ == "__main__":
    main()
