"""Invented tables that constants of the forecast are fitted on, beside the twelve: every one drawn from a wide family.

What is drawn, from a seed by the number of the table: how many columns of which kinds there are and how much they move
together, how the signal is spread over them (one column has nearly all of it, or all have a little), whether it bends,
steps or lies in pairs of columns, how rare the class is, and the AUC that is attainable. The tables that are kept out
of the fit (`invented`) have independent normal columns, straight effects and a tree of three tests: none is drawn here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import Table
from benchmarks.forecast.invented import Invented, Values
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.planning.invented import matched

__all__ = ["TABLES", "grown"]

ROWS = 20_000
TABLES = 48
FEWEST, MOST = 6, 40
"""Columns."""
LEVELS = 5
"""Of a column of categories."""
CLIP = 3.0
"""Standard deviations at which effects stop growing."""


def grown() -> Iterator[tuple[str, Callable[[], Invented]]]:
    """Every table by its name, made when it is asked for."""
    for number in range(TABLES):
        yield f"grown {number}", lambda number=number: _made(number)  # type: ignore[misc]


@dataclass(frozen=True)
class _Column:
    """Cells as the schema has them, and what the signal sees of them: mean 0 and variance 1."""

    declared: dict[str, Any]
    cells: NDArray[Any]
    standard: Values


def _made(number: int) -> Invented:
    chances = np.random.default_rng([20_261_119, number])
    count = int(np.exp(chances.uniform(np.log(FEWEST), np.log(MOST))))
    together = float(chances.choice([0.0, 0.3, 0.6]))
    common = chances.normal(size=(ROWS, 1))
    latent = np.sqrt(together) * common + np.sqrt(1 - together) * chances.normal(size=(ROWS, count))
    columns = [_column(f"c{place}", latent[:, place], chances) for place in range(count)]
    signal = _signal(np.column_stack([column.standard for column in columns]), chances)
    rate = float(np.exp(chances.uniform(np.log(0.04), np.log(0.5))))
    auc = float(chances.uniform(0.6, 0.95))
    chance = matched(signal / signal.std(), rate, auc)
    labels = (chances.random(ROWS) < chance).astype(int)
    schema = Schema.from_json({"label": "y", "columns": [column.declared for column in columns]})
    data = {column.declared["name"]: column.cells for column in columns}
    return Invented(
        Table(f"grown {number}", MemorySample.of({**data, "y": labels}, schema, y=labels)), chance
    )


def _column(name: str, latent: Values, chances: np.random.Generator) -> _Column:
    kind = chances.choice(
        ["bell", "skewed", "even", "yes-or-no", "categories"], p=[0.3, 0.25, 0.1, 0.2, 0.15]
    )
    ranks = latent.argsort().argsort() / len(latent)
    if kind == "yes-or-no":
        cells = (ranks < chances.uniform(0.03, 0.6)).astype(int)
        declared: dict[str, Any] = {"kind": "boolean"}
    elif kind == "categories":
        cells = np.minimum((ranks ** chances.uniform(0.5, 2.0) * LEVELS).astype(int), LEVELS - 1)
        declared = {"kind": "categorical", "categories": [f"k{level}" for level in range(LEVELS)]}
    else:
        shape = {"bell": 50 + 12 * latent, "skewed": 4 * np.exp(0.8 * latent), "even": 100 * ranks}[kind]
        cells = np.clip(np.rint(shape), 0, 100).astype(int)
        declared = {"kind": "numeric", "lower": 0, "upper": 100, "integer": True}
    seen = cells.astype(np.float64)
    if kind == "categories":  # in no order
        seen = chances.normal(size=LEVELS)[cells]
        cells = np.array(declared["categories"])[cells]
    spread = seen.std()
    standard = (seen - seen.mean()) / (spread if spread > 0 else 1.0)
    return _Column({"name": name, **declared}, cells, np.clip(standard, -CLIP, CLIP))


def _signal(columns: Values, chances: np.random.Generator) -> Values:
    """A sum of effects of columns, some of them bent, and a part that lies in pairs of columns."""
    count = columns.shape[1]
    order = chances.permutation(count)
    decay = float(chances.choice([0.0, 0.5, 1.0, 2.0]))
    weights = np.zeros(count)
    weights[order] = (np.arange(count) + 1.0) ** -decay * chances.uniform(0.5, 1.0, count)
    weights *= chances.choice([-1, 1], count) * (chances.random(count) < 0.8)
    weights[order[0]] = weights[order[0]] or 1.0
    effects = np.column_stack([_bent(column, chances) for column in columns.T])
    signal: Values = effects @ weights
    pairs = float(chances.choice([0.0, 0.0, 0.3, 0.6]))
    both = sum(np.sign(columns[:, one] * columns[:, two]) for one, two in itertools.pairwise(order))
    if pairs and np.std(both) > 0:
        signal = (1 - pairs) * signal / signal.std() + pairs * both / np.std(both)
    return signal


def _bent(column: Values, chances: np.random.Generator) -> Values:
    """An effect that is straight, steps, or turns."""
    form = chances.choice(["straight", "step", "turn"], p=[0.6, 0.25, 0.15])
    if form == "step":
        column = (column > chances.uniform(-0.8, 0.8)).astype(np.float64)
    elif form == "turn":
        column = column**2
    spread = column.std()
    return np.asarray((column - column.mean()) / (spread if spread > 0 else 1.0))
