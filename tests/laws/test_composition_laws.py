"""What must hold between the rules, whatever the numbers: order and grouping of steps never change a promise."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privpac.checker.check import check_derivation
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import ALL, Loss, Privacy, Unit, fact_from_json
from privpac.guarantee.proof import Proof

ZERO, ONE = Fraction(0), Fraction(1)

ratios = st.fractions(min_value=Fraction(1, 9), max_value=ONE, max_denominator=40)
deltas = st.one_of(
    st.just(ZERO), st.fractions(min_value=0, max_value=Fraction(1, 100), max_denominator=10**6)
)
counts = st.integers(1, 6)


def for_all(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same examples in every run."""
    few = settings(max_examples=80, deadline=None, derandomize=True)
    return lambda test: few(given(*strategies)(test))


@st.composite
def proofs(draw: st.DrawFn, *, decimal: bool = False, **scope: Any) -> Proof[Privacy]:
    """A release with a rational e^epsilon (or, with `decimal`, maybe a declared epsilon) and maybe a delta."""
    mechanism = rules.exponential_mechanism(ratio=draw(ratios), **scope)
    if decimal and draw(st.booleans()):
        above = mechanism.fact.epsilon.upper + draw(st.fractions(0, 1, max_denominator=100))
        return rules.declared(mechanism, epsilon=above, delta=draw(deltas))
    return with_delta(mechanism, draw(deltas))


def with_delta(proof: Proof[Privacy], delta: Fraction) -> Proof[Privacy]:
    fact = proof.fact
    idle = rules.exponential_mechanism(ratio=ONE, unit=fact.unit, part=fact.part, release=fact.release)
    return rules.sequential(proof, rules.declared(idle, epsilon=ZERO, delta=delta)) if delta else proof


def factor(proof: Proof[Privacy]) -> Fraction:
    assert proof.fact.epsilon.log == 0
    return proof.fact.epsilon.factor


# --- sequences ---


@for_all(proofs(decimal=True), proofs(decimal=True), proofs(decimal=True))
def test_sequences_may_be_cut_and_ordered_at_will(a: Any, b: Any, c: Any) -> None:
    whole = rules.sequential(a, b, c).fact
    assert rules.sequential(rules.sequential(a, b), c).fact == whole
    assert rules.sequential(a, rules.sequential(b, c)).fact == whole
    assert all(rules.sequential(*order).fact == whole for order in permutations((a, b, c)))


@for_all(proofs(decimal=True), counts)
def test_n_times_is_n_in_sequence(proof: Any, n: int) -> None:
    repeated = rules.sequential(*[proof] * n).fact
    assert repeated.epsilon == proof.fact.epsilon.times(n)
    assert repeated.delta == min(ONE, n * proof.fact.delta)


@for_all(ratios, counts)
def test_a_batch_that_saves_nothing_is_a_sequence(ratio: Fraction, n: int) -> None:
    proof = rules.exponential_mechanism(ratio=ratio)
    assert rules.k_fold(proof, times=n, saved=0).fact == rules.sequential(*[proof] * n).fact


