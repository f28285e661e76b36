"""Records in files: thresholds, stumps and trees of depth 3 against a bare scan of the same files, and how time grows.

`python -m benchmarks.files [--records 100000000] [--folder DIR] [--repeats 1] [--json out.json]`

The table has eight columns (two small integers, three reals, three texts) and a label. The bare scan reads what a
learner needs as Arrow batches, compares each with its cuts, packs the answers into words and counts bits: of every test
by class for thresholds and stumps, of every three tests by class for trees. It knows nothing of schemas, empty cells or
clamping. Times are processor seconds of all threads; `ratio` is against the row named in `against`, `limit` what it is
held to. Files are made in a folder of their own, once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measuring import Row, publish, resident, row
from privpac.coins import SeededCoins
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import binomials, offsets
from privpac.concepts.literals.cooccurrence_words import count_sets
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import Occam
from privpac.data.engines.files import FileSource, files_at
from privpac.data.engines.streamed import StreamedSample
from privpac.data.schema import Schema
from privpac.numbers.exact import exact_decimal

PER_FILE = 2_500_000
CUTS = 9  # gives p = 60 tests
LEARNERS = ("thresholds", "stumps", "trees")
HELD_TO = 1.5
SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["0", "1"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True},
            {"name": "visits", "kind": "numeric", "lower": 0, "upper": 20, "integer": True},
            {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 60},
            {"name": "pressure", "kind": "numeric", "lower": 60, "upper": 240},
            {"name": "share", "kind": "numeric", "lower": 0, "upper": 1},
            {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east", "west"]},
            {"name": "sex", "kind": "categorical", "categories": ["f", "m"]},
            {"name": "reason", "kind": "categorical", "categories": [f"r{i}" for i in range(9)]},
        ],
    }
)


def make(folder: Path, records: int) -> None:
    """Parquet files of 2.5 million records each; nothing if they are there."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    words = {
        name: np.array(SCHEMA.column(name).categories, dtype=object) for name in ("ward", "sex", "reason")
    }  # type: ignore[attr-defined]
    for number, start in enumerate(range(0, records, PER_FILE)):
        n = min(PER_FILE, records - start)
        age, bmi = rng.integers(0, 100, n).astype(np.int32), np.round(rng.normal(27, 5, n), 1)
        table = {
            "age": age,
            "visits": rng.poisson(3, n).astype(np.int32),
            "bmi": bmi,
            "pressure": np.round(rng.normal(125, 17, n)),
            "share": np.round(rng.random(n), 4),
            **{name: pa.array(values[rng.integers(0, len(values), n)]) for name, values in words.items()},
            "ill": (age + bmi + 20 * rng.normal(size=n) > 85).astype(np.int8),
        }
        pq.write_table(pa.table(table), folder / f"part-{number:03}.parquet")


def learner(name: str) -> Occam:
    tests = Binarisation.of(SCHEMA, cuts=CUTS)
    classes = {
        "thresholds": Thresholds(SCHEMA, "age"),
        "stumps": Stumps(SCHEMA),
        "trees": Trees(SCHEMA, 3, tests, threads=1),
    }
    return Occam(classes[name], exact_decimal("0.1", owner="benchmark", name="epsilon"))


def learn(name: str, folder: Path) -> object:
    source = FileSource(files_at(folder), (*SCHEMA.names, SCHEMA.label))
    sample = StreamedSample.of(source, SCHEMA)
    found = learner(name).learn(sample, SeededCoins(1))
    assert sample.passes == 1
    return found


