"""The word for risk cards."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.base import Learner
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.weights import MOST_ROUNDS, rounds_for
from privpac.constructions.request import OWNER, PROTECTS, Request, Word, is_count
from privpac.errors import ParameterError

__all__ = ["WORDS"]

PLACE = 45


def _card(request: Request, rest: str) -> Learner:
    if rest and not (is_count(rest) and 1 <= int(rest) <= MOST_ROUNDS):
        raise ParameterError(
            OWNER,
            "word",
            f"card:{rest}",
            allowed=f"of the form card:ROUNDS, from card:1 to card:{MOST_ROUNDS}",
        )
    request.require_two_classes("card")
    n, epsilon = request.size.labelled, request.per_record
    rounds = int(rest) if rest else rounds_for(n, epsilon)
    if request.protect == "labels":
        return LabelPrivateCard(request.schema, epsilon, rounds, request.costs)
    return CardLearner(request.schema, epsilon, Binarisation.of(request.schema), rounds, request.costs)


WORDS: Mapping[str, Word] = {
    "card": Word(
        "card:ROUNDS",
        "a risk card: points for tests, and a risk for every sum of points",
        _card,
        PROTECTS,
        risks=True,
    )
}
