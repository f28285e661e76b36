"""A card with a delta: divergences of the code that ships stay within the rho of its certificate, and hardly below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from privpac.audit.exact import Record
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins, outcome_law
from privpac.concepts.cards.card import bucket_row
from privpac.concepts.cards.tallies import ByClass, BySum, Points, looks
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.cases import learner_case
from privpac.data.sample import Size
from privpac.guarantee.facts import Concentrated, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.concentrated import noise_rho, spendable
from privpac.numbers.exact import ratio_for
from tests.exact.divergences import Law, covered, moment, worst_moment

SCHEMA = tiny_schema(2)
EPSILON, DELTA, HALF = Fraction(4), Fraction(1, 100), Fraction(1, 2)
CARD = CardLearner(SCHEMA, EPSILON, Binarisation.of(SCHEMA), 2, delta=DELTA)


def _rho_at(proof: Proof[object], rule: str) -> Fraction:
    """The rho of the first step by this rule."""
    steps = [proof]
    while steps[0].rule != rule:
        steps = [*steps[0].premises, *steps[1:]]
    fact = steps[0].fact
    assert isinstance(fact, Concentrated)
    return fact.rho


def _laws(run: Callable[[Sequence[Record], Coins], Hashable], records: Sequence[Record]) -> list[Law]:
    """On each single record; what is refused is an outcome too."""
    return [outcome_law(lambda coins, one=one: run((one,), coins)) for one in records]  # type: ignore[misc]


def _pairs(laws: Sequence[Law]) -> list[tuple[Law, Law]]:
    return [(p, q) for i, p in enumerate(laws) for q in laws[:i]]


@pytest.mark.long_cases("record")
@pytest.mark.parametrize("unit", [Unit.RECORD, Unit.LABEL])
def test_a_whole_card_stays_within_the_rho_of_its_certificate(unit: Unit) -> None:
    learner = CARD if unit is Unit.RECORD else LabelPrivateCard(SCHEMA, EPSILON, 1, delta=DELTA)
    rho = _rho_at(learner.certify(Size(1)).privacy, "concentrated-post-processing")
    assert rho <= spendable(EPSILON, DELTA).rho
    case = learner_case("a card", learner, SCHEMA, 1)
    laws = _laws(case.run, case.records)
    pairs = _pairs(laws) if unit is Unit.RECORD else list(pairwise(laws))[::2]  # labels vary fastest
    worst = worst_moment(pairs, 2)  # in fractions of thousands of digits, so of one order only
    assert covered(worst, 2, rho)
    assert not covered(worst, 2, rho / 3)  # the claim is not far from the truth


def _rounds(data: Sequence[Record], coins: Coins) -> Hashable:
    records = looks(sample_of(SCHEMA, data), CARD.tests)
    return CARD.draw_rounds(records, records.reduce(ByClass(CARD.tests)), HALF, coins)


def test_rounds_cost_an_eighth_of_their_squares_and_not_a_sixteenth() -> None:
    rho = CARD.rounds * CARD.spending.each**2 / 8
    pairs = _pairs(_laws(_rounds, records_of(SCHEMA)))
    for order in (2, 3, 5):
        assert covered(worst_moment(pairs, order), order, rho)
    assert not covered(worst_moment(pairs, 2), 2, rho / 2)


def test_a_table_is_not_priced_as_one_count_that_moves_by_one() -> None:
    """Two of its counts move: noise that hides one of them costs twice as much."""
    half = CARD.table_epsilon / 2

    def table(data: Sequence[Record], coins: Coins) -> Hashable:
        records = looks(sample_of(SCHEMA, data), CARD.tests)
        drawn = (Points(CARD.tests.tests[0], 3),)
        counts = records.reduce(BySum(CARD.tests, drawn, bucket_row(drawn))).ravel().tolist()
        return tuple(add_noise(counts, ratio=ratio_for(half), low=0, high=1, coins=coins))

    p, q = _laws(table, ((0, 0), (1, 1)))
    found = moment(p, q, 2)
    assert found is not None
    assert covered(found, 2, noise_rho(CARD.table_epsilon, counts=2, largest=1))
    assert not covered(found, 2, noise_rho(half, counts=1, largest=1))
