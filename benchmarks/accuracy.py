"""How accurate the default classifier is on real tables, beside the best peers of every cell:

    python -m benchmarks.accuracy run --data DIR --rows rows.jsonl                    resumes where it stopped
    python -m benchmarks.accuracy summarise rows.jsonl --peers peers.csv --json FILE

DIR/NAME/{schema.json,data.csv[.gz]} are the tables; without DIR the one that ships with scikit-learn. A fifth of each
is for testing; the order depends on the table's name and the split's number only. Ten splits up to 2,000 training
records, five above. A cell is the mean over splits of the expected accuracy: over a mixture the total weights of all
parts as the learner computes them, accuracy of single tests and constants exactly, of trees by 16 draws; else the mean
of three draws. Loss is counted from the best model without privacy of the peers' file, which has one line per cell and
method: dataset, n, eps, method, privacy (none, pure, approx), accuracy_mean and balanced_mean. `results/accuracy.md`
says what was found, and what was tried and not taken.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac import __version__
from privpac.coins import Coins, SeededCoins
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest, PartGibbs, TreePart
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.words import Request, learner_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Remembered
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

DATA = "PRIVPAC_BENCHMARK_DATA"
EPSILONS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.3", "1", "3"))

BUNDLED = "breast_cancer"
BUNDLED_SCHEMA = Path(__file__).parents[1] / "examples" / "breast_cancer.schema.json"
SIZES = (500, 2_000, 10_000)
"""Training sizes besides the full one; a size is left out where it is nearly the full one."""
NEARLY_FULL = 0.7
TEST_ROWS = 20_000
"""At most this many test records are scored."""


@dataclass(frozen=True)
class Table:
    """All records of a table."""

    name: str
    sample: MemorySample

    @property
    def schema(self) -> Schema:
        return self.sample.schema

    @property
    def rows(self) -> int:
        return self.sample.size.labelled

    @property
    def sizes(self) -> list[int]:
        full = self.rows - self.rows // 5
        return [n for n in SIZES if n <= NEARLY_FULL * full] + [full]

    def split(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Training positions (the first n of them make a training set of n) and test positions.

        A fifth of the records is for testing. The order depends on the table's name and the split's number
        only, so that every method, in every program that follows the same recipe, sees the same records.
        """
        generator = np.random.default_rng([zlib.crc32(self.name.encode()), number])
        order = generator.permutation(self.rows)
        fifth = self.rows // 5
        return order[fifth:], order[:fifth][:TEST_ROWS]


def names(data: Path | None) -> list[str]:
    """The tables of a data folder, or the one that ships with scikit-learn."""
    if data is None:
        return [BUNDLED]
    return sorted(schema.parent.name for schema in data.glob("*/schema.json"))


def load(name: str, data: Path | None) -> Table:
    """DIR/NAME/schema.json and DIR/NAME/data.csv or data.csv.gz, or the bundled table."""
    if data is None:
        return Table(name, _bundled())
    folder = data / name
    schema = Schema.from_json(folder / "schema.json")
    file = next(path for path in _candidates(folder) if path.exists())
    return Table(name, MemorySample.of(str(file), schema))


def _candidates(folder: Path) -> Iterator[Path]:
    yield folder / "data.csv"
    yield folder / "data.csv.gz"
    raise FileNotFoundError(f"{folder} holds neither data.csv nor data.csv.gz")


def _bundled() -> MemorySample:
    from sklearn.datasets import load_breast_cancer

    schema = Schema.from_json(BUNDLED_SCHEMA)
    bunch = load_breast_cancer()
    malignant = 1 - bunch.target  # scikit-learn counts benign as 1
    header = ",".join((*(str(name).replace(" ", "_") for name in bunch.feature_names), schema.label))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        rows = np.column_stack([bunch.data, malignant])
        np.savetxt(file, rows, delimiter=",", header=header, comments="", fmt="%.10g")
        return MemorySample.of(str(file), schema)


