"""A box: one class inside, the other outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Move, RuleBase
from privpac.concepts.fitting import edges_misfit, labels_misfit, order_misfit, two_classes_misfit
from privpac.concepts.line.unions import range_sql, range_text
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.questions import Questions, ask_all
from privpac.concepts.shapes import Brick
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = ["Box"]


@dataclass(frozen=True)
class Box(RuleBase):
    """Class `inside` where low <= cell < high in every column; low = high in all of them: nowhere inside."""

    kind: ClassVar[str] = "box"
    columns: tuple[str, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    inside: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether no record can lie in it."""
        return any(low >= high for low, high in zip(self.low, self.high, strict=True))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        within = np.full(len(cells[self.columns[0]]), not self.is_empty, dtype=bool)
        if not self.is_empty:
            for column, low, high in zip(self.columns, self.low, self.high, strict=True):
                values = cells[column]
                # With high - 1 both ends are cells, so they fit the array's type.
                within &= np.asarray((values >= low) & (values <= high - 1), dtype=bool)
        return np.where(within, self.inside, 1 - self.inside).astype(np.uint8)

    def _conditions(self, schema: Schema) -> list[tuple[Any, tuple[int, int]]]:
        """(column, range) for every column that the box restricts."""
        sides = zip(self.columns, self.low, self.high, strict=True)
        ranges = [(schema.column(name), (low, high)) for name, low, high in sides]
        return [(column, bounds) for column, bounds in ranges if bounds != (0, column.size)]

    def describe(self, schema: Schema) -> str:
        conditions = [] if self.is_empty else self._conditions(schema)
        yes, no = schema.class_names[self.inside], schema.class_names[1 - self.inside]
        if not conditions:
            return f"always {no if self.is_empty else yes}"
        return f"{yes} if {' and '.join(range_text(*condition) for condition in conditions)}, else {no}"

    def to_sql(self, schema: Schema) -> str:
        conditions = [] if self.is_empty else self._conditions(schema)
        if not conditions:
            return str(1 - self.inside if self.is_empty else self.inside)
        text = " AND ".join(range_sql(*condition) for condition in conditions)
        return f"CASE WHEN {text} THEN {self.inside} ELSE {1 - self.inside} END"

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "low": [str(cell) for cell in self.low],
            "high": [str(cell) for cell in self.high],
            "inside": self.inside,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Box:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "columns", "low", "high", "inside")
        low, high = (tuple(written_whole(cell) for cell in as_list(tree[end])) for end in ("low", "high"))
        columns = tuple(text(name) for name in as_list(tree["columns"]))
        fits = 1 <= len(columns) == len(set(columns)) == len(low) == len(high) and min(low) >= 0
        require(fits, "a box must have a low and a high cell for each of its columns")
        return cls(columns, low, high, whole(tree["inside"], least=0, most=1))

    def misfit(self, schema: Schema) -> str | None:
        order = two_classes_misfit(schema) or order_misfit(schema, self.columns)
        order = order or labels_misfit(schema, [self.inside])
        for name, *ends in zip(self.columns, self.low, self.high, strict=True):
            order = order or edges_misfit(schema, name, ends)
        return order

    @property
    def is_written_once(self) -> bool:
        """Whether it is not empty, or empty in the one way that is drawn."""
        return not self.is_empty or not any((*self.low, *self.high))

    def recut(self, move: Move) -> Box:
        low = tuple(map(move, self.columns, self.low))
        return replace(self, low=low, high=tuple(map(move, self.columns, self.high)))

    def questions(self, schema: Schema) -> Questions:
        if self.is_empty:
            return 1 - self.inside
        literals = tuple(
            literal
            for column, low, high in self._sides
            for literal in ((Test(column, low, "at least"), True), (Test(column, high, "at least"), False))
        )
        return ask_all(literals, self.inside, 1 - self.inside, schema)

    def shape(self, schema: Schema) -> Brick:
        return Brick(self._sides, self.inside)

    @property
    def _sides(self) -> tuple[tuple[str, int, int], ...]:
        return tuple(zip(self.columns, self.low, self.high, strict=True))
