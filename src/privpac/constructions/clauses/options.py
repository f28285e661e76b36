"""Rules with exceptions, as a row of a plan. Imports nothing that loads a kernel."""

from __future__ import annotations

from privpac.constructions.clauses.formulas import records_clauses
from privpac.constructions.commands import learn_command
from privpac.constructions.option import Need, Option
from privpac.constructions.wish import Wish

__all__ = ["OPTIONS"]

PLACE = 65


def _needs(wish: Wish) -> Need:
    assert wish.concepts.tests is not None
    return Need(records_clauses(wish.concepts.tests, wish.concepts.parts, **wish.goal))


OPTIONS: tuple[Option, ...] = (
    Option(
        "clause-counts",
        "exceptions by noisy counts of patterns",
        "clause-counts",
        _needs,
        proper=False,
        serves=lambda concepts: concepts.kind == "clauses",
        command=learn_command,
    ),
)
