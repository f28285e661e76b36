"""An example of a rule with exceptions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.clauses.family import clauses_for
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof

FAILURE = Fraction(1, 20)


def clause_counts() -> Proof[Fact]:
    (proof,) = clauses_for(4, 2, failure=FAILURE, epsilon=Fraction(1)).promise(50_000, FAILURE)
    return proof


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {"clause-counts": clause_counts}
