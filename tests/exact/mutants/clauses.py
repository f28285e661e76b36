"""Planted faults of rules with exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.audit.exact import Case
from privpac.constructions.cases import learner_case
from privpac.constructions.clauses.family import ClauseCounts, clause_case, tight_clauses
from privpac.guarantee import rules


def charges_one_set_of_tests() -> Case:
    """Noise for one set of tests, though a record is counted in all of them."""
    honest = tight_clauses(2, 2, width=1)
    claim = rules.geometric_noise(ratio=honest.numbers.ratio, change=2).fact
    return replace(clause_case("charges one set of tests", honest, 2), claim=claim)


def counts_a_replacement_once() -> Case:
    """A replaced record leaves one pattern and enters another: two counts change."""
    honest = tight_clauses(2, width=1, ratio=Fraction(1, 4), threshold=1)
    claim = rules.geometric_noise(ratio=honest.numbers.ratio, change=1).fact
    return replace(clause_case("counts a replacement once", honest, 3), claim=claim)


@dataclass(frozen=True)
class _KeepsEmptyPatterns(ClauseCounts):
    """Patterns that nobody has are exceptions for certain: why count them?"""

    def noisy(self, evidence, records, coins):  # type: ignore[no-untyped-def]
        noisy = super().noisy(evidence, records, coins)
        return [
            0 if count == 0 else seen
            for count, seen in zip(self.patterns.counts(evidence), noisy, strict=True)
        ]


def takes_empty_patterns_as_they_are() -> Case:
    """Empty patterns get no noise: a pattern that is no exception was somebody's."""
    honest = tight_clauses(2, width=1)
    names = ("schema", "epsilon", "tests", "width", "failure", "bound")
    wrong = _KeepsEmptyPatterns(*(getattr(honest, name) for name in names))
    return learner_case("takes empty patterns as they are", wrong, honest.schema, 2)


MUTANTS: dict[str, Callable[[], Case]] = {
    function.__name__: function
    for function in (charges_one_set_of_tests, counts_a_replacement_once, takes_empty_patterns_as_they_are)
}
