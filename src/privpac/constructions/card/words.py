"""The words for what ranks: risk cards, and the default tree with graded leaves."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from privpac.concepts.cards.risks import WALL
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.round_cuts import on_round_numbers
from privpac.constructions.base import Learner
from privpac.constructions.card.graded_tree import GradedTrees, graded_share
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import MOST_PAIRS, CardLearner
from privpac.constructions.card.pairs import pair_count
from privpac.constructions.card.spending import is_worth_a_delta
from privpac.constructions.card.weights import (
    ENOUGH,
    MIXED_ABOVE,
    MOST_ROUNDS,
    fine_rounds_for,
    mixed_rounds_for,
    rounds_for,
)
from privpac.constructions.draw.default import MOST_EPSILON, auto
from privpac.constructions.request import OWNER, PROTECTS, Request, Word
from privpac.errors import ParameterError
from privpac.numbers.exact import plain
from privpac.numbers.parameters import is_count

__all__ = ["WORDS"]

PLACE = 45

MIXED = "mixed"
"""After `card:`, a card whose later rounds draw two answers at once."""


def _form_for(request: Request) -> str:
    """What `card` stands for: a mixed one where there are records enough for its rounds, and pairs, but not too many.

    >>> from privpac import Schema, Size
    >>> from privpac.request import LearnRequest
    >>> columns = [{"name": name, "kind": "boolean"} for name in ("smoker", "diabetic")]
    >>> schema = Schema.from_json({"label": "ill", "columns": columns})
    >>> [_form_for(Request(schema, Size(n), LearnRequest(epsilon=Fraction(1)))) for n in (2_000, 20_000)]
    ['card', 'card:mixed']
    """
    is_pure = request.protect == "records" and not request.delta
    is_enough = request.size.labelled * request.per_record > MIXED_ABOVE
    if not (is_pure and is_enough and len(request.schema.classes) == 2):
        return "card"
    return "card:mixed" if 1 <= pair_count(on_round_numbers(request.schema)) <= MOST_PAIRS else "card"


def _card(request: Request, rest: str) -> Learner:
    request.require_two_classes("card")
    if rest == MIXED:
        return _mixed_card(request)
    rounds, delta = _rounds_of_word(request, rest) if rest else _default_rounds(request)
    if request.protect == "labels":
        return LabelPrivateCard(request.schema, request.per_record, rounds, request.costs, delta)
    tests = on_round_numbers(request.schema)
    return CardLearner(request.schema, request.per_record, tests, rounds, request.costs, delta=delta)


def _mixed_card(request: Request) -> Learner:
    word = f"card:{MIXED}"
    if request.protect != "records":
        raise ParameterError(OWNER, "protect", request.protect, allowed=f"records with {word}", remedy=ALONE)
    if request.delta:
        raise ParameterError(OWNER, "delta", plain(request.delta), allowed=f"0 with {word}", remedy=ALONE)
    epsilon, tests = request.per_record, on_round_numbers(request.schema)
    rounds = mixed_rounds_for(request.size.labelled, epsilon)
    return CardLearner(request.schema, epsilon, tests, rounds, request.costs, mixed=True)


ALONE = "The word card asks one question at a time, and allows it."


def _default_rounds(request: Request) -> tuple[int, Fraction]:
    """Rounds and the delta they use: many small ones where a delta and the number of records are worth it."""
    n, epsilon, delta = request.size.labelled, request.per_record, request.delta_per_record
    many = fine_rounds_for(n, epsilon)
    if n * epsilon >= ENOUGH and is_worth_a_delta(epsilon, delta, many):
        return many, delta
    return rounds_for(n, epsilon), Fraction(0)


def _rounds_of_word(request: Request, rest: str) -> tuple[int, Fraction]:
    """As many rounds as the word says; those that hang on a wall need no delta, and use it if that helps."""
    most = MOST_ROUNDS if request.delta else WALL
    if not (is_count(rest) and 1 <= int(rest) <= most):
        raise ParameterError(
            OWNER,
            "word",
            f"card:{rest}",
            allowed=f"of the form card:ROUNDS, from card:1 to card:{most}, or card:mixed",
            remedy="" if request.delta else f"With a delta there may be {MOST_ROUNDS} rounds.",
        )
    rounds, delta = int(rest), request.delta_per_record
    if rounds > WALL or is_worth_a_delta(request.per_record, delta, rounds):
        return rounds, delta
    return rounds, Fraction(0)


def _graded_tree(request: Request, rest: str) -> Learner:
    """The default tree, with leaves that are graded where there are records enough for it."""
    if rest:
        raise ParameterError(OWNER, "word", f"graded-tree:{rest}", allowed="graded-tree, without a number")
    request.require_two_classes("graded-tree")
    share = graded_share(request.size.labelled * request.per_record)
    if share == 0:
        return auto(request, "")
    first = auto(request.asking(epsilon=request.epsilon * (1 - share)), "")
    grading = request.per_record * share
    spent = (
        min(request.per_record - grading, MOST_EPSILON) + grading
    )  # the first tree spends no more than `auto` does
    return GradedTrees(first, spent, Binarisation.of(request.schema), grading / spent)


WORDS: Mapping[str, Word] = {
    "card": Word(
        "card:ROUNDS",
        "a risk card: points for tests, and a risk for every sum of points",
        _card,
        PROTECTS,
        risks=True,
        takes_delta=True,
        choice=_form_for,
    ),
    "graded-tree": Word(
        "graded-tree",
        "the default tree, whose leaves are split further where risks differ",
        _graded_tree,
        leaves=True,
        counted=True,
        way_of="auto",
    ),
}
