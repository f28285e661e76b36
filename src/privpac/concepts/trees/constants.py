"""The same answer for everybody: what a mixture falls back to where no test is worth asking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees.parts import UniformTrees
from privpac.concepts.trees.tree import Leaf, Tree
from privpac.data.schema import Schema
from privpac.mechanisms.scores import Named, Place, Row, Runs

__all__ = ["Constants"]


@dataclass(frozen=True)
class Constants(ManyLabels, UniformTrees, Stored):
    """One leaf, with any label; `binarisation` only says along with which tests records are counted."""

    schema: Schema
    binarisation: Binarisation | None = None

    @property
    def word(self) -> str:
        return "constants"

    @property
    def size(self) -> int:
        return len(self.schema.classes)

    @property
    def vc(self) -> int | None:
        return 1 if self.size == 2 else None

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, 0, self.size)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Leaf) and 0 <= hypothesis.label < self.size

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> Named[Tree]:
        kept = evidence.counts[0].astype(np.int64) * np.array(costs, dtype=np.int64)
        last = self.size - 1
        row = Row.of(0, np.arange(last, dtype=np.int64), kept.sum() - kept, last)
        return Named(Runs((row,)), _member)


def _member(place: Place) -> Tree:
    return Leaf(place[1])
