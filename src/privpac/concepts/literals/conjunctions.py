"""Conjunctions and disjunctions of a few literals, drawn exactly over the whole class.

The members are counted by score (see `monomials`), a score is drawn, then a uniform member among those that have
it. Two classes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Costs, Hypothesis, MixtureGibbs, RuleBase, ScoredGibbs, Stored
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.literals.binarise import Binarisation, Facts, Test, implied
from privpac.concepts.literals.cooccurrence import (
    DEEPEST,
    THREADS,
    Cooccurrence,
    CooccurrenceTensor,
    Estimate,
)
from privpac.concepts.literals.monomials import RegionScores
from privpac.concepts.literals.questions import Questions, ask_all, cells_of
from privpac.concepts.trees.law import Answer
from privpac.concepts.trees.prior import CountedBySets
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.fields import as_list, flag, record

__all__ = ["Conjunction", "Conjunctions", "Disjunction", "Disjunctions"]

MEMBER_COST = 5.0
"""Nanoseconds to score and count one member and, later, to find one again."""


@dataclass(frozen=True)
class _Monomial(RuleBase):
    """Literals, each a test and whether it must hold."""

    literals: Facts
    joint: ClassVar[str]
    value: ClassVar[bool]
    """What the empty monomial says."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(test.column for test, _ in self.literals))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        n = len(next(iter(cells.values()))) if cells else 0
        answer = np.full(n, self.value, dtype=bool)
        for test, positive in self.literals:
            holds = test.holds(cells) == positive
            answer = answer & holds if self.value else answer | holds
        return answer.astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        if not self.literals:
            return f"always {one if self.value else zero}"
        words = f" {self.joint.lower()} ".join(
            test.describe(schema, positive=positive) for test, positive in self.literals
        )
        return f"{one} if {words}, else {zero}"

    def to_sql(self, schema: Schema) -> str:
        if not self.literals:
            return str(int(self.value))
        words = f" {self.joint} ".join(
            test.to_sql(schema, positive=positive) for test, positive in self.literals
        )
        return f"CASE WHEN {words} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        literals = [{"test": test.to_json(), "positive": positive} for test, positive in self.literals]
        return {"kind": self.kind, "literals": literals}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> _Monomial:
        record(tree, "kind", "literals")
        pairs = (record(one, "test", "positive") for one in as_list(tree["literals"]))
        return cls(tuple((Test.from_json(one["test"]), flag(one["positive"])) for one in pairs))

    def misfit(self, schema: Schema) -> str | None:
        reasons = (test.misfit(schema) for test, _ in self.literals)
        return two_classes_misfit(schema) or next((reason for reason in reasons if reason), None)

    def edges(self) -> Iterable[int]:
        return cells_of(test for test, _ in self.literals)

    def questions(self, schema: Schema) -> Questions:
        """All literals of a conjunction must hold, all opposites of a disjunction for it to be false."""
        literals = tuple((test, positive == self.value) for test, positive in self.literals)
        return ask_all(literals, int(self.value), int(not self.value), schema)


@dataclass(frozen=True)
class Conjunction(_Monomial):
    """Class 1 where every literal holds."""

    kind: ClassVar[str] = "conjunction"
    joint: ClassVar[str] = "AND"
    value: ClassVar[bool] = True

    def merged(self) -> Conjunction:
        """The same function without literals that follow from others, unless it is nowhere true."""
        return Conjunction(_independent(self.literals))


@dataclass(frozen=True)
class Disjunction(_Monomial):
    """Class 1 where some literal holds."""

    kind: ClassVar[str] = "disjunction"
    joint: ClassVar[str] = "OR"
    value: ClassVar[bool] = False

    def merged(self) -> Disjunction:
        """The same function without literals that others include, unless it is true everywhere."""
        opposite = tuple((test, not positive) for test, positive in self.literals)
        return Disjunction(tuple((test, not positive) for test, positive in _independent(opposite)))


def _independent(literals: Facts) -> Facts:
    """Literals of a conjunction that do not follow from the others."""
    rest = list(literals)
    for literal in literals:
        others = tuple(other for other in rest if other != literal)
        if implied(literal[0], others) is literal[1]:
            rest.remove(literal)
    return tuple(rest)


