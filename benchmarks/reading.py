"""Reading records: CSV and Parquet files, frames, predictions and codes, against what others take for the same cells.

Everything is held in processor seconds of one run: `learn` from a CSV file and from a frame against DuckDB's scan of
the file, `predict` against a tree of scikit-learn's, thresholds through the estimator against a sort, and the engines
against a scan of the same columns of the same Parquet files, or against each other. `auto` is held to the same as
single rules, although most of what it takes is counting, not reading.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.files import SCHEMA as VISITS
from benchmarks.files import make as make_visits
from benchmarks.measuring import Row, least_seconds, publish, row
from privpac import Model, PrivateClassifier, Schema, learn
from privpac.compiled import load_compiler
from privpac.concepts.literals.binarise import Group, Test
from privpac.concepts.trees.tree import Leaf, Split, Tree

REALS, WHOLES, TEXTS = 10, 5, 5
LEARNT = ("thresholds:r0", "trees:2")


def schema(kinds: str = "rkt") -> Schema:
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


def table(records: int) -> pd.DataFrame:
    """Reals with four decimals, integers with three digits, words, and a label that two of the reals decide."""
    rng = np.random.default_rng(1)
    columns: dict[str, np.ndarray] = {f"r{i}": np.round(rng.normal(50, 15, records), 4) for i in range(REALS)}
    columns |= {f"k{i}": rng.integers(0, 1000, records) for i in range(WHOLES)}
    for i in range(TEXTS):
        words = np.array([f"word{j}" for j in range(4 + i)], dtype=object)
        columns[f"t{i}"] = words[rng.integers(0, len(words), records)]
    noise = 10 * rng.normal(size=records)
    columns["y"] = (columns["r0"] + columns["r1"] + noise > 105).astype(np.int64)
    return pd.DataFrame(columns)


def fit(source: object, concepts: str, declared: Schema, engine: str = "auto") -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(source, schema=declared, concepts=concepts, epsilon=1, random_state=1, engine=engine)


def scan(call: str, columns: str = "*") -> object:
    return duckdb.connect().execute(f"SELECT max(COLUMNS({columns})) FROM {call}").fetchall()


def learning(frame: pd.DataFrame, folder: Path, repeats: int) -> list[Row]:
    """From a CSV file and from a frame."""
    load_compiler()  # a small first table alone would be learnt from without it
    file, declared, rows = folder / "table.csv", schema(), []
    frame.to_csv(file, index=False)
    for word in (*LEARNT, "auto"):
        fit(frame.head(60_000), word, declared)  # compiled before it is measured
        jobs: dict[str, Callable[[], object]] = {
            "scan": partial(scan, f"read_csv('{file}')"),
            "csv": partial(fit, file, word, declared),
            "frame": partial(fit, frame, word, declared),
        }
        least = least_seconds(jobs, repeats=repeats)
        size = f"{len(frame):,} records of {REALS + WHOLES + TEXTS} columns"
        rows.append(row(f"{word}: DuckDB's scan of a CSV file, {size}", least["scan"]))
        for name, limit, base, against in (
            ("csv", 4, least["scan"], "scan"),
            ("frame", 1.5, 1.0, "a second"),
        ):
            rows.append(
                row(
                    f"{word}: learn from {name}, {size}", least[name], against=against, base=base, limit=limit
                )
            )
    return rows


def of_five_texts() -> Tree:
    """A rule that looks at every column of text."""
    tree: Tree = Leaf(1)
    for i in range(TEXTS):
        tree = Split(Test(f"t{i}", i % 4, "equals"), Leaf(i % 2), tree)
    return tree


def predicting(frame: pd.DataFrame, repeats: int) -> list[Row]:
    small = frame.head(50_000)
    texts, numbers = schema("t"), schema("rk")
    words = fit(small, "trees:2", texts)
    words = Model(of_five_texts(), texts, words.certificate)
    rule = fit(small, "trees:3", numbers)
    X, y = frame[list(numbers.names)].to_numpy(), frame["y"].to_numpy()
    tree = DecisionTreeClassifier(max_depth=3).fit(X[:50_000], y[:50_000])
    objects = frame.astype(dict.fromkeys(texts.names, object))
    words.predict(frame)
    rule.predict(X)
    least = least_seconds(
        {
            "text": partial(words.predict, frame),
            "objects": partial(words.predict, objects),
            "tree": partial(tree.predict, X),
            "rule": partial(rule.predict, X),
        },
        repeats=repeats,
    )
    size = f"{len(frame):,} records"
    limits = {"against": "a second", "base": 1.0, "limit": 0.5}
    return [
        row(f"predict from five columns of text, {size}", least["text"], **limits),
        row(f"predict from five columns of Python's text, {size}", least["objects"], **limits),
        row(f"scikit-learn's tree predicts, {size} of {REALS + WHOLES} numbers", least["tree"]),
        row(
            f"predict from {REALS + WHOLES} numbers, {size}",
            least["rule"],
            against="scikit-learn's tree",
            base=least["tree"],
            limit=2,
        ),
    ]


def thresholds(records: int, repeats: int) -> list[Row]:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2**64, records, dtype=np.uint64)
    y = ((x > 2**63) ^ (rng.random(records) < 0.1)).astype(np.int64)
    key = {"name": "x", "kind": "numeric", "lower": 0, "upper": 2**64 - 1, "integer": True}
    declared = Schema.from_json({"label": "y", "columns": [key]})
    rule, X = PrivateClassifier("thresholds:x", epsilon=1, schema=declared, random_state=1), x.reshape(-1, 1)
    rule.fit(X[:1000], y[:1000])
    least = least_seconds({"sort": partial(np.sort, x), "fit": partial(rule.fit, X, y)}, repeats=repeats)
    return [
        row(f"sort of {records:,} keys of 64 bits", least["sort"]),
        row(
            f"thresholds of {records:,} such keys, PrivateClassifier, labels int64",
            least["fit"],
            against="sort",
            base=least["sort"],
            limit=2.2,
        ),
    ]


def codes(repeats: int) -> list[Row]:
    size, n = 2**32, 10**6
    cells = np.random.default_rng(1).integers(0, size, n, dtype=np.uint32)
    group = Group("x", tuple(-(-i * size // 32) for i in range(1, 32)), True)
    cuts = np.array(group.cells, dtype=np.uint32)
    least = least_seconds(
        {
            "search": lambda: np.searchsorted(cuts, cells, side="right").astype(np.uint8),
            "codes": partial(group.codes, cells, size=size, dtype=np.uint8),
        },
        repeats=repeats,
    )
    return [
        row(f"a search among 31 cuts, {n:,} cells", least["search"]),
        row(f"codes of {n:,} cells", least["codes"], against="search", base=least["search"], limit=0.2),
    ]


def engines(records: int, folder: Path, repeats: int) -> list[Row]:
    """From Parquet files: streamed, and loaded, against DuckDB's scan of the columns that are needed."""
    place, rows = folder / f"visits-{records}", []
    make_visits(place, records)
    files = f"read_parquet('{place}/*.parquet')"
    for word, columns in (("thresholds:age", ["age", "ill"]), ("stumps", [*VISITS.names, "ill"])):
        fit(place, word, VISITS, "files")
        listed = "['" + "', '".join(columns) + "']"
        least = least_seconds(
            {
                "scan": partial(scan, files, listed),
                "files": partial(fit, place, word, VISITS, "files"),
                "memory": partial(fit, place, word, VISITS, "memory"),
            },
            repeats=repeats,
        )
        of = f"{word}: {{}}, {records:,} records in Parquet files"
        rows.append(row(of.format("DuckDB's scan of its columns"), least["scan"]))
        bases = {"files": ("scan", 4.0), "memory": ("files", 1.0)}
        for name, (against, limit) in bases.items():
            what = of.format(f"learnt by the engine {name}")
            rows.append(row(what, least[name], against=against, base=least[against], limit=limit))
    return rows


def parts(options: argparse.Namespace, folder: Path) -> dict[str, Callable[[], list[Row]]]:
    """What is measured, by name."""
    return {
        "learning": lambda: learning(table(options.records), folder, options.repeats),
        "predicting": lambda: predicting(table(options.records), options.repeats),
        "thresholds": lambda: thresholds(options.many, options.repeats),
        "codes": lambda: codes(5),
        "engines": lambda: engines(options.many, folder, options.repeats),
    }


def measured(options: argparse.Namespace) -> Iterator[Row]:
    """Row by row; parts that are not asked for stay as the file has them."""
    known: list[Row] = []
    if options.json is not None and options.json.exists():
        known = json.loads(options.json.read_text(encoding="utf-8"))["rows"]
    with tempfile.TemporaryDirectory() as folder:
        for name, part in parts(options, Path(folder)).items():
            if options.names and name not in options.names:
                yield from (row for row in known if row["part"] == name)
            else:
                today = datetime.now(UTC).date().isoformat()
                yield from ({"part": name, "date": today, **row} for row in part())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="PART", help="only these parts; all of them without any")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--many", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = list(measured(options))
    publish(f"reading {options.records:,} and {options.many:,} records", rows, options.json)


if __name__ == "__main__":
    main()
