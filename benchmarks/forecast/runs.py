"""Single runs that the forecast is fitted on and judged by.

    python -m benchmarks.forecast.runs --data DIR --rows FILE [--splits 2]     the twelve tables
    python -m benchmarks.forecast.runs --grown --rows FILE [--splits 2]        invented tables of the fit
    python -m benchmarks.forecast.runs --invented --rows FILE [--splits 2]     tables kept out of the fit

`auto`, `auto` with balanced costs, and a card, one draw for every split, size and epsilon; figures on the test part.
The splits are those of `benchmarks.accuracy`. The base rate that balanced costs follow from is the share of the table,
rounded to two digits, as somebody would know it. Rows that FILE holds are not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import DATA, Table, load, names
from benchmarks.forecast.grown import grown
from benchmarks.forecast.invented import Invented, invented
from benchmarks.label_privacy import encoded
from privpac.coins import SeededCoins
from privpac.concepts.cards.card import Card
from privpac.constructions.recipe import Recipe
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.planning.invented import attained
from privpac.request import LearnRequest

EPSILONS = tuple(Fraction(text) for text in ("0.1", "0.3", "1", "3"))
SIZES, INVENTED_SIZES = (500, 2_000, 8_000), (800, 3_000, 12_000)
MADE = ("grown", "diffuse", "strong", "rare", "tree")
"""How invented tables are called."""
NEARLY = 0.7
"""A size this close to all records is left out for all of them."""
WISHES: dict[str, dict[str, Any]] = {"auto": {}, "balanced": {"costs": "balanced"}, "card": {"aim": "rank"}}
MOST, TREES = 8_000, 60
"""Records and trees of boosting, without privacy."""
SPLITS_OF_GUESS = 5
"""Small tables have small test parts, so that the AUC of one split says little."""

Row = dict[str, Any]


def sizes(table: Table) -> list[int]:
    """How many records rules are learnt from."""
    full = table.rows - table.rows // 5
    if table.name.split()[0] in MADE:
        return list(INVENTED_SIZES)
    last = min(full, SIZES[-1])
    return [n for n in SIZES[:-1] if n <= NEARLY * last] + [last]


def facts(table: Table, best: float | None) -> Row:
    """What the forecast is told of a table: the share of its rarer class, and the best AUCs without privacy."""
    labels = table.sample.block().labels
    assert labels is not None
    share = float(np.mean(labels == 1))
    models, columns = [], []
    for split in range(SPLITS_OF_GUESS if table.rows <= 2 * MOST else 2):
        training, testing = table.split(split)
        train, test = table.sample.take(training[:MOST]).block(), table.sample.take(testing).block()
        models += [_unprotected(table, train, test)] if best is None else []
        columns.append(_one_column(table, train, test))
    return {
        "table": table.name,
        "rows": table.rows,
        "rate": round(min(share, 1 - share), 4),
        "attainable": round(float(np.max(np.mean(models, axis=0))) if best is None else best, 4),
        "one_column": round(float(np.max(np.mean(columns, axis=0))), 4),
    }


def _unprotected(table: Table, train: Block, test: Block) -> list[float]:
    """The AUC of logistic regression and of boosting, without privacy."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    models: list[Any] = [
        LogisticRegression(max_iter=300),
        HistGradientBoostingClassifier(max_iter=TREES, learning_rate=0.05),
    ]
    known, asked = encoded(table, train), encoded(table, test)
    aucs = []
    for model in models:
        model.fit(known, train.labels)
        aucs.append(float(roc_auc_score(test.labels, model.predict_proba(asked)[:, 1])))
    return aucs


