"""Risk cards: a fit in memory, and passes over records in files against a bare scan of the same files.

    python -m benchmarks.cards [--records 10000000] [--rounds 8] [--folder DIR] [--repeats 3] [--json FILE]

In memory: 100,000 records, about 100 tests, 32 rounds of single tests, or 23 of a mixed card, as `card` is where
records are many. In files: the table of `benchmarks.files`; a card takes one pass per
round and one for its table, and one more where its first round draws pairs. Two scans stand beside it: one that reads
the same columns and does nothing with them, and one that compares them with the same cuts and counts. Processor
seconds; `limit` is what a row is held to.
"""

from __future__ import annotations

import argparse
import tempfile
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.files import CUTS, SCHEMA, bare, batches, make, seconds
from benchmarks.measuring import Row, publish, row
from privpac import MemorySample, Schema
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.learner import CardLearner
from privpac.data.engines.files import FileSource, files_at
from privpac.data.engines.streamed import StreamedSample

RECORDS, COLUMNS, SECONDS = 100_000, 10, 0.5
FORMS = {"single tests": 32, "mixed": 23}
"""The most rounds of every form."""
PER_PASS = 3


def in_memory(repeats: int) -> list[Row]:
    """The fits that are held to half a second."""
    columns = [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 1} for i in range(COLUMNS)]
    schema = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": columns})
    rng = np.random.default_rng(1)
    cells = rng.random((COLUMNS, RECORDS))
    ill = (rng.random(RECORDS) < 1 / (1 + np.exp(-4 * (cells[:3].sum(axis=0) - 1.5)))).astype(int)
    sample = MemorySample.of({f"x{i}": cells[i] for i in range(COLUMNS)}, schema, y=ill)
    rows = []
    for form, rounds in FORMS.items():
        learner = CardLearner(
            schema, Fraction(1), Binarisation.of(schema, cuts=10), rounds, mixed=form == "mixed"
        )
        learner.learn(sample, SeededCoins(0))  # compiles
        fit = seconds(partial(learner.learn, sample, SeededCoins(1)), repeats)
        what = f"{RECORDS:,} records in memory, {len(learner.tests.tests)} tests, {rounds} rounds: {form}"
        rows.append(row(what, fit, against="half a second", base=SECONDS, limit=1))
    return rows


def from_files(folder: Path, rounds: int, form: str) -> int:
    """The passes that a card took."""
    sample = StreamedSample.of(FileSource(files_at(folder), (*SCHEMA.names, SCHEMA.label)), SCHEMA)
    learner = CardLearner(
        SCHEMA, Fraction(1), Binarisation.of(SCHEMA, cuts=CUTS), rounds, mixed=form == "mixed"
    )
    learner.learn(sample, SeededCoins(1))
    if sample.passes != learner.passes:
        raise ValueError(f"{sample.passes} passes, and {learner.passes} were announced")
    return sample.passes


def scan(folder: Path) -> int:
    """Records read, and nothing else."""
    return sum(len(batch["ill"]) for batch in batches(folder, SCHEMA.names))


def passes(folder: Path, records: int, rounds: int, repeats: int) -> list[Row]:
    warm, large = folder / "10000", folder / str(records)
    make(warm, 10_000)
    make(large, records)
    read = seconds(partial(scan, large), repeats)
    bare("stumps", warm)
    base = seconds(partial(bare, "stumps", large), repeats)
    rows = [
        row(f"{records:,} records in files: read", read),
        row(f"{records:,} records in files: read, compared and counted", base),
    ]
    for form in FORMS:
        count = from_files(warm, rounds, form)
        whole = seconds(partial(from_files, large, rounds, form), repeats)
        what = f"{records:,} records in files: one pass of a card: {form}"
        rows.append(row(what, whole / count, against="read", base=read, limit=PER_PASS))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = wishes.folder or Path(place)
        rows = [*in_memory(wishes.repeats), *passes(folder, wishes.records, wishes.rounds, wishes.repeats)]
    publish("risk cards: fits in memory and passes over files", rows, wishes.json)


if __name__ == "__main__":
    main()
