"""Rules: their formulas against direct computation, their conditions, and that nothing else makes a proof."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.check import _RULES
from privpac.guarantee.facts import ALL, Against, Loss, Privacy, Release, Unit
from privpac.guarantee.proof import Proof
from privpac.theory.composition import fold_delta
from privpac.theory.exact import ratio_for
from privpac.theory.register import REGISTER
from tests.unit.derivations import DERIVATIONS, ONE, SHORT, charged, real, short


def epsilon(proof: Proof[Any]) -> float:
    return float(proof.fact.epsilon.upper)


class TestFormulas:
    """Each number a second way: by hand, by enumeration, or from the papers' own examples."""

    def test_exponential_mechanism(self) -> None:
        assert short().fact == Privacy(Loss(factor=Fraction(25, 9)))
        assert DERIVATIONS["exponential, costs"].fact.epsilon == Loss(factor=Fraction(5, 3) ** 14)
        assert epsilon(real()) == pytest.approx(1, abs=1e-12)

    def test_geometric_noise(self) -> None:
        fact = rules.geometric_noise(ratio=SHORT, change=2).fact
        assert fact.epsilon == Loss(factor=Fraction(25, 9))
        assert fact.release is Release.NUMBERS

    @pytest.mark.parametrize("ratio", [Fraction(3, 5), Fraction(1, 2), Fraction(9, 10)])
    def test_total_variation_is_attained_by_two_candidates(self, ratio: Fraction) -> None:
        # One candidate better by one on one input and worse by one on the other.
        first, second = Fraction(1) / (1 + ratio), ratio / (1 + ratio)
        gamma = rules.total_variation(rules.bounded_range(ratio=ratio)).fact.gamma
        assert first - second <= gamma < first - second + Fraction(1, 10**12)

    def test_subsampling(self) -> None:
        proof = rules.subsampling(short(), kept=2, of=4)
        assert proof.fact.epsilon == Loss(factor=Fraction(17, 9))
        assert str(proof.fact.epsilon) == "0.635989"
        four = rules.declared(rules.exponential_mechanism(ratio=ratio_for(Fraction(2))), epsilon=Fraction(4))
        inverse = (math.e - 1) / (math.exp(4) - 1)
        assert 1 / inverse == pytest.approx(31.2, abs=0.05)
        kept = math.floor(inverse * 10**6)
        assert epsilon(rules.subsampling(four, kept=kept, of=10**6)) == pytest.approx(1, abs=1e-4)

    @pytest.mark.parametrize(("draws", "of"), [(1, 1), (2, 3), (5, 2), (7, 7)])
    def test_with_replacement_is_the_moment_of_a_binomial(self, draws: int, of: int) -> None:
        # The worst inner algorithm multiplies a probability by e^epsilon for every copy of the changed record.
        e = Fraction(25, 9)
        moment = sum(
            math.comb(draws, b) * Fraction(1, of) ** b * Fraction(of - 1, of) ** (draws - b) * e**b
            for b in range(draws + 1)
        )
        fact = rules.sampling_with_replacement(short(), draws=draws, of=of).fact
        assert fact.epsilon.factor == moment

    def test_with_replacement_at_the_size_of_the_papers(self) -> None:
        fact = rules.sampling_with_replacement(charged("0.000001"), draws=1000, of=1000).fact
        assert float(fact.epsilon.upper) == pytest.approx(1.7168, abs=5e-5)
        assert float(fact.delta) / 1e-6 == pytest.approx(2.66, abs=5e-3)
        assert float(fact.epsilon.upper) < math.e - 1

    @pytest.mark.parametrize("size", [1, 2, 3, 5])
    def test_group_walks_from_neighbour_to_neighbour(self, size: int) -> None:
        premise = rules.k_fold(short(), times=3, saved=1)
        e, delta = premise.fact.epsilon.factor, premise.fact.delta
        bound = Fraction(0)  # P <= e·P' + delta, applied `size` times
        for _ in range(size):
            bound = e * bound + delta
        fact = rules.group(premise, size=size).fact
        assert fact.epsilon.factor == e**size
        assert fact.delta == min(ONE, bound)

    @pytest.mark.parametrize("times", [1, 2, 3, 6])
    @pytest.mark.parametrize("e", [Fraction(3), Fraction(25, 9), Fraction(101, 100)])
    def test_k_fold_is_the_exact_delta_of_repeated_randomized_response(self, times: int, e: Fraction) -> None:
        p = e / (1 + e)
        for saved in range(times // 2 + 1):
            factor = e ** (times - 2 * saved)
            delta = Fraction(0)
            for truths in range(times + 1):
                here = p**truths * (1 - p) ** (times - truths)
                there = (1 - p) ** truths * p ** (times - truths)
                delta += math.comb(times, truths) * max(Fraction(0), here - factor * there)
            premise = rules.exponential_mechanism(ratio=1 / e)  # a loss of e^2
            fact = rules.k_fold(premise, times=times, saved=saved).fact
            mine = fold_delta(e, times=times, saved=saved)
            assert mine == delta
            assert fact.delta == fold_delta(e**2, times=times, saved=saved)
            assert fact.epsilon.factor == e ** (2 * (times - 2 * saved))

    def test_k_fold_reference(self) -> None:
        premise = rules.declared(
            rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 20))), epsilon=Fraction(1, 10)
        )
        fact = rules.k_fold(premise, times=100, saved=33).fact
        assert float(fact.epsilon.upper) == pytest.approx(3.4, abs=1e-9)
        assert float(fact.delta) == pytest.approx(REFERENCE_FOLD, rel=1e-9)

    def test_sequential_and_disjoint(self) -> None:
        both = rules.sequential(charged("0.001"), charged("0.002"))
        assert both.fact == Privacy(Loss(log=Fraction(2)), Fraction(3, 1000))
        apart = rules.disjoint_parts(
            rules.on_part(charged("0.001"), part="a"),
            rules.on_part(rules.declared(short(), epsilon=Fraction(2)), part="b"),
        )
        assert apart.fact == Privacy(Loss(log=Fraction(2)), Fraction(1, 1000))

    def test_joint_releases_are_named(self) -> None:
        noise = rules.geometric_noise(ratio=SHORT, change=2)
        assert rules.sequential(noise, noise).fact.release is Release.NUMBERS
        assert rules.sequential(noise, short()).fact.release is Release.HYPOTHESIS


