"""Trees, lists and conjunctions: counting, sums and draws, on one core, in one run.

`python -m benchmarks.trees [--quick] [--repeats 3] [--json out.json]`

Rows: words counted a second; seconds of counting, sums and the first draw of a whole learn; further draws with
certified coins and with coins that trust their floats; the peak of memory in a fresh process. `ratio` is against
the row named in `against`, `limit` what it is held to. Times are processor seconds of one thread.
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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from privpac.coins import Coins, SeededCoins, Weights
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions
from privpac.concepts.literals.cooccurrence import CooccurrenceTensor, binomials
from privpac.concepts.literals.cooccurrence_words import count_sets
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.trees import Trees
from privpac.data.columns import Boolean, Categorical, Column, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for

Row = dict[str, Any]

FLAGS: tuple[Column, ...] = tuple(Boolean(f"flag{i}") for i in range(100))
CENSUS: tuple[Column, ...] = (
    *(Numeric(f"number{i}", 0.0, 1.0) for i in range(5)),
    Numeric("years", 1, 16, integer=True),
    *(
        Categorical(f"kind{i}", categories=tuple(map(str, range(size))))
        for i, size in enumerate((9, 7, 15, 6, 5, 4))
    ),
)
EPSILON = Fraction(1, 10)


class FloatCoins(SeededCoins):
    """Unsafe: believes its floats. Only to measure what certainty costs."""

    def choose(self, weights: Weights) -> int:
        sums = np.cumsum(weights.floats()[0])
        return int(np.searchsorted(sums, self.bits(53) * 2.0**-53 * sums[-1], side="right"))


def table(columns: tuple[Column, ...], n: int, seed: int = 0) -> tuple[Schema, Block]:
    """Records with a signal in two columns and a third of the labels at random."""
    generator = np.random.default_rng(seed)
    cells = {c.name: generator.integers(0, c.size, n).astype(c.dtype) for c in columns}
    high = [cells[c.name] >= c.size // 2 for c in columns[:2]]
    labels = np.where(generator.random(n) < 2 / 3, high[0] & high[1], generator.random(n) < 0.5)
    return Schema(columns, "label"), Block(cells, labels.astype(np.uint8), n)


def seconds(work: Callable[[], Any], repeats: int) -> float:
    """The fastest of some runs, in processor seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def words_row(repeats: int) -> Row:
    """AND and popcount of all triples of 100 columns of one test."""
    p, words = 100, 2048
    codes = np.random.default_rng(0).integers(0, 2, (p, 64 * words), dtype=np.uint8)
    nested = np.ones(p, dtype=np.bool_)
    level = np.zeros(len(_triples(p)), dtype=np.int32)
    first = np.arange(p + 1, dtype=np.int64)

    def work() -> None:
        count_sets(codes, first, nested, binomials(p), 3, level, (0, 1))

    work()
    rate = len(level) * words / seconds(work, repeats) / 1e9
    return {"name": "AND+popcount", "gigawords_per_second": rate, "limit_at_least": 2.0, "ok": rate >= 2.0}


def _triples(p: int) -> range:
    return range(int(binomials(p)[3, p]))


def learn_rows(
    name: str, concepts: Any, block: Block, repeats: int, *, limit: float | None = None
) -> list[Row]:
    """Counting, sums and draws of one class on one table."""
    statistic = concepts.statistic
    ratio = ratio_for(EPSILON / 2)
    state: dict[str, Any] = {}

    def count() -> None:
        state["evidence"] = statistic.absorb(statistic.zero(), block)

    def learn(coins: Coins) -> None:
        state["gibbs"] = concepts.gibbs(state["evidence"], ratio=ratio, costs=(1, 1))
        state["gibbs"].draw(coins)

    counting = seconds(count, repeats)
    certified = seconds(lambda: learn(SeededCoins(1)), repeats)
    trusting = seconds(lambda: learn(FloatCoins(1)), repeats)
    whole = counting + certified
    rows: list[Row] = [
        {"name": f"{name}: counting", "seconds": counting},
        {"name": f"{name}: sums and draw", "seconds": certified},
        {"name": f"{name}: sums and float draw", "seconds": trusting},
        _held(f"{name}: certified over float", certified / trusting, 1.5, against=f"{name}: float draw"),
    ]
    if limit is None:
        rows.append({"name": f"{name}: all", "seconds": whole})
    else:
        rows.append({"name": f"{name}: all", "seconds": whole, "limit": limit, "ok": whole <= limit})
    if isinstance(concepts, Trees):
        draw = state["gibbs"].draw
        again = [seconds(partial(draw, coins), 20) for coins in (SeededCoins(2), FloatCoins(2))]
        rows.append({"name": f"{name}: a further draw", "seconds": again[0], "float_seconds": again[1]})
    return rows