def bare(name: str, folder: Path) -> int:
    """Scan, compare, pack, count bits."""
    columns = ("age",) if name == "thresholds" else SCHEMA.names
    tests = [test for test in Binarisation.of(SCHEMA, cuts=CUTS).tests if test.column in columns]
    p, total = len(tests), 0
    starts = [i for i in range(p) if i == 0 or tests[i].column != tests[i - 1].column]
    first, begin = np.array([*starts, p], dtype=np.int64), offsets(p, 3)
    counts = np.zeros((begin[4], 2), dtype=np.int32)
    nested = np.array([SCHEMA.column(tests[i].column).ordered for i in starts])
    for batch in batches(folder, columns):
        labels = batch["ill"].to_numpy() == 1
        answers = [_answer(batch[test.column], test.column, test.cell) for test in tests]
        for label in (0, 1):
            rows = labels == label
            bits = _packed([answer[rows] for answer in answers], int(rows.sum()))
            total += int(np.bitwise_count(bits).sum())
            if name == "trees":
                codes = _coded(answers, rows, first, nested)
                for size in (2, 3):
                    level = counts[begin[size] : begin[size + 1], label]
                    count_sets(codes, first, nested, binomials(p), size, level, (0, 1))
    return total


def batches(folder: Path, columns: tuple[str, ...]) -> Iterator[dict[str, pa.Array]]:
    names = [*columns, "ill"]
    for file in sorted(folder.iterdir()):
        asked = f"SELECT {', '.join(names)} FROM read_parquet('{file}')"
        for batch in duckdb.connect().sql(asked).to_arrow_reader(2**18):
            yield {name: batch.column(i) for i, name in enumerate(names)}


def _answer(column: pa.Array, name: str, cell: int) -> np.ndarray:
    known = SCHEMA.column(name)
    if known.ordered:
        return column.to_numpy() >= known.value(cell)
    return np.asarray(pc.equal(column, known.value(cell)).to_numpy(zero_copy_only=False))


def _packed(answers: list[np.ndarray], n: int) -> np.ndarray:
    bits = np.zeros((len(answers), n // 64 + 1), dtype=np.uint64)
    view = bits.view(np.uint8)
    for i, answer in enumerate(answers):
        packed = np.packbits(answer, bitorder="little")
        view[i, : len(packed)] = packed
    return bits


def _coded(answers: list[np.ndarray], rows: np.ndarray, first: np.ndarray, nested: np.ndarray) -> np.ndarray:
    """Per column how many nested tests hold, or which of several that exclude each other."""
    codes = np.zeros((len(nested), int(rows.sum())), dtype=np.uint8)
    for code, start, stop, at_least in zip(codes, first[:-1], first[1:], nested, strict=True):
        for j in range(start, stop):
            code += (answers[j][rows] * (1 if at_least else j - start + 1)).astype(np.uint8)
    return codes


def seconds(job: Callable[[], object], repeats: int) -> float:
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        job()
        least = min(least, time.process_time() - start)
    return least


def measured(folder: Path, records: int, repeats: int) -> list[Row]:
    small, large = folder / "1000000", folder / str(records)
    make(small, 1_000_000)
    make(large, records)
    rows: list[Row] = []
    for name in LEARNERS:
        learn(name, small)  # compile, and warm the caches
        bare(name, small)
        base = seconds(partial(bare, name, large), repeats)
        own = seconds(partial(learn, name, large), repeats)
        rows.append(row(f"{name}: bare scan, {records:,} records", base))
        rows.append(row(f"{name}: learnt", own, against="bare scan", base=base, limit=HELD_TO))
        little = seconds(partial(learn, name, small), max(3, repeats))
        rows.append(row(f"{name}: seconds a million records, 10^6", little))
        rows.append(
            row(
                f"{name}: seconds a million records, {records:,}",
                own / (records / 10**6),
                against="10^6",
                base=little,
                limit=1.15,
            )
        )
        rows.append(peak(name, large))
    return rows


def peak(name: str, folder: Path) -> Row:
    """Of a fresh process: a peak can only be raised, never lowered."""
    command = [sys.executable, "-m", "benchmarks.files", "--memory-only", name, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    bytes_used = json.loads(done.stdout.splitlines()[-1])["peak"]
    return row(f"{name}: peak memory", bytes_used, against="2 GB", base=2 * 10**9, limit=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000_000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "privpac-files")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory-only", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_only:
        learn(options.memory_only, options.folder)
        print(json.dumps({"peak": resident()[1]}))
        return
    rows = measured(options.folder, options.records, options.repeats)
    publish(f"files of {options.records:,} records", rows, options.json)


if __name__ == "__main__":
    main()
