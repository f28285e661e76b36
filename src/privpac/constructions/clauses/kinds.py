"""Rules with exceptions in public numbers."""

from __future__ import annotations

import math

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.constructions.clauses.family import CUTS, MOST_CLAUSES, WIDEST
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]


def _tests(description: Description) -> int:
    """How many tests patterns are made of."""
    if description.schema is None:
        is_exact = description.tests is not None or description.columns is None
        return description.number_of_tests("clauses") if is_exact else CUTS * description.number_of_columns()
    return len(Binarisation.of(description.schema, cuts=CUTS).tests)


def _clauses(rest: str, description: Description) -> ClassFacts:
    """Disjunctions of at most this many conjunctions of the tests, each of which holds, fails or is not asked."""
    width, tests = int(rest or 2) if is_count(rest or "2") else 0, _tests(description)
    if not 1 <= width <= min(WIDEST, tests) or math.comb(tests, width) << width > MOST_CLAUSES:
        raise ParameterError(
            OWNER,
            "concepts",
            f"clauses:{rest}",
            allowed=f"clauses:1 to clauses:{WIDEST}, with at most {MOST_CLAUSES:,} patterns of so many tests",
            remedy="Name fewer tests or columns.",
        )
    size = 3 ** (tests * width)
    return ClassFacts.of_tests(f"clauses:{width}", "clauses", size, tests, width, named=description.named)


KINDS: Kinds = {"clauses": ("clauses:K --tests P", _clauses)}
