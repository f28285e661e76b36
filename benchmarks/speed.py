"""How fast everything is, beside what it is compared with, in one run:

    python -m benchmarks.speed [NAME ...] [--scale 0.01] [--repeats 3] [--data DIR] [--peers-python PATH]

A NAME is a row of `PARTS`; its rows go to results/NAME.json. Seconds are the processor's, the least of some turns; jobs
take turns, so that a busy moment hits all of them. `against` names the job that a row is compared with, `limit` how
many times as long it may take. `--scale` makes tables smaller, to try something out, and writes nothing. `fits` and
`tables` need DIR with DIR/NAME/{schema.json,data.csv[.gz]}, and `fits` an interpreter that has other packages
(`peers.py`).
"""

from __future__ import annotations

import argparse
import compileall
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import (
    RESULTS,
    SECOND,
    Held,
    Jobs,
    Row,
    UnsafeCoins,
    at_least,
    beside,
    command_seconds,
    publish,
    resident,
    row,
)
from benchmarks.peers import METHODS
from privpac import Ledger, Model, PrivateClassifier, PrivatePredictor, Schema, learn
from privpac.coins import Coins, SeededCoins, SystemCoins
from privpac.compiled import load_compiler
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.request import LearnRequest

SOURCES = Path(__file__).resolve().parents[1] / "src"


@dataclass(frozen=True)
class Given:
    """What was asked for on the command line."""

    folder: Path
    scale: float = 1.0
    repeats: int = 3
    data: Path | None = None
    peers: str | None = None

    def size(self, records: int) -> int:
        return max(600, int(records * self.scale))


def learner_of(word: str, sample: MemorySample, epsilon: Any = 1, **wishes: Any) -> Any:
    asked = LearnRequest(epsilon=Fraction(epsilon), **wishes)
    return learner_for(word, Request(sample.schema, sample.size, asked))


# Fits in memory: a table of words.


def numbers(*names: str, top: int = 2**64 - 1, label: str = "label") -> Schema:
    columns = [{"name": n, "kind": "numeric", "lower": 0, "upper": top, "integer": True} for n in names]
    return Schema.from_json({"label": label, "classes": ["0", "1"], "columns": columns})


def uniform(schema: Schema, records: int, inside: Callable[[dict[str, Any]], Any]) -> MemorySample:
    """Uniform cells, labelled by a rule of them, one label in ten turned round. Made in pieces, so that making it does
    not raise the peak of memory."""
    rng = np.random.default_rng(7)
    cells = {column.name: np.empty(records, column.dtype) for column in schema.columns}
    labels = np.empty(records, np.uint8)
    for first in range(0, records, 2**18):
        part = slice(first, min(first + 2**18, records))
        for column in schema.columns:
            cells[column.name][part] = rng.integers(0, column.size, part.stop - first, dtype=column.dtype)
        truth = inside({name: own[part] / schema.column(name).size for name, own in cells.items()})
        labels[part] = truth ^ (rng.random(part.stop - first) < 0.1)
    return MemorySample.from_cells(schema, cells, labels)


def keys(n: int) -> MemorySample:
    return uniform(numbers("key"), n, lambda at: (at["key"] >= 0.25) & (at["key"] < 0.5))


def plane(n: int) -> MemorySample:
    return uniform(numbers("x", "y", top=2**32 - 1), n, lambda at: (at["x"] > 0.25) & (at["y"] < 0.75))


def flags(n: int) -> MemorySample:
    return uniform(
        numbers(*(f"f{i}" for i in range(100)), top=1), n, lambda at: (at["f0"] > 0) & (at["f1"] > 0)
    )


def census(n: int) -> MemorySample:
    reals = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(5)]
    kinds = [
        {"name": f"k{i}", "kind": "categorical", "categories": [str(j) for j in range(size)]}
        for i, size in enumerate((9, 7, 15, 6, 5, 4))
    ]
    years = {"name": "years", "kind": "numeric", "lower": 1, "upper": 16, "integer": True}
    schema = Schema.from_json({"label": "y", "classes": ["0", "1"], "columns": [*reals, years, *kinds]})
    return uniform(schema, n, lambda at: at["x0"] + at["x1"] > 1)


