"""Ranks and risks on real tables: cards, trees with leaf counts, other packages, and what no privacy would give:

    python -m benchmarks.risks ranks --data DIR [--peer PYTHON] [--tables A,B] [--methods A,B] [--json FILE]
    python -m benchmarks.risks rare --data DIR [--json FILE]               seven tables with a rare class
    python -m benchmarks.risks cells --data DIR [--further] [--json FILE]  accuracy and risks, the cells of `ranks`

`ranks`: area under the curve and log-loss on the test part, mean over splits and draws, and then over cells (a table,
2,000 records or all of them, an epsilon) by n·epsilon. The splits are those of `benchmarks.accuracy`: five, or three
above 20,000 records. PYTHON is an interpreter that has the other packages (`peers.py`). Cells that FILE already holds
are not measured again; `--again` measures the wished methods anew. Constants of the card that decide what is drawn were
chosen on the splits of the six tables of `CHOSEN`; `results/scores_left_out.json` says what that flatters. `rare` and
`cells`: one draw on each of two splits; balanced costs follow from the share of the table, rounded to two digits, as
somebody would know it. Everything stays within epsilon: trees give a fifth of it to the counts of their leaves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import DATA, Table, load
from benchmarks.label_privacy import encoded
from benchmarks.measuring import Row, publish, stored
from privpac.coins import SeededCoins
from privpac.concepts.cards.card import Card
from privpac.concepts.trees.tree import Tree
from privpac.constructions.card.weights import rounds_for
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request, stands_for
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Block
from privpac.request import LearnRequest

CHOSEN = ("breast_cancer", "pima", "compas", "credit_default", "adult", "cardio")
FURTHER = ("framingham", "spambase", "caravan", "shoppers", "magic", "oulad")
EPSILONS = tuple(map(Fraction, ("0.1", "0.3", "1", "3")))
FEW, SMALL = 2_000, 20_000
SPLITS_SMALL, SPLITS_LARGE = 5, 3
BANDS = (200, 1_000, 5_000)
BEYOND = 10**12
CERTAIN = 1e-4
"""Nobody's risk is taken for nearer to 0 or 1 than this: a log-loss must stay finite, and a card says no less."""

Curve = NDArray[np.float64]
Risks = Callable[["Part", Fraction, int], Curve]


@dataclass(frozen=True)
class Part:
    """One split of a table: records to learn from, and records to be judged by."""

    table: Table
    train: MemorySample
    test: Block
    split: int


def parts(table: Table, n: int) -> Iterator[Part]:
    """All splits of a cell."""
    for split in range(SPLITS_SMALL if n <= SMALL else SPLITS_LARGE):
        training, testing = table.split(split)
        yield Part(table, table.sample.take(training[:n]), table.sample.take(testing).block(), split)


def card(word: str, delta: Fraction = Fraction(0)) -> Risks:
    """The card that a word names, with all of epsilon and delta."""

    def risks(part: Part, epsilon: Fraction, seed: int) -> Curve:
        request = Request(part.table.schema, part.train.size, LearnRequest(epsilon=epsilon, delta=delta))
        released = Recipe(stands_for(word, request), request).run(part.train, SeededCoins(seed))
        curve = released.hypothesis.proba(part.test.cells)
        if curve is None:
            raise ValueError(f"{word} tells no risks")
        return curve[:, 1]

    return risks


def single(part: Part, epsilon: Fraction, seed: int) -> Curve:
    """A card of single tests, as `card` is where records are few."""
    return card(f"card:{rounds_for(part.train.size.labelled, epsilon)}")(part, epsilon, seed)


def tree(part: Part, epsilon: Fraction, seed: int) -> Curve:
    """What the default learns where risks are asked for: its tree, the leaves graded and counted."""
    recipe = Recipe.of(
        LearnRequest(epsilon=epsilon, probabilities=True), schema=part.table.schema, size=part.train.size
    )
    released = recipe.run(part.train, SeededCoins(seed))
    if not isinstance(released.hypothesis, Tree) or released.leaf_counts is None:
        raise ValueError("auto made no tree with counts")
    return released.leaf_counts.proba(released.hypothesis, part.test.cells, n=part.test.n)[:, 1]


def unprotected(kind: str) -> Risks:
    """scikit-learn's logistic regression or boosting, with their defaults and no privacy."""

    def risks(part: Part, epsilon: Fraction, seed: int) -> Curve:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression

        model: Any = (
            LogisticRegression(max_iter=300) if kind == "regression" else HistGradientBoostingClassifier()
        )
        block = part.train.block()
        model.fit(encoded(part.table, block), block.labels)
        found: Curve = model.predict_proba(encoded(part.table, part.test))[:, 1]
        return found

    return risks


@dataclass(frozen=True)
class Method:
    """How risks are made; whether epsilon matters; how many draws there are for each split (0: as many as wished)."""

    risks: Risks
    private: bool = True
    draws: int = 0


