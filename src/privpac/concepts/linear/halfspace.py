"""One half-space with integer weights over the cells of numeric columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.literals.cell_sets import cell_sql
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, written_whole

__all__ = ["Halfspace"]

_FITS = 2**62

LARGEST_WEIGHT, LARGEST_CUTOFF = 2**64, 2**128
"""More than any class draws: directions end at 2^41, sums of cells at 2^32 times that."""


@dataclass(frozen=True)
class Halfspace(RuleBase):
    """Class 1 where the weighted sum of cells reaches the cut-off."""

    kind: ClassVar[str] = "halfspace"
    columns: tuple[str, ...]
    weights: tuple[int, ...]
    cutoff: int

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        values = [cells[name] for name in self.columns]
        largest = max((int(v.max()) if len(v) else 0 for v in values), default=0)
        fits = sum(map(abs, self.weights)) * (largest + 1) + abs(self.cutoff) < _FITS
        total = np.zeros(len(values[0]), dtype=np.int64 if fits else object)
        for weight, value in zip(self.weights, values, strict=True):
            total = total + weight * value.astype(np.int64 if fits else object)
        return np.asarray(total >= self.cutoff).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        terms = []
        shift = float(self.cutoff)
        for weight, name in zip(self.weights, self.columns, strict=True):
            lower, unit = _scale(schema, name)
            terms.append((weight / unit, schema.column(name).called))
            shift += weight * lower / unit
        largest = max((abs(factor) for factor, _ in terms), default=1.0) or 1.0
        text = " ".join(f"{factor / largest:+.6g}·{name}" for factor, name in terms if factor)
        return f"{one} if about {text or '0'} >= {shift / largest:.6g}, else {zero}"

    def to_sql(self, schema: Schema) -> str:
        terms = " + ".join(
            f"{weight} * {cell_sql(schema.column(name))}"
            for weight, name in zip(self.weights, self.columns, strict=True)
        )
        return f"CASE WHEN {terms} >= {self.cutoff} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "weights": [str(weight) for weight in self.weights],
            "cutoff": str(self.cutoff),
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Halfspace:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "columns", "weights", "cutoff")
        columns = tuple(text(name) for name in as_list(tree["columns"]))
        weights = tuple(written_whole(weight) for weight in as_list(tree["weights"]))
        fits = 1 <= len(columns) == len(weights) == len(set(columns))
        require(fits, "a half-space must have a weight for each of its columns")
        return cls(columns, weights, written_whole(tree["cutoff"]))

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """How far the whole range of a column moves the sum."""
        pairs = zip(self.columns, self.weights, strict=True)
        return {name: Fraction(abs(weight) * (schema.column(name).size - 1)) for name, weight in pairs}

    def misfit(self, schema: Schema) -> str | None:
        if not all(isinstance(schema.column(name), Numeric) for name in self.columns):
            return "it adds up columns that are no numbers"
        if max(map(abs, self.weights)) > LARGEST_WEIGHT or abs(self.cutoff) > LARGEST_CUTOFF:
            return "its weights or its cut-off are larger than any that is drawn"
        return two_classes_misfit(schema)


def _scale(schema: Schema, name: str) -> tuple[float, float]:
    """Where a column begins and how wide a cell is, for text only."""
    column = schema.column(name)
    assert isinstance(column, Numeric)
    width = float(column.upper) - float(column.lower) + (1 if column.integer else 0)
    return float(column.lower), width / column.size
