"""Rules with exceptions, as a row of a plan."""

from __future__ import annotations

from privpac.constructions.clauses.family import clauses_for
from privpac.constructions.commands import learn_command
from privpac.constructions.option import Need, Option
from privpac.constructions.wish import Wish

__all__ = ["OPTIONS"]

PLACE = 65


def _needs(wish: Wish) -> Need:
    assert wish.concepts.tests is not None
    budget = {"failure": wish.failure, "epsilon": wish.epsilon}
    bound = clauses_for(wish.concepts.tests, wish.concepts.parts, **budget)
    return Need(bound.records(wish.error, wish.failure))


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