def peer(name: str, python: str | None) -> Method:
    """A method of another package, asked in a process of its own, all epsilons at once."""

    @lru_cache(maxsize=1)
    def answers(part: Part, seed: int) -> dict[str, Curve]:
        if python is None:
            raise ValueError(f"{name} needs --peer")
        columns, block = part.table.schema.columns, part.train.block()
        with tempfile.TemporaryDirectory() as folder:
            request, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
            np.savez(
                request,
                train=np.stack([block.cells[c.name].astype(np.float64) for c in columns], axis=1),
                test=np.stack([part.test.cells[c.name].astype(np.float64) for c in columns], axis=1),
                labels=np.asarray(block.labels),
                sizes=np.array([c.size for c in columns]),
                ordered=np.array([c.ordered for c in columns]),
                epsilons=np.array([float(epsilon) for epsilon in EPSILONS]),
                methods=np.array([name]),
                seed=seed,
            )
            script = Path(__file__).with_name("peers.py")
            subprocess.run([python, str(script), "risks", str(request), str(answer)], check=True)
            with np.load(answer) as found:
                return dict(found)

    def risks(part: Part, epsilon: Fraction, seed: int) -> Curve:
        return answers(part, seed)[f"{name}/{EPSILONS.index(epsilon)}"]

    return Method(risks, draws=1)


PEERS = ("DP-EBM, tuned", "DP-EBM, tuned, replacing", "DP-EBM, defaults", "DP logistic regression")


def methods(python: str | None = None) -> dict[str, Method]:
    """What is measured."""
    return {
        "card": Method(card("card")),
        "card of single tests": Method(single),
        "card with delta 1e-6": Method(card("card", Fraction(1, 10**6))),
        "tree with leaf counts": Method(tree),
        **{name: peer(name, python) for name in PEERS},
        "logistic regression, no privacy": Method(unprotected("regression"), private=False, draws=1),
        "boosting, no privacy": Method(unprotected("boosting"), private=False, draws=1),
    }


def sizes(table: Table) -> list[int]:
    full = table.rows - table.rows // 5
    return [FEW, full] if 0.7 * full >= FEW else [full]


def measured(table: Table, n: int, name: str, method: Method, repeats: int) -> Iterator[Row]:
    """One row per epsilon."""
    from sklearn.metrics import log_loss, roc_auc_score

    results = defaultdict(list)
    for part in parts(table, n):
        for draw in range(method.draws or repeats):
            for epsilon in EPSILONS if method.private else EPSILONS[:1]:
                found = method.risks(part, epsilon, 1000 * part.split + draw)
                found = np.clip(found, CERTAIN, 1 - CERTAIN)
                labels = part.test.labels
                results[epsilon].append((roc_auc_score(labels, found), log_loss(labels, found)))
    for epsilon in EPSILONS:
        own = np.array(results[epsilon if method.private else EPSILONS[0]])
        auc, loss = own.mean(axis=0).round(4).tolist()
        yield {
            "table": table.name,
            "n": n,
            "epsilon": float(epsilon),
            "method": name,
            "auc": auc,
            "log_loss": loss,
            "fits": len(own),
        }


def by_band(rows: list[Row]) -> Iterator[Row]:
    """Means over cells, by n·epsilon and over all; the six tables and the others each by themselves."""
    for group, names in (("chosen", CHOSEN), ("further", FURTHER)):
        for method in methods():
            own = [row for row in rows if row["method"] == method and row["table"] in names]
            for low, high in zip((0, *BANDS, 0), (*BANDS, BEYOND, BEYOND), strict=True):
                inside = [row for row in own if low <= row["n"] * row["epsilon"] < high]
                if inside:
                    name = "all" if (low, high) == (0, BEYOND) else f"from {low}"
                    auc, loss = (
                        round(float(np.mean([row[key] for row in inside])), 4) for key in ("auc", "log_loss")
                    )
                    yield {
                        "tables": group,
                        "n_epsilon": name,
                        "method": method,
                        "cells": len(inside),
                        "auc": auc,
                        "log_loss": loss,
                    }


def wished(names: str, choices: tuple[str, ...]) -> list[str]:
    """The choices that begin with one of the names."""
    return [choice for choice in choices if any(choice.startswith(name) for name in names.split(";"))]


# Rare classes, and figures of labels beside those of risks.

RARE = ("caravan", "framingham", "shoppers", "credit_default", "adult", "oulad", "pima")
FIGURES = ("accuracy", "balanced", "found", "auc", "log_loss")
WISHES: dict[str, dict[str, object]] = {
    "default tree": {"probabilities": True},
    "default tree, balanced": {"probabilities": True, "costs": "balanced"},
    "card": {"aim": "rank"},
    "card, balanced": {"aim": "rank", "costs": "balanced"},
}


