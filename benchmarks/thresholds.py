"""Thresholds on a 64-bit column: everything from an array to a rule, next to `np.sort` of the same array, in one run.

`python -m benchmarks.thresholds [--records 10000000] [--repeats 5] [--json out.json]`
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from benchmarks.intervals import sample
from benchmarks.measuring import Row, UnsafeCoins, command, least_seconds, resident, row
from privpac.coins import SystemCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.data.engines.memory import MemorySample


def speed(records: int, repeats: int) -> list[Row]:
    data = sample(records)
    schema, block = data.schema, data.block()
    learner = Occam(Thresholds(schema, "key"), Fraction(1))
    counts = data.reduce(learner.concepts.statistic)
    ready = learner.concepts.gibbs(counts, ratio=learner.ratio, costs=(1, 1))
    array = {"key": block.cells["key"]}

    def learn() -> object:
        return learner.learn(MemorySample.of(array, schema, y=block.labels), SystemCoins())

    learn()  # compiles
    seconds = least_seconds(
        {
            "np.sort": lambda: np.sort(array["key"]),
            "learn from an array": learn,
            "encoding": lambda: MemorySample.of(array, schema, y=block.labels),
            "counting": lambda: data.reduce(learner.concepts.statistic),
            "5 draws": lambda: [ready.draw(SystemCoins()) for _ in range(5)],
            "5 draws, unsafe coins": lambda: [ready.draw(UnsafeCoins(i)) for i in range(5)],
        },
        repeats=repeats,
    )
    sort, unsafe = seconds["np.sort"], seconds["5 draws, unsafe coins"]
    return [
        row("np.sort", sort),
        row("learn from an array", seconds["learn from an array"], against="np.sort", base=sort, limit=2.5),
        row("encoding", seconds["encoding"], against="np.sort", base=sort),
        row("counting", seconds["counting"], against="np.sort", base=sort),
        row("5 draws", seconds["5 draws"], against="5 draws, unsafe coins", base=unsafe, limit=1.5),
    ]


def peak_memory(records: int) -> dict[str, int]:
    """Input bytes and the peak above what was there before, the input included."""
    learner = Occam(Thresholds(sample(10).schema, "key"), Fraction(1))
    learner.learn(sample(1000), SystemCoins())
    data = sample(records)
    block = data.block()
    assert block.labels is not None
    size = block.cells["key"].nbytes + block.labels.nbytes
    before, _ = resident()
    learner.learn(MemorySample.of({"key": block.cells["key"]}, data.schema, y=block.labels), SystemCoins())
    return {"input": size, "peak": size + resident()[1] - before}


def main() -> None:
    command(
        __doc__,
        module="benchmarks.thresholds",
        what="thresholds, 64-bit domain, {records} records, epsilon 1",
        records=10**7,
        speed=speed,
        peak_memory=peak_memory,
    )


if __name__ == "__main__":
    main()
