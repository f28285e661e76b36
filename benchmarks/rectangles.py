"""Boxes on a public grid: a whole `learn` next to `np.histogram2d` of the same arrays, in one run.

`python -m benchmarks.rectangles [--records 1000000] [--repeats 5] [--json out.json]`
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from benchmarks.measuring import Row, UnsafeCoins, command, least_seconds, resident, row
from privpac.coins import SystemCoins
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.constructions.draw.occam import Occam
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema

NAMES = ("x", "y", "z")


def sample(records: int, dimensions: int) -> MemorySample:
    """Uniform reals on the usual grid of 2^32 cells; class 1 in a box, one label in ten turned round. Made in
    pieces, so that making it does not raise the peak of memory."""
    rng = np.random.default_rng(7)
    cells = {name: np.empty(records, np.uint32) for name in NAMES[:dimensions]}
    labels = np.empty(records, np.uint8)
    for first in range(0, records, 2**16):
        part = slice(first, min(first + 2**16, records))
        turned = rng.random(part.stop - first) < 0.1
        inside = np.ones(part.stop - first, dtype=bool)
        for values in cells.values():
            values[part] = rng.integers(0, 2**32, part.stop - first, dtype=np.uint32)
            inside &= (values[part] >= 2**30) & (values[part] < 3 * 2**30)
        labels[part] = inside ^ turned
    schema = Schema(tuple(Numeric(name, 0.0, 1.0) for name in cells), "label")
    return MemorySample.from_cells(schema, cells, labels)


GROUPS = {2: 256, 3: 32}
"""Groups per column of a coarse grid, by the number of columns."""
FEW = 3000
"""Records on the grid of all cells."""


def learner_of(data: MemorySample) -> Occam:
    names = data.schema.names
    return Occam(Rectangles(data.schema, names, GROUPS[len(names)]), Fraction(1))


def full_learner(data: MemorySample) -> Occam:
    return Occam(Rectangles(data.schema, data.schema.names), Fraction(1))


def speed(records: int, repeats: int) -> list[Row]:
    plane, space, few = sample(records, 2), sample(records, 3), sample(FEW, 2)
    full = full_learner(few)
    full.learn(few, SystemCoins())
    flat, deep = learner_of(plane), learner_of(space)
    x, y = (plane.block().cells[name] for name in ("x", "y"))
    law = flat.concepts.gibbs(plane.reduce(flat.concepts.statistic), ratio=flat.ratio, costs=(1, 1))
    deep.learn(space, SystemCoins())
    law.draw(SystemCoins())
    system, unsafe_coins = SystemCoins(), UnsafeCoins(1)
    jobs: dict[str, Callable[[], object]] = {
        "np.histogram2d": lambda: np.histogram2d(x, y, bins=256, range=[[0, 2**32], [0, 2**32]]),
        "learn": lambda: flat.learn(plane, system),
        "learn, unsafe coins": lambda: flat.learn(plane, unsafe_coins),
        "learn in space": lambda: deep.learn(space, system),
        "3,000 records on all cells": lambda: full.learn(few, system),
        "counting": lambda: plane.reduce(flat.concepts.statistic),
        "50 further draws": lambda: [law.draw(system) for _ in range(50)],
        "50 further draws, unsafe coins": lambda: [law.draw(unsafe_coins) for _ in range(50)],
    }
    seconds = least_seconds(jobs, repeats=repeats)
    base, unsafe = seconds["np.histogram2d"], seconds["learn, unsafe coins"]
    unsafe_draws = seconds["50 further draws, unsafe coins"]
    return [
        row("np.histogram2d", base),
        row("learn", seconds["learn"], against="np.histogram2d", base=base, limit=5),
        row("learn", seconds["learn"], against="learn, unsafe coins", base=unsafe, limit=1.5),
        row(
            "50 further draws",
            seconds["50 further draws"],
            against="50 further draws, unsafe coins",
            base=unsafe_draws,
            limit=1.5,
        ),
        row("3,000 records on all cells", seconds["3,000 records on all cells"]),
        row("counting", seconds["counting"], against="np.histogram2d", base=base),
        row("learn in space", seconds["learn in space"], against="np.histogram2d", base=base),
    ]


def peak_memory(records: int) -> dict[str, int]:
    small = sample(1000, 2)
    learner_of(small).learn(small, SystemCoins())
    data = sample(records, 2)
    block = data.block()
    assert block.labels is not None
    size = sum(values.nbytes for values in block.cells.values()) + block.labels.nbytes
    before, _ = resident()
    learner_of(data).learn(data, SystemCoins())
    return {"input": size, "peak": size + resident()[1] - before}


def main() -> None:
    command(
        __doc__,
        module="benchmarks.rectangles",
        what="boxes on 256 x 256 groups, {records} records, epsilon 1",
        records=10**6,
        speed=speed,
        peak_memory=peak_memory,
    )


if __name__ == "__main__":
    main()
