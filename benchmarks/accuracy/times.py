"""How long the default takes, beside the first design: `python -m benchmarks.accuracy.times --data DIR [--json FILE]`.

Processor seconds of one `learn` on all training records of the first split, counts included, warm: the least of three.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.tables import load, names
from privpac import __version__
from privpac.coins import SeededCoins
from privpac.compiled import load_compiler
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.request import LearnRequest

EPSILONS = (Fraction(1, 10), Fraction(1))
TIMES = 3
DESIGNS = ("auto",)
MANY, TESTS, EVIDENCE = 100_000, 100, 4_000
"""Records and yes-or-no columns that are made, and their n·epsilon."""


def made() -> MemorySample:
    """Yes-or-no columns, each a little more often true where the label is."""
    generator = np.random.default_rng(0)
    labels = generator.random(MANY) < 0.5
    columns = {f"x{i}": (generator.random(MANY) < 0.4 + 0.1 * labels).astype(int) for i in range(TESTS)}
    entries = [{"name": name, "kind": "numeric", "lower": 0, "upper": 1, "integer": True} for name in columns]
    schema = Schema.from_json({"label": "y", "classes": ["0", "1"], "columns": entries})
    return MemorySample.of({**columns, "y": labels.astype(int)}, schema)


def tasks(data: Path | None) -> Iterator[tuple[str, MemorySample, Fraction]]:
    yield f"made, {TESTS} yes-or-no columns", made(), Fraction(EVIDENCE, MANY)
    for name in names(data):
        table = load(name, data)
        sample = table.sample.take(table.split(0)[0])
        for epsilon in EPSILONS:
            yield name, sample, epsilon


def seconds(word: str, sample: MemorySample, epsilon: Fraction) -> float:
    learner = learner_for(word, Request(sample.schema, sample.size, LearnRequest(epsilon=epsilon)))
    learner.learn(sample, SeededCoins(0))
    found = []
    for seed in range(1, 1 + TIMES):
        start = time.process_time()
        learner.learn(sample, SeededCoins(seed))
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of tables; the bundled table without one")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    load_compiler()
    rows: list[dict[str, Any]] = []
    for name, sample, epsilon in tasks(options.data):
        row: dict[str, Any] = {"table": name, "n": sample.size.labelled, "epsilon": float(epsilon)}
        rows.append(row | {word: round(seconds(word, sample, epsilon), 4) for word in DESIGNS})
        print(json.dumps(rows[-1]), flush=True)
    if options.json is not None:
        date = datetime.now(UTC).date().isoformat()
        document = {
            "what": "processor seconds of one fit",
            "date": date,
            "version": __version__,
            "rows": rows,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
