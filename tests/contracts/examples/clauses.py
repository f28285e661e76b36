"""An example of a rule with exceptions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.clauses import rules as clause_rules
from privpac.constructions.clauses.formulas import error_clauses, plan_clauses
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof

FAILURE = Fraction(1, 20)


def clause_counts(tests: int = 4, width: int = 2, records: int = 50_000) -> Proof[Any]:
    plan = plan_clauses(tests, width, failure=FAILURE, epsilon=1)
    return clause_rules.clause_counts(
        clauses=plan.clauses,
        ratio=plan.ratio,
        threshold=plan.threshold,
        tilt=plan.tilt,
        records=records,
        error=error_clauses(records, failure=FAILURE, plan=plan),
        failure=FAILURE,
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {"clause-counts": clause_counts}