REFERENCE_FOLD = 0.000353794350692374638
"""From the formula in decimal arithmetic of 120 digits, e^(1/10) included."""


REFUSED: dict[str, Callable[[], object]] = {
    "ratio 0": lambda: rules.exponential_mechanism(ratio=Fraction(0)),
    "ratio above 1": lambda: rules.exponential_mechanism(ratio=Fraction(6, 5)),
    "sensitivity 0": lambda: rules.permute_and_flip(ratio=SHORT, sensitivity=0),
    "leaf sensitivity 0": lambda: rules.leafwise_exponential(ratio=SHORT, sensitivity=0),
    "range ratio 0": lambda: rules.bounded_range(ratio=Fraction(0)),
    "noise without end": lambda: rules.geometric_noise(ratio=ONE, change=2),
    "no change": lambda: rules.geometric_noise(ratio=SHORT, change=0),
    "nothing to compose": lambda: rules.sequential(),
    "different units": lambda: rules.sequential(
        short(), rules.exponential_mechanism(ratio=SHORT, unit=Unit.LABEL)
    ),
    "different parts": lambda: rules.sequential(short(), rules.on_part(short(), part="a")),
    "the same part twice": lambda: rules.disjoint_parts(
        rules.on_part(short(), part="a"), rules.on_part(short(), part="a")
    ),
    "all records are no part": lambda: rules.disjoint_parts(short(), rules.on_part(short(), part="a")),
    "a part of a part": lambda: rules.on_part(rules.on_part(short(), part="a"), part="b"),
    "a part that is everything": lambda: rules.on_part(short(), part=ALL),
    "a group of nobody": lambda: rules.group(short(), size=0),
    "more kept than there are": lambda: rules.subsampling(short(), kept=5, of=4),
    "nothing kept": lambda: rules.subsampling(short(), kept=0, of=4),
    "no draws": lambda: rules.sampling_with_replacement(short(), draws=0, of=4),
    "a fold of approximate releases": lambda: rules.k_fold(charged("0.001"), times=4, saved=1),
    "saved too much": lambda: rules.k_fold(short(), times=3, saved=2),
    "saved less than nothing": lambda: rules.k_fold(short(), times=3, saved=-1),
    "too many folds": lambda: rules.k_fold(short(), times=10**6, saved=3),
    "declared too little": lambda: rules.declared(real(), epsilon=Fraction("0.9999999999999999")),
    "declared too little delta": lambda: rules.declared(charged("0.01"), epsilon=ONE),
    "an assumption without words": lambda: rules.assuming(short(), ""),
    "an epsilon that fills pages": lambda: rules.exponential_mechanism(
        ratio=Fraction(1, 2), sensitivity=10**9
    ),
    "a group that fills pages": lambda: rules.group(short(), size=10**12),
    "subsampling an absurd epsilon": lambda: rules.subsampling(
        rules.declared(short(), epsilon=Fraction(10**6)), kept=1, of=2
    ),
    "tilt below the ratio": lambda: _occam(tilt=Fraction(1, 2)),
    "failure 0": lambda: _occam(failure=Fraction(0)),
    "too few records": lambda: _occam(records=10),
    "negative odds": lambda: _occam(odds=-1),
}


