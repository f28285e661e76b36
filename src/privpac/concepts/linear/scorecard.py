"""A scorecard: integer points for a few features, and a cut-off for their sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.linear.levels import MOST_LEVELS, Feature
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = ["Item", "Scorecard"]

LARGEST_SCORE = 2**40
"""More points than any class draws; scores are added up in 64 bits."""


@dataclass(frozen=True)
class Item:
    """Points for each level of a feature."""

    feature: Feature
    points: int

    def to_json(self) -> dict[str, object]:
        """The item as JSON."""
        category = self.feature.category
        return {
            "column": self.feature.column,
            "cells": str(self.feature.size),
            "category": None if category is None else str(category),
            "points": self.points,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any], *, top: int) -> Item:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "column", "cells", "category", "points")
        category = None if tree["category"] is None else written_whole(tree["category"])
        points = whole(tree["points"])
        require(points != 0, "an item has no points")
        return cls(Feature(text(tree["column"]), written_whole(tree["cells"]), top, category), points)


@dataclass(frozen=True)
class Scorecard(RuleBase):
    """Class 1 where the points of all items together reach the cut-off."""

    kind: ClassVar[str] = "scorecard"
    items: tuple[Item, ...]
    cutoff: int
    top: int
    """Levels of every feature run from 0 to this."""

    @classmethod
    def of(cls, items: tuple[Item, ...], cutoff: int, top: int) -> Scorecard:
        """Without items of no points: two ways to write the same function become one."""
        return cls(tuple(item for item in items if item.points), cutoff, top)

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """The points of a column's items, whatever their sign."""
        weights: dict[str, Fraction] = {}
        for item in self.items:
            name = item.feature.column
            weights[name] = weights.get(name, Fraction(0)) + abs(item.points)
        return weights

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.feature.column for item in self.items))

    def total(self, cells: Cells) -> NDArray[np.int64]:
        """The points of every record."""
        count = len(next(iter(cells.values()))) if cells else 0
        points = np.zeros(count, dtype=np.int64)
        for item in self.items:
            points += item.points * item.feature.levels(cells).astype(np.int64)
        return points

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return (self.total(cells) >= self.cutoff).astype(np.uint8)

    @property
    def constant(self) -> int | None:
        """The class everyone gets, if no score lies on the other side of the cut-off."""
        low = sum(min(0, item.points) for item in self.items) * self.top
        high = sum(max(0, item.points) for item in self.items) * self.top
        return 1 if self.cutoff <= low else 0 if self.cutoff > high else None

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        if self.constant is not None:
            return f"always {schema.class_names[self.constant]}"
        lines = [f"{one} if the points reach {self.cutoff}, else {zero}"]
        lines += [f"  {item.feature.text(schema, item.points)}" for item in self.items]
        return "\n".join(lines)

    def to_sql(self, schema: Schema) -> str:
        if self.constant is not None:
            return str(self.constant)
        points = " + ".join(
            f"({item.feature.sql(schema.column(item.feature.column), item.points)})" for item in self.items
        )
        return f"CASE WHEN {points} >= {self.cutoff} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        items = [item.to_json() for item in self.items]
        return {"kind": self.kind, "top": self.top, "items": items, "cutoff": self.cutoff}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Scorecard:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "top", "items", "cutoff")
        top = whole(tree["top"], least=1, most=MOST_LEVELS - 1)  # a level fits in a byte
        items = tuple(Item.from_json(item, top=top) for item in as_list(tree["items"]))
        require(len({item.feature for item in items}) == len(items), "a feature stands twice")
        return cls(items, whole(tree["cutoff"]), top)

    def misfit(self, schema: Schema) -> str | None:
        if not all(item.feature.belongs(schema) for item in self.items):
            return "its features are not those of the schema"
        widest = sum(abs(item.points) for item in self.items) * self.top
        if max(widest, abs(self.cutoff)) > LARGEST_SCORE:
            return "its points are larger than any that are drawn"
        return two_classes_misfit(schema)
