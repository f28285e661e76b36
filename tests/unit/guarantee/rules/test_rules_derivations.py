"""Derivations of every rule: attained worst cases, how proofs travel and read, and that none is missing."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.guarantee import rules
from tests.unit.derivations import ONE, short


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
