"""Rows of rules with exceptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.cases import Case, learner_case, tiny_schema
from privpac.constructions.clauses.formulas import ClausePlan
from privpac.constructions.clauses.learner import ClauseCounts

__all__ = ["ROWS", "clause_case", "tight_clauses"]


def tight_clauses(
    *cells: int, width: int, ratio: Fraction = Fraction(1, 2), threshold: int = 0
) -> ClauseCounts:
    """With little noise and a low threshold, so that on a tiny domain both are often in question."""
    schema = tiny_schema(*cells)
    tests = Binarisation.of(schema)
    clauses = ClauseCounts(schema, Fraction(1), tests, width).patterns
    plan = ClausePlan(clauses.size, ratio, threshold)
    return ClauseCounts(schema, 2 * clauses.sets * Fraction(7, 10), tests, width, plan=plan)


def clause_case(name: str, learner: ClauseCounts, n: int) -> Case:
    """What it does with this many records."""
    return learner_case(name, learner, learner.schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {
    "clauses": lambda: clause_case("exceptions of one answer", tight_clauses(2, 2, width=1), 2),
    "clauses-pairs": lambda: clause_case("exceptions of two answers", tight_clauses(2, 2, width=2), 2),
    "clauses-tight": lambda: clause_case(
        "exceptions of one answer, less noise",
        tight_clauses(2, width=1, ratio=Fraction(1, 4), threshold=1),
        3,
    ),
}
