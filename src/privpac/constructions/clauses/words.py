"""The word for a rule with exceptions."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.base import Learner
from privpac.constructions.clauses.kinds import CUTS
from privpac.constructions.clauses.learner import ClauseCounts
from privpac.constructions.request import Request, Word, count_of

__all__ = ["WORDS"]

PLACE = 42


def _clauses(request: Request, rest: str) -> Learner:
    request.require_two_classes("clauses")
    request.refuse_costs("clauses:K")
    tests = Binarisation.of(request.schema, cuts=CUTS)
    width = count_of("clauses", rest or "2")
    return ClauseCounts(request.schema, request.per_record, tests, width, request.failure)


WORDS: Mapping[str, Word] = {
    "clauses": Word("clauses:K", "class 1 but for patterns of K answers that hardly occur in it", _clauses)
}