def figures_on(train: MemorySample, test: MemorySample, wishes: LearnRequest, seed: int) -> list[float]:
    """What is said of the test part by what was learnt from the other."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, recall_score, roc_auc_score

    recipe = Recipe.of(wishes, schema=train.schema, size=train.size)
    released, block = recipe.run(train, SeededCoins(seed)), test.block()
    rule, truth = released.hypothesis, block.labels
    if isinstance(rule, Card):
        risks = rule.proba(block.cells)[:, 1]
    elif isinstance(rule, Tree) and released.leaf_counts is not None:
        risks = released.leaf_counts.proba(rule, block.cells, n=block.n)[:, 1]
    else:
        raise ValueError("this rule tells no risks")
    labels = rule.predict(block.cells) if rule.columns else np.full(block.n, next(iter(rule.leaves())).label)
    return [
        accuracy_score(truth, labels),
        balanced_accuracy_score(truth, labels),
        recall_score(truth, labels),
        roc_auc_score(truth, risks),
        log_loss(truth, np.clip(risks, 1e-6, 1 - 1e-6)),
    ]


def judged(
    table: Table, n: int, epsilons: Sequence[Fraction], splits: int, methods: Sequence[str]
) -> Iterator[Row]:
    """One row per epsilon and method."""
    rate = round(float((table.sample.block().labels == 1).mean()), 2)
    found = defaultdict(list)
    for split in range(splits):
        training, testing = table.split(split)
        train, test = (table.sample.take(part) for part in (training[:n], testing))
        known = replace(table.schema, base_rate=(1 - rate, rate))
        for epsilon in epsilons:
            for method in methods:
                wishes = LearnRequest.read(epsilon=epsilon, estimate_epsilon=None, **WISHES[method])
                declared = MemorySample(known, cells=train.block().cells, labels=train.block().labels, n=n)
                found[epsilon, method].append(figures_on(declared, test, wishes, 1000 * split))
    for (epsilon, method), rows in found.items():
        means = dict(zip(FIGURES, np.mean(rows, axis=0).round(4).tolist(), strict=True))
        yield {"table": table.name, "n": n, "epsilon": float(epsilon), "method": method, **means}


def means(rows: Sequence[Row]) -> Iterator[Row]:
    """Over all cells, by method."""
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        yield {
            "method": method,
            "cells": len(own),
            **{name: round(float(np.mean([row[name] for row in own])), 4) for name in FIGURES},
        }


def ranks(wishes: argparse.Namespace) -> None:
    offered = methods(wishes.peer)
    names = FURTHER if wishes.tables == "further" else wishes.tables.split(",")
    chosen = wished(wishes.methods, tuple(offered)) if wishes.methods else list(offered)
    if wishes.peer is None:
        chosen = [name for name in chosen if name not in PEERS]
    rows = [row for row in stored(wishes.json) if "table" in row]
    if wishes.again:
        rows = [row for row in rows if row["method"] not in chosen or row["table"] not in names]
    known = {(row["table"], row["n"], row["method"]) for row in rows}
    for name in names:
        table = load(name, Path(wishes.data))
        for n in sizes(table):
            for method in chosen:
                if (name, n, method) not in known:
                    rows += measured(table, n, method, offered[method], wishes.repeats)
                    if wishes.json is not None:  # a run that is stopped can be continued
                        wishes.json.write_text(json.dumps({"rows": rows}) + "\n", encoding="utf-8")
    publish("ranks and risks on real tables", [*rows, *by_band(rows)], wishes.json)


def rare(wishes: argparse.Namespace) -> None:
    rows: list[Row] = []
    cells = wishes.verb == "cells"
    names = [name for name in WISHES if not (cells and name.endswith("balanced"))]
    for name in (FURTHER if wishes.further else CHOSEN) if cells else RARE:
        table = load(name, Path(wishes.data))
        for n in sizes(table) if cells else sizes(table)[-1:]:
            rows += judged(table, n, EPSILONS if cells else [Fraction(1)], 2, names)
            print(name, n, flush=True)
    title = "probabilities by cell" if cells else "rare classes on seven tables"
    publish(title, [*rows, *means(rows)], wishes.json)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("ranks", "rare", "cells"))
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA), required=DATA not in os.environ)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--peer", help="A Python that has interpret-core and diffprivlib.")
    parser.add_argument(
        "--tables", default=",".join(CHOSEN), help="Names, or 'further' for those that took no part."
    )
    parser.add_argument("--methods", help="Beginnings of names, with semicolons between them; all without.")
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--again", action="store_true", help="Measure the wished methods anew.")
    parser.add_argument("--further", action="store_true", help="With cells: the tables that chose nothing.")
    wishes = parser.parse_args()
    (ranks if wishes.verb == "ranks" else rare)(wishes)


if __name__ == "__main__":
    main()
