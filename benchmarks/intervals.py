"""Intervals of a 64-bit column: a whole `learn` next to `np.sort` of the same array, in one run.

`python -m benchmarks.intervals [--records 10000000] [--repeats 5] [--json out.json]`

Rows: seconds of the sort, of a whole learn (counting, sums, draw) and of its parts; the same learn with
coins that trust their floats; what a further draw costs with either; the peak of memory in a fresh process.
`ratio` is against the row named in `against`, `limit` what it is held to.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from privpac.coins import Coins, SeededCoins, SystemCoins, Weights
from privpac.concepts.base import Hypothesis
from privpac.concepts.intervals import Intervals
from privpac.concepts.unions import UnionGibbs, Unions
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.learners.occam import Occam

Row = dict[str, Any]


class UnsafeCoins(SeededCoins):
    """What most libraries do: a float cumulative sum and one float uniform, nothing certified."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._random = np.random.default_rng(seed)

    def choose(self, weights: Weights) -> int:
        sums = np.cumsum(weights.floats()[0])
        return int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))


def least_seconds(jobs: dict[str, Callable[[], object]], *, repeats: int) -> dict[str, float]:
    """Least processor seconds of each job; the jobs take turns, so that a busy moment hits all of them."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            least[name] = min(least[name], time.process_time() - start)
    return least


def row(what: str, value: float, *, against: str = "", base: float = 0.0, limit: float | None = None) -> Row:
    found: Row = {"what": what, "value": round(value, 6)}
    if against:
        found |= {"against": against, "ratio": round(value / base, 3), "limit": limit}
        found["holds"] = limit is None or value <= limit * base
    return found


def publish(what: str, rows: list[Row], file: Path | None) -> None:
    for entry in rows:
        print(json.dumps(entry))
    if file is not None:
        date = datetime.now(UTC).date().isoformat()
        document = {"what": what, "date": date, "version": version("privpac"), "rows": rows}
        file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


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
    learner = Occam(Intervals(data.schema, "key"), Fraction(1))
    learner.learn(sample(1000), SystemCoins())  # compiles
    counts = data.reduce(learner.concepts.statistic)
    single, several = Intervals(data.schema, "key"), Unions(data.schema, "key", 3)
    ready = single.gibbs(counts, ratio=learner.ratio, costs=(1, 1))
    system, unsafe_coins = SystemCoins(), UnsafeCoins(1)

    def draw(coins: Coins) -> Hypothesis:  # a new law on the same sums: nothing remembered from before
        return UnionGibbs(ready.sums, ready.name).draw(coins)

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


def resident() -> tuple[int, int]:
    """Bytes of memory now and at their peak; Linux only."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines if line.startswith("Vm"))
    now, peak = (1024 * int(fields[key].split()[0]) for key in ("VmRSS", "VmHWM"))
    return now, peak


def peak_memory(records: int) -> dict[str, int]:
    """Input bytes and the peak above what was there before, the input included."""
    learner = Occam(Intervals(sample(10).schema, "key"), Fraction(1))
    learner.learn(sample(1000), SystemCoins())
    data = sample(records)
    block = data.block()
    assert block.labels is not None
    size = block.cells["key"].nbytes + block.labels.nbytes
    before, _ = resident()
    learner.learn(data, SystemCoins())
    return {"input": size, "peak": size + resident()[1] - before}


def memory_row(module: str, records: int) -> list[Row]:
    """Measured in a fresh process: a peak can only be raised, never lowered."""
    if not Path("/proc/self/status").exists():
        return []
    command = [sys.executable, "-m", module, "--records", str(records), "--memory-only"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return [row("peak memory", found["peak"], against="input", base=found["input"], limit=4)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_only:
        print(json.dumps(peak_memory(options.records)))
        return
    rows = speed(options.records, options.repeats) + memory_row("benchmarks.intervals", options.records)
    publish(f"intervals, 64-bit domain, {options.records} records, epsilon 1", rows, options.json)


if __name__ == "__main__":
    main()
