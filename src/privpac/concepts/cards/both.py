"""Two answers at once: points for those over 60 *and* smoking, which no sum of points for either can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.literals.binarise import Test
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require

__all__ = ["Answer", "Both"]


@dataclass(frozen=True)
class Answer:
    """A test that holds, or one that does not."""

    test: Test
    holds: bool

    def matches(self, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether each record gives this answer."""
        answers = self.test.holds(cells)
        return answers if self.holds else ~answers


@dataclass(frozen=True)
class Both:
    """An answer about one column and an answer about another."""

    first: Answer
    second: Answer

    @property
    def answers(self) -> tuple[Answer, Answer]:
        return self.first, self.second

    @property
    def columns(self) -> tuple[str, str]:
        return self.first.test.column, self.second.test.column

    @property
    def tests(self) -> tuple[Test, Test]:
        return self.first.test, self.second.test

    def holds(self, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether each record gives both answers."""
        return self.first.matches(cells) & self.second.matches(cells)

    def describe(self, schema: Schema, *, positive: bool = True) -> str:
        """`age >= 60 and smoker is true`; the opposite, `age < 60 or smoker is false`, when not `positive`."""
        words = (one.test.describe(schema, positive=one.holds == positive) for one in self.answers)
        return (" and " if positive else " or ").join(words)

    def to_sql(self, schema: Schema) -> str:
        """The two answers as one SQL condition on the raw columns."""
        parts = (f"({one.test.to_sql(schema, positive=one.holds)})" for one in self.answers)
        return " AND ".join(parts)

    def to_json(self) -> dict[str, object]:
        return {"both": [{"test": one.test.to_json(), "holds": one.holds} for one in self.answers]}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Both:
        """What `to_json` wrote, read back; refused if a field is missing or strange, or the columns are one."""
        record(tree, "both")
        rows = [record(one, "test", "holds") for one in as_list(tree["both"])]
        require(
            len(rows) == 2 and all(type(row["holds"]) is bool for row in rows), "two answers are expected"
        )
        first, second = (Answer(Test.from_json(row["test"]), row["holds"]) for row in rows)
        require(first.test.column != second.test.column, "two answers are about one column")
        return cls(first, second)

    def misfit(self, schema: Schema) -> str | None:
        """Why one of its tests is none on a column of this schema; None if both are."""
        reasons = (test.misfit(schema) for test in self.tests)
        return next((reason for reason in reasons if reason is not None), None)