def _held(name: str, ratio: float, limit: float, *, against: str) -> Row:
    return {"name": name, "ratio": ratio, "against": against, "limit": limit, "ok": ratio <= limit}


def nested_row(repeats: int) -> Row:
    """What joint histograms save: 31 cuts per column against as many unrelated flags."""
    schema, block = table(tuple(Numeric(f"x{i}", 0.0, 1.0) for i in range(4)), 100_000)
    cuts = CooccurrenceTensor(Binarisation.of(schema), 3, 2, 1)
    flags_schema, flags_block = table(tuple(Boolean(f"b{i}") for i in range(124)), 100_000)
    flags = CooccurrenceTensor(Binarisation.of(flags_schema), 3, 2, 1)
    fast = seconds(lambda: cuts.absorb(cuts.zero(), block), repeats)
    slow = seconds(lambda: flags.absorb(flags.zero(), flags_block), repeats)
    return _held("124 nested cuts of 4 columns over 124 flags", fast / slow, 0.25, against="124 flags")


def memory_row(depth: int) -> Row:
    """Peak of a fresh process that learns a depth-4 tree."""
    code = (
        "import resource; from benchmarks.trees import *; s, b = table(FLAGS, 100_000);"
        f"t = Trees(s, {depth}, threads=1); e = t.statistic.absorb(t.statistic.zero(), b);"
        "t.gibbs(e, ratio=ratio_for(EPSILON / 2), costs=(1, 1)).draw(SeededCoins(1));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    root = Path(__file__).parent.parent
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    peak = int(out.stdout)
    limit = 0.6e9
    name = f"depth {depth}, n=10^5, 100 tests: peak bytes"
    return {"name": name, "bytes": peak, "limit": limit, "ok": peak <= limit}


def measure(quick: bool, repeats: int) -> list[Row]:
    warm_schema, warm = table(FLAGS[:6], 500)
    learn_rows("warm", Trees(warm_schema, 4, threads=1), warm, 1)
    learn_rows("warm", DecisionLists(warm_schema, 3, threads=1), warm, 1)
    learn_rows("warm", Conjunctions(warm_schema, 3, threads=1), warm, 1)
    rows = [words_row(repeats), nested_row(repeats)]
    schema, block = table(FLAGS, 100_000)
    rows += learn_rows("depth 3, n=10^5", Trees(schema, 3, threads=1), block, repeats, limit=0.5)
    rows += learn_rows("lists of 3, n=10^5", DecisionLists(schema, 3, threads=1), block, repeats)
    rows += learn_rows("conjunctions of 3, n=10^5", Conjunctions(schema, 3, threads=1), block, repeats)
    census_schema, census = table(CENSUS, 34_000)
    rows += learn_rows("census-like, depth 3, n=34,000", Trees(census_schema, 3, threads=1), census, repeats)
    if not quick:
        rows += learn_rows("depth 4, n=10^5", Trees(schema, 4, threads=1), block, 1, limit=10.0)
        rows += learn_rows("conjunctions of 4, n=10^5", Conjunctions(schema, 4, threads=1), block, 1)
        rows.append(memory_row(4))
        large_schema, large = table(FLAGS, 1_000_000)
        rows += learn_rows("depth 3, n=10^6", Trees(large_schema, 3, threads=1), large, 1, limit=4.0)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out depth 4 and a million records")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = measure(options.quick, options.repeats)
    stamp = datetime.now(UTC).strftime("%Y-%m-%d")
    for row in rows:
        print(json.dumps({"date": stamp, **row}))
    if options.json:
        options.json.write_text(json.dumps([{"date": stamp, **row} for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
