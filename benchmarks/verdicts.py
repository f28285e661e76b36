"""How often the printed verdict is right: six generators and the twelve tables, by what a rule was asked for.

    python -m benchmarks.verdicts --data DIR [--seeds 1] [--json benchmarks/results/verdicts.json]

The truth about a rule is known: a generator says the chance of either class for each of 50,000 kinds of records, which
are equally likely; of a table, whose records are drawn with replacement, all records are the population. A rule is
learnt with the defaults
(the share for its counts included) for a class, with balanced costs (the base rate is declared, rounded to two
digits), and to rank. The verdict "yes" is right where the rule truly gains something over the best constant in its
measure, "no" where it does not, and "unclear" where the true gain is below the resolution that is printed. What was
not measured is counted apart: it claims nothing.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import DATA, load, names
from benchmarks.measuring import Row, publish
from privpac import Model, Schema
from privpac.coins import SeededCoins
from privpac.concepts.cards.card import Card
from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.verdict import Measure, Useful, Verdict
from privpac.constructions.recipe import Recipe
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.request import LearnRequest

Array = NDArray[Any]

POPULATION = 50_000
COLUMNS, VALUES = 10, 50
SETTINGS = ((1_000, "1"), (3_000, "1"), (10_000, "1"), (3_000, "3"))
"""Records, and epsilon."""
LARGE = 3_000
"""Records times epsilon from where on few verdicts may be unclear."""
AIMS: dict[str, dict[str, Any]] = {
    "label": {},
    "balanced": {"costs": "balanced"},
    "rank": {"aim": "rank"},
}


def _logistic(middle: float, effects: dict[int, float]) -> Callable[[Array], Array]:
    """The chance of class 1 where columns (from -1 to 1) add to its log-odds."""

    def chance(table: Array) -> Array:
        odds = np.full(len(table), middle)
        for column, weight in effects.items():
            odds += weight * table[:, column]
        return np.asarray(1 / (1 + np.exp(-odds)))

    return chance


def _tree(table: Array) -> Array:
    """Three questions, and chances that differ by leaf."""
    first, second, third = (table[:, column] > cut for column, cut in ((0, 0.2), (1, -0.3), (2, 0.5)))
    return np.select([first & second, first & ~second, ~first & third], [0.85, 0.4, 0.7], 0.15)


WEAK = dict.fromkeys(range(COLUMNS), 0.45)
GENERATORS: dict[str, Callable[[Array], Array]] = {
    "one strong column": _logistic(-0.4, {0: 3.0}),
    "tree": _tree,
    "many weak effects": _logistic(-0.2, WEAK),
    "many weak effects, rare": _logistic(-2.2, WEAK),
    "one strong column, rare": _logistic(-2.6, {0: 2.5}),
    "coin tosses": _logistic(-0.8, {}),
}


@dataclass(frozen=True)
class Population:
    """Kinds of records, each as likely as any other, and the chance of class 1 in each."""

    schema: Schema
    cells: Mapping[str, Array]
    chances: Array

    @property
    def ones(self) -> float:
        """The share of class 1."""
        return float(self.chances.mean())

    def drawn(self, n: int, seed: int) -> MemorySample:
        """Independent records."""
        random = np.random.default_rng(seed)
        rows = random.integers(0, len(self.chances), n)
        cells = {name: cells[rows] for name, cells in self.cells.items()}
        labels = random.random(n) < self.chances[rows]
        return MemorySample(self.schema, cells=cells, labels=labels.astype(np.uint8), n=n)


def generated(name: str) -> Population:
    """All rows of a generator."""
    cells = np.random.default_rng(list(GENERATORS).index(name)).integers(0, VALUES, (POPULATION, COLUMNS))
    columns = [
        {"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": VALUES - 1, "integer": True}
        for i in range(COLUMNS)
    ]
    schema = Schema.from_json({"label": "y", "classes": [0, 1], "columns": columns})
    by_name = {f"x{i}": cells[:, i] for i in range(COLUMNS)}
    return declared(Population(schema, by_name, GENERATORS[name](2 * cells / (VALUES - 1) - 1)))


def tabled(name: str, data: Path) -> Population:
    """All records of a table."""
    sample = load(name, data).sample
    block = sample.block()
    return declared(Population(sample.schema, block.cells, np.asarray(block.labels, dtype=float)))


def declared(population: Population) -> Population:
    """The same with its base rate, as somebody would know it."""
    rate = min(max(round(population.ones, 2), 0.01), 0.99)
    return replace(population, schema=replace(population.schema, base_rate=(round(1 - rate, 2), rate)))


def truth(model: Model, population: Population, measure: Measure) -> float:
    """What the rule gains over the best constant, on all rows."""
    from sklearn.metrics import roc_auc_score

    chances, count, rule = population.chances, len(population.chances), model.hypothesis
    if measure is Measure.RANKING:
        if isinstance(rule, Tree):
            assert model.leaf_counts is not None
            risks = model.leaf_counts.proba(rule, population.cells, n=count)[:, 1]
        else:
            assert isinstance(rule, Card)
            risks = rule.proba(population.cells)[:, 1] if rule.top else np.zeros(count)
        twice = np.repeat([0, 1], count)
        weights = np.concatenate([1 - chances, chances])
        return float(roc_auc_score(twice, np.tile(risks, 2), sample_weight=weights)) - 0.5
    if model.verdict.constant is not None:
        return 0.0
    said = np.asarray(rule.predict(population.cells) == 1)
    ones = population.ones
    if measure is Measure.ACCURACY:
        return float(np.where(said, chances, 1 - chances).mean()) - max(ones, 1 - ones)
    return float((said * chances).mean() / ones - (said * (1 - chances)).mean() / (1 - ones)) / 2


def is_right(verdict: Verdict, gain: float) -> bool:
    """Whether the verdict says what is true of the rule."""
    if verdict.useful is Useful.YES:
        return gain > 0
    if verdict.useful is Useful.NO:
        return gain <= 0
    return verdict.resolution is not None and abs(gain) <= verdict.resolution


def run(population: Population, n: int, epsilon: str, aim: str, seed: int) -> Row:
    """One rule, its verdict, and the truth."""
    train = population.drawn(n, seed)
    wishes = LearnRequest.read(epsilon=epsilon, **AIMS[aim])
    recipe = Recipe.of(wishes, schema=population.schema, size=Size(n))
    released = recipe.run(train, SeededCoins(seed))
    model = Model(
        released.hypothesis,
        population.schema,
        recipe.certify().to_json(),
        released.estimate,
        leaf_counts=released.leaf_counts,
    )
    verdict = model.verdict
    gain = truth(model, population, verdict.measure)
    return {
        "n": n,
        "epsilon": float(Fraction(epsilon)),
        "aim": aim,
        "useful": verdict.useful.value,
        "measured": verdict.measured,
        "constant": verdict.constant is not None,
        "gain": None if verdict.gain is None else round(verdict.gain, 4),
        "resolution": None if verdict.resolution is None else round(verdict.resolution, 4),
        "true_gain": round(gain, 4),
        "right": is_right(verdict, gain),
    }


def sources(data: Path | None) -> Iterator[tuple[str, Population]]:
    """The generators, and the tables if there are any."""
    for name in GENERATORS:
        yield name, generated(name)
    for name in () if data is None else names(data):
        yield name, tabled(name, data)


def summary(rows: list[Row]) -> Iterator[Row]:
    """Shares, together and by kind."""
    claims = [row for row in rows if row["measured"] or row["constant"]]
    yield {"runs": len(rows), **_shares("all verdicts", claims)}
    for aim in AIMS:
        yield _shares(aim, [row for row in claims if row["aim"] == aim])
    for useful in Useful:
        yield _shares(f"says {useful}", [row for row in claims if row["useful"] == useful])
    large = [row for row in claims if row["n"] * row["epsilon"] >= LARGE]
    yield _shares(f"n·epsilon at least {LARGE}", large)
    for name in dict.fromkeys(row["source"] for row in rows):
        yield _shares(name, [row for row in claims if row["source"] == name])


def _shares(what: str, rows: list[Row]) -> Row:
    said = Counter(row["useful"] for row in rows)
    count = max(1, len(rows))
    return {
        "of": what,
        "verdicts": len(rows),
        "right": round(sum(row["right"] for row in rows) / count, 3),
        "share_unclear": round(said["unclear"] / count, 3),
        **said,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [
        {"source": name, **run(population, n, epsilon, aim, 1000 * seed + place)}
        for name, population in sources(options.data)
        for seed in range(options.seeds)
        for place, (n, epsilon) in enumerate(SETTINGS)
        for aim in AIMS
    ]
    publish("how often the printed verdict is right", [*summary(rows), *rows], options.json)


if __name__ == "__main__":
    main()