# Parts of a mixture: a draw is a part, chosen by share times total weight, and a rule of it.

PART_DRAWS = 16
"""Draws from each class of trees."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Test:
    """Test records."""

    __test__ = False

    sample: Remembered
    cells: Cells
    labels: NDArray[np.uint8]


@dataclass(frozen=True)
class Figure:
    """One part: its word, how many tests it has, the logarithm of its total weight, and the accuracy of its draws."""

    part: str
    tests: int
    log: float
    accuracy: float


def figures(
    parts: Iterable[TreePart], train: Remembered, test: Test, *, epsilon: Fraction, coins: Coins
) -> Iterator[Figure]:
    """Every part on one training set, costs being equal."""
    for part in parts:
        if isinstance(part, Constants | OneTest):
            log, accuracy = _exact(*(_mistakes(part, sample) for sample in (train, test.sample)), epsilon)
        else:
            law = part.gibbs(train.reduce(part.statistic), ratio=ratio_for(epsilon / 2), costs=(1, 1))
            log, accuracy = _log_total(law, epsilon), _mean_of_draws(law, coins, test)
        yield Figure(part.word, len(part.statistic.binarisation.tests), log, round(accuracy, 6))


def expectation(
    found: Sequence[Figure], shares: Sequence[float], handicaps: Sequence[int], *, epsilon: Fraction
) -> float:
    """Expected accuracy of one draw from the mixture of these parts."""
    charged = float(epsilon) / 2 * np.array(handicaps, dtype=float)
    logs = np.array([figure.log for figure in found]) + np.log(np.array(shares, dtype=float)) - charged
    weights = np.exp(logs - logs.max())
    return float(weights @ np.array([figure.accuracy for figure in found]) / weights.sum())


def _mistakes(part: Constants | OneTest, sample: Remembered) -> Array:
    """Of each member, on these records; a rule and its opposite stand half of the list apart."""
    counts = sample.reduce(part.statistic).counts.astype(float)
    everyone, held = counts[0], counts[1:]
    if isinstance(part, Constants):
        return everyone[::-1].copy()
    wrong = held[:, 0] + everyone[1] - held[:, 1]  # where the test holds, the answer is class 1
    return np.concatenate([wrong, everyone.sum() - wrong])


def _exact(train: Array, test: Array, epsilon: Fraction) -> tuple[float, float]:
    logs = -float(epsilon) / 2 * train
    weights = np.exp(logs - logs.max())
    wrong = float(weights @ test / weights.sum())
    return float(logs.max() + np.log(weights.mean())), 1 - wrong / float(test[0] + test[len(test) // 2])


def _log_total(law: PartGibbs, epsilon: Fraction) -> float:
    score, mass, error = law.total
    if error < 1:
        return score * math.log(ratio_for(epsilon / 2)) + math.log(mass)
    return float(law.ball(256).log().mid())


def _mean_of_draws(law: PartGibbs, coins: Coins, test: Test) -> float:
    rules = (law.draw(coins).merged() for _ in range(PART_DRAWS))
    return float(np.mean([(rule.predict(test.cells) == test.labels).mean() for rule in rules]))


# One training set.

DRAWS = 3
"""Draws per split; peers are drawn once, so the summary also gives our first draw alone."""


@dataclass(frozen=True)
class Measured:
    """What was measured on one training set at one epsilon (0: the non-private optimum of depth-3 trees)."""

    table: str
    n: int
    split: int
    epsilon: float
    method: str
    expected: float | None
    """Expected accuracy over the draw of a mixture (`expected`); the draws say it where that is not known."""
    accuracy: list[float]
    """On the test records, one number per draw."""
    balanced: float
    """Balanced accuracy, mean over the draws."""
    leaves: float
    seconds: float
    """Processor seconds per draw; the first epsilon of a training set also pays for the counts."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    table: Table, *, n: int, split: int, epsilons: tuple[Fraction, ...], word: str
) -> Iterator[Measured]:
    """The rows of one training set."""
    positions, tested = table.split(split)
    train = Remembered(table.sample.take(positions[:n]))
    block = table.sample.take(tested).block()
    assert block.labels is not None
    test = Test(Remembered(table.sample.take(tested)), block.cells, block.labels)
    for number, epsilon in enumerate(epsilons):
        learner = learner_for(word, Request(table.schema, train.size, LearnRequest(epsilon=epsilon)))
        coins = SeededCoins(1_000 * split + number)
        mean = _expected(learner, train, test, epsilon, coins)
        found = _drawn(learner, train, coins)
        yield _row(table, n, split, epsilon, _name(word, learner), found, test, mean)


