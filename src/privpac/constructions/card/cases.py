"""Rows of risk cards and graded trees: whole ones, and their rounds alone, where more records can be enumerated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.cards.tallies import ByClass, looks
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf, Split
from privpac.concepts.trees.trees import Trees
from privpac.constructions.card import rules
from privpac.constructions.card.graded_tree import POINTS, GradedTrees
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.levels import TREE_CAP, Growth
from privpac.constructions.cases import Case, Record, learner_case, records_of, remembered, tiny_schema
from privpac.constructions.draw.occam import Occam
from privpac.data.schema import Schema
from privpac.guarantee.facts import Unit

__all__ = ["ROWS", "rounds_case"]

PLACE = 35

ONE, HALF = Fraction(1), Fraction(1, 2)


def _card() -> Case:
    """A whole card of two rounds, with its table."""
    schema = tiny_schema(2)
    return learner_case(
        "risk card of two rounds", CardLearner(schema, ONE, Binarisation.of(schema), 2), schema, 1
    )


def _with_delta() -> Case:
    """A whole card of two rounds that shares rho."""
    schema = tiny_schema(2)
    learner = CardLearner(schema, Fraction(4), Binarisation.of(schema), 2, delta=Fraction(1, 100))
    return learner_case("risk card with a delta", learner, schema, 1)


def _mixed() -> Case:
    """A whole card of one round, in which two answers are drawn at once."""
    schema = tiny_schema(2, 2)
    learner = CardLearner(schema, ONE, Binarisation.of(schema), 1, mixed=True)
    return learner_case("risk card of two answers at once", learner, schema, 1)


def rounds_case(
    name: str, schema: Schema, n: int, rounds: int, *, epsilon: Fraction, mixed: bool = False
) -> Case:
    """The draws alone, from a share of class 1 that is known: no noise takes part, so more records can be tried."""
    learner = CardLearner(schema, epsilon, Binarisation.of(schema), rounds, mixed=mixed)

    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        records = looks(remembered(schema, data, memory), learner.tests)
        return learner.draw_rounds(records, records.reduce(ByClass(learner.tests)), HALF, coins)

    claim = learner.spending.drawn(Unit.RECORD).fact
    return Case(name, run, records_of(schema), n, claim, certified=lambda records: claim)


def _labels() -> Case:
    """A card of one round whose tests come from the features; only labels change between neighbours."""
    schema = tiny_schema(3)
    return learner_case("risk card, labels protected", LabelPrivateCard(schema, ONE, 1), schema, 1)


def _graded_tree() -> Case:
    """A whole graded tree: a first one of one question, the counts of its leaves, and both levels."""
    schema = tiny_schema(2)
    tests = Binarisation.of(schema)
    learner = GradedTrees(Occam(Trees(schema, 1, tests), 10 * ONE), 16 * ONE, tests)
    return learner_case("graded tree", learner, schema, 1)


def _graded_levels() -> Case:
    """The levels alone, with the signs that the tree does not show, on a tree and shares that are known: no noise takes
    part, so more records can be tried."""
    schema = tiny_schema(2, 2)
    tests = Binarisation.of(schema)
    below = Binarisation(schema, tests.tests[1:])
    learner = GradedTrees(Occam(Trees(schema, 1, tests), ONE), Fraction(64), below)
    first = Split(tests.tests[0], Leaf(0), Leaf(1))
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        growth = Growth.on(first, iter([Fraction(1, 4), HALF]))
        return learner.draw_levels(remembered(schema, data, memory), growth, coins)

    claim = rules.weighted_rounds(ratio=learner.ratio, cap=TREE_CAP, rounds=len(POINTS)).fact
    return Case("levels of a graded tree", run, records_of(schema), 2, claim, certified=lambda records: claim)


ROWS: Mapping[str, Callable[[], Case]] = {
    "card": _card,
    "card-delta": _with_delta,
    "card-labels": _labels,
    "card-rounds": lambda: rounds_case("two rounds of a card", tiny_schema(2, 2), 2, 2, epsilon=Fraction(10)),
    "card-rounds-categories": lambda: rounds_case(
        "two rounds of a card on categories", tiny_schema(categories=3), 2, 2, epsilon=Fraction(10)
    ),
    "card-mixed": _mixed,
    "card-rounds-mixed": lambda: rounds_case(
        "a round of a test and one of two answers",
        tiny_schema(2, 2),
        2,
        2,
        epsilon=Fraction(10),
        mixed=True,
    ),
    "graded-tree": _graded_tree,
    "graded-tree-levels": _graded_levels,
}
