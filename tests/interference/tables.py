"""Tables of one size and one schema, in pairs that differ in one record: what an attacker wants to tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from privpac.data.numeric import Numeric
from privpac.data.schema import Schema

__all__ = ["FEW", "PAIRS", "SCHEMA", "TABLES", "WIDE", "N", "Pair", "Table", "sized"]

Table = Mapping[str, Sequence[Any]]
Pair = tuple[str, str]

N = 40
"""Records of every table."""

VICTIM = 7
"""The record that differs."""

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 7, "integer": True, "missing": 3},
            {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1, "resolution": 8},
            {"name": "key", "kind": "numeric", "lower": 0, "upper": 63, "integer": True},
            {"name": "ward", "kind": "categorical", "categories": ["u", "v", "other"], "other": "other"},
            {"name": "flag", "kind": "boolean", "missing": False},
            {"name": "seen", "kind": "date", "lower": "2024-01-01", "upper": "2024-01-04"},
        ],
    }
)

WIDE = replace(
    SCHEMA,
    columns=(
        Numeric("age", 0, 7, missing=3),
        Numeric("dose", 0, 1),
        Numeric("key", 0, 2**20 - 1, integer=True),
        *SCHEMA.columns[3:],
    ),
)
"""The same records where they are a few of very many possible ones."""


def _base() -> dict[str, list[Any]]:
    """No age above 4, every key once, both classes."""
    return {
        "age": [i % 5 for i in range(N)],
        "dose": [i % 4 / 4 + 0.1 for i in range(N)],
        "key": list(range(N)),
        "ward": ["v" if i % 3 else "u" for i in range(N)],
        "flag": [i % 2 == 0 for i in range(N)],
        "seen": [f"2024-01-0{i % 3 + 1}" for i in range(N)],
        "ill": ["yes" if i % 5 > 2 else "no" for i in range(N)],
    }


def _equal() -> dict[str, list[Any]]:
    return {name: [values[VICTIM]] * N for name, values in _base().items()}


def _one_class() -> dict[str, list[Any]]:
    return {**_base(), "ill": ["no"] * N}


def _changed(table: Mapping[str, Sequence[Any]], **values: Any) -> dict[str, list[Any]]:
    """The table with another record in the victim's place."""
    made = {name: list(column) for name, column in table.items()}
    for name, value in values.items():
        assert made[name][VICTIM] != value
        made[name][VICTIM] = value
    return made


TABLES: Mapping[str, Table] = {
    "base": _base(),
    "another record": _changed(_base(), age=0, dose=0.1, flag=True, seen="2024-01-01"),
    "another label": _changed(_base(), ill="yes"),
    "a new value": _changed(_base(), age=7, key=63, seen="2024-01-04"),
    "a value twice": _changed(_base(), key=8),
    "an empty cell": _changed(_base(), age=None, flag=None),
    "an unknown category": _changed(_base(), ward="elsewhere"),
    "outside the bounds": _changed(_base(), age=1000, dose=-3.5),
    "all equal": _equal(),
    "all equal but one": _changed(_equal(), age=7, key=63, ward="u"),
    "all equal but a label": _changed(_equal(), ill="yes"),
    "one class": _one_class(),
    "one class but one": _changed(_one_class(), ill="yes"),
}

PAIRS: tuple[Pair, ...] = (
    *(("base", name) for name in list(TABLES)[1:8]),
    ("all equal", "all equal but one"),
    ("all equal", "all equal but a label"),
    ("one class", "one class but one"),
)

FEW: tuple[Pair, ...] = (
    ("base", "a new value"),
    ("base", "an empty cell"),
    ("one class", "one class but one"),
)
"""For what takes long."""


@lru_cache
def sized(times: int = 1) -> Mapping[str, Table]:
    """All tables with `times` as many records: whoever was added is the same in both tables of a pair."""
    return {name: _grown(table, times) for name, table in TABLES.items()}


def _grown(table: Table, times: int) -> Table:
    return {name: [*column, *_others(column) * (times - 1)] for name, column in table.items()}


def _others(column: Sequence[Any]) -> list[Any]:
    """Everybody but the victim, whose place is taken by the next one."""
    return [*column[:VICTIM], column[VICTIM + 1], *column[VICTIM + 1 :]]
