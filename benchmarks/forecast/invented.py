"""Invented tables on which no constant of the forecast was fitted: many weak effects, rare classes, one strong column,
a tree. Their best AUC is that of the probability that the labels were drawn with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import Table
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.planning.invented import matched

__all__ = ["Invented", "Values", "invented"]

ROWS = 40_000
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Invented:
    """A table, and for every record the probability that its label is 1."""

    table: Table
    chance: Values


def invented() -> Iterator[tuple[str, Callable[[], Invented]]]:
    """Every table by its name, made when it is asked for."""
    for kind, rate in (("diffuse", 0.12), ("diffuse", 0.35), ("strong", 0.1), ("strong", 0.4)):
        for auc in (0.68, 0.8):
            yield f"{kind} {rate:g} {auc:g}", lambda k=kind, r=rate, a=auc: _made(k, r, a)  # type: ignore[misc]
    for rate, auc in ((0.05, 0.7), (0.05, 0.85)):
        yield f"rare {rate:g} {auc:g}", lambda r=rate, a=auc: _made("rare", r, a)  # type: ignore[misc]
    for rate, auc in ((0.15, 0.75), (0.45, 0.75)):
        yield f"tree {rate:g} {auc:g}", lambda r=rate, a=auc: _made("tree", r, a)  # type: ignore[misc]


def _made(kind: str, rate: float, auc: float) -> Invented:
    name = f"{kind} {rate:g} {auc:g}"
    chances = np.random.default_rng([sum(map(ord, name)), len(name)])
    normals = chances.normal(size=(ROWS, 16))
    coins = chances.random((ROWS, 4)) < np.array([0.5, 0.3, 0.1, 0.6])
    standard = np.column_stack([normals, (coins - coins.mean(axis=0)) / coins.std(axis=0)])
    signal = _signal(kind, standard, chances)
    chance = matched(signal / signal.std(), rate, auc)
    labels = (chances.random(ROWS) < chance).astype(int)
    columns = {
        f"x{number}": np.clip(np.rint(50 + 12 * column), 0, 100).astype(int)
        for number, column in enumerate(normals.T)
    }
    columns |= {f"b{number}": column.astype(int) for number, column in enumerate(coins.T)}
    schema = Schema.from_json({
        "label": "y",
        "columns": [
            {"name": key, "kind": "numeric", "lower": 0, "upper": 100, "integer": True}
            if key[0] == "x" else {"name": key, "kind": "boolean"}
            for key in columns
        ],
    })  # fmt: skip
    return Invented(Table(name, MemorySample.of({**columns, "y": labels}, schema, y=labels)), chance)


def _signal(kind: str, columns: Values, chances: np.random.Generator) -> Values:
    """What the labels follow, before noise."""
    if kind == "tree":
        one, two, three = columns[:, 0] > 0.3, columns[:, 1] > 0, columns[:, 16] > 0
        signal: Values = np.where(one, np.where(two, 2.0, 0.7), np.where(three, 0.4, -1.0))
        return signal
    weights = chances.uniform(0.4, 1.0, columns.shape[1]) * (np.arange(columns.shape[1]) % 5 != 4)
    if kind == "strong":
        weights *= 0.15
        weights[3] = 1.5
    return np.asarray(columns @ weights)