def _occam(**changes: Any) -> Proof[Any]:
    given: dict[str, Any] = {
        "odds": 100,
        "records": 200,
        "ratio": SHORT,
        "tilt": SHORT,
        "error": Fraction(1, 10),
        "failure": Fraction(1, 20),
        "against": Against.REALIZABLE,
    }
    return rules.occam(**(given | changes))


class TestConditions:
    @pytest.mark.parametrize("name", REFUSED)
    def test_a_rule_that_does_not_apply_is_refused(self, name: str) -> None:
        with pytest.raises(RuleRefused, match="does not apply"):
            REFUSED[name]()

    def test_the_same_call_within_the_conditions_is_fine(self) -> None:
        assert _occam().fact.records == 200

    def test_a_group_assumes_what_it_needs(self) -> None:
        assert rules.group(short(), size=1).assumptions == ()
        assert rules.group(short(), size=3).assumptions == ("no person stands behind more than 3 records",)

    def test_assumptions_float_to_the_top_once_each(self) -> None:
        inner = rules.assuming(short(), "a")
        outer = rules.assuming(rules.sequential(inner, inner), "b")
        assert outer.assumptions == ("b", "a")


class TestProofs:
    def test_nobody_else_makes_one(self) -> None:
        with pytest.raises(TypeError, match="made by a rule"):
            Proof(Privacy(Loss()), "exponential-mechanism")
        with pytest.raises(TypeError, match="made by a rule"):
            replace(short(), fact=Privacy(Loss()))

    def test_nobody_changes_one(self) -> None:
        proof = short()
        with pytest.raises(TypeError):
            proof.where["ratio"] = "1"  # type: ignore[index]
        with pytest.raises(AttributeError):
            proof.fact = Privacy(Loss())  # type: ignore[misc]

    @pytest.mark.parametrize("name", DERIVATIONS)
    def test_copies_and_pickles_are_equal(self, name: str) -> None:
        proof = DERIVATIONS[name]
        for twin in (copy.copy(proof), copy.deepcopy(proof), pickle.loads(pickle.dumps(proof))):  # noqa: S301
            assert twin == proof
            assert twin.to_json() == proof.to_json()
            assert hash(twin) == hash(proof)

    def test_a_derivation_can_be_read(self) -> None:
        text = rules.subsampling(short(), kept=2, of=4).explain()
        assert text.splitlines() == [
            "(0.635989, 0)-DP, one record replaced, hypothesis released   "
            "[subsampling without replacement] kept 2, of 4",
            "   └─ (1.021652, 0)-DP, one record replaced, hypothesis released   "
            "[exponential mechanism] ratio 3/5, sensitivity 1",
        ]

    def test_assumptions_stand_where_they_are_made(self) -> None:
        text = rules.group(charged(), size=2).explain()
        assert "   assuming that no person stands behind more than 2 records" in text.splitlines()

    @pytest.mark.parametrize("name", DERIVATIONS)
    def test_every_derivation_can_be_printed(self, name: str) -> None:
        lines = DERIVATIONS[name].explain().splitlines()
        assert DERIVATIONS[name].rule.replace("-", " ") in lines[0]
        assert all(len(line) < 400 for line in lines)


class TestCompleteness:
    def test_every_rule_has_a_derivation_here_a_check_and_a_statement(self) -> None:
        used: set[str] = set()

        def collect(proof: Proof[Any]) -> None:
            used.add(proof.rule)
            for premise in proof.premises:
                collect(premise)

        for proof in DERIVATIONS.values():
            collect(proof)
        assert used == set(_RULES)
        assert used <= set(REGISTER)