def one_key(bits: int) -> Callable[[int], MemorySample]:
    """A quarter of the records carry the target, all others are different."""

    def made(n: int) -> MemorySample:
        generator = np.random.default_rng(bits)
        schema = numbers("key", top=2**bits - 1)
        every = [int.from_bytes(generator.bytes(bits // 8), "little") for _ in range(n)]
        every = [every[0] if i % 4 == 0 else key for i, key in enumerate(every)]
        labels = np.array([key == every[0] for key in every], dtype=np.uint8)
        cells = np.array(every, dtype=schema.columns[0].dtype)
        return MemorySample.from_cells(schema, {"key": cells}, labels)

    return made


@dataclass(frozen=True)
class Fit:
    """A whole `learn` in memory: the word, the table, and what it is held to."""

    word: str
    table: Callable[[int], MemorySample]
    records: int
    epsilon: str = "1"
    protect: str = "records"
    most: float | None = None
    """Seconds, or times what `base` takes."""
    base: Callable[[MemorySample], object] | None = None
    unsafe: bool = False
    """Held to one and a half times the same with coins that believe their floats."""
    memory: float | None = None
    """Held to so many times the bytes of the table."""

    def measured(self, given: Given) -> list[Row]:
        sample = self.table(given.size(self.records))
        learner = learner_of(self.word, sample, self.epsilon, protect=self.protect)
        bits = max(column.size for column in sample.schema.columns).bit_length() - 1
        size = f"{self.word}, {sample.size.labelled:,} records of {bits} bits, epsilon {self.epsilon}, {self.protect}"
        jobs: dict[str, Callable[[], object]] = {"learn": lambda: learner.learn(sample, SystemCoins())}
        held: list[tuple[str, str, float | None]] = [("learn", "base" if self.base else SECOND, self.most)]
        if self.base is not None:
            jobs["base"] = partial(self.base, sample)
        if self.unsafe:
            jobs["learn, unsafe coins"] = lambda: learner.learn(sample, UnsafeCoins(1))
            held.append(("learn", "learn, unsafe coins", 1.5))
        rows = beside(jobs, held, repeats=given.repeats, what=f"{size}: {{}}")
        return rows + ([self.peak(sample, size)] if self.memory else [])

    def peak(self, sample: MemorySample, what: str) -> Row:
        """Of a process that does nothing else: a peak can only be raised, never lowered."""
        block = sample.block()
        table = sum(cells.nbytes for cells in block.cells.values()) + block.labels.nbytes  # type: ignore[union-attr]
        name, place = next((name, own.index(self)) for name, own in FITS.items() if self in own)
        asked = ("--peak", name, str(place), str(sample.size.labelled))
        command = [sys.executable, "-m", "benchmarks.speed", *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peak = table + int(done.stdout.splitlines()[-1])
        return row(f"{what}: peak memory", peak, against="table", base=table, limit=self.memory)

    def grown(self, records: int) -> int:
        """Bytes by which a `learn` raised the peak of this process."""
        for n in (1_000, records):
            sample = self.table(n)
            before = resident()[0]
            learner_of(self.word, sample, self.epsilon).learn(sample, SystemCoins())
        return max(0, resident()[1] - before)


def sort(sample: MemorySample) -> object:
    return np.sort(next(iter(sample.block().cells.values())))


def histogram(sample: MemorySample) -> object:
    x, y = sample.block().cells.values()
    return np.histogram2d(x, y, bins=256, range=[[0, 2**32], [0, 2**32]])


@cache
def _of_64_bits(records: int) -> tuple[Any, MemorySample]:
    sample = one_key(64)(records)
    return learner_of("thresholds:key", sample), sample


def of_64_bits(sample: MemorySample) -> object:
    """The same learner on as many keys of 64 bits."""
    learner, narrow = _of_64_bits(sample.size.labelled)
    return learner.learn(narrow, SystemCoins())


FITS: dict[str, tuple[Fit, ...]] = {
    "thresholds": (Fit("thresholds:key", keys, 10**7, base=sort, most=2.5, unsafe=True, memory=4),),
    "intervals": (
        Fit("intervals:key", keys, 10**7, base=sort, most=7, unsafe=True, memory=4),
        Fit("unions:key:3", keys, 10**7, base=sort),
    ),
    "rectangles": (
        Fit("rectangles:x,y:256", plane, 10**6, base=histogram, most=5, unsafe=True, memory=4),
        Fit("rectangles:x,y", plane, 3_000),
    ),
    "trees": (
        Fit("trees:3", flags, 10**5, "0.1", most=0.5, unsafe=True),
        Fit("lists:3", flags, 10**5, "0.1", unsafe=True),
        Fit("conjunctions:3", flags, 10**5, "0.1", unsafe=True),
        Fit("trees:3", census, 34_000, "0.1", unsafe=True),
        Fit("trees:4", flags, 10**5, "0.1", most=10.0),
        Fit("trees:3", flags, 10**6, "0.1", most=4.0),
    ),
    "halfspaces": (
        Fit("halfspaces:x,y", plane, 2_000, most=1.5),
        Fit("halfspaces:x,y", plane, 2_000, protect="labels", most=1.5),
    ),
    "points": tuple(
        Fit(f"points:key{way}", one_key(bits), 1_100, most=most if bits == 64 else None)
        for bits in (64, 128)
        for way, most in (("", 0.03), (":clipped", 0.03), (":improper", 1.0), (":cover", 2.0))
    ),
    "cards": tuple(Fit(word, census, 10**5, most=0.5) for word in ("card:32", "card:mixed")),
    "keys": (
        Fit("thresholds:key", one_key(64), 200_000),
        Fit("thresholds:key", one_key(128), 200_000, most=4, base=of_64_bits),
    ),
}


def fitted(name: str) -> Callable[[Given], list[Row]]:
    return lambda given: [entry for fit in FITS[name] for entry in fit.measured(given)]


# One choice among many candidates, beside OpenDP and diffprivlib: 0.16.0 and 0.6.6.


def selection(given: Given) -> Iterator[Row]:
    """Everybody gets the same scores, in the form that suits them best. Ours and diffprivlib's draw from the
    exponential mechanism, OpenDP's from permute-and-flip. Medians: how long OpenDP takes is random."""
    from privpac.mechanisms.gibbs import draw
    from privpac.mechanisms.scores import Row as Scores
    from privpac.mechanisms.scores import Runs
    from privpac.numbers.exact import ratio_for

    def privpac(scores: NDArray[np.int64], epsilon: str) -> Callable[[], object]:
        coins, last = SystemCoins(), len(scores) - 1

        def choose() -> object:
            row = Scores.of(0, np.arange(last, dtype=np.uint64), scores, last)
            return draw(Runs([row]), ratio_for(Fraction(epsilon) / 2), coins)

        return choose

    def opendp(scores: NDArray[np.int64], epsilon: str) -> Callable[[], object]:
        import opendp.prelude as dp  # type: ignore[import-not-found]

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i32")), dp.linf_distance(T="i32")
        choice = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2 / float(epsilon), negate=True)
        return partial(choice, scores.astype(np.int32))

    def diffprivlib(scores: NDArray[np.int64], epsilon: str) -> Callable[[], object]:
        from diffprivlib.mechanisms import Exponential  # type: ignore[import-not-found]

        utility = (scores.max() - scores).tolist()
        return lambda: Exponential(epsilon=float(epsilon), sensitivity=1, utility=utility).randomise()

    def median(job: Callable[[], object], turns: int) -> float:
        taken = []
        for _ in range(turns):
            start = time.process_time()
            job()
            taken.append(time.process_time() - start)
        return statistics.median(taken)

    rng = np.random.default_rng(7)
    peers = {"opendp": opendp, "diffprivlib": diffprivlib}
    for candidates in map(given.size, (10**5, 10**6)):
        kinds = {
            "mistakes": rng.binomial(100_000, 0.5, candidates),
            "spread": rng.integers(0, 10**6, candidates),
        }
        for (kind, scores), epsilon in product(kinds.items(), ("1", "0.1", "0.01")):
            ours = privpac(scores.astype(np.int64), epsilon)
            ours()  # compiles
            found: Row = {"scores": kind, "candidates": candidates, "epsilon": epsilon}
            found["privpac_seconds"] = base = median(ours, 10 * given.repeats)
            for name in (name for name in peers if find_spec(name) is not None):
                found[f"{name}_seconds"] = own = median(peers[name](scores, epsilon), given.repeats)
                found |= {f"{name}_ratio": round(own / base, 1), "limit": 5.0}
            yield found


def refined_draw(given: Given) -> Iterator[Row]:
    """A draw that doubles decide, and one that must be refined with ball arithmetic: a side channel in time, see
    docs/understand/limits.md. The first 64 bits are put next to the end of the last candidate's part on purpose."""
    from privpac.mechanisms.gibbs import PowerWeights, draw
    from privpac.mechanisms.scores import Row as Scores
    from privpac.mechanisms.scores import Runs
    from privpac.numbers.exact import ratio_for

    class Doubtful(SeededCoins):
        fresh = True

        def bits(self, count: int) -> int:
            if self.fresh and count == 64:
                self.fresh = False
                return (1 << 64) - 1
            return super().bits(count)

    ratio = ratio_for(Fraction(1, 2))
    for n in (100, 10_000, 1_000_000):
        scores = np.random.default_rng(7).binomial(100_000, 0.5, n).astype(np.int64)
        runs = Runs([Scores.of(0, np.arange(n - 1, dtype=np.uint64), scores, n - 1)])
        jobs: Jobs = {
            "ordinary": lambda runs=runs: draw(runs, ratio, SeededCoins(0)),  # type: ignore[misc]
            "refined": lambda runs=runs: draw(runs, ratio, Doubtful(0)),  # type: ignore[misc]
        }
        yield from beside(
            jobs, [("refined", "ordinary", None)], repeats=15, what=f"{n:,} candidates: {{}} draw"
        )
        values, error = PowerWeights(ratio, runs).floats()
        width = 8 * (error + (len(values) + 16) * 2.0**-53 * 1.01) + 2.0**-63
        yield row(f"{n:,} candidates: refined at most once in", 1 / (width * len(values)))


# Files, frames and engines.

VISITS = Schema.from_json(
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
PER_FILE = 2_500_000


def make_visits(folder: Path, records: int) -> None:
    """Parquet files of 2.5 million records each; nothing if they are there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if folder.exists():
        return
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    words = {
        name: np.array(VISITS.column(name).categories, dtype=object)  # type: ignore[attr-defined]
        for name in ("ward", "sex", "reason")
    }
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


def fit(source: object, concepts: str, declared: Schema, engine: str = "auto") -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(source, schema=declared, concepts=concepts, epsilon=1, random_state=1, engine=engine)


def scan(call: str, columns: str = "*") -> object:
    import duckdb

    return duckdb.connect().execute(f"SELECT max(COLUMNS({columns})) FROM {call}").fetchall()


def engines(given: Given, records: int, words: Sequence[str], *, once: bool = False) -> list[Row]:
    """From Parquet files: streamed, and loaded, against DuckDB's scan of the columns that are needed."""
    n = given.size(records)
    place, rows = given.folder / f"visits-{n}", []
    make_visits(place, n)
    files = f"read_parquet('{place}/*.parquet')"
    for word in words:
        columns = ["age", "ill"] if word == "thresholds:age" else [*VISITS.names, "ill"]
        jobs: dict[str, Callable[[], object]] = {
            "scan": partial(scan, files, "['" + "', '".join(columns) + "']"),
            "files": partial(fit, place, word, VISITS, "files"),
        }
        held: list[tuple[str, str, float | None]] = [("files", "scan", 4.0)]
        if not once:
            jobs["memory"] = partial(fit, place, word, VISITS, "memory")
            held.append(("memory", "files", 1.0))
        found = beside(jobs, held, repeats=1 if once else given.repeats)
        of = f"{word}: {{}}, {n:,} records in Parquet files"
        for entry in found:
            name = entry["what"]
            entry["what"] = of.format(
                "DuckDB's scan of its columns" if name == "scan" else f"learnt by the engine {name}"
            )
        rows += found
    return rows


REALS, WHOLES, TEXTS = 10, 5, 5


def reading_schema(kinds: str = "rkt") -> Schema:
    reals = [{"name": f"r{i}", "kind": "numeric", "lower": 0, "upper": 100} for i in range(REALS)]
    wholes = [
        {"name": f"k{i}", "kind": "numeric", "lower": 0, "upper": 999, "integer": True} for i in range(WHOLES)
    ]
    texts = [
        {"name": f"t{i}", "kind": "categorical", "categories": [f"word{j}" for j in range(4 + i)]}
        for i in range(TEXTS)
    ]
    columns = [column for column in (*reals, *wholes, *texts) if str(column["name"])[0] in kinds]
    return Schema.from_json({"label": "y", "columns": columns})


def frame_of(records: int) -> Any:
    """Reals with four decimals, integers with three digits, words, and a label that two of the reals decide."""
    import pandas as pd

    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {f"r{i}": np.round(rng.normal(50, 15, records), 4) for i in range(REALS)}
    columns |= {f"k{i}": rng.integers(0, 1000, records) for i in range(WHOLES)}
    for i in range(TEXTS):
        words = np.array([f"word{j}" for j in range(4 + i)], dtype=object)
        columns[f"t{i}"] = words[rng.integers(0, len(words), records)]
    noise = 10 * rng.normal(size=records)
    columns["y"] = (columns["r0"] + columns["r1"] + noise > 105).astype(np.int64)
    return pd.DataFrame(columns)


def reading(given: Given) -> Iterator[Row]:
    """CSV files, frames and predictions against DuckDB, a tree of scikit-learn's and a sort; then the engines."""
    from sklearn.tree import DecisionTreeClassifier

    load_compiler()  # a small first table alone would be learnt from without it
    frame, file, declared = frame_of(given.size(10**6)), given.folder / "table.csv", reading_schema()
    frame.to_csv(file, index=False)
    size = f"{len(frame):,} records of {REALS + WHOLES + TEXTS} columns"
    for word in ("thresholds:r0", "trees:2", "auto"):
        jobs: Jobs = {
            "scan": partial(scan, f"read_csv('{file}')"),
            "learn from csv": partial(fit, file, word, declared),
            "learn from frame": partial(fit, frame, word, declared),
        }
        held: Held = [("learn from csv", "scan", 4), ("learn from frame", SECOND, 1.5)]
        yield from beside(jobs, held, repeats=given.repeats, what=f"{word}: {{}}, {size}")
    texts, numeric = reading_schema("t"), reading_schema("rk")
    words, rule = fit(frame.head(50_000), "trees:2", texts), fit(frame.head(50_000), "trees:3", numeric)
    X, y = frame[list(numeric.names)].to_numpy(), frame["y"].to_numpy()
    tree = DecisionTreeClassifier(max_depth=3).fit(X[:50_000], y[:50_000])
    objects = frame.astype(dict.fromkeys(texts.names, object))
    jobs = {
        "predict from columns of text": partial(words.predict, frame),
        "predict from columns of Python's text": partial(words.predict, objects),
        "scikit-learn's tree": partial(tree.predict, X),
        f"predict from {REALS + WHOLES} numbers": partial(rule.predict, X),
    }
    held = [(name, SECOND, 0.5) for name in list(jobs)[:2]]
    held += [(f"predict from {REALS + WHOLES} numbers", "scikit-learn's tree", 2)]
    yield from beside(jobs, held, repeats=given.repeats, what=f"{{}}, {len(frame):,} records")
    sample = keys(given.size(10**7))
    block = sample.block()
    of_key = PrivateClassifier("thresholds:key", epsilon=1, schema=sample.schema, random_state=1)
    rows, labels = block.cells["key"].reshape(-1, 1), np.asarray(block.labels, dtype=np.int64)
    jobs = {"sort": partial(sort, sample), "PrivateClassifier.fit": partial(of_key.fit, rows, labels)}
    held = [("PrivateClassifier.fit", "sort", 2.2)]
    yield from beside(
        jobs, held, repeats=given.repeats, what=f"thresholds of {len(rows):,} keys of 64 bits: {{}}"
    )
    yield from engines(given, 10**7, ("thresholds:age", "stumps"))


def files(given: Given) -> list[Row]:
    """A hundred million records, once."""
    return engines(given, 10**8, ("thresholds:age", "stumps", "trees:2", "card:8"), once=True)


# Answers, tables, relabelling, ledgers.


def prediction(given: Given) -> list[Row]:
    """Questions per second to a vote of 25 logistic regressions, in batches of a thousand, each a transaction."""
    from sklearn.linear_model import LogisticRegression

    sample = census(given.size(20_000))
    names = [column.name for column in sample.schema.columns]
    rng = np.random.default_rng(0)

    def table(n: int) -> dict[str, Any]:
        return {
            column.name: np.array([column.value(int(cell)) for cell in rng.integers(0, column.size, n)])
            for column in sample.schema.columns
        }

    records = table(sample.size.labelled)
    predictor = PrivatePredictor(LogisticRegression(), "0.001", 10**6, schema=sample.schema, models=25)
    predictor.fit(records, y=[str(int(value > 0.5)) for value in records[names[0]]])
    ledger: Ledger = predictor.budget
    predictor.predict(table(1_000))  # warms up
    best = 0.0
    for _ in range(given.repeats):
        batches = [table(1_000) for _ in range(10)]
        entries, start = len(ledger.entries()), time.process_time()
        for batch in batches:
            predictor.predict(batch)
        best = max(best, 10_000 / (time.process_time() - start))
        assert len(ledger.entries()) - entries == len(batches)
    return [at_least("different questions per second, 25 logistic regressions", best, 20_000)]


def release(given: Given) -> list[Row]:
    """Tables of a column of 32 bits from a million records; synthetic records of 16 bits from as many as they need."""
    from privpac.constructions.release.blr import ThresholdBLR
    from privpac.constructions.release.histogram import PointHistogram
    from privpac.constructions.release.quantiles import Quantiles
    from privpac.constructions.release.tree_counts import TreeCounts

    def sample(bits: int, n: int) -> MemorySample:
        cells = np.random.default_rng(1).integers(0, 2**bits, n, dtype=np.uint64)
        return MemorySample.from_cells(numbers("x", top=2**bits - 1), {"x": cells})

    million, small, one = sample(32, given.size(10**6)), sample(16, 14_549), Fraction(1)
    jobs: Jobs = {
        "tree": lambda: TreeCounts(million.schema, "x", one).release(million, SystemCoins()),
        "quantiles": lambda: Quantiles(million.schema, "x", one).release(million, SystemCoins()),
        "points": lambda: PointHistogram(million.schema, ("x",), one).release(million, SystemCoins()),
        "blr": lambda: ThresholdBLR(small.schema, "x", one).release(small, SystemCoins()),
    }
    return beside(jobs, [("tree", SECOND, 2.0)], repeats=given.repeats, what="released: {}")


def relabelling(given: Given) -> list[Row]:
    """A whole `learn` from records that are not clean: one in ten is kept, all others vote on its label."""
    rows = []
    for word, n, most in (
        ("agnostic:100:thresholds:key", 10**7, None),
        ("agnostic:100:intervals:key", 10**5, None),
    ):
        rows += Fit(word, keys, n, most=most).measured(given)
    return rows


def ledger(given: Given) -> list[Row]:
    """Charges to a ledger that filters, beside one that adds."""

    def charges(delta: str) -> Callable[[], object]:
        book = Ledger(epsilon=10**6, delta=delta, path=given.folder / f"ledger-{delta}.db")

        def job() -> None:
            for _ in range(100):
                book.charge(epsilon="0.01", note="charge")

        return job

    jobs = {"adding": charges("0"), "filter": charges("1e-6")}
    return beside(jobs, [("filter", "adding", 1.2)], repeats=9, what="100 charges: {}")


# Commands: interpreter and imports included, from a copy of the package as pip would install it.


@dataclass(frozen=True)
class Place:
    """An installed copy of the package with a cache of kernels of its own, and files to work on."""

    folder: Path

    @cached_property
    def site(self) -> Path:
        site = self.folder / "site"
        shutil.copytree(SOURCES / "privpac", site / "privpac", ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(site, quiet=2)
        return site

    @property
    def kernels(self) -> Path:
        return self.folder / "kernels"

    def seconds(self, arguments: Sequence[str]) -> float:
        own = {"PYTHONPATH": str(self.site), "NUMBA_CACHE_DIR": str(self.kernels)}
        return command_seconds(arguments, **own)

    @cached_property
    def table(self) -> Path:
        """569 records of 30 numbers: scikit-learn's breast cancer."""
        from sklearn.datasets import load_breast_cancer

        bunch, path = load_breast_cancer(), self.folder / "cancer.csv"
        values = np.column_stack([bunch.data, bunch.target])
        np.savetxt(path, values, "%.10g", ",", header=",".join([*bunch.feature_names, "target"]), comments="")
        return path

    @cached_property
    def learn(self) -> tuple[str, ...]:
        options = "--schema", "from_data", "--label", "target", "--epsilon", "1"
        return ("-m", "privpac", "learn", str(self.table), *options)

    @cached_property
    def model(self) -> str:
        path = str(self.folder / "model.json")
        self.seconds((*self.learn, "--out", path, "--force"))
        return path

    def turns(self, jobs: dict[str, tuple[Sequence[str], float | None]]) -> list[Row]:
        """Least seconds of commands that take turns, some with a bar."""
        least = dict.fromkeys(jobs, float("inf"))
        for _ in range(5):
            for name, (arguments, _) in jobs.items():
                least[name] = min(least[name], self.seconds(arguments))
        return [held(name, least[name], most) for name, (_, most) in jobs.items()]


def held(what: str, value: float, most: float | None) -> Row:
    bar: Row = {} if most is None else {"most_seconds": most, "holds": value <= most}
    return {**row(what, value), **bar}


def doors(given: Given) -> Iterator[Row]:
    """Every way in, as a person feels it."""
    place, privpac = Place(given.folder), ("-m", "privpac")
    least = float("inf")
    for _ in range(given.repeats):
        shutil.rmtree(place.kernels, ignore_errors=True)
        least = min(least, place.seconds(place.learn))
    yield held("first learn after an install, 569 records", least, 5.0)
    shutil.rmtree(place.kernels, ignore_errors=True)
    yield held("privpac warm", place.seconds((*privpac, "warm")), None)
    yield held("first learn after privpac warm", place.seconds(place.learn), 2.5)
    imports = ("import numpy", "import sklearn.base", "from privpac import PrivateClassifier")
    asked = "--concepts", "stumps", "--columns", "10", "--bits", "32", "--epsilon", "1", "--error", "0.1"
    yield from place.turns(
        {
            "learn, 569 records": (place.learn, 1.2),
            "python -c pass": (("-c", "pass"), None),
            **{line: (("-c", line), None) for line in imports},
            "verify --certificate-only": ((*privpac, "verify", "--certificate-only", place.model), 0.25),
            "verify": ((*privpac, "verify", place.model), None),
            "predict, 569 records": ((*privpac, "predict", place.model, str(place.table)), 0.6),
            "explain": ((*privpac, "explain", place.model), None),
            "plan": ((*privpac, "plan", *asked), None),
        }
    )


CLASSES = (
    "points --bits 64", "thresholds --bits 64", "thresholds --bits 1024", "intervals --bits 32",
    "rectangles:2 --bits 16", "stumps --columns 12 --bits 16", "trees:3 --columns 12", "conjunctions:3 --columns 12",
    "scorecards:2 --columns 12", "halfspaces:2 --bits 8", "any:5 --bits 64", "auto --columns 12",
)  # fmt: skip
QUESTIONS = (
    "--error 0.1 --epsilon 1", "--error 0.001 --epsilon 0.1", "--records 3000 --epsilon 0.5",
    "--records 3000 --error 0.1", "--records 300 --error 0.1 --epsilon 0.5",
)  # fmt: skip


def plan(given: Given) -> list[Row]:
    """All classes, all that can be protected, and the questions people ask; the slowest twelve, held to a second."""
    place = Place(given.folder)
    asked = [
        f"--concepts {words} --protect {protect} {question}"
        for words, protect, question in product(CLASSES, ("records", "labels", "predictions"), QUESTIONS)
    ]
    asked = asked[:: max(1, int(1 / given.scale))]

    def seconds(question: str) -> float:
        return place.seconds(("-m", "privpac", "plan", *question.split(), "--json"))

    seconds(asked[0])
    found = sorted(((seconds(question), question) for question in asked), reverse=True)
    return [held(question, min(first, seconds(question)), 1.0) for first, question in found[:12]]


# Fits on real tables.

OURS = ("privpac 0.05", "privpac 1")
ARRAYS = ("numbers one-test", "numbers trees:2", "numbers trees:3", "numbers auto")
"""Single rules and the default at epsilon 1, from the array of numbers that diffprivlib takes."""


def one_fit(name: str, data: Path, repeats: int) -> list[tuple[float, float]]:
    """Ours on Adult, from the form that a peer takes: encoding is included."""
    from benchmarks import peers

    frame, label, schema = peers.adult(data)
    kind, _, word = name.partition(" ")
    if kind == "privpac":
        return peers.timed(
            lambda seed: PrivateClassifier(epsilon=word, schema=schema, random_state=seed).fit(frame, label),
            repeats,
        )
    load_compiler()
    table, (low, high) = peers.numbers(frame, schema)
    columns = [
        dict(column)
        if column["kind"] == "numeric"
        else {"name": column["name"], "kind": "numeric", "lower": int(a), "upper": int(b), "integer": True}
        for column, a, b in zip(schema["columns"], low, high, strict=True)
    ]
    declared = {"label": schema["label"], "classes": [0, 1], "columns": columns}
    return peers.timed(
        lambda seed: PrivateClassifier(word, epsilon=1, schema=declared, random_state=seed).fit(table, label),
        repeats,
    )


def fits(given: Given) -> Iterator[Row]:
    """Adult: every method in fresh processes, in turns, once to warm up and then some times more."""
    if given.data is None:
        return
    module = (sys.executable, "-m", "benchmarks.speed", "--data", str(given.data), "--one-fit")
    commands = {name: (*module, name) for name in (*OURS, *ARRAYS)}
    if given.peers is not None:
        script = str(Path(__file__).with_name("peers.py"))
        commands |= {
            name: (given.peers, script, "fit", str(given.data), name, str(given.repeats)) for name in METHODS
        }
    runs: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in commands}
    for _ in range(2):
        for name, command in commands.items():
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            runs[name].append(json.loads(done.stdout.splitlines()[-1]))
    for name, rounds in runs.items():
        warm = [pair for run in rounds for pair in run[1:]]
        yield {
            "method": name,
            "processor_seconds": round(statistics.median(cpu for cpu, _ in warm), 3),
            "least_processor_seconds": round(min(cpu for cpu, _ in warm), 3),
            "wall_seconds": round(statistics.median(wall for _, wall in warm), 3),
            "first_fit_processor_seconds": round(min(run[0][0] for run in rounds), 3),
            "fits": len(warm),
        }


def tables(given: Given) -> Iterator[Row]:
    """`auto` on all training records of the first split of every table, counts included, warm."""
    from benchmarks.accuracy import load, names

    samples = [("made, 100 yes-or-no columns", flags(given.size(10**5)), ("0.04",))]
    for name in names(given.data):
        table = load(name, given.data)
        samples.append((name, table.sample.take(table.split(0)[0]), ("0.1", "1")))
    for name, sample, epsilons in samples:
        for epsilon in epsilons:
            job = partial(_seeded, learner_of("auto", sample, epsilon), sample)
            seconds = beside({"auto": job}, [], repeats=given.repeats)[0]["value"]
            yield {"table": name, "n": sample.size.labelled, "epsilon": float(epsilon), "auto": seconds}


def _seeded(learner: Any, sample: MemorySample, coins: type[Coins] = SystemCoins) -> object:
    return learner.learn(sample, coins())


PARTS: dict[str, Callable[[Given], Any]] = {
    **{name: fitted(name) for name in FITS},
    "selection": selection,
    "refined_draw": refined_draw,
    "prediction": prediction,
    "reading": reading,
    "files": files,
    "release": release,
    "relabelling": relabelling,
    "ledger": ledger,
    "doors": doors,
    "plan": plan,
    "fits": fits,
    "tables": tables,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all without one")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--peers-python", help="an interpreter that has the packages of peers.py")
    parser.add_argument("--folder", type=Path, help="for large files; they stay there")
    parser.add_argument("--peak", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--one-fit", choices=(*OURS, *ARRAYS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_fit:
        print(json.dumps(one_fit(options.one_fit, options.data, options.repeats)))
        return 0
    if options.peak:
        name, place, records = options.peak
        print(FITS[name][int(place)].grown(int(records)))
        return 0
    if unknown := [name for name in options.names if name not in PARTS]:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(PARTS)}")
    failed = False
    with tempfile.TemporaryDirectory() as place:
        given = Given(
            options.folder or Path(place), options.scale, options.repeats, options.data, options.peers_python
        )
        for name in options.names or PARTS:
            rows = list(PARTS[name](given))
            publish(name, rows, RESULTS / f"{name}.json" if rows and options.scale == 1 else None)
            failed |= not all(entry.get("holds", True) for entry in rows)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