def _expected(
    learner: Learner, train: Remembered, test: Test, epsilon: Fraction, coins: Coins
) -> float | None:
    concepts = learner.concepts
    if not isinstance(learner, Merged) or not isinstance(concepts, TreeMixture):
        return None
    found = list(figures(concepts.parts, train, test, epsilon=epsilon, coins=coins))
    return round(expectation(found, concepts.shares, concepts.charged, epsilon=epsilon), 6)


def _name(word: str, learner: Learner) -> str:
    if isinstance(learner, RefinedTrees):
        return f"{word} {learner.first.word}+{max(learner.depths)}"
    return f"{word} {learner.concepts.word}"


def _drawn(learner: Learner, train: Remembered, coins: Coins) -> Iterator[Hypothesis]:
    for _ in range(DRAWS):
        yield learner.learn(train, coins)


def _row(
    table: Table,
    n: int,
    split: int,
    epsilon: Fraction,
    method: str,
    found: Iterator[Hypothesis],
    test: Test,
    expected: float | None = None,
) -> Measured:
    start = time.process_time()
    hypotheses = list(found)
    seconds = (time.process_time() - start) / len(hypotheses)
    scores = [_scores(test, hypothesis) for hypothesis in hypotheses]
    return Measured(
        table=table.name,
        n=n,
        split=split,
        epsilon=float(epsilon),
        method=method,
        expected=expected,
        accuracy=[round(accuracy, 5) for accuracy, _ in scores],
        balanced=round(float(np.mean([balanced for _, balanced in scores])), 5),
        leaves=round(float(np.mean([_leaves(hypothesis) for hypothesis in hypotheses])), 2),
        seconds=round(seconds, 4),
    )


def _scores(test: Test, hypothesis: Hypothesis) -> tuple[float, float]:
    """Accuracy and balanced accuracy."""
    right = hypothesis.predict(test.cells) == test.labels
    recalls = [float(right[test.labels == label].mean()) for label in np.unique(test.labels)]
    return float(right.mean()), float(np.mean(recalls))


def _leaves(hypothesis: Hypothesis) -> int:
    leaves = getattr(hypothesis, "leaves", None)
    return 0 if leaves is None else len(list(leaves()))


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


@lru_cache(maxsize=1)
def _loaded(name: str, data: Path | None) -> Table:
    return load(name, data)


def work(job: Job) -> list[dict[str, Any]]:
    table = _loaded(job.table, job.data)
    rows = measure(table, n=job.n, split=job.split, epsilons=job.epsilons, word=job.word)
    return [asdict(row) for row in rows]


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """Training sets whose rows are not in the file: a job writes its rows at once."""
    lines = options.rows.read_text(encoding="utf-8").splitlines() if options.rows.exists() else []
    done = {(row["table"], row["n"], row["split"]) for row in map(json.loads, lines)}
    for name in options.tables or names(options.data):
        for n in load(name, options.data).sizes:
            for split in range(options.splits or (MANY_SPLITS if n <= SMALL else FEW_SPLITS)):
                if (name, n, split) not in done and n in (options.sizes or [n]):
                    yield Job(options.data, name, n, split, options.epsilons, options.concepts)


