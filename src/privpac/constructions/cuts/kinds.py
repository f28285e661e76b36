"""Cuts, intervals and unions of them in public numbers."""

from __future__ import annotations

import math

from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

PLACE = 2


def _thresholds(rest: str, description: Description) -> ClassFacts:
    name, _, direction = rest.rpartition(":")
    if direction not in ("up", "down", "either") or (description.schema is not None and not name):
        name, direction = rest, "up"
    cells = description.cells(name, "thresholds:COLUMN")
    either = direction == "either"
    word = f"thresholds:{name or 'COLUMN'}" + ("" if direction == "up" else f":{direction}")
    size = 2 * cells if either else cells + 1
    return ClassFacts.on_a_line(word, "thresholds", size, 2 if either else 1, cells, named=bool(name))


def _intervals(rest: str, description: Description) -> ClassFacts:
    cells = description.cells(rest, "intervals:COLUMN")
    changes = min(2, cells)
    size = _unions_size(cells, changes)
    return ClassFacts.on_a_line(
        f"intervals:{rest or 'COLUMN'}", "intervals", size, changes, cells, named=bool(rest)
    )


def _unions(rest: str, description: Description) -> ClassFacts:
    name, _, count = rest.rpartition(":")
    if description.schema is None and not count:
        count = "2"
    if not is_count(count) or int(count) < 1:
        raise ParameterError(
            OWNER, "concepts", f"unions:{rest}", allowed="of the form unions:COLUMN:K or unions:K"
        )
    cells, parts = description.cells(name, "unions:COLUMN:K"), int(count)
    changes = min(2 * parts, cells)
    word = f"unions:{name or 'COLUMN'}:{parts}"
    return ClassFacts.on_a_line(
        word, "unions", _unions_size(cells, changes), changes, cells, parts, named=bool(name)
    )


def _unions_size(cells: int, changes: int) -> int:
    return sum(math.comb(cells, k) for k in range(changes + 1))


KINDS: Kinds = {
    "thresholds": ("thresholds --bits B", _thresholds),
    "intervals": ("intervals --bits B", _intervals),
    "unions": ("unions:K --bits B", _unions),
}