@for_all(ratios, st.integers(2, 30), st.data())
def test_a_batch_trades_epsilon_for_delta(ratio: Fraction, times: int, data: st.DataObject) -> None:
    assume(ratio < 1)
    proof = rules.exponential_mechanism(ratio=ratio)
    saved = data.draw(st.integers(0, times // 2 - 1))
    less, more = (rules.k_fold(proof, times=times, saved=s).fact for s in (saved, saved + 1))
    assert more.epsilon < less.epsilon
    assert less.delta < more.delta < 1


@for_all(proofs(decimal=True, part="left"), proofs(decimal=True, part="right"))
def test_disjoint_parts_lose_no_more_than_a_sequence_and_no_less_than_either(left: Any, right: Any) -> None:
    apart = rules.disjoint_parts(left, right).fact
    assert apart == rules.disjoint_parts(right, left).fact
    assert left.fact.epsilon <= apart.epsilon
    assert right.fact.epsilon <= apart.epsilon
    assert apart.epsilon in (left.fact.epsilon, right.fact.epsilon)
    assert apart.epsilon <= left.fact.epsilon + right.fact.epsilon


# --- groups ---


@for_all(proofs(decimal=True))
def test_a_group_of_one_is_the_release_itself(proof: Any) -> None:
    assert rules.group(proof, size=1).fact == proof.fact


@for_all(proofs(decimal=True), st.integers(2, 5), counts)
def test_a_group_of_a_group_is_refused(proof: Any, a: int, b: int) -> None:
    """A fact about persons is not one about records, of which a person could have several."""
    with pytest.raises(RuleRefused, match="one record"):
        rules.group(rules.group(proof, size=a), size=b)


@for_all(proofs(decimal=True), counts, counts)
def test_a_larger_group_loses_no_less(proof: Any, a: int, b: int) -> None:
    few, many = (rules.group(proof, size=size).fact for size in (a, a + b))
    assert few.epsilon <= many.epsilon
    assert few.delta <= many.delta
    assert (few.records_per_person, many.records_per_person) == (a, a + b)


# --- samples ---


@for_all(proofs(), st.data())
def test_a_sample_of_a_sample_is_a_smaller_sample(proof: Any, data: st.DataObject) -> None:
    of = data.draw(st.integers(1, 50))
    middle = data.draw(st.integers(1, of))
    kept = data.draw(st.integers(1, middle))
    twice = rules.subsampling(rules.subsampling(proof, kept=kept, of=middle), kept=middle, of=of)
    assert twice.fact == rules.subsampling(proof, kept=kept, of=of).fact


@pytest.mark.long
@for_all(proofs(decimal=True), st.integers(1, 50))
def test_keeping_everything_loses_as_much(proof: Any, n: int) -> None:
    found = rules.subsampling(proof, kept=n, of=n).fact
    assert proof.fact.epsilon <= found.epsilon
    assert found.epsilon.upper <= proof.fact.epsilon.upper + Fraction(1, 10**11)
    assert found.delta == proof.fact.delta


@for_all(proofs(), st.integers(1, 30), st.integers(1, 30))
def test_both_samplings_keep_delta_over_the_growth_of_odds(proof: Any, kept: int, of: int) -> None:
    assume(factor(proof) > 1)
    before = proof.fact.delta / (factor(proof) - 1)
    some = rules.subsampling(proof, kept=min(kept, of), of=of)
    assert some.fact.delta / (factor(some) - 1) == before
    again = rules.sampling_with_replacement(proof, draws=kept, of=of)
    assume(again.fact.delta < 1)
    assert again.fact.delta / (factor(again) - 1) == before


@for_all(proofs(), st.integers(1, 30))
def test_one_draw_is_a_sample_of_one(proof: Any, of: int) -> None:
    one = rules.sampling_with_replacement(proof, draws=1, of=of).fact
    assert one == rules.subsampling(proof, kept=1, of=of).fact


@for_all(proofs(), st.integers(1, 8), st.integers(1, 8))
def test_drawing_with_replacement_loses_no_less_than_without(proof: Any, kept: int, more: int) -> None:
    of = kept + more
    without = rules.subsampling(proof, kept=kept, of=of).fact
    assert without.implies(rules.sampling_with_replacement(proof, draws=kept, of=of).fact)


# --- all rules ---

STEPS: tuple[Callable[[Proof[Privacy]], Proof[Privacy]], ...] = (
    lambda p: rules.sequential(p, rules.exponential_mechanism(ratio=Fraction(2, 3), unit=p.fact.unit)),
    lambda p: rules.subsampling(p, kept=3, of=8),
    lambda p: rules.sampling_with_replacement(p, draws=3, of=8),
    lambda p: rules.post_processing(p, what="rounded"),
    lambda p: rules.assuming(p, "it rains"),
    lambda p: rules.disjoint_parts(rules.on_part(p, part="left")),
    lambda p: rules.declared(p, epsilon=p.fact.epsilon.upper, delta=p.fact.delta),
)
"""Of one record."""
OF_PERSONS: tuple[Callable[[Proof[Privacy]], Proof[Privacy]], ...] = (
    lambda p: rules.sequential(p, p),
    lambda p: rules.post_processing(p, what="rounded"),
    lambda p: rules.assuming(p, "it rains"),
    lambda p: rules.declared(p, epsilon=p.fact.epsilon.upper, delta=p.fact.delta),
)
"""True of a person with several records, too."""


@for_all(ratios, ratios, deltas, deltas, st.sampled_from((*STEPS, lambda p: rules.group(p, size=3))))
def test_a_better_premise_never_proves_less(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction, step: Callable[..., Any]
) -> None:
    better = with_delta(rules.exponential_mechanism(ratio=max(a, b)), min(c, d))
    worse = with_delta(rules.exponential_mechanism(ratio=min(a, b)), max(c, d))
    assert better.fact.implies(worse.fact)
    assert step(better).fact.implies(step(worse).fact)


@for_all(ratios, ratios, st.integers(2, 12), st.data())
def test_a_batch_of_better_releases_has_a_smaller_loss(
    a: Fraction, b: Fraction, times: int, data: st.DataObject
) -> None:
    saved = data.draw(st.integers(0, times // 2))
    better, worse = (
        rules.k_fold(rules.exponential_mechanism(ratio=ratio), times=times, saved=saved).fact
        for ratio in (max(a, b), min(a, b))
    )
    assert better.implies(worse)


@for_all(
    proofs(decimal=True),
    st.lists(st.sampled_from(STEPS), max_size=4),
    st.sampled_from([1, 3]),
    st.lists(st.sampled_from(OF_PERSONS), max_size=2),
)
def test_any_derivation_is_stored_read_and_checked(
    proof: Any, steps: list[Callable[..., Any]], size: int, after: list[Callable[..., Any]]
) -> None:
    for step in (*steps, lambda p: rules.group(p, size=size), *after):
        proof = step(proof)
    assert (proof.fact.unit, proof.fact.part, proof.fact.records_per_person) == (Unit.RECORD, ALL, size)
    assert 0 <= proof.fact.delta <= 1
    assert Loss() <= proof.fact.epsilon
    tree = json.loads(json.dumps(proof.to_json()))
    assert fact_from_json(tree["fact"]) == proof.fact
    assert check_derivation(tree) >= 2 + len(steps) + len(after)
