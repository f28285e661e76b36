"""`implies` is a partial order on facts, and it agrees with what the numbers mean."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.guarantee.facts import (
    ALL,
    Accuracy,
    Against,
    BoundedRange,
    Fact,
    Loss,
    Privacy,
    Release,
    Stability,
    Unit,
    fact_from_json,
)

numbers = st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
losses = st.builds(
    Loss, numbers, st.sampled_from([Fraction(1), Fraction(10, 9), Fraction(3, 2), Fraction(3)])
)
units = st.sampled_from(list(Unit))
privacy = st.builds(
    Privacy,
    losses,
    numbers,
    units,
    st.sampled_from([ALL, "training part", "hold-out part"]),
    st.sampled_from(Release),
)
accuracy = st.builds(
    Accuracy, numbers, numbers, st.sampled_from(Against), st.sampled_from([10, 20]), st.booleans()
)
facts: st.SearchStrategy[Fact] = st.one_of(
    privacy, st.builds(BoundedRange, losses, units), st.builds(Stability, numbers, units), accuracy
)


@given(facts)
def test_reflexive(a: Fact) -> None:
    assert a.implies(a)


@given(facts, facts)
@settings(max_examples=400)
def test_antisymmetric(a: Fact, b: Fact) -> None:
    if a.implies(b) and b.implies(a):
        assert a == b


@given(st.lists(privacy, min_size=3, max_size=3))
@settings(max_examples=400)
def test_transitive_for_privacy(three: list[Privacy]) -> None:
    a, b, c = three
    if a.implies(b) and b.implies(c):
        assert a.implies(c)


@given(facts, facts, facts)
@settings(max_examples=400)
def test_transitive(a: Fact, b: Fact, c: Fact) -> None:
    if a.implies(b) and b.implies(c):
        assert a.implies(c)


@given(losses, losses, losses)
def test_losses_are_ordered_like_numbers(a: Loss, b: Loss, c: Loss) -> None:
    assert a <= b or b <= a
    assert (a <= b and b <= a) == (a == b)
    if a <= b:
        assert a + c <= b + c
        assert not b < a


@given(facts)
def test_storage_keeps_the_fact(a: Fact) -> None:
    assert fact_from_json(a.to_json()) == a


@given(privacy)
def test_a_record_covers_its_label_and_all_records_cover_a_part(a: Privacy) -> None:
    for weaker in (
        Privacy(a.epsilon, a.delta, Unit.LABEL, a.part, a.release),
        Privacy(a.epsilon + Loss(log=Fraction(1)), a.delta, a.unit, a.part, a.release),
        Privacy(a.epsilon, a.delta + 1, a.unit, a.part, a.release),
    ):
        assert a.implies(weaker)
    if a.part == ALL:
        assert a.implies(Privacy(a.epsilon, a.delta, a.unit, "some part", a.release))
