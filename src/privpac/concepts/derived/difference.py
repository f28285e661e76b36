"""C ⊕ C: where two concepts of a class differ (Beimel–Nissim–Stemmer 2015, Definition 3.1).

What a sanitised sample must answer so that concepts which agree on it agree nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import AnyClass, Cells, Hypothesis, KnownDifferences, RuleBase
from privpac.concepts.finite import Finite
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.theory.vc import differences_vc

__all__ = ["Difference", "SymmetricDifference"]


@dataclass(frozen=True)
class Difference(RuleBase):
    """1 where two rules disagree. Asked of a released table; not a rule that is itself released."""

    first: Hypothesis
    second: Hypothesis

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.first.columns, *self.second.columns)))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return np.asarray(self.first.predict(cells) != self.second.predict(cells), dtype=np.uint8)

    def describe(self, schema: Schema) -> str:
        return f"({self.first.describe(schema)}) differs from ({self.second.describe(schema)})"

    def to_sql(self, schema: Schema) -> str:
        return f"CASE WHEN ({self.first.to_sql(schema)}) <> ({self.second.to_sql(schema)}) THEN 1 ELSE 0 END"

    def misfit(self, schema: Schema) -> str | None:
        return self.first.misfit(schema) or self.second.misfit(schema)

    def to_json(self) -> dict[str, object]:
        return {"kind": "difference", "first": self.first.to_json(), "second": self.second.to_json()}


@dataclass(frozen=True)
class SymmetricDifference:
    """All symmetric differences of two concepts of a class."""

    concepts: AnyClass

    @property
    def schema(self) -> Schema:
        """The schema of the class."""
        return self.concepts.schema

    @property
    def word(self) -> str:
        """How it is named in messages."""
        return f"differences of {self.concepts.word}"

    @property
    def size(self) -> int | None:
        """An upper bound: unordered pairs, and the empty difference."""
        size = self.concepts.size
        return None if size is None else size * (size - 1) // 2 + 1

    @property
    def vc(self) -> int | None:
        """The true value where it is known, otherwise the largest l with growth(l)² ≥ 2^l (`differences-vc`)."""
        if isinstance(self.concepts, KnownDifferences):
            return self.concepts.differences_vc
        vc = self.concepts.vc
        general = None if vc is None else differences_vc(vc)
        size = self.size
        by_count = None if size is None else size.bit_length() - 1
        bounds = [bound for bound in (general, by_count) if bound is not None]
        return min(bounds) if bounds else None

    def members(self) -> Iterator[Difference]:
        """Every difference of two different members of a finite class."""
        if not isinstance(self.concepts, Finite):
            raise ParameterError(
                "SymmetricDifference", "concepts", self.concepts.word, allowed="a finite class to be listed"
            )
        rules = [self.concepts.member(i) for i in range(self.concepts.size)]
        for first, second in combinations(rules, 2):
            yield Difference(first, second)
