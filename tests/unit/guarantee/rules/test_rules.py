"""Each rule against numbers worked out by hand or by another road, and each of its refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import arb, ctx

from privpac.constructions.few_labels import boost
from privpac.constructions.wrappers import relabelling
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import (
    ALL,
    Accuracy,
    Against,
    BoundedRange,
    Loss,
    Privacy,
    Range,
    Release,
    Stability,
    Unit,
)
from privpac.guarantee.proof import SEAL, Proof
from privpac.numbers.composition import fold_delta

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
DRAWN = rules.exponential_mechanism(ratio=HALF)


def pure(factor: Fraction | int, **scope: Any) -> Proof[Privacy]:
    """e^epsilon = factor: the square of one over a ratio, noise with a change of 1 otherwise."""
    return rules.geometric_noise(ratio=1 / Fraction(factor), change=1, **scope)


def approximate(factor: Fraction | int, delta: Fraction, **scope: Any) -> Proof[Privacy]:
    """A fact with a delta: something that depends on no record, said to have one, next to a pure release."""
    idle = rules.declared(
        rules.exponential_mechanism(ratio=Fraction(1), **scope), epsilon=Fraction(0), delta=delta
    )
    return idle if factor == 1 else rules.sequential(pure(factor, **scope), idle)


# --- of every rule ---


@pytest.mark.parametrize(
    "loss", [Loss(factor=HALF), Loss(log=-THIRD, factor=Fraction(4)), Loss(Fraction(1), HALF)]
)
def test_no_rule_proves_a_loss_below_nothing(loss: Loss) -> None:
    for fact in (Privacy(loss), BoundedRange(loss), Range(loss)):
        with pytest.raises(RuleRefused) as refused:
            Proof(fact, "exponential-mechanism", seal=SEAL)
        assert refused.value.owner == "exponential-mechanism"


def test_where_only_labels_are_private_nothing_is_gained_by_sampling() -> None:
    """Features may tell who was kept: a run on one record that releases its features loses all the same."""
    labels = rules.exponential_mechanism(ratio=HALF, unit=Unit.LABEL)
    with pytest.raises(RuleRefused) as refused:
        rules.subsampling(labels, kept=1, of=10)
    assert refused.value.owner == "subsampling-without-replacement"
    with pytest.raises(RuleRefused) as refused:
        rules.sampling_with_replacement(labels, draws=1, of=10)
    assert refused.value.owner == "sampling-with-replacement"
    with pytest.raises(RuleRefused) as refused:
        rules.subsampled_concentrated(rules.draw_range(labels), kept=1, of=10)
    assert refused.value.owner == "subsampled-concentrated"


# --- mechanisms ---


@pytest.mark.parametrize("rule", [rules.exponential_mechanism, rules.permute_and_flip])
def test_selections_lose_the_ratio_twice(rule: Any) -> None:
    assert rule(ratio=HALF).fact.epsilon == Loss(factor=Fraction(4))
    assert rule(ratio=Fraction(2, 3), sensitivity=3).fact.epsilon == Loss(factor=Fraction(729, 64))
    assert rule(ratio=Fraction(1)).fact.epsilon == Loss()
    fact = rule(ratio=HALF, unit=Unit.LABEL, part="left").fact
    assert (fact.delta, fact.unit, fact.part, fact.release) == (0, Unit.LABEL, "left", Release.HYPOTHESIS)


@pytest.mark.parametrize(
    "rule",
    [rules.exponential_mechanism, rules.permute_and_flip, rules.bounded_range],
)
@pytest.mark.parametrize(
    ("ratio", "sensitivity"),
    [
        (Fraction(0), 1),
        (Fraction(-1, 2), 1),
        (Fraction(3, 2), 1),
        (HALF, 0),
        (HALF, -1),
        (HALF, 3607),  # e^epsilon = 4^3607, epsilon just above 5,000
    ],
)
def test_selections_refuse(rule: Any, ratio: Fraction, sensitivity: int) -> None:
    with pytest.raises(RuleRefused):
        rule(ratio=ratio, sensitivity=sensitivity)


def test_the_exponential_mechanism_may_answer_one_question() -> None:
    assert rules.exponential_mechanism(ratio=HALF, release=Release.ANSWER).fact.release is Release.ANSWER


def test_long_losses_are_rounded_up_by_less_than_one_part_in_2_to_the_255() -> None:
    ratio = Fraction(2**52 + 1, 2**53)
    found = rules.exponential_mechanism(ratio=ratio, sensitivity=100).fact.epsilon.factor
    true = ratio**-200
    assert true < found < true * (1 + Fraction(1, 2**255))
    assert found.numerator.bit_length() <= 512


def test_bounded_range_and_its_stability() -> None:
    proof = rules.bounded_range(ratio=HALF, sensitivity=2, unit=Unit.LABEL)
    assert proof.fact == BoundedRange(Loss(factor=Fraction(16)), Unit.LABEL)
    found = rules.total_variation(proof)
    assert found.fact == Stability(Fraction(3, 5), Unit.LABEL)  # tanh(ln 2) = (4 - 1)/(4 + 1)


@pytest.mark.parametrize("ratio", ["1", "999999/1000000", "2/3", "1/2", "1/7", "1/1000000007"])
def test_stability_is_the_smallest_decimal_of_twelve_digits(ratio: str) -> None:
    loss = Fraction(ratio) ** -2
    gamma = rules.total_variation(rules.bounded_range(ratio=Fraction(ratio))).fact.gamma
    step = Fraction(1, 10**12)
    assert (gamma / step).denominator == 1
    assert gamma == 1 or loss <= ((1 + gamma) / (1 - gamma)) ** 2
    below = gamma - step
    assert gamma == 0 or loss > ((1 + below) / (1 - below)) ** 2
    assert float(gamma) == pytest.approx(math.tanh(math.log(loss) / 4), abs=2e-12)


def test_noise_loses_the_ratio_once_a_unit_of_change() -> None:
    fact = rules.geometric_noise(ratio=Fraction(2, 3), change=2).fact
    assert fact.epsilon == Loss(factor=Fraction(9, 4))
    assert fact.release is Release.NUMBERS
    for ratio, change in ((Fraction(1), 1), (Fraction(0), 1), (HALF, 0), (Fraction(5, 4), 1), (HALF, 7300)):
        with pytest.raises(RuleRefused):
            rules.geometric_noise(ratio=ratio, change=change)


# --- the same fact, said of something else ---


def test_post_processing_changes_the_release_alone() -> None:
    old = pure(3, unit=Unit.LABEL, part="left")
    new = rules.post_processing(old, what="rounded", release=Release.ANSWER)
    assert new.fact == replace(old.fact, release=Release.ANSWER)
    with pytest.raises(RuleRefused):  # the checker asks for words too
        rules.post_processing(old, what="")


def test_on_part_speaks_of_a_part() -> None:
    old = approximate(2, Fraction(1, 50))
    assert rules.on_part(old, part="left").fact == replace(old.fact, part="left")
    for name in (ALL, ""):
        with pytest.raises(RuleRefused):
            rules.on_part(old, part=name)
    with pytest.raises(RuleRefused):
        rules.on_part(rules.on_part(old, part="left"), part="left of left")


def test_assuming_keeps_the_fact() -> None:
    old = pure(3)
    new = rules.assuming(rules.assuming(old, "the sun shines"), "it rains")
    assert new.fact == old.fact
    assert new.assumptions == ("it rains", "the sun shines")
    with pytest.raises(RuleRefused):
        rules.assuming(old, "")


def test_declared_is_what_is_charged() -> None:
    old = pure(3)  # ln 3 = 1.09861...
    assert rules.declared(old, epsilon=Fraction("1.0987")).fact.epsilon == Loss(log=Fraction("1.0987"))
    with pytest.raises(RuleRefused) as refused:
        rules.declared(old, epsilon=Fraction("1.0986"))
    assert refused.value.owner == "declared"
    with pytest.raises(RuleRefused):
        rules.declared(old, epsilon=Fraction(-2))
    with pytest.raises(RuleRefused) as refused:
        rules.declared(old, epsilon=Fraction(2), delta=Fraction(3, 2))
    assert refused.value.owner == "declared"
    some = approximate(2, Fraction(1, 50))
    assert rules.declared(some, epsilon=Fraction(1), delta=Fraction(1, 50)).fact.delta == Fraction(1, 50)
    with pytest.raises(RuleRefused):
        rules.declared(some, epsilon=Fraction(1), delta=Fraction(1, 51))
    with pytest.raises(RuleRefused):
        rules.declared(some, epsilon=Fraction(1))


# --- several releases ---


def test_sequential_adds() -> None:
    found = rules.sequential(pure(3), approximate(2, Fraction(1, 50)), approximate(2, Fraction(1, 25)))
    assert found.fact.epsilon == Loss(factor=Fraction(12))
    assert found.fact.delta == Fraction(3, 50)
    mixed = rules.sequential(rules.declared(pure(3), epsilon=Fraction(2)), pure(5))
    assert mixed.fact.epsilon == Loss(log=Fraction(2), factor=Fraction(5))
    assert rules.sequential(pure(7)).fact == pure(7).fact


def test_deltas_end_at_1() -> None:
    whole = rules.declared(pure(2), epsilon=Fraction(1), delta=Fraction(2, 3))
    assert rules.sequential(whole, whole).fact.delta == 1
    assert rules.group(whole, size=5).fact.delta == 1
    assert rules.sampling_with_replacement(whole, draws=9, of=2).fact.delta == 1


@pytest.mark.parametrize("rule", [rules.sequential, rules.disjoint_parts])
def test_nothing_cannot_be_composed_and_units_must_agree(rule: Any) -> None:
    with pytest.raises(RuleRefused, match="nothing to compose"):
        rule()
    with pytest.raises(RuleRefused, match="units differ"):
        rule(pure(2, part="l"), pure(2, part="r", unit=Unit.LABEL))


def test_sequential_refuses_different_parts_and_losses_without_end() -> None:
    with pytest.raises(RuleRefused) as refused:
        rules.sequential(pure(2, part="left"), pure(2, part="right"))
    assert refused.value.owner == "sequential"
    with pytest.raises(RuleRefused) as refused:
        rules.sequential(*[pure(10**1000)] * 3)
    assert refused.value.owner == "sequential"


def test_joint_releases_are_named() -> None:
    answer = rules.exponential_mechanism(ratio=HALF, release=Release.ANSWER)
    assert rules.sequential(answer, answer).fact.release is Release.ANSWER
    assert rules.sequential(pure(2), pure(2)).fact.release is Release.NUMBERS
    assert rules.sequential(answer, pure(2)).fact.release is Release.HYPOTHESIS


def test_the_worst_part_counts() -> None:
    left = rules.on_part(approximate(2, Fraction(1, 25)), part="left")
    right = rules.on_part(approximate(3, Fraction(1, 50)), part="right")
    fact = rules.disjoint_parts(left, right).fact
    assert (fact.epsilon, fact.delta, fact.part) == (Loss(factor=Fraction(3)), Fraction(1, 25), ALL)
    for premises in ((left, left), (left, approximate(2, Fraction(1, 25)))):
        with pytest.raises(RuleRefused) as refused:
            rules.disjoint_parts(*premises)
        assert refused.value.owner == "disjoint-parts"


# --- groups ---


def test_group_by_hand() -> None:
    fact = rules.group(approximate(2, Fraction(1, 50)), size=3).fact
    assert fact.epsilon == Loss(factor=Fraction(8))
    assert fact.delta == Fraction(1 + 2 + 4, 50)
    fact = rules.group(approximate(1, Fraction(1, 50)), size=3).fact
    assert (fact.epsilon, fact.delta) == (Loss(), Fraction(3, 50))
    proof = rules.group(pure(2), size=2)
    assert proof.assumptions == ("no person stands behind more than 2 records",)
    assert rules.group(pure(2), size=1).assumptions == ()
    for size in (0, -1):
        with pytest.raises(RuleRefused):
            rules.group(pure(2), size=size)
    with pytest.raises(RuleRefused) as refused:
        rules.group(pure(2), size=10_000)
    assert refused.value.owner == "group"


def test_what_is_promised_to_a_person_says_so_and_is_carried_on() -> None:
    two = rules.group(rules.exponential_mechanism(ratio=HALF), size=2)
    assert two.fact.records_per_person == 2
    assert rules.group(pure(2), size=1).fact.records_per_person == 1
    on_top = (
        rules.declared(two, epsilon=Fraction(3)),
        rules.assuming(two, "it rains"),
        rules.sequential(two, two),
        rules.k_fold(two, times=2, saved=0),
        rules.k_fold(two, times=2, saved=1),
        rules.post_processing(two, what="rounded", release=Release.ANSWER),
        rules.concentrated_privacy(
            rules.concentrated_sum(rules.pure_concentrated(two), times=2), delta=HALF, order=Fraction(2)
        ),
    )
    assert {proof.fact.records_per_person for proof in on_top} == {2}
    assert "up to 2 records of one person replaced" in str(on_top[0].fact)
    assert "up to 2 records of one person replaced" in str(rules.pure_concentrated(two).fact)


def test_rules_that_count_one_record_refuse_a_person_with_two() -> None:
    one = rules.exponential_mechanism(ratio=HALF)
    two = rules.group(one, size=2)
    parts = [rules.group(rules.on_part(one, part=name), size=2) for name in ("left", "right")]
    refused: list[Any] = [
        lambda: rules.sequential(two, one),
        lambda: rules.group(two, size=2),
        lambda: rules.on_part(two, part="left"),
        lambda: rules.disjoint_parts(*parts),
        lambda: rules.concentrated_parts(*map(rules.pure_concentrated, parts)),
        lambda: rules.concentrated_group(rules.pure_concentrated(two), size=2),
        lambda: rules.concentrated_sum(rules.pure_concentrated(two), rules.pure_concentrated(one)),
        lambda: rules.subsampling(two, kept=1, of=2),
        lambda: rules.sampling_with_replacement(two, draws=1, of=2),
        lambda: boost.label_boost_labelled(two, classes=2, ratio=HALF),
        lambda: boost.label_boost_unlabelled(two, classes=2),
        lambda: relabelling.relabelling_part(two, classes=2, ratio=HALF, change=1, part="left"),
        lambda: relabelling.relabelling(two, classes=2, kept=1, of=2, ratio=HALF, change=1, mistake=1),
        lambda: Proof(replace(one.fact, records_per_person=2), "exponential-mechanism", seal=SEAL),
    ]
    for make in refused:
        with pytest.raises(RuleRefused, match="record"):
            make()


def test_those_who_are_relabelled_are_a_part() -> None:
    """Those who vote lose otherwise: a fact about all records would forget them."""
    one = rules.exponential_mechanism(ratio=HALF)
    named = relabelling.relabelling_part(one, classes=2, ratio=HALF, change=1, part="left")
    assert named.fact.part == "left"
    for premise, part in ((one, ALL), (one, ""), (rules.on_part(one, part="left"), "left")):
        with pytest.raises(RuleRefused):
            relabelling.relabelling_part(premise, classes=2, ratio=HALF, change=1, part=part)


def test_group_of_a_declared_epsilon_rounds_its_delta_up() -> None:
    old = rules.declared(pure(2), epsilon=Fraction(1), delta=Fraction(1, 10**6))
    fact = rules.group(old, size=3).fact
    assert fact.epsilon == Loss(log=Fraction(3))
    true = (1 + math.e + math.e**2) / 10**6
    assert float(fact.delta) == pytest.approx(true, rel=1e-12)
    with ctx.workprec(300):
        e = arb(1).exp()
        assert arb(fact.delta.numerator) / fact.delta.denominator > (1 + e + e * e) / 10**6


# --- samples ---


def test_subsampling_by_hand() -> None:
    fact = rules.subsampling(approximate(3, Fraction(1, 50)), kept=2, of=5).fact
    assert fact.epsilon == Loss(factor=Fraction(9, 5))
    assert fact.delta == Fraction(1, 125)
    everything = rules.subsampling(pure(3), kept=7, of=7)
    assert everything.fact == pure(3).fact
    for kept, of in ((0, 5), (6, 5), (-1, 5), (1, 0)):
        with pytest.raises(RuleRefused):
            rules.subsampling(pure(3), kept=kept, of=of)


def test_subsampling_of_a_declared_epsilon_is_rounded_up() -> None:
    fact = rules.subsampling(rules.declared(pure(2), epsilon=Fraction(1)), kept=1, of=10).fact
    assert fact.epsilon.log == 0
    with ctx.workprec(300):
        true = 1 + (arb(1).exp() - 1) / 10
        found = arb(fact.epsilon.factor.numerator) / fact.epsilon.factor.denominator
        assert true < found < true + arb(10) ** -29
    with pytest.raises(RuleRefused) as refused:
        rules.subsampling(rules.declared(pure(2), epsilon=Fraction(1001)), kept=1, of=10)
    assert refused.value.owner == "subsampling-without-replacement"


def test_with_replacement_by_hand() -> None:
    fact = rules.sampling_with_replacement(approximate(3, Fraction(1, 50)), draws=2, of=4).fact
    assert fact.epsilon == Loss(factor=Fraction(9, 4))  # (1 + 2/4)^2
    assert fact.delta == Fraction(1, 50) * Fraction(5, 8)  # (9/4 - 1)/(3 - 1)
    idle = rules.sampling_with_replacement(approximate(1, Fraction(1, 50)), draws=2, of=4).fact
    assert (idle.epsilon, idle.delta) == (Loss(), Fraction(1, 100))
    for draws, of in ((0, 5), (5, 0), (-1, 5)):
        with pytest.raises(RuleRefused):
            rules.sampling_with_replacement(pure(3), draws=draws, of=of)


def responses(e: Fraction, n: int) -> dict[tuple[int, ...], Fraction]:
    """Randomised response of n bits, all 0: the hardest epsilon-DP release there is."""
    p = e / (1 + e)
    return {bits: p ** bits.count(0) * (1 - p) ** bits.count(1) for bits in product((0, 1), repeat=n)}


@pytest.mark.parametrize("e", [Fraction(2), Fraction(7, 5), Fraction(9)])
@pytest.mark.parametrize(("times", "saved"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 1), (5, 2), (7, 3), (8, 2)])
def test_k_fold_is_what_randomised_response_loses(e: Fraction, times: int, saved: int) -> None:
    """delta is the hockey-stick distance between n responses on 0 and on 1, by listing all 2^n of them."""
    fact = rules.k_fold(pure(e), times=times, saved=saved).fact
    limit = e ** (times - 2 * saved)
    assert fact.epsilon == Loss(factor=limit)
    zero = responses(e, times)
    true = sum(max(Fraction(0), p - limit * zero[tuple(1 - b for b in bits)]) for bits, p in zero.items())
    assert fact.delta == true


def binomial_delta(epsilon: float, times: int, saved: int) -> float:
    """The same sum in logarithms of gamma functions."""
    total, base = 0.0, times * math.log1p(math.exp(epsilon))
    for i in range(saved):
        ways = math.lgamma(times + 1) - math.lgamma(i + 1) - math.lgamma(times - i + 1) - base
        upper, lower = (times - i) * epsilon, (times - 2 * saved + i) * epsilon
        total += math.exp(ways + upper) - math.exp(ways + lower)
    return total


@pytest.mark.parametrize("saved", [1, 10, 20, 24, 30, 40, 50])
def test_a_hundred_releases_of_a_tenth(saved: int) -> None:
    tenth = rules.declared(pure(Fraction(21, 20)), epsilon=Fraction(1, 10))
    fact = rules.k_fold(tenth, times=100, saved=saved).fact
    assert float(fact.epsilon.upper) == pytest.approx((100 - 2 * saved) / 10, abs=1e-10)
    assert fact.epsilon.upper >= Fraction(100 - 2 * saved, 10)
    assert float(fact.delta) == pytest.approx(binomial_delta(0.1, 100, saved), rel=1e-9)


def test_k_fold_refuses() -> None:
    for premise, times, saved in (
        (approximate(2, Fraction(1, 50)), 4, 1),
        (pure(2), 0, 0),
        (pure(2), 4, 3),
        (pure(2), 4, -1),
        (pure(2), 10_001, 1),
        (pure(2), 9_000, 0),
    ):
        with pytest.raises(RuleRefused):
            rules.k_fold(premise, times=times, saved=saved)


@pytest.mark.long_cases("1000")
@pytest.mark.parametrize("times", [60, 300, 1000])
def test_long_deltas_are_rounded_up_and_hardly(times: int) -> None:
    e, saved = Fraction(2**60 + 1, 2**60 - 2**57), times // 3
    found = fold_delta(e, times=times, saved=saved)
    true = (
        sum(math.comb(times, i) * (e ** (times - i) - e ** (times - 2 * saved + i)) for i in range(saved))
        / (1 + e) ** times
    )
    assert true <= found <= true * (1 + Fraction(1, 2**250))


# --- accuracy ---


def claimed(**changes: Any) -> Proof[Accuracy]:
    wishes = {
        "odds": 9,
        "records": 40,
        "ratio": HALF,
        "tilt": HALF,
        "error": Fraction(2, 5),
        "failure": Fraction(1, 100),
        "against": Against.REALIZABLE,
    }
    return rules.occam(**{**wishes, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("against", [Against.REALIZABLE, Against.AGNOSTIC])
@pytest.mark.parametrize("tilt", [HALF, Fraction(3, 4), Fraction(9, 10)])
def test_occam_holds_down_to_its_bound_and_no_further(against: Against, tilt: Fraction) -> None:
    error = Fraction(2, 5)
    if against is Against.REALIZABLE:
        base = 1 - error * (1 - tilt)
    else:
        base = ((1 - error) / tilt + (1 + error) * tilt) / 2
    records = 60
    bound, hair = 9 * base**records, Fraction(1, 2**100)
    if bound < 1:
        fact = claimed(against=against, tilt=tilt, records=records, failure=bound * (1 + hair)).fact
        assert fact == Accuracy(error, bound * (1 + hair), against, records)
        with pytest.raises(RuleRefused, match="larger than the failure"):
            claimed(against=against, tilt=tilt, records=records, failure=bound * (1 - hair))
    else:
        with pytest.raises(RuleRefused):
            claimed(against=against, tilt=tilt, records=records, failure=Fraction(999, 1000))


@pytest.mark.parametrize(
    "changes",
    [
        {"ratio": Fraction(0)},
        {"tilt": THIRD},
        {"tilt": Fraction(5, 4)},
        {"error": Fraction(0)},
        {"error": Fraction(6, 5)},
        {"failure": Fraction(0)},
        {"failure": Fraction(1)},
        {"odds": -1},
        {"records": -1},
        {"records": 10},
        {"odds": 10**9},
    ],
)
def test_occam_refuses(changes: dict[str, Any]) -> None:
    claimed()
    with pytest.raises(RuleRefused):
        claimed(**changes)


# --- proofs ---


def test_nobody_else_makes_a_proof() -> None:
    honest = pure(3)
    with pytest.raises(TypeError, match="made by a rule"):
        Proof(honest.fact, "geometric-noise")
    with pytest.raises(TypeError, match="made by a rule"):
        replace(honest, fact=replace(honest.fact, epsilon=Loss()))
    with pytest.raises(TypeError):
        honest.where["ratio"] = "1"  # type: ignore[index]


@pytest.mark.parametrize(
    "first",
    [
        rules.exponential_mechanism(ratio=HALF, unit=Unit.LABEL),
        rules.declared(DRAWN, epsilon=Fraction(2), delta=Fraction(1, 100)),
        rules.on_part(DRAWN, part="some"),
        rules.group(DRAWN, size=2),
        pure(2),
    ],
    ids=["labels", "delta", "part", "person", "numbers"],
)
def test_a_draw_that_follows_another_asks_for_a_rule_and_whole_records_without_a_delta(
    first: Proof[Privacy],
) -> None:
    """One record's law given the first draw is what the proof is about."""

    def refined(first: Proof[Privacy]) -> Proof[Accuracy]:
        return rules.refined_draw(
            first,
            odds=100,
            records=10_000,
            ratio=HALF,
            error=HALF,
            failure=Fraction(1, 20),
            against=Against.REALIZABLE,
        )

    assert refined(DRAWN).fact.error == HALF
    with pytest.raises(RuleRefused) as refused:
        refined(first)
    assert refused.value.owner == "refined-draw-realizable"
