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

from benchmarks.measuring import Row, publish, row
from benchmarks.speed import VISITS, fit, make_visits
from privpac import learn
from privpac.data.engines.spark import SparkRunner, session

SPARE = 4
"""Turns that may be taken again."""
BASE = 10_000_000
"""Records that are made; more are links to the same files."""
WORDS = ("thresholds:age", "stumps", "trees:2")


def used() -> dict[int, float]:
    """Processor seconds of this process and of each below it, by number; Linux only."""
    parents: dict[int, tuple[int, float]] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            # After the name: state, parent, ...; then its own times, in its own code and in the kernel's.
            parents[int(entry.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks
    below, grown = {os.getpid()}, True
    while grown:
        found = {pid for pid, (parent, _) in parents.items() if parent in below} - below
        below, grown = below | found, bool(found)
    return {pid: parents[pid][1] for pid in below if pid in parents}


def measured(job: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Least processor seconds, and least seconds of the clock.

    Spark ends workers that had nothing to do for a minute, and what they used cannot be asked for afterwards: a turn in
    which a process ended is not counted, and taken again.
    """
    turns: list[tuple[float, float]] = []
    for _ in range(repeats + SPARE):
        before, clock = used(), time.perf_counter()
        job()
        after, seconds = used(), time.perf_counter() - clock
        if before.keys() <= after.keys():
            spent = sum(value - before.get(pid, 0.0) for pid, value in after.items())
            turns.append((spent, seconds))
        if len(turns) == repeats:
            break
    if not turns:
        raise RuntimeError("A process ended in every turn; measure on a machine that is less busy.")
    return min(spent for spent, _ in turns), min(seconds for _, seconds in turns)


def spark_fit(place: Path, word: str, spark: Any) -> object:
    return learn(
        str(place), schema=VISITS, concepts=word, epsilon=1, random_state=1, engine="spark", spark=spark
    )


def bare(spark: Any) -> object:
    """The least that Spark can be asked: one task that does nothing, without anything of ours."""
    return spark.sparkContext.parallelize([1], 1).map(abs).collect()


def beside_memory(place: Path, records: int, spark: Any, repeats: int) -> list[Row]:
    """The same rule learnt in memory and on Spark, beside what Spark takes to do nothing."""
    least, _ = measured(partial(bare, spark), repeats + 2)
    rows = [row("a task of Spark's own that does nothing", least)]
    for word in WORDS:
        memory, _ = measured(partial(fit, place, word, VISITS, "memory"), repeats)
        spark_fit(place, word, spark)  # its workers may have been ended meanwhile
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
        job = partial(spark_fit, place, word, spark)
        first, _ = measured(job, 1)
        spent, clock = measured(job, repeats)
        own = max(spent - one - files * task, 0.0) * 10**6 / records
        what = f"{word}: {{}}, {records:,} records in {files} files"
        rows.append(row(what.format("learnt on Spark"), spent))
        rows.append(row(what.format("learnt on Spark, seconds of the clock"), clock))
        rows.append(row(what.format("a million records"), own))
        rows.append(row(what.format("compiled by executors, once"), max(first - spent, 0.0)))
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
    publish(f"Spark, {options.master}", rows, options.json)
    for records in options.many:
        place = linked(options.folder, records, min(records, BASE))
        rows += constants(place, records, spark, options.repeats if records <= BASE else 1)
        publish(f"Spark, {options.master}", rows, options.json)  # a run that is broken off keeps what it has
    spark.stop()


if __name__ == "__main__":
    main()
