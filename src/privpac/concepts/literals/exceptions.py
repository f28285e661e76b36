"""A rule with exceptions: class 0 where one of a few patterns of answers to tests holds, class 1 elsewhere.

Statement: a set of forbidden patterns of at most `width` tests is written once, by the smallest patterns that follow
from it; the rule it stands for stays the same.
Source: bounded resolution; Valiant 1984 for what such rules can say.
Proof: docs/proofs/clause-counts.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.literals.binarise import Binarisation, Facts, Test, implied
from privpac.concepts.literals.cooccurrence import Cooccurrence, position
from privpac.concepts.literals.questions import cells_of
from privpac.data.schema import Schema
from privpac.fields import as_list, flag, record

__all__ = ["Exceptions", "Pattern", "Patterns"]

Pattern = frozenset[tuple[int, bool]]
"""Tests, by their number, and the answer that each must have."""


@dataclass(frozen=True)
class Exceptions(RuleBase):
    """Class 0 where every fact of some exception holds, class 1 elsewhere; an exception without facts always holds."""

    kind: ClassVar[str] = "exceptions"
    exceptions: tuple[Facts, ...]

    @property
    def _tests(self) -> tuple[Test, ...]:
        return tuple(test for facts in self.exceptions for test, _ in facts)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(test.column for test in self._tests))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        n = len(next(iter(cells.values()))) if cells else 0
        is_exception = np.zeros(n, dtype=bool)
        for facts in self.exceptions:
            holds = np.ones(n, dtype=bool)
            for test, positive in facts:
                holds &= test.holds(cells) == positive
            is_exception |= holds
        return (~is_exception).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        if not self.exceptions:
            return f"always {one}"
        if not all(self.exceptions):
            return f"always {zero}"
        texts = (
            " and ".join(test.describe(schema, positive=positive) for test, positive in facts)
            for facts in self.exceptions
        )
        return f"{zero} if {', or if '.join(texts)}; else {one}"

    def to_sql(self, schema: Schema) -> str:
        if not self.exceptions:
            return "1"
        if not all(self.exceptions):
            return "0"
        texts = (
            " AND ".join(f"({test.to_sql(schema, positive=positive)})" for test, positive in facts)
            for facts in self.exceptions
        )
        return f"CASE WHEN {' OR '.join(f'({text})' for text in texts)} THEN 0 ELSE 1 END"

    def to_json(self) -> dict[str, object]:
        exceptions = [
            [{"test": test.to_json(), "positive": positive} for test, positive in facts]
            for facts in self.exceptions
        ]
        return {"kind": self.kind, "exceptions": exceptions}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Exceptions:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "exceptions")
        rows = (
            [record(one, "test", "positive") for one in as_list(row)] for row in as_list(tree["exceptions"])
        )
        return cls(
            tuple(tuple((Test.from_json(one["test"]), flag(one["positive"])) for one in row) for row in rows)
        )

    def misfit(self, schema: Schema) -> str | None:
        reasons = (test.misfit(schema) for test in self._tests)
        return two_classes_misfit(schema) or next((reason for reason in reasons if reason), None)

    def edges(self) -> Iterable[int]:
        return cells_of(self._tests)


@dataclass(frozen=True)
class Patterns:
    """All patterns of at most `width` of these tests, of which there must be as many."""

    tests: Binarisation
    width: int

    @property
    def sets(self) -> int:
        """Sets of `width` tests: every record has one pattern on each of them."""
        return comb(len(self.tests.tests), self.width)

    @property
    def size(self) -> int:
        """Patterns of exactly `width` tests."""
        return self.sets << self.width

    @cached_property
    def listed(self) -> tuple[Pattern, ...]:
        """Those, in a fixed order."""
        choices = combinations(range(len(self.tests.tests)), self.width)
        answers = list(product((False, True), repeat=self.width))
        return tuple(frozenset(zip(tests, row, strict=True)) for tests in choices for row in answers)

    def counts(self, evidence: Cooccurrence) -> NDArray[np.int64]:
        """How many records of class 1 have each of the listed patterns: by inclusion and exclusion."""
        ones, p = evidence.counts[:, 1].astype(np.int64), len(self.tests.tests)
        counts = []
        for pattern in self.listed:
            yes = [test for test, answer in pattern if answer]
            no = [test for test, answer in pattern if not answer]
            terms = (
                (-1) ** size * int(ones[position([*yes, *more], p)])
                for size in range(len(no) + 1)
                for more in combinations(no, size)
            )
            counts.append(sum(terms))
        return np.array(counts, dtype=np.int64)

    @cached_property
    def _stronger(self) -> Mapping[tuple[int, bool], tuple[tuple[int, bool], ...]]:
        """For each literal those from which it follows, as tests of one column are nested or exclude each other."""
        tests = self.tests.tests
        literals = [(place, answer) for place in range(len(tests)) for answer in (False, True)]
        return {
            (place, answer): tuple(
                (other, fact)
                for other, fact in literals
                if other != place and implied(tests[place], ((tests[other], fact),)) is answer
            )
            for place, answer in literals
        }

    @cached_property
    def _impossible(self) -> frozenset[Pattern]:
        """What no record can have, as tests of one column exclude each other, and what follows."""
        if self.width == 1:
            return frozenset()
        stronger = self._stronger.items()
        return self._closure(
            frozenset((fact, (place, not answer))) for (place, answer), facts in stronger for fact in facts
        )

    def _closure(self, forbidden: Iterable[Pattern]) -> frozenset[Pattern]:
        """All that follows: patterns that imply a forbidden one, and those that both answers to a test would extend to
        forbidden ones."""
        patterns, fresh = set[Pattern](), set(forbidden)
        while fresh:
            patterns |= fresh
            fresh = {new for pattern in fresh for new in self._following(pattern, patterns)} - patterns
        return frozenset(patterns)

    def _following(self, pattern: Pattern, patterns: set[Pattern]) -> Iterable[Pattern]:
        if len(pattern) < self.width:
            numbers = {test for test, _ in pattern}
            free = (test for test in range(len(self.tests.tests)) if test not in numbers)
            yield from (pattern | {(test, answer)} for test in free for answer in (False, True))
        for test, answer in pattern:
            rest = pattern - {(test, answer)}
            if rest | {(test, not answer)} in patterns:
                yield rest
            for other, fact in self._stronger[test, answer]:
                if (other, not fact) not in rest:
                    yield rest | {(other, fact)}

    def _weaker(self, pattern: Pattern) -> Iterable[Pattern]:
        """What it implies, in one step: a literal less, or one that follows from another in its place."""
        for literal in pattern:
            yield pattern - {literal}
        for literal, facts in self._stronger.items():
            for fact in facts:
                if fact in pattern and literal not in pattern:
                    yield pattern - {fact} | {literal}

    def rule(self, forbidden: Iterable[Pattern]) -> Exceptions:
        """The rule that makes exceptions of these patterns, written by the smallest that follow from them."""
        closure = self._closure([*forbidden, *self._impossible])
        smallest = [
            pattern
            for pattern in closure - self._impossible
            if not any(weaker in closure for weaker in self._weaker(pattern))
        ]
        by_size = sorted((len(pattern), sorted(pattern)) for pattern in smallest)
        facts = ([(self.tests.tests[test], answer) for test, answer in literals] for _, literals in by_size)
        return Exceptions(tuple(tuple(row) for row in facts))

    def contains(self, rule: Exceptions) -> bool:
        """Whether some set of patterns is written as this rule: exactly if the rule is what its own exceptions say."""
        places = {test: place for place, test in enumerate(self.tests.tests)}
        if not all(test in places for facts in rule.exceptions for test, _ in facts):
            return False
        patterns = [frozenset((places[test], answer) for test, answer in facts) for facts in rule.exceptions]
        short = all(
            len(pattern) == len(facts) <= self.width
            for pattern, facts in zip(patterns, rule.exceptions, strict=True)
        )
        return short and len(patterns) <= self.size + 1 and self.rule(patterns) == rule