def run(options: argparse.Namespace) -> None:
    waiting = list(jobs(options))
    # Started afresh rather than forked, so that compiled threads of this process cannot get stuck in a child.
    with (
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
        options.rows.open("a", encoding="utf-8") as file,
    ):
        for count, future in enumerate(as_completed([pool.submit(work, job) for job in waiting]), 1):
            rows = future.result()
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            where = rows[0]
            print(
                f"{count}/{len(waiting)} {where['table']} n={where['n']} split={where['split']}", flush=True
            )


# From rows to cells, bands and limits.

BANDS = (50.0, 200.0, 1_000.0, 5_000.0, float("inf"))
BAND_NAMES = ("<=50", "50-200", "200-1000", "1000-5000", ">5000")
LIMITS = (0.096, 0.053, 0.025, 0.021, 0.0115)
"""The loss of each band must not be above this."""
CELL_LIMITS = {
    ("adult", 39_074, 0.05): 0.836,
    ("adult", 39_074, 0.1): 0.841,
    ("adult", 39_074, 1.0): 0.85,
    ("spambase", 3_681, 0.3): 0.855,
    ("spambase", 3_681, 1.0): 0.86,
    ("spambase", 3_681, 3.0): 0.895,
}
"""The accuracy at full size must not be below this."""
BEST_WITHOUT = ("sk_lr", "sk_hgb", "sk_tree2")
"""The non-private models the loss is counted from."""
CHOSEN_ON = ("adult", "breast_cancer", "cardio", "compas", "credit_default", "pima")
"""Tables that the first settings were chosen on; that cuts follow two scales was decided on all twelve."""

CellKey = tuple[str, int, float]


@dataclass(frozen=True)
class Cell:
    """Mean over splits of the expected accuracy, or of each split's mean over draws where that is not known."""

    table: str
    n: int
    epsilon: float
    evidence: float
    """n·epsilon."""
    method: str
    accuracy: float
    sd: float
    """Between splits."""
    first_draw: float
    balanced: float
    leaves: float
    seconds: float
    """Processor seconds of one draw, counts not included."""
    splits: int
    expected: bool
    chosen_on: bool
    loss: float | None
    """Against the best non-private model of the peers' file."""
    majority: float | None
    best_pure: float | None
    best_approx: float | None
    pair: float | None
    peers: dict[str, float]
    """Each private peer by itself."""
    balanced_pure: float | None
    balanced_approx: float | None
    """Balanced accuracy of the peer that has most of it."""

    @property
    def band(self) -> int:
        return next(i for i, top in enumerate(BANDS) if self.evidence <= top)


class Peers:
    """Mean accuracy of the peers, by cell and kind of privacy."""

    def __init__(self, lines: Iterable[Mapping[str, str]]) -> None:
        self._found: dict[CellKey, dict[str, tuple[str, float]]] = defaultdict(dict)
        self._balanced: dict[CellKey, list[tuple[str, float]]] = defaultdict(list)
        for line in lines:
            key = (line["dataset"], int(line["n"]), float(line["eps"]))
            self._found[key][line["method"]] = (line["privacy"], float(line["accuracy_mean"]))
            self._balanced[key].append((line["privacy"], float(line["balanced_mean"])))

    @classmethod
    def read(cls, path: Path | None) -> Peers:
        if path is None:
            return cls(())
        with path.open(encoding="utf-8", newline="") as file:
            return cls(csv.DictReader(file))

    def covers(self, key: CellKey) -> bool:
        """Whether peers were measured there; without a file of peers, every cell is kept."""
        return not self._found or key in self._found

    def best(self, key: CellKey, privacy: str) -> float | None:
        return max((value for kind, value in self._found[key].values() if kind == privacy), default=None)

    def balanced(self, key: CellKey, privacy: str) -> float | None:
        return max((value for kind, value in self._balanced[key] if kind == privacy), default=None)

    def private(self, key: CellKey) -> dict[str, float]:
        kinds = ("pure", "approx")
        return {method: value for method, (kind, value) in sorted(self._found[key].items()) if kind in kinds}

    def one(self, key: CellKey, method: str) -> float | None:
        found = self._found[key].get(method)
        return None if found is None else found[1]

    def without_privacy(self, table: str, n: int) -> float | None:
        found = (self.one((table, n, 0.0), method) for method in BEST_WITHOUT)
        return max((value for value in found if value is not None), default=None)


