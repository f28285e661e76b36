"""Rows of risk cards: whole cards, with their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.cases import Case, learner_case, tiny_schema

__all__ = ["ROWS"]

PLACE = 35


def _card(name: str, cells: tuple[int, ...], n: int, rounds: int, *, epsilon: Fraction, categories: int = 0) -> Case:
    schema = tiny_schema(*cells, categories=categories)
    learner = CardLearner(schema, epsilon, Binarisation.of(schema), rounds)
    return learner_case(name, learner, schema, n)


ROWS: Mapping[str, Callable[[], Case]] = {
    "card": lambda: _card("risk card of two rounds", (2,), 1, 2, epsilon=Fraction(1)),
}
