"""What a card gains where the schema says between which numbers most values of a column lie.

    python -m benchmarks.usual --data DIR [--tables A,B] [--json FILE]

For every table, size and epsilon: the share of a card's points that lie on tests which fewer than 2 % or more than 98 %
of all records pass, and the area under the curve on the test part, mean over splits and draws. Four schemas:

* `none`: as it is, without a word about usual values;
* `known`: what somebody with a general education would write down, without having seen a record (`KNOWN`);
* `exact`: the 5th and 95th percentile of the records that are judged by, in two digits: somebody who knows each column;
* `wrong`: the same range, moved up by half its width where the bounds allow: somebody who is mistaken.

`exact` and `wrong` look at records that no card learns from. Nobody may do that with private records; here it stands in
for what people know.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.accuracy.run import DATA
from benchmarks.accuracy.tables import Table, load, names
from benchmarks.measuring import Row, publish
from privpac.coins import SeededCoins
from privpac.concepts.cards.card import Card
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request
from privpac.data.columns import Column, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.request import LearnRequest

EPSILONS = tuple(map(Fraction, ("0.3", "1")))
FEW = 2_000
SPLITS, DRAWS = 3, 8
RARE = 0.02
LOW, HIGH = 5, 95

Range = tuple[float, float]
KNOWN: Mapping[str, Mapping[str, Range]] = {
    "adult": {"age": (20, 65), "hours_per_week": (15, 60)},
    "cardio": {"height": (150, 185), "weight": (50, 105), "ap_hi": (100, 170), "ap_lo": (60, 100)},
    "compas": {"age": (19, 60), "priors_count": (0, 15)},
    "credit_default": {
        "limit_bal": (10_000, 400_000),
        "age": (22, 55),
        **{f"bill_amt{month}": (0, 200_000) for month in range(1, 7)},
        **{f"pay_amt{month}": (0, 20_000) for month in range(1, 7)},
    },
    "framingham": {
        "age": (35, 65),
        "cigsPerDay": (0, 40),
        "totChol": (160, 320),
        "sysBP": (100, 180),
        "diaBP": (60, 110),
        "BMI": (18, 36),
        "heartRate": (55, 100),
        "glucose": (60, 120),
    },
    "oulad": {"studied_credits": (30, 150), "num_of_prev_attempts": (0, 2)},
    "pima": {
        "pregnancies": (0, 10),
        "glucose": (70, 190),
        "blood_pressure": (50, 100),
        "skin_thickness": (0, 50),
        "insulin": (0, 350),
        "bmi": (20, 45),
        "pedigree": (0, 1.2),
        "age": (20, 60),
    },
    "shoppers": {
        "Administrative": (0, 10),
        "Administrative_Duration": (0, 400),
        "Informational": (0, 4),
        "Informational_Duration": (0, 300),
        "ProductRelated": (0, 120),
        "ProductRelated_Duration": (0, 4_500),
        "PageValues": (0, 60),
    },
}
"""Usual values from general knowledge, written before any record was looked at; four tables have no such columns."""


def exact(column: Numeric, block: Block) -> Range | None:
    """The 5th and 95th percentile in two digits; None where they are the same."""
    cells = np.percentile(block.cells[column.name].astype(np.float64), [LOW, HIGH], method="nearest")
    low, high = (float(f"{float(column.value(int(cell))):.2g}") for cell in cells)
    return _inside(column, low, high)


def wrong(column: Numeric, block: Block) -> Range | None:
    """The same range, half its width too high."""
    right = exact(column, block)
    return right and _inside(column, *(end + (right[1] - right[0]) / 2 for end in right))


def _inside(column: Numeric, low: float, high: float) -> Range | None:
    ends = [min(max(end, column.lower), column.upper) for end in (low, high)]
    low, high = (round(end) for end in ends) if column.integer else ends
    return (low, high) if column.cell(low) < column.cell(high) else None


def told(schema: Schema, usual: Callable[[Numeric], Range | None]) -> Schema:
    """The schema with usual values of its numeric columns."""

    def named(column: Column) -> Column:
        if not isinstance(column, Numeric) or (found := usual(column)) is None:
            return column
        return replace(column, usual=found)

    return replace(schema, columns=tuple(map(named, schema.columns)))


def schemas(table: Table, block: Block) -> dict[str, Schema]:
    """The four schemas; `known` only where somebody knows something."""
    known = KNOWN.get(table.name, {})
    four = {"none": table.schema}
    if known:
        four["known"] = told(table.schema, lambda column: known.get(column.name))
    four["exact"] = told(table.schema, lambda column: exact(column, block))
    four["wrong"] = told(table.schema, lambda column: wrong(column, block))
    return four


def idle_points(card: Card, block: Block) -> tuple[int, int]:
    """Points on tests that hardly any record, or nearly every one, passes; and all points."""
    idle = total = 0
    for one in card.drawn:
        passed = float(one.test.holds(block.cells).mean())
        total += abs(one.points)
        idle += abs(one.points) * (not RARE <= passed <= 1 - RARE)
    return idle, total


def measure(table: Table, n: int, epsilon: Fraction) -> list[Row]:
    everyone = table.sample.block()
    found: dict[str, list[tuple[float, float]]] = {}
    for split in range(SPLITS):
        training, testing = table.split(split)
        train, test = table.sample.take(training[:n]), table.sample.take(testing).block()
        for name, schema in schemas(table, test).items():
            for draw in range(DRAWS):
                card = _card(schema, train, epsilon, seed=100 * split + draw)
                idle, total = idle_points(card, everyone)
                area = roc_auc_score(test.labels, card.total(test.cells))
                found.setdefault(name, []).append((idle / total, float(area)))
    size = min(n, table.rows - table.rows // 5)
    return [
        {
            "table": table.name,
            "records": size,
            "epsilon": str(epsilon),
            "usual": name,
            "idle": round(float(np.mean([idle for idle, _ in rows])), 3),
            "auc": round(float(np.mean([area for _, area in rows])), 4),
        }
        for name, rows in found.items()
    ]


def _card(schema: Schema, train: MemorySample, epsilon: Fraction, *, seed: int) -> Card:
    block = train.block()
    records = MemorySample.from_cells(schema, dict(block.cells), block.labels)
    request = Request(schema, records.size, LearnRequest(epsilon=epsilon))
    card = Recipe("card", request).run(records, SeededCoins(seed)).hypothesis
    if not isinstance(card, Card):
        raise TypeError("the word made no card")
    return card


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA), required=DATA not in os.environ)
    parser.add_argument("--tables")
    parser.add_argument("--json", type=Path)
    wishes = parser.parse_args()
    rows: list[Row] = []
    for name in wishes.tables.split(",") if wishes.tables else names(wishes.data):
        table = load(name, wishes.data)
        full = table.rows - table.rows // 5
        for n in sorted({min(FEW, full), full}):
            for epsilon in EPSILONS:
                rows += measure(table, n, epsilon)
    publish("cards whose schema names usual values", rows, wishes.json)


if __name__ == "__main__":
    main()
