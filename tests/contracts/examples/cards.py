"""An example of rounds of draws on capped weights."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.constructions.card import rules
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof

EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "weighted-rounds": lambda: rules.weighted_rounds(ratio=Fraction(99, 100), cap=26, rounds=3),
}