@dataclass(frozen=True)
class _Monomials(CountedBySets):
    """Monomials of at most `literals` literals on different tests.

    Every monomial is equally likely beforehand; or `shares[j]`, a public positive integer, says how much weight
    those of j literals have together.
    """

    schema: Schema
    literals: int = 3
    binarisation: Binarisation | None = None
    shares: tuple[int, ...] | None = None
    threads: int = THREADS
    outside: ClassVar[bool]
    name: ClassVar[str]
    levels_name: ClassVar[str] = "literals"

    def __post_init__(self) -> None:
        count = self.literals
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= DEEPEST:
            raise ParameterError(self._owner, "literals", count, allowed=f"an integer from 1 to {DEEPEST}")
        if len(self.schema.classes) != 2:
            raise ParameterError(
                self._owner,
                "number of classes",
                len(self.schema.classes),
                allowed="2",
                remedy="Trees and lists take any number of classes: use concepts='trees:3'.",
            )
        shares = self.shares
        if shares is not None and (
            len(shares) != count + 1 or not all(isinstance(share, int) and share > 0 for share in shares)
        ):
            requirement = f"{count + 1} positive integers, for 0 to {count} literals"
            raise ParameterError(self._owner, "shares", shares, allowed=requirement)
        self.require(None)

    @property
    def _owner(self) -> str:
        return type(self).__name__

    @property
    def levels(self) -> int:
        return self.literals

    @property
    def word(self) -> str:
        return f"{self.name}:{self.literals}"

    @property
    def _sizes(self) -> tuple[int, ...]:
        """Members by number of literals."""
        return tuple(comb(len(self.tests.tests), j) << j for j in range(self.literals + 1))

    @property
    def size(self) -> int:
        return sum(self._sizes)

    @property
    def odds(self) -> Fraction:
        if self.shares is None:
            return Fraction(self.size - 1)
        parts = [(share, size) for share, size in zip(self.shares, self._sizes, strict=True) if size]
        total = sum(share for share, _ in parts)
        return max(Fraction(total * size, share) for share, size in parts) - 1

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, self.literals, 2, self.threads)

    def _cost(self, literals: int, n: int) -> Estimate:
        counting = CooccurrenceTensor(self.tests, literals, 2, self.threads).estimate(n)
        members = sum(comb(len(self.tests.tests), j) << j for j in range(literals + 1))
        sets = sum(comb(len(self.tests.tests), j) for j in range(literals + 1))
        return Estimate(counting.seconds + members * MEMBER_COST * 1e-9, counting.bytes + 8 * sets)

    def _scores(
        self, evidence: Cooccurrence, costs: Costs, sizes: tuple[int, ...]
    ) -> RegionScores[_Monomial]:
        p = len(self.tests.tests)
        return RegionScores(evidence, p, sizes, tuple(costs), self.outside, self._member)

    def _member(self, region: tuple[Answer, ...]) -> _Monomial:
        """Class 1 on the region, or (for a disjunction of the opposite literals) outside of it."""
        literals = tuple((self.tests.tests[test], holds != self.outside) for test, holds in region)
        return Disjunction(literals) if self.outside else Conjunction(literals)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Disjunction if self.outside else Conjunction):
            return False
        places = {test: place for place, test in enumerate(self.tests.tests)}
        numbers = [places.get(test, -1) for test, _ in hypothesis.literals]
        ascending = numbers == sorted(set(numbers)) and -1 not in numbers
        return ascending and len(numbers) <= self.literals

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        """Whether some member is this monomial once it is merged: it is one itself, as fewer literals are members."""
        if not isinstance(hypothesis, Conjunction | Disjunction):
            return False
        return self.contains(hypothesis) and hypothesis.merged() == hypothesis

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> RegionScores[_Monomial]:
        return self._scores(evidence, costs, tuple(range(self.literals + 1)))

    def gibbs(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> ScoredGibbs | MixtureGibbs:
        """The law to draw from: a number of literals where that has a prior, then a score, then a member."""
        if self.shares is None:
            return ScoredGibbs(self.scores(evidence, costs=costs), ratio)
        present = [j for j, size in enumerate(self._sizes) if size]
        return MixtureGibbs(
            tuple(self._scores(evidence, costs, (j,)) for j in present),
            tuple(self.shares[j] for j in present),
            tuple(self._sizes[j] for j in present),
            ratio,
        )


class Conjunctions(_Monomials, Stored):
    """Conjunctions of at most `literals` literals on different tests."""

    outside = False
    name = "conjunctions"


class Disjunctions(_Monomials, Stored):
    """Disjunctions of at most `literals` literals on different tests."""

    outside = True
    name = "disjunctions"
