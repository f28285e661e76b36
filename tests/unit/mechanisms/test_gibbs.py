"""The exponential mechanism over counted scores: the law it draws from, and floats within their bounds at any size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.coins import Coins, Enumeration, SeededCoins, law
from privpac.mechanisms import gibbs
from privpac.mechanisms.gibbs import MixtureWeights, PowerWeights
from privpac.mechanisms.scores import Place, Row, Runs
from privpac.numbers.exact import ratio_for

HALF = ratio_for(Fraction(1, 2))


def row(scores: Sequence[int], lengths: Sequence[int] | None = None) -> Row:
    sizes = list(lengths or [1] * len(scores))
    ends = np.cumsum(np.array(sizes, dtype=object)).tolist()
    lasts = np.array([end - 1 for end in ends[:-1]], dtype=object if ends[-1] >= 2**64 else np.uint64)
    return Row.of(0, lasts, np.array(scores, dtype=np.int64), ends[-1] - 1)


def brute(scores: Sequence[int], ratio: Fraction) -> dict[Place, Fraction]:
    weights = [ratio**score for score in scores]
    total = sum(weights)
    return {(0, i): weight / total for i, weight in enumerate(weights)}


def relative_error(weights: Any) -> tuple[arb, float]:
    """sum |v - s·w| / sum v at the s of largest agreement, from balls of 2,000 bits; and the bound it must obey."""
    values, error = weights.floats()
    with ctx.workprec(2000):
        true = list(weights.balls(2000))
        floats = [arb(float(v)) for v in values] + [arb(0)] * (len(true) - len(values))
        total = sum(floats, arb(0))
        scale = total / sum(true, arb(0))
        gap = sum((abs(f - scale * w) for f, w in zip(floats, true, strict=True)), arb(0))
        return gap / total, error


class TestTheLaw:
    @given(
        st.lists(st.integers(0, 6), min_size=1, max_size=6),
        st.sampled_from([HALF, Fraction(3, 5), Fraction(1)]),
    )
    @settings(deadline=None, max_examples=60)
    def test_is_ratio_to_the_score(self, scores: list[int], ratio: Fraction) -> None:
        found = law(lambda coins: gibbs.draw(Runs([row(scores)]), ratio, coins))
        assert found == brute(scores, ratio)

    def test_best_scores_far_from_zero_make_no_difference(self) -> None:
        near, far = Runs([row([0, 1, 3])]), Runs([row([10**15, 10**15 + 1, 10**15 + 3])])
        assert law(lambda coins: gibbs.draw(near, HALF, coins)) == law(
            lambda coins: gibbs.draw(far, HALF, coins)
        )

    def test_scores_beyond_the_table_keep_their_tiny_probability(self) -> None:
        half = Fraction(1, 2)
        found = law(lambda coins: gibbs.draw(Runs([row([0, 1, 1000, 2000])]), half, coins))
        assert found == brute([0, 1, 1000, 2000], half)

    def test_ratio_one_is_uniform(self) -> None:
        found = law(lambda coins: gibbs.draw(Runs([row([0, 10**9, 5])]), Fraction(1), coins))
        assert set(found.values()) == {Fraction(1, 3)}

    @given(
        st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=1, max_size=3),
        st.lists(st.integers(1, 4), min_size=3, max_size=3),
    )
    @settings(deadline=None, max_examples=40)
    def test_a_mixture_shares_its_prior(self, parts: list[list[int]], shares: list[int]) -> None:
        used = tuple(shares[: len(parts)])
        sizes = tuple(len(part) for part in parts)
        rows = [Runs([row(part)]) for part in parts]

        def named(coins: Coins) -> tuple[int, int]:
            # Members of different parts have equal places: tell them apart by running the mixture on named parts.
            drawn: tuple[int, int] = gibbs.draw_mixture(
                [_Tagged(i, part) for i, part in enumerate(rows)], used, sizes, HALF, coins
            )
            return drawn

        weights = {
            (i, j): Fraction(used[i], sizes[i]) * HALF**score
            for i, part in enumerate(parts)
            for j, score in enumerate(part)
        }
        total = sum(weights.values())
        assert law(named) == {place: weight / total for place, weight in weights.items()}


class _Tagged:
    def __init__(self, tag: int, runs: Runs) -> None:
        self._tag, self._runs = tag, runs

    def histogram(self, span: int | None) -> Any:
        return self._runs.histogram(span)

    def locate(self, score: int, index: int) -> tuple[int, int]:
        return self._tag, self._runs.locate(score, index)[1]


LAWS: dict[str, Any] = {
    "1,000 scores": lambda: PowerWeights(HALF, Runs([row(list(range(1000)), list(range(1, 1001)))])),
    "2,000 scores, the far ones dropped": lambda: PowerWeights(HALF, Runs([row(list(range(2000)))])),
    "far ones outweigh the near": lambda: PowerWeights(Fraction(1, 2), Runs([row([0, 950], [1, 2**951])])),
    "multiplicities of 2^63": lambda: PowerWeights(HALF, Runs([row([0, 1, 2], [2**63 + 1, 5, 2**63 - 1])])),
    "multiplicities on both sides of 2^63, some dropped": lambda: PowerWeights(
        Fraction(1, 2), Runs([row([0, 1, 950], [3, 2**63 + 1025, 2**63 + 7])])
    ),
    "multiplicities of 2^128": lambda: PowerWeights(
        HALF, Runs([row([0, 3, 90], [1, 2**127 + 1, 2**128 - 1])])
    ),
    "multiplicities of 2^1000": lambda: PowerWeights(HALF, Runs([row([0, 3, 9], [1, 2**1000 + 1, 3])])),
    "costs of a million": lambda: PowerWeights(
        ratio_for(Fraction(1, 2 * 10**6)), Runs([row([k * 10**6 + k * k for k in range(1500)])])
    ),
    "an epsilon of 1e-12": lambda: PowerWeights(
        ratio_for(Fraction(1, 2 * 10**12)), Runs([row([k * 10**9 for k in range(50)])])
    ),
    "a mixture": lambda: MixtureWeights(
        tuple(PowerWeights(HALF, Runs([row(s)])) for s in ([0, 5], [7, 7, 9], [300, 2])), (1, 2, 3), (2, 3, 2)
    ),
    "a mixture with a late part": lambda: MixtureWeights(
        tuple(PowerWeights(HALF, Runs([row(s)])) for s in ([0, 5], [1500])), (1, 2), (2, 1)
    ),
    "a mixture whose late part outweighs the others": lambda: MixtureWeights(
        tuple(PowerWeights(Fraction(1, 2), Runs([row(s)])) for s in ([0, 5], [950])), (1, 2**951), (2, 1)
    ),
    "a mixture with parts a billion apart": lambda: MixtureWeights(
        tuple(
            PowerWeights(ratio_for(Fraction(1, 2 * 10**6)), Runs([row(s)])) for s in ([0], [10**9], [10**6])
        ),
        (1, 1, 1),
        (1, 1, 1),
    ),
    "a mixture with a part of 2^13000": lambda: MixtureWeights(
        (PowerWeights(HALF, Runs([row([3, 0], [2**13000, 2**12999])])), PowerWeights(HALF, Runs([row([1])]))),
        (1, 1),
        (2**13000 + 2**12999, 1),
    ),
}


class TestFloats:
    @pytest.mark.parametrize("name", LAWS)
    def test_lie_within_their_bound(self, name: str) -> None:
        gap, error = relative_error(LAWS[name]())
        assert not error < 1.0 or gap <= 2 * error

    @pytest.mark.parametrize("name", [n for n in LAWS if "outweigh" not in n])
    def test_the_bound_is_small_enough_to_decide(self, name: str) -> None:
        assert LAWS[name]().floats()[1] < 1e-12

    def test_hopeless_cases_say_so(self) -> None:
        assert LAWS["far ones outweigh the near"]().floats()[1] >= 0.25

    def test_dropped_terms_are_in_the_bound(self) -> None:
        half = Fraction(1, 2)
        weights = PowerWeights(half, Runs([row([0, 1, 905], [1, 1, 2**851])]))
        values, error = weights.floats()
        assert len(values) == 2
        assert 2.0**-50 < error < 2.0**-47  # what was dropped counts as 2^851 · 2^-900
        Enumeration().probabilities(weights)

    def test_dropped_parts_of_a_mixture_are_in_the_bound(self) -> None:
        parts = tuple(PowerWeights(Fraction(1, 2), Runs([row([score])])) for score in (0, 901))
        values, error = MixtureWeights(parts, (1, 2**861), (1, 1)).floats()
        assert values.tolist() == [1.0, 0.0]
        assert 2.0**-40 <= error < 2.0**-37  # what was dropped weighs 2^-40, and counts as 2^861 · 2^-900
        gap, bound = relative_error(LAWS["a mixture whose late part outweighs the others"]())
        assert gap > 1
        assert bound >= 1.0

    def test_refining_does_not_list_what_cannot_matter(self) -> None:
        weights = LAWS["2,000 scores, the far ones dropped"]()
        assert len(weights.balls(192)) == len(weights.near.counts) + 1
        assert len(weights.balls(2000)) == 2000


class TestDraw:
    def test_a_domain_of_2_to_the_128(self) -> None:
        runs = Runs([row([5, 0, 3], [2**127, 2**100, 2**127])])
        seen = [gibbs.draw(runs, HALF, SeededCoins(seed))[1] for seed in range(200)]
        assert all(0 <= member < 2**128 + 2**100 for member in seen)
        assert sum(member >= 2**127 + 2**100 for member in seen) > 100  # e^(-3/2) against e^(-5/2)