def _one_column(table: Table, train: Block, test: Block) -> list[float]:
    """The AUC of every single column: ranked by its value where that has an order, by its categories' shares else."""
    from sklearn.metrics import roc_auc_score

    assert train.labels is not None
    found = []
    for column in table.schema.columns:
        cells = test.cells[column.name].astype(np.float64)
        if not column.ordered:
            known = train.cells[column.name].astype(np.int64)
            ones = np.bincount(known, weights=train.labels, minlength=column.size)
            cells = ((ones + 1) / (np.bincount(known, minlength=column.size) + 2))[cells.astype(np.int64)]
        auc = float(roc_auc_score(test.labels, cells))
        found.append(max(auc, 1 - auc))
    return found


def measured(table: Table, splits: int, done: set[tuple[object, ...]]) -> Iterator[Row]:
    """The figures of every run that was not made before."""
    labels = table.sample.block().labels
    assert labels is not None
    rate = round(float(np.mean(labels == 1)), 2)
    known = replace(table.schema, base_rate=(1 - rate, rate))
    for n in sizes(table):
        for split in range(splits):
            training, testing = table.split(split)
            block = table.sample.take(training[:n]).block()
            train = MemorySample(known, cells=block.cells, labels=block.labels, n=n)
            test = table.sample.take(testing).block()
            for epsilon in EPSILONS:
                for kind, wishes in WISHES.items():
                    key = (table.name, n, float(epsilon), split, kind)
                    if key not in done:
                        yield {
                            **dict(zip(("table", "n", "epsilon", "split", "kind"), key, strict=True)),
                            **_run(train, test, LearnRequest(epsilon=epsilon, **wishes), split),
                        }


def _run(train: MemorySample, test: Block, wishes: LearnRequest, seed: int) -> Row:
    from sklearn.metrics import roc_auc_score

    rule = Recipe.of(wishes, schema=train.schema, size=train.size).run(train, SeededCoins(seed)).hypothesis
    truth = np.asarray(test.labels)
    if isinstance(rule, Card):
        return {"auc": round(float(roc_auc_score(truth, rule.total(test.cells))), 4)}
    said = np.broadcast_to(rule.predict(test.cells), truth.shape)
    constant = max(float(np.mean(truth)), 1 - float(np.mean(truth)))
    accuracy = float(np.mean(said == truth))
    return {
        "accuracy": round(accuracy, 4),
        "gain": round(accuracy - constant, 4),
        "found": round(float(np.mean(said[truth == 1])), 4),
        "alarms": round(float(np.mean(said[truth == 0])), 4),
    }


def subjects(
    data: Path | None,
    wanted: list[str] | None,
    made: Callable[[], Iterator[tuple[str, Callable[[], Invented]]]] | None,
) -> Iterator[tuple[str, Callable[[], Table | Invented]]]:
    """The tables by name."""
    if made is not None:
        every: list[tuple[str, Callable[[], Table | Invented]]] = list(made())
    else:
        every = [(name, lambda name=name: load(name, data)) for name in names(data)]  # type: ignore[misc]
    yield from ((name, make) for name, make in every if wanted is None or name in wanted)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA))
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--grown", dest="made", action="store_const", const=grown, help="Invented tables of the fit."
    )
    which.add_argument(
        "--invented", dest="made", action="store_const", const=invented, help="Those that are kept out of it."
    )
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--rows", type=Path, required=True)
    options = parser.parse_args()
    text = options.rows.read_text(encoding="utf-8") if options.rows.exists() else ""
    before = [json.loads(line) for line in text.splitlines()]
    keys = ("table", "n", "epsilon", "split", "kind")
    done = {tuple(row[key] for key in keys) for row in before if "kind" in row}
    described = {row["table"] for row in before if "rate" in row}
    with options.rows.open("a", encoding="utf-8") as file:
        for name, make in subjects(options.data, options.tables, options.made):
            subject = make()
            table = subject.table if isinstance(subject, Invented) else subject
            best = attained(subject.chance) if isinstance(subject, Invented) else None
            first = [] if name in described else [facts(table, best)]
            for row in (*first, *measured(table, options.splits, done)):
                file.write(json.dumps(row) + "\n")
                file.flush()
            print(name, flush=True)


if __name__ == "__main__":
    main()
