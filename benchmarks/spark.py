"""Spark against memory on the same Parquet files, and what a cluster's cost is made of.

Processor seconds of this process and everything it started, JVM and workers included, after a first job has started
them. With `--master local-cluster[2,1,2048]` executors are processes of their own, as on a cluster.

The constants that `docs/compare/cluster.md` computes with are measured here as well: what a job costs, what a task
costs, and what a record costs beyond those. A run of many records is the witness that they add up.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.files import SCHEMA as VISITS
from benchmarks.files import make as make_visits
from benchmarks.measuring import Row, publish, row
from benchmarks.reading import fit
from privpac import learn
from privpac.data.engines.spark import SparkRunner, session

BASE = 10_000_000
"""Records that are made; more are links to the same files."""
WORDS = ("thresholds:age", "stumps", "trees:2")


def tree_seconds() -> float:
    """Processor seconds of this process and all below it; Linux only."""
    parents: dict[int, tuple[int, float]] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            # After the name: state, parent, ...; times of the process, and of children that it has waited for.
            parents[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15])) / ticks
    below, total = {os.getpid()}, 0.0
    grown = True
    while grown:
        found = {pid for pid, (parent, _) in parents.items() if parent in below} - below
        below, grown = below | found, bool(found)
    for pid in below:
        total += parents[pid][1] if pid in parents else 0.0
    return total


def measured(job: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Least processor seconds, and least seconds of the clock."""
    least = [float("inf"), float("inf")]
    for _ in range(repeats):
        cpu, clock = tree_seconds(), time.perf_counter()
        job()
        least = [
            min(least[0], tree_seconds() - cpu),
            min(least[1], time.perf_counter() - clock),
        ]
    return least[0], least[1]


def spark_fit(place: Path, word: str, spark: Any) -> object:
    return learn(
        str(place), schema=VISITS, concepts=word, epsilon=1, random_state=1, engine="spark", spark=spark
    )


def beside_memory(place: Path, records: int, spark: Any, repeats: int) -> list[Row]:
    """The same rule learnt in memory and on Spark."""
    rows = []
    for word in WORDS:
        memory, _ = measured(partial(fit, place, word, VISITS, "memory"), repeats)
        spent, _ = measured(partial(spark_fit, place, word, spark), repeats)
        what = f"{word}: {{}}, {records:,} records"
        rows.append(row(what.format("learnt in memory"), memory))
        rows.append(row(what.format("learnt on Spark"), spent, against="memory", base=memory, limit=2))
    return rows


def constants(place: Path, records: int, spark: Any, repeats: int) -> list[Row]:
    """Processor seconds of an empty job of one task and of many, and of a record."""
    run, tasks = SparkRunner(spark), 64
    one, _ = measured(lambda: list(run(abs, [1])), repeats + 2)
    many, _ = measured(lambda: list(run(abs, [1] * tasks)), repeats)
    task = max(many - one, 0.0) / (tasks - 1)
    rows = [row("an empty job of one task", one), row("a further empty task", task)]
    files = len(list(place.iterdir()))
    for word in WORDS:
        spent, clock = measured(partial(spark_fit, place, word, spark), repeats)
        own = max(spent - one - files * task, 0.0) * 10**6 / records
        what = f"{word}: {{}}, {records:,} records in {files} files"
        rows.append(row(what.format("learnt on Spark"), spent))
        rows.append(row(what.format("learnt on Spark, seconds of the clock"), clock))
        rows.append(row(what.format("a million records"), own))
    return rows


def linked(folder: Path, records: int, base: int) -> Path:
    """So many records as links to the files of fewer: counting them takes what other records would."""
    place, source = folder / str(records), folder / str(base)
    make_visits(source, min(base, records))
    if records > base and not place.exists():
        place.mkdir()
        for copy in range(records // base):
            for file in sorted(source.iterdir()):
                (place / f"{copy:03}-{file.name}").symlink_to(file.resolve())
    return place


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000, help="beside memory")
    parser.add_argument("--many", type=int, nargs="*", default=[10_000_000], help="on Spark alone")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "privpac-files")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    spark = session(options.master)
    place = linked(options.folder, options.records, options.records)
    for word in WORDS:  # workers are started, and have loaded the compiled code
        fit(place, word, VISITS, "memory")
        spark_fit(place, word, spark)
    rows = beside_memory(place, options.records, spark, options.repeats)
    for records in options.many:
        place = linked(options.folder, records, min(records, BASE))
        rows += constants(place, records, spark, options.repeats if records <= BASE else 1)
    spark.stop()
    publish(f"Spark, {options.master}", rows, options.json)


if __name__ == "__main__":
    main()
