"""Facts: exact losses, their order, their one line of text, and what is stored of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.guarantee.facts import (
    Accuracy,
    Against,
    Answers,
    BoundedRange,
    Fact,
    Loss,
    Privacy,
    Queries,
    Release,
    Stability,
    Unit,
    fact_from_json,
)
from privpac.numbers.exact import ratio_for

ONE = Loss(log=Fraction(1))


def answers(queries: Queries, records: int = 100) -> Answers:
    return Answers(Fraction(1, 10), Fraction(1, 20), queries, records)


class TestLoss:
    def test_adding_is_exact(self) -> None:
        tenth = Loss(log=Fraction(1, 10))
        assert sum([tenth] * 10, Loss()) == ONE == tenth.times(10)
        assert Loss(factor=Fraction(5, 3)) + Loss(factor=Fraction(3, 5)) == Loss()
        assert Loss(factor=Fraction(5, 3)).times(3) == Loss(factor=Fraction(125, 27))

    def test_a_declared_and_a_proved_loss_are_compared_exactly(self) -> None:
        ratio = ratio_for(Fraction(1, 2))
        proved = Loss(factor=ratio**-2)
        assert proved <= ONE
        assert proved < ONE
        assert not proved >= ONE
        below = Fraction(float(ratio)) - Fraction(1, 2**54)
        assert not Loss(factor=below**-2) <= ONE

    def test_a_difference_in_the_hundredth_digit_counts(self) -> None:
        tiny = Fraction(1, 10**100)
        assert Loss(log=Fraction(1) - tiny) < ONE < Loss(log=Fraction(1) + tiny)

    def test_upper_is_above_and_close(self) -> None:
        upper = Loss(factor=Fraction(2)).upper
        assert upper == Fraction("0.693147180560")
        assert Loss(log=Fraction(1, 10)).upper == Fraction(1, 10)

    def test_long_factors_are_rounded_up_so_that_they_can_be_written(self) -> None:
        loss = Loss(factor=ratio_for(Fraction(1, 2)) ** -2)
        total = loss.times(5000)
        assert loss.times(30).factor == loss.factor**30
        assert total.factor > loss.factor**5000
        assert len(total.to_json()["factor"]) < 4300
        added = sum([loss] * 200, Loss())
        assert loss.factor**200 <= added.factor <= loss.factor**200 * (1 + Fraction(1, 2**240))


BASE = Privacy(ONE)
STRONGER_THAN_WEAKER: list[tuple[Fact, Fact]] = [
    (answers(Queries.RANGES), answers(Queries.POINTS)),
    (answers(Queries.RANGES), answers(Queries.THRESHOLDS)),
    (answers(Queries.POINTS), Answers(Fraction(1, 5), Fraction(1, 10), Queries.POINTS, 100)),
    (Privacy(Loss(log=Fraction(1, 2))), BASE),
    (BASE, Privacy(ONE, Fraction(1, 10))),
    (BASE, Privacy(ONE, unit=Unit.LABEL)),
    (BASE, Privacy(ONE, part="hold-out part")),
    (BASE, Privacy(ONE, release=Release.ANSWER)),
    (BoundedRange(ONE), BASE),
    (BoundedRange(ONE), Privacy(ONE, unit=Unit.LABEL, release=Release.ANSWER)),
    (BoundedRange(ONE), BoundedRange(ONE.times(2), Unit.LABEL)),
    (Stability(Fraction(1, 4)), Stability(Fraction(1, 2), Unit.LABEL)),
    (
        Accuracy(Fraction(1, 10), Fraction(1, 20), Against.AGNOSTIC, 100),
        Accuracy(Fraction(1, 5), Fraction(1, 10), Against.REALIZABLE, 100, proper=False),
    ),
]

UNRELATED: list[tuple[Fact, Fact]] = [
    (answers(Queries.POINTS), answers(Queries.THRESHOLDS)),
    (answers(Queries.RANGES), answers(Queries.LISTED)),
    (answers(Queries.RANGES), answers(Queries.POINTS, 200)),
    (Privacy(ONE, release=Release.NUMBERS), BASE),
    (Privacy(ONE, part="a"), Privacy(ONE, part="b")),
    (BASE, Stability(Fraction(1))),
    (BASE, BoundedRange(ONE.times(2))),
    (
        Accuracy(Fraction(1, 10), Fraction(1, 20), Against.AGNOSTIC, 100),
        Accuracy(Fraction(1, 10), Fraction(1, 20), Against.AGNOSTIC, 200),
    ),
]


class TestOrder:
    @pytest.mark.parametrize(("stronger", "weaker"), STRONGER_THAN_WEAKER)
    def test_stronger_implies_weaker_and_not_the_other_way(self, stronger: Fact, weaker: Fact) -> None:
        assert stronger.implies(weaker)
        assert not weaker.implies(stronger)

    @pytest.mark.parametrize(("one", "other"), UNRELATED)
    def test_neither_implies_the_other(self, one: Fact, other: Fact) -> None:
        assert not one.implies(other)
        assert not other.implies(one)


FACTS: list[Fact] = [fact for pair in STRONGER_THAN_WEAKER + UNRELATED for fact in pair]


class TestStorage:
    @pytest.mark.parametrize("fact", FACTS)
    def test_reading_gives_back_the_fact(self, fact: Fact) -> None:
        assert fact_from_json(fact.to_json()) == fact

    def test_one_record_of_a_person_is_not_written(self) -> None:
        assert "records_per_person" not in BASE.to_json()
        several = replace(BASE, records_per_person=3)
        assert fact_from_json(several.to_json()) == several != BASE
        assert several.implies(BASE)
        assert not BASE.implies(several)

    def test_an_unknown_kind_is_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown kind"):
            fact_from_json({"kind": "hearsay"})
