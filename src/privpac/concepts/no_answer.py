"""The outcome of a learner that may decline: a rule that says so, and predicts one class throughout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, OneColumn
from privpac.concepts.fitting import two_classes_misfit
from privpac.data.schema import Schema
from privpac.fields import record, text

__all__ = ["NoAnswer"]


@dataclass(frozen=True)
class NoAnswer(OneColumn):
    """Nothing was released about the records but this fact; `column` is the one that a rule was asked for.

    Programs that only want predictions get class 0 throughout: a public default, chosen without the records.
    """

    kind: ClassVar[str] = "no-answer"
    column: str

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return np.zeros(len(cells[self.column]), dtype=np.uint8)

    def describe(self, schema: Schema) -> str:
        return f"no answer (always {schema.class_names[0]})"

    def to_sql(self, schema: Schema) -> str:
        return "0"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> NoAnswer:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        return cls(text(record(tree, "kind", "column")["column"]))

    def misfit(self, schema: Schema) -> str | None:
        return two_classes_misfit(schema)

    def edges(self) -> Iterable[int]:
        return ()
