"""How long a draw takes when doubles decide it and when it must be refined.

`python -m benchmarks.refined_draw [--json FILE]`

A draw is first decided with doubles. If the random number falls where rounding could matter, it is extended and decided
with ball arithmetic, which takes longer, and whether that happens depends on the weights: a side channel in time
(docs/understand/limits.md). Here the random number is put into the doubtful place on purpose.

Rows: candidates, median processor seconds of an ordinary and of a refined draw, their quotient, and how often a draw
is refined at most: the doubtful width, four times the error bound to either side, for every edge between scores.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from privpac.coins import SeededCoins
from privpac.mechanisms.gibbs import PowerWeights, draw
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

RATIO = ratio_for(Fraction(1, 2))
REPEATS = 15


class Doubtful(SeededCoins):
    """The first 64 bits are those of an edge: all ones, next to the end of the last candidate's part."""

    fresh = True

    def bits(self, count: int) -> int:
        if self.fresh and count == 64:
            self.fresh = False
            return (1 << 64) - 1
        return super().bits(count)


def seconds(job: Callable[[int], object]) -> float:
    taken = []
    for seed in range(REPEATS):
        begin = time.process_time()
        job(seed)
        taken.append(time.process_time() - begin)
    return median(taken)


def row(candidates: int) -> dict[str, Any]:
    scores = np.random.default_rng(7).binomial(100_000, 0.5, candidates).astype(np.int64)
    runs = Runs([Row.of(0, np.arange(candidates - 1, dtype=np.uint64), scores, candidates - 1)])
    draw(runs, RATIO, SeededCoins(0))
    ordinary = seconds(lambda seed: draw(runs, RATIO, SeededCoins(seed)))
    refined = seconds(lambda seed: draw(runs, RATIO, Doubtful(seed)))
    values, error = PowerWeights(RATIO, runs).floats()
    width = 8 * (error + (len(values) + 16) * 2.0**-53 * 1.01) + 2.0**-63
    return {
        "candidates": candidates,
        "ordinary_seconds": ordinary,
        "refined_seconds": refined,
        "ratio": refined / ordinary,
        "refined_at_most_once_in": int(1 / (width * len(values))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    rows = [row(candidates) for candidates in (100, 10_000, 1_000_000)]
    for entry in rows:
        print("  ".join(f"{name} {value:.4g}" for name, value in entry.items()))
    target = parser.parse_args().json
    if target is not None:
        document = {"date": datetime.now(UTC).date().isoformat(), "rows": rows}
        target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
