"""Range queries on real tables: our trees of counts against AIM, at the same epsilon for a replaced record.

    python -m benchmarks.release_peers --tables DIR --peer PYTHON [--json FILE]

DIR holds one folder per table, with `schema.json` and `data.csv` or `data.csv.gz`; PYTHON is an interpreter that has
`opendp[mbi]`. Ours releases each of four columns for a quarter of epsilon, AIM all four together. Asked are ranges of
one column, of which ours promises the error, and rectangles over two columns, for which ours can only multiply.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Row, publish
from privpac.coins import SeededCoins
from privpac.constructions.release.methods import best_of_column
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema

COLUMNS = {
    "adult": ("age", "education_num", "hours_per_week", "capital_gain"),
    "cardio": ("height", "weight", "ap_hi", "ap_lo"),
    "credit_default": ("limit_bal", "age", "bill_amt1", "pay_amt1"),
}
EPSILONS = ("1",)
QUESTIONS = 400
RUNS = 1
BINS = 32
"""Bins AIM cuts a larger column into: its own examples take fewer."""

Cells = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Questions:
    """Random ranges of each column, and rectangles over pairs of columns, on the edges of AIM's bins."""

    sizes: dict[str, int]
    seed: int

    def ranges(self) -> list[tuple[str, int, int]]:
        rng = np.random.default_rng(self.seed)
        names = list(self.sizes)
        return [self._range(rng, names[i % len(names)]) for i in range(QUESTIONS)]

    def pairs(self) -> list[tuple[tuple[str, int, int], tuple[str, int, int]]]:
        rng = np.random.default_rng(self.seed + 1)
        names = list(self.sizes)
        chosen = [rng.choice(len(names), 2, replace=False) for _ in range(QUESTIONS)]
        return [(self._range(rng, names[i]), self._range(rng, names[j])) for i, j in chosen]

    def _range(self, rng: np.random.Generator, name: str) -> tuple[str, int, int]:
        size = self.sizes[name]
        steps = min(size, BINS)
        low, high = sorted(rng.choice(steps + 1, 2, replace=False).tolist())
        return name, size * low // steps, size * high // steps


def share(cells: Cells, *sides: tuple[str, int, int]) -> float:
    inside = np.ones(len(next(iter(cells.values()))), dtype=bool)
    for name, low, high in sides:
        inside &= (cells[name] >= low) & (cells[name] < high)
    return float(inside.mean())


def ours(
    sample: MemorySample, names: tuple[str, ...], epsilon: Fraction, seed: int
) -> tuple[Any, float, float]:
    """Released columns, the largest promised error of a range, and the seconds it took."""
    n, coins, start = sample.size.total, SeededCoins(seed), time.process_time()
    made, promised = {}, Fraction(0)
    for name in names:
        each, failure = epsilon / len(names), Fraction(1, 20 * len(names))
        method = best_of_column(sample.schema, name, epsilon=each, failure=failure, records=n)
        answers = method.certify(Size(0, n)).answers
        promised = max(promised, answers[-1].fact.error if answers else Fraction(1))
        made[name] = method.release(sample, coins)
    return made, float(promised), time.process_time() - start


def aim(cells: Cells, sizes: dict[str, int], epsilon: str, peer: str) -> tuple[Cells, float] | str:
    """Its synthetic records and seconds, or the last line of its error."""
    n = len(next(iter(cells.values())))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        names = list(sizes)
        np.savetxt(
            place / "data.csv",
            np.stack([cells[name] for name in names], axis=1),
            fmt=["%d" if sizes[name] <= BINS else "%.1f" for name in names],  # bins need real numbers
            delimiter=",",
            header=",".join(names),
            comments="",
        )
        request = {
            "data": str(place / "data.csv"),
            "cells": sizes,
            "bins": BINS,
            "epsilon": float(epsilon),
            "records": n,
        }
        (place / "request.json").write_text(json.dumps(request), encoding="utf-8")
        script = Path(__file__).with_name("peers.py")
        command = [peer, str(script), "aim", str(place / "request.json"), str(place / "made.csv")]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1][:200]
        made = np.genfromtxt(place / "made.csv", delimiter=",", skip_header=1)
    seconds = json.loads(done.stdout.strip().splitlines()[-1])["seconds"]
    return {name: np.nan_to_num(made[:, i]) for i, name in enumerate(names)}, seconds


