"""Choosing one of many candidates by their integer scores: ours next to OpenDP and diffprivlib, in one run.

`python -m benchmarks.selection [--candidates 100000 1000000] [--repeats 5] [--json out.json]`

Everybody gets the same scores, ready in memory in the form that suits them best (an array; diffprivlib insists
on a list), and the same epsilon for scores of sensitivity 1. A run is a whole private choice: nothing computed
from the scores is kept from one to the next. Ours and diffprivlib's draw from the exponential mechanism, OpenDP's
noisy maximum with exponential noise from permute-and-flip; ours and OpenDP's are exact, diffprivlib's is in
floats. A peer that is not installed is left out; they are opendp==0.16.0, and diffprivlib==0.6.6 with
scikit-learn==1.7.2.

Rows: median processor seconds of each (how long OpenDP takes is random), and how many times longer the peers
take; `limit` is what is held to.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import SystemCoins
from privpac.mechanisms.gibbs import draw
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

LIMIT = 5.0
EPSILONS = ("1", "0.1", "0.01")
OUR_REPEATS = 10
"""For each run of a peer: ours are short, and short runs are noisy."""

Scores = NDArray[np.int64]
Job = Callable[[], object]


def scores_of(kind: str, candidates: int) -> Scores:
    """'mistakes': of unrelated rules on 100,000 records, so close to each other. 'spread': all below a million."""
    rng = np.random.default_rng(7)
    if kind == "mistakes":
        return rng.binomial(100_000, 0.5, candidates).astype(np.int64)
    return rng.integers(0, 1_000_000, candidates)


def privpac(scores: Scores, epsilon: str) -> Job:
    coins, last = SystemCoins(), len(scores) - 1

    def choose() -> object:
        row = Row.of(0, np.arange(last, dtype=np.uint64), scores, last)
        return draw(Runs([row]), ratio_for(Fraction(epsilon) / 2), coins)

    return choose


def opendp(scores: Scores, epsilon: str) -> Job:
    import opendp.prelude as dp  # type: ignore[import-not-found]

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.linf_distance(T="i32")
    choice = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2 / float(epsilon), negate=True)
    assert abs(choice.map(1) - float(epsilon)) < 1e-9
    array = scores.astype(np.int32)
    return lambda: choice(array)


def diffprivlib(scores: Scores, epsilon: str) -> Job:
    from diffprivlib.mechanisms import Exponential  # type: ignore[import-not-found]

    utility = (scores.max() - scores).tolist()
    return lambda: Exponential(epsilon=float(epsilon), sensitivity=1, utility=utility).randomise()


PEERS: dict[str, Callable[[Scores, str], Job]] = {"opendp": opendp, "diffprivlib": diffprivlib}


def seconds(job: Job) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def measure(kind: str, candidates: int, epsilon: str, *, repeats: int) -> dict[str, Any]:
    """One row; all take turns, so that a busy moment hits all of them."""
    scores = scores_of(kind, candidates)
    ours = privpac(scores, epsilon)
    peers = {name: make(scores, epsilon) for name, make in PEERS.items() if find_spec(name) is not None}
    ours()  # compiles
    runs: dict[str, list[float]] = {name: [] for name in ("privpac", *peers)}
    for _ in range(repeats):
        runs["privpac"] += [seconds(ours) for _ in range(OUR_REPEATS)]
        for name, job in peers.items():
            runs[name].append(seconds(job))
    typical = {name: median(values) for name, values in runs.items()}
    row: dict[str, Any] = {"scores": kind, "candidates": candidates, "epsilon": epsilon}
    row |= {f"{name}_seconds": round(value, 6) for name, value in typical.items()}
    ratios = {f"{name}_ratio": round(typical[name] / typical["privpac"], 1) for name in peers}
    return row | ratios | {"limit": LIMIT, "holds": all(ratio >= LIMIT for ratio in ratios.values())}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--candidates", type=int, nargs="+", default=[10**5, 10**6])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for candidates in options.candidates:
        for kind in ("mistakes", "spread"):
            for epsilon in EPSILONS:
                rows.append(measure(kind, candidates, epsilon, repeats=options.repeats))
                print(json.dumps(rows[-1]), flush=True)
    if options.json is not None:
        document = {"what": "selection", "date": datetime.now(UTC).date().isoformat(), "rows": rows}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