def cells(rows: Sequence[Mapping[str, Any]], peers: Peers) -> list[Cell]:
    """One per table, size and epsilon."""
    grouped: dict[CellKey, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[row["table"], row["n"], row["epsilon"]].append(row)
    kept = [key for key in sorted(grouped) if key[2] and peers.covers(key)]
    return [_cell(key, grouped[key], peers) for key in kept]


def _cell(key: CellKey, rows: Sequence[Mapping[str, Any]], peers: Peers) -> Cell:
    table, n, epsilon = key
    means = [row["expected"] or fmean(row["accuracy"]) for row in rows]
    best = peers.without_privacy(table, n)
    return Cell(
        table=table,
        n=n,
        epsilon=epsilon,
        evidence=round(n * epsilon, 6),
        method=rows[0]["method"],
        accuracy=round(fmean(means), 5),
        sd=round(stdev(means), 5) if len(means) > 1 else 0.0,
        first_draw=round(fmean(row["accuracy"][0] for row in rows), 5),
        balanced=round(fmean(row["balanced"] for row in rows), 5),
        leaves=round(fmean(row["leaves"] for row in rows), 1),
        seconds=round(fmean(row["seconds"] for row in rows), 4),
        splits=len(rows),
        expected=all(row["expected"] is not None for row in rows),
        chosen_on=table in CHOSEN_ON,
        loss=None if best is None else round(best - fmean(means), 5),
        majority=peers.one((table, n, 0.0), "majority"),
        best_pure=peers.best(key, "pure"),
        best_approx=peers.best(key, "approx"),
        pair=peers.one(key, "ref_pair"),
        peers=peers.private(key),
        balanced_pure=peers.balanced(key, "pure"),
        balanced_approx=peers.balanced(key, "approx"),
    )


def kept(path: Path, found: Sequence[Cell], peers: Peers) -> Iterator[Cell]:
    """Cells of an earlier document that were not measured again, because the design did not change there."""
    again = {(cell.table, cell.n, cell.epsilon) for cell in found}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        key = (cell["table"], cell["n"], cell["epsilon"])
        if key not in again:
            balanced = {f"balanced_{kind}": peers.balanced(key, kind) for kind in ("pure", "approx")}
            yield Cell(**{name: value for name, value in cell.items() if name != "optimum"} | balanced)


def band_table(found: Sequence[Cell]) -> Iterator[str]:
    """Mean accuracy lost by n·epsilon, ours and the peers', with the limits."""
    yield "| mean accuracy lost | " + " | ".join(BAND_NAMES) + " |"
    yield "|---" * (len(BANDS) + 1) + "|"
    yield _line("cells", [len(_band(found, band)) for band in range(len(BANDS))], "{}")
    yield _line("limit", LIMITS, "{:.3f}")
    for title, attribute in (
        ("**privpac, default**", "accuracy"),
        ("- first draw only", "first_draw"),
        ("best pure peer of each cell", "best_pure"),
        ("best (epsilon, delta) peer of each cell", "best_approx"),
        ("naive pair of tests", "pair"),
        ("majority class", "majority"),
    ):
        yield _line(title, [_loss(_band(found, band), attribute) for band in range(len(BANDS))], "{:.4f}")
    for title, attribute in (
        ("cells won against best pure", "best_pure"),
        ("cells won against best (epsilon, delta)", "best_approx"),
        ("cells won against naive pair", "pair"),
        ("cells won against majority", "majority"),
    ):
        yield _line(title, [_won(_band(found, band), attribute) for band in range(len(BANDS))], "{}")


def _band(found: Sequence[Cell], band: int) -> list[Cell]:
    return [cell for cell in found if cell.band == band]


def _line(title: str, values: Sequence[object], form: str) -> str:
    return f"| {title} | " + " | ".join("-" if v is None else form.format(v) for v in values) + " |"


def _loss(found: Sequence[Cell], attribute: str) -> float | None:
    """Mean over the cells where both the non-private best and the method were measured."""
    losses = [
        cell.loss + cell.accuracy - getattr(cell, attribute)
        for cell in found
        if cell.loss is not None and getattr(cell, attribute) is not None
    ]
    return fmean(losses) if losses else None


def _won(found: Sequence[Cell], attribute: str) -> str | None:
    pairs = [(c.accuracy, getattr(c, attribute)) for c in found if getattr(c, attribute) is not None]
    return f"{sum(ours > theirs for ours, theirs in pairs)}/{len(pairs)}" if pairs else None


@dataclass(frozen=True)
class Limit:
    """A number that was promised, and what was measured."""

    what: str
    limit: float
    measured: float
    met: bool


def limits(found: Sequence[Cell]) -> Iterator[Limit]:
    for band, most in enumerate(LIMITS):
        loss = _loss(_band(found, band), "accuracy")
        if loss is not None:
            yield Limit(f"loss at n·epsilon {BAND_NAMES[band]}", most, round(loss, 4), loss <= most)
    for cell in found:
        least = CELL_LIMITS.get((cell.table, cell.n, cell.epsilon))
        if least is not None:
            what = f"accuracy on {cell.table}, full, epsilon {cell.epsilon:g}"
            yield Limit(what, least, round(cell.accuracy, 4), cell.accuracy >= least)


def limit_table(found: Iterable[Limit]) -> Iterator[str]:
    yield "| limit | held to | measured | met |"
    yield "|---|---|---|---|"
    for limit in found:
        met = "yes" if limit.met else "**no**"
        yield f"| {limit.what} | {limit.limit:.3f} | {limit.measured:.4f} | {met} |"


def summarise(options: argparse.Namespace) -> None:
    lines = [line for path in options.rows for line in path.read_text(encoding="utf-8").splitlines()]
    peers = Peers.read(options.peers)
    found = cells([json.loads(line) for line in lines], peers)
    if options.kept is not None:
        found = sorted([*found, *kept(options.kept, found, peers)], key=lambda c: (c.table, c.n, c.epsilon))
    met = list(limits(found))
    print("\n".join([*band_table(found), "", *limit_table(met)]))
    if options.json is not None:
        document = {
            "what": "accuracy of the default classifier",
            "note": options.note,
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "limits": [asdict(limit) for limit in met],
            "cells": [asdict(cell) for cell in found],
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(required=True)
    asked = verbs.add_parser("run")
    folder = os.environ.get(DATA)
    asked.add_argument("--data", type=Path, default=Path(folder) if folder else None, help=f"or {DATA}")
    asked.add_argument("--rows", type=Path, required=True, help="file the rows are appended to (JSON lines)")
    asked.add_argument("--tables", type=lambda text: text.split(","))
    asked.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")])
    asked.add_argument("--splits", type=int, help="default: ten up to 2000 records, five above")
    asked.add_argument(
        "--epsilons", default=EPSILONS, type=lambda text: tuple(Fraction(e) for e in text.split(","))
    )
    asked.add_argument("--concepts", default="auto", help="another word, to compare with the default")
    asked.add_argument("--workers", type=int, default=2)
    asked.set_defaults(do=run)
    summed = verbs.add_parser("summarise")
    summed.add_argument("rows", type=Path, nargs="+")
    summed.add_argument("--peers", type=Path)
    summed.add_argument("--kept", type=Path, help="a document of before, for cells that the rows do not have")
    summed.add_argument("--json", type=Path, help="write the cells and limits there")
    summed.add_argument("--note", default="the default", help="what was measured, for the JSON file")
    summed.set_defaults(do=summarise)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