def load(folder: Path, names: tuple[str, ...]) -> MemorySample:
    schema = Schema.from_json(folder / "schema.json")
    file = next(path for path in (folder / "data.csv", folder / "data.csv.gz") if path.exists())
    narrow = {**json.loads((folder / "schema.json").read_text(encoding="utf-8"))}
    narrow["columns"] = [
        # Two of cardio's columns are real numbers: a grid of a thousand cells is finer than they were measured.
        {**entry, **({} if entry.get("integer") else {"resolution": 1000})}
        for entry in narrow["columns"]
        if entry["name"] in names
    ]
    assert set(names) <= set(schema.names)
    return MemorySample.of(str(file), Schema.from_json(narrow), labelled=False)


def measure(name: str, sample: MemorySample, epsilon: str, peer: str) -> list[Row]:
    names = COLUMNS[name]
    block = sample.block()
    cells = {column: block.cells[column].astype(np.int64) for column in names}
    sizes = {column: sample.schema.column(column).size for column in names}
    found: dict[str, list[float]] = {}

    def note(who: str, what: str, errors: list[float]) -> None:
        found.setdefault(f"{who} {what}, mean", []).append(float(np.mean(errors)))
        found.setdefault(f"{who} {what}, worst", []).append(float(np.max(errors)))

    promised, stopped = 0.0, ""
    for run in range(RUNS):
        asked = Questions(sizes, 100 * run)
        ranges, pairs = asked.ranges(), asked.pairs()
        made, promised, seconds = ours(sample, names, Fraction(epsilon), run)
        found.setdefault("ours seconds", []).append(seconds)
        one = {
            r: float(made[r[0]].query(r[1], r[2])) for r in {*ranges, *(s for pair in pairs for s in pair)}
        }
        note("ours", "ranges", [abs(one[r] - share(cells, r)) for r in ranges])
        note("ours", "rectangles", [abs(one[a] * one[b] - share(cells, a, b)) for a, b in pairs])
        answered = aim(cells, sizes, epsilon, peer)
        if isinstance(answered, str):
            stopped = answered
            continue
        theirs, seconds = answered
        found.setdefault("AIM seconds", []).append(seconds)
        note("AIM", "ranges", [abs(share(theirs, r) - share(cells, r)) for r in ranges])
        note("AIM", "rectangles", [abs(share(theirs, a, b) - share(cells, a, b)) for a, b in pairs])
    row: Row = {"table": name, "records": sample.size.total, "columns": list(names), "epsilon": epsilon}
    row["ours promised for every range"] = round(promised, 5)
    if stopped:
        row["AIM stopped"] = stopped
    return [row | {what: round(float(np.mean(values)), 5) for what, values in sorted(found.items())}]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="folder of tables")
    parser.add_argument("--peer", required=True, help="a Python that has opendp[mbi]")
    parser.add_argument("--json", type=Path, help="where the results go")
    parser.add_argument("names", nargs="*", metavar="TABLE", help=f"of {', '.join(COLUMNS)}; all without one")
    given = parser.parse_args()
    rows = []
    for name in given.names or COLUMNS:
        sample = load(given.tables / name, COLUMNS[name])
        for epsilon in EPSILONS:
            rows += measure(name, sample, epsilon, given.peer)
            print(json.dumps(rows[-1]), flush=True)
    publish("ranges and rectangles: trees of counts against AIM (opendp[mbi])", rows, given.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
