"""Measure the default classifier: `python -m benchmarks.accuracy.run --data DIR --rows rows.jsonl`.

Rows already in the file are not measured again, so a run can be stopped and taken up later.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

from benchmarks.accuracy.cells import Row, measure
from benchmarks.accuracy.tables import EPSILONS, Table, load, names

DATA = "PRIVPAC_BENCHMARK_DATA"
MANY_SPLITS, FEW_SPLITS, SMALL = 10, 5, 2_000
"""Ten splits for training sets up to 2000 records, five above: larger ones vary less."""


@dataclass(frozen=True)
class Job:
    """One training set."""

    data: Path | None
    table: str
    n: int
    split: int
    epsilons: tuple[Fraction, ...]
    word: str
    optimum: bool


_loaded: dict[str, Table] = {}


def _table(job: Job) -> Table:
    if job.table not in _loaded:
        _loaded.clear()
        _loaded[job.table] = load(job.table, job.data)
    return _loaded[job.table]


def work(job: Job) -> list[Row]:
    return list(
        measure(
            _table(job),
            n=job.n,
            split=job.split,
            epsilons=job.epsilons,
            word=job.word,
            optimum=job.optimum,
        )
    )


def jobs(options: argparse.Namespace, done: set[tuple[str, int, int]]) -> Iterator[Job]:
    for name in options.tables or names(options.data):
        for n in load(name, options.data).sizes:
            if options.sizes and n not in options.sizes:
                continue
            for split in range(options.splits or (MANY_SPLITS if n <= SMALL else FEW_SPLITS)):
                if (name, n, split) not in done:
                    yield Job(
                        options.data, name, n, split, options.epsilons, options.concepts, options.optimum
                    )


def finished(rows: Path) -> set[tuple[str, int, int]]:
    """Training sets whose rows are all there: a job writes its rows at once."""
    if not rows.exists():
        return set()
    found = (json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines())
    return {(row["table"], row["n"], row["split"]) for row in found}


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    folder = os.environ.get(DATA)
    parser.add_argument(
        "--data", type=Path, default=Path(folder) if folder else None,
        help=f"folder of tables, NAME/schema.json and NAME/data.csv[.gz] (or {DATA}); "
        "without it the table that ships with scikit-learn",
    )  # fmt: skip
    parser.add_argument("--rows", type=Path, required=True, help="file the rows are appended to (JSON lines)")
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--splits", type=int, help="default: ten up to 2000 records, five above")
    parser.add_argument(
        "--epsilons", default=EPSILONS, type=lambda text: tuple(Fraction(e) for e in text.split(","))
    )
    parser.add_argument("--concepts", default="auto", help="another word, to compare with the default")
    parser.add_argument("--no-optimum", dest="optimum", action="store_false")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    waiting = list(jobs(options, finished(options.rows)))
    options.rows.parent.mkdir(parents=True, exist_ok=True)
    # Started afresh rather than forked, so that compiled threads of this process cannot get stuck in a child.
    with (
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
        options.rows.open("a", encoding="utf-8") as file,
    ):
        for count, future in enumerate(as_completed([pool.submit(work, job) for job in waiting]), 1):
            rows = future.result()
            file.write("".join(json.dumps(row.to_json()) + "\n" for row in rows))
            file.flush()
            print(f"{count}/{len(waiting)} {rows[0].table} n={rows[0].n} split={rows[0].split}", flush=True)


if __name__ == "__main__":
    main()
