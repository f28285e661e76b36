"""Derivations of every rule: attained worst cases, how proofs travel and read, and that none is missing."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import pytest

from privpac.checker.book import book
from privpac.guarantee import rules
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ratio_for
from privpac.theory.statements import REGISTER
from tests.together import together
from tests.unit.derivations import DERIVATIONS, ONE, charged, short

RULES = book().rules


class TestWorstCases:
    """Examples that attain a rule's number: nothing smaller could be promised."""

    @pytest.mark.parametrize("ratio", [Fraction(3, 5), Fraction(1, 2), Fraction(9, 10)])
    def test_total_variation_is_attained_by_two_candidates(self, ratio: Fraction) -> None:
        # One candidate better by one on one input and worse by one on the other.
        first, second = Fraction(1) / (1 + ratio), ratio / (1 + ratio)
        gamma = rules.total_variation(rules.bounded_range(ratio=ratio)).fact.gamma
        assert first - second <= gamma < first - second + Fraction(1, 10**12)

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

    def test_how_much_must_be_left_out_for_an_epsilon_of_1(self) -> None:
        four = rules.declared(rules.exponential_mechanism(ratio=ratio_for(Fraction(2))), epsilon=Fraction(4))
        share = (math.e - 1) / (math.exp(4) - 1)
        assert 1 / share == pytest.approx(31.2, abs=0.05)
        kept = rules.subsampling(four, kept=math.floor(share * 10**6), of=10**6).fact.epsilon.upper
        assert float(kept) == pytest.approx(1, abs=1e-4)


class TestProofs:
    @together(DERIVATIONS)
    def test_copies_and_pickles_are_equal(self, name: str) -> None:
        proof = DERIVATIONS[name]
        for twin in (copy.copy(proof), copy.deepcopy(proof), pickle.loads(pickle.dumps(proof))):  # noqa: S301
            assert twin == proof
            assert twin.to_json() == proof.to_json()
            assert hash(twin) == hash(proof)

    def test_a_derivation_can_be_read(self) -> None:
        text = rules.subsampling(short(), kept=2, of=4).explain()
        assert text.splitlines() == [
            "(0.635989, 0)-DP, one record replaced, the rule is released   "
            "[subsampling without replacement] kept 2, of 4",
            "   └─ (1.021652, 0)-DP, one record replaced, the rule is released   "
            "[exponential mechanism] factor per step 3/5, sensitivity 1",
        ]

    def test_assumptions_stand_where_they_are_made(self) -> None:
        text = rules.group(charged(), size=2).explain()
        assert "   assuming that no person stands behind more than 2 records" in text.splitlines()

    @together(DERIVATIONS)
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
        assert used == set(RULES)
        assert used <= set(REGISTER)
