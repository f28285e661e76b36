"""A card and records that are hard for SQL: empty, NaN, infinite, beyond the bounds. Used here and with PostgreSQL."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import privpac
from privpac import MemorySample, Schema
from privpac.concepts.cards.card import Card

COLUMNS: list[dict[str, Any]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True, "missing": 70},
    {"name": "dose", "kind": "numeric", "lower": -2, "upper": 2, "missing": -1.5},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south"], "missing": "south"},
]
SCHEMA = Schema.from_json({"label": "ill", "columns": COLUMNS})
STRANGE: tuple[Any, ...] = (None, math.nan, math.inf, -math.inf, -(10.0**300), 10.0**300, 0.0, -0.0)


def learnt() -> Card:
    """A card with several cuts in both numeric columns."""
    rng = np.random.default_rng(2)
    rows = {"age": rng.integers(0, 100, 4000), "dose": rng.uniform(-2, 2, 4000)}
    rows["ward"] = rng.choice(["north", "south"], 4000)
    logit = (rows["age"] - 50) / 15 - 2 * rows["dose"] + (rows["ward"] == "south")
    rows["ill"] = (rng.random(4000) < 1 / (1 + np.exp(-logit))).astype(int)
    card = privpac.learn(rows, schema=SCHEMA, concepts="card:6", epsilon=20, random_state=1).hypothesis
    assert isinstance(card, Card)
    assert {"age", "dose"} <= set(card.columns)
    return card


def records() -> list[tuple[int, Any, Any, Any]]:
    """Place, age, dose and ward: everything strange beside everything else."""
    rng = np.random.default_rng(3)
    plain = [
        (float(age), float(dose), str(ward))
        for age, dose, ward in zip(
            rng.integers(-5, 110, 60), rng.uniform(-3, 3, 60), rng.choice(["north", "south"], 60), strict=True
        )
    ]
    odd = [(age, dose, ward) for age in STRANGE for dose in STRANGE for ward in ("north", None)]
    return [(place, *row) for place, row in enumerate([*plain, *odd])]


def points(card: Card, rows: list[tuple[int, Any, Any, Any]]) -> list[int]:
    """What the card itself says."""
    table = {
        name: np.array([row[i] for row in rows], dtype=object)
        for i, name in enumerate(("age", "dose", "ward"), 1)
    }
    return card.total(MemorySample.of(table, SCHEMA, labelled=False).block().cells).tolist()
