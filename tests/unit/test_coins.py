"""Coins: every draw is the exact inversion of its own bits, whether floats, balls or nobody was in doubt."""

from __future__ import annotations

import math
import os
import pickle
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, permutations

import numpy as np
import pytest
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import (
    Coins,
    EnclosureError,
    Enumeration,
    Raised,
    SeededCoins,
    SystemCoins,
    Weights,
    law,
    outcome_law,
)
from privpac.coins.tosses import BitCoins, _locate
from privpac.errors import ParameterError, PrivpacError
from privpac.mechanisms.geometric import NoiseLaw
from privpac.mechanisms.gibbs import MixtureWeights, PowerWeights
from privpac.mechanisms.permute_and_flip import _Coin
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ball, ratio_for

RATIO = ratio_for(Fraction(1, 2))


class RecordingCoins(SeededCoins):
    """Seeded coins that remember the binary digits of the number drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.digits: list[tuple[int, int]] = []

    def bits(self, count: int) -> int:
        value = super().bits(count)
        self.digits.append((count, value))
        return value

    def words(self, count: int) -> NDArray[np.uint64]:
        drawn = super().words(count)
        self.digits[-1:] = [(64, word) for word in drawn.tolist()]
        return drawn

    def number(self) -> tuple[int, int]:
        """(drawn, bits): the number lies in [drawn, drawn + 1) / 2^bits."""
        drawn, total = 0, 0
        for count, value in self.digits:
            drawn, total = drawn << count | value, total + count
        return drawn, total


class ScriptedCoins(RecordingCoins):
    """The first 64 binary digits are given; later ones come from a seed."""

    def __init__(self, first: int, seed: int = 0) -> None:
        super().__init__(seed)
        self._first: int | None = first

    def bits(self, count: int) -> int:
        if self._first is not None:
            value, self._first = self._first, None
            self.digits.append((count, value))
            return value
        return super().bits(count)


class GivenWords(BitCoins):
    """Coins whose 64 digits at a time are given, and whose end is an error."""

    origin = "seeded"

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def bits(self, count: int) -> int:
        taken = [self.left.pop(0) for _ in range(count // 64)]
        return sum(word << 64 * place for place, word in enumerate(taken))


@dataclass(frozen=True)
class Doubtful:
    """The same weights with an error bound nobody can decide by."""

    inner: Weights
    error: float = 1.0

    @property
    def key(self) -> Hashable:
        return self.inner.key

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return self.inner.floats()[0], self.error

    def balls(self, bits: int) -> Sequence[arb]:
        return self.inner.balls(bits)

    def exact(self) -> Sequence[Fraction]:
        return self.inner.exact()


@dataclass(frozen=True)
class Listed:
    """Weights given as rationals."""

    weights: tuple[Fraction, ...]
    error: float = 2.0**-52
    bias: float = 0.0
    precision: int = 0

    @property
    def key(self) -> Hashable:
        return self.weights

    def floats(self) -> tuple[NDArray[np.float64], float]:
        values = np.array([float(w) for w in self.weights])
        values[0] *= 1.0 + self.bias
        return values, self.error

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(self.precision or bits):
            return [ball(w) for w in self.weights]

    def exact(self) -> Sequence[Fraction]:
        return self.weights


def _runs(*scores: int, lengths: Sequence[int] | None = None) -> Runs:
    ends = list(accumulate(lengths or [1] * len(scores)))
    lasts = np.array([end - 1 for end in ends[:-1]], dtype=object if ends[-1] > 2**63 else np.uint64)
    return Runs([Row.of(0, lasts, np.array(scores, dtype=np.int64), ends[-1] - 1)])


def _mixture() -> MixtureWeights:
    parts = (_runs(0, 3, 1), _runs(2, 2), _runs(40, 1, lengths=[2**70, 5]))
    return MixtureWeights(tuple(PowerWeights(RATIO, part) for part in parts), (1, 3, 2), (3, 2, 2**70 + 5))


WEIGHTS: dict[str, Callable[[], Weights]] = {
    "a few scores": lambda: PowerWeights(RATIO, _runs(3, 0, 1, 2, 0, 7)),
    "steep": lambda: PowerWeights(
        ratio_for(Fraction(30)), _runs(0, 1, 2, 3, lengths=[1, 2**45, 2**90, 2**140])
    ),
    "multiplicities of 2^128": lambda: PowerWeights(
        RATIO, _runs(0, 50, 100, 177, lengths=[1, 2**32, 2**71, 2**128])
    ),
    "multiplicities of 2^1200": lambda: PowerWeights(
        RATIO, _runs(0, 1, 2, lengths=[2**1200, 3 * 2**1199, 2**1201])
    ),
    "far scores": lambda: PowerWeights(Fraction(1, 2), _runs(0, 1, 950, 2600, 9000)),
    "far scores that matter": lambda: PowerWeights(
        Fraction(1, 2), _runs(0, 1, 2000, lengths=[1, 1, 2**2000])
    ),
    "noise": lambda: NoiseLaw(RATIO, 6),
    "noise of a million": lambda: NoiseLaw(ratio_for(Fraction(2)), 10**6),
    "a coin": lambda: _Coin(RATIO, 3),
    "a mixture": _mixture,
    "thirds": lambda: Listed((Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))),
    "edges at binary fractions": lambda: Listed((Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))),
    "a zero in the middle and at the end": lambda: Listed(
        (Fraction(2), Fraction(0), Fraction(3), Fraction(0))
    ),
}

SMALL = [name for name in WEIGHTS if name != "noise of a million"]


def _edges(weights: Weights) -> list[Fraction]:
    """0 = P_0 <= P_1 <= … : the exact cumulative probabilities."""
    exact = weights.exact()
    total = sum(exact)
    return [Fraction(0), *(edge / total for edge in accumulate(exact))]


def _inverts(index: int, coins: RecordingCoins, edges: list[Fraction]) -> bool:
    drawn, bits = coins.number()
    low, high = Fraction(drawn, 1 << bits), Fraction(drawn + 1, 1 << bits)
    return edges[index] <= low and high <= edges[index + 1]


class TestChoose:
    @pytest.mark.parametrize("name", SMALL)
    def test_forced_doubt_every_draw_is_the_exact_inversion_of_its_bits(self, name: str) -> None:
        weights = WEIGHTS[name]()
        edges, doubtful = _edges(weights), Doubtful(weights)
        for seed in range(260):  # times 12 laws: 3,120 draws, each refined at least once
            coins = RecordingCoins(seed)
            index = coins.choose(doubtful)
            assert len(coins.digits) >= 2
            assert _inverts(index, coins, edges)

    @pytest.mark.parametrize("name", SMALL)
    def test_draws_at_the_very_edges(self, name: str) -> None:
        weights = WEIGHTS[name]()
        edges = _edges(weights)
        for edge in edges:
            for offset in (-(2**13), -2, -1, 0, 1, 2, 2**13):
                first = math.floor(edge * 2**64) + offset
                if 0 <= first < 2**64:
                    coins = ScriptedCoins(first)
                    assert _inverts(coins.choose(weights), coins, edges)

    def test_doubt_and_no_doubt_agree(self) -> None:
        for name in SMALL:
            weights = WEIGHTS[name]()
            for seed in range(20):
                assert SeededCoins(seed).choose(weights) == SeededCoins(seed).choose(Doubtful(weights))

    def test_a_long_law_is_refined_without_listing_it(self) -> None:
        weights = Doubtful(WEIGHTS["noise of a million"]())
        assert len(weights.balls(128)) < 200
        drawn = Counter(SeededCoins(seed).choose(weights) for seed in range(50))
        assert drawn[0] > 30

    def test_nothing_impossible_is_drawn(self) -> None:
        weights = Doubtful(Listed((Fraction(2), Fraction(0), Fraction(3), Fraction(0))))
        assert {SeededCoins(seed).choose(weights) for seed in range(200)} == {0, 2}

    def test_balls_that_never_tighten_are_an_alarm_not_a_hang(self) -> None:
        third = Fraction(1, 3)
        weights = Doubtful(Listed((third, third, third), precision=64))
        with pytest.raises(EnclosureError, match="tighten"):
            ScriptedCoins(math.floor(third * 2**64)).choose(weights)

    @pytest.mark.parametrize("error", [0.3, math.inf, math.nan])
    def test_a_useless_bound_is_no_bound(self, error: float) -> None:
        values = np.array([1.0, 2.0])
        assert _locate(values, error, 2**62) is None

    @pytest.mark.parametrize("values", [[0.0, 0.0], [math.inf, 1.0], [math.nan, 1.0]])
    def test_useless_values_are_not_used(self, values: list[float]) -> None:
        assert _locate(np.array(values), 0.0, 2**62) is None

    @pytest.mark.parametrize("name", SMALL)
    def test_many_choices_are_choices_one_after_the_other(self, name: str) -> None:
        weights = WEIGHTS[name]()
        for wanted in (weights, Doubtful(weights)):
            one, many = RecordingCoins(3), RecordingCoins(3)
            first = one.choose(weights)
            found = many.choose_many(wanted, 40)
            assert found.dtype == np.int64
            assert len(found) == 40
            assert found[0] == first  # the same first 64 digits decide, however many follow
            edges = _edges(weights)
            for place, (_, drawn) in zip(found.tolist(), many.digits[:40], strict=True):
                assert edges[place] <= Fraction(drawn + 1, 2**64)
                assert Fraction(drawn, 2**64) < edges[place + 1]


class TestFlip:
    @pytest.mark.parametrize("p", ["1/3", "1/2", "0", "1", "1/1000000007", "0.999999"])
    def test_is_the_comparison_of_its_own_bits_with_p(self, p: str) -> None:
        chance = Fraction(p)
        for seed in range(500):
            coins = RecordingCoins(seed)
            shown = coins.flip(chance)
            drawn, bits = coins.number()
            assert shown == (Fraction(drawn, 1 << bits) < chance)
            assert Fraction(drawn + 1, 1 << bits) <= chance or not shown

    def test_equal_digits_are_continued_not_decided(self) -> None:
        third = Fraction(1, 3)
        coins = ScriptedCoins(math.floor(third * 2**64))
        shown = coins.flip(third)
        drawn, bits = coins.number()
        assert bits >= 128
        assert shown == (Fraction(drawn, 1 << bits) < third)

    @pytest.mark.parametrize("p", [Fraction(-1, 2), Fraction(3, 2)])
    def test_refuses_what_is_no_probability(self, p: Fraction) -> None:
        with pytest.raises(ValueError, match="flip"):
            SeededCoins(0).flip(p)


class ListedBits(SeededCoins):
    """Gives a list of integers as its random bits."""

    def __init__(self, *values: int) -> None:
        super().__init__(0)
        self._values = list(values)

    def bits(self, count: int) -> int:
        value = self._values.pop(0)
        assert 0 <= value < 1 << count
        return value


class TestBelow:
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 11])
    def test_uniform_bits_are_uniform_integers(self, n: int) -> None:
        size = 1 << (n - 1).bit_length()
        kept = [value for value in range(size) if value < n]
        assert [ListedBits(value).below(n) for value in kept] == list(range(n))
        for value in range(n, size):  # too large: asks again, remembers nothing
            assert [ListedBits(value, again).below(n) for again in kept] == list(range(n))

    def test_any_size(self) -> None:
        coins = SeededCoins(1)
        n = 10**50
        values = [coins.below(n) for _ in range(200)]
        assert all(0 <= value < n for value in values)
        assert max(values) > n // 2 > min(values)

    def test_refuses_nothing_to_choose_from(self) -> None:
        with pytest.raises(ValueError, match="below"):
            SeededCoins(0).below(0)


class TestSubset:
    @pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (3, 2), (4, 2), (4, 4), (5, 3)])
    def test_every_ordered_choice_is_equally_likely(self, n: int, k: int) -> None:
        # The sparse shuffle that ships, run on enumerated integers.
        found = law(lambda coins: BitCoins.subset(coins, n, k))  # type: ignore[arg-type]
        orders = list(permutations(range(n), k))
        assert found == {order: Fraction(1, len(orders)) for order in orders}

    def test_enumerated_coins_have_the_same_law(self) -> None:
        shipped = law(lambda coins: BitCoins.subset(coins, 4, 3))  # type: ignore[arg-type]
        assert law(lambda coins: coins.subset(4, 3)) == shipped

    def test_large_and_different(self) -> None:
        chosen = SeededCoins(3).subset(10**12, 1000)
        assert len(set(chosen)) == 1000
        assert all(0 <= i < 10**12 for i in chosen)
        assert list(chosen) != sorted(chosen)

    def test_refuses_more_than_there_are(self) -> None:
        with pytest.raises(ValueError, match="subset"):
            SeededCoins(0).subset(2, 3)


class TestSeededCoins:
    def test_values_stay_the_same_for_ever(self) -> None:
        coins = SeededCoins(7)
        assert [coins.bits(64) for _ in range(3)] == PINNED_WORDS
        assert [coins.below(1000) for _ in range(8)] == PINNED_INTEGERS
        assert coins.subset(20, 5) == PINNED_SUBSET
        assert [coins.flip(Fraction(1, 3)) for _ in range(8)] == PINNED_FLIPS

    def test_the_cut_of_the_stream_does_not_matter(self) -> None:
        one, two = SeededCoins(5), SeededCoins(5)
        assert one.bits(3) | one.bits(700) << 3 == two.bits(703)
        assert one.words(100).tolist() == [two.bits(64) for _ in range(100)]
        assert len(one.words(0)) == 0
        assert one.bits(64) == two.bits(64)


PINNED_WORDS = [9022365354886237465, 15915223577191546280, 1534483104512266148]
PINNED_INTEGERS = [109, 868, 988, 936, 842, 740, 792, 847]
PINNED_SUBSET = (7, 3, 9, 10, 0)
PINNED_FLIPS = [True, False, False, False, False, False, False, False]


class TestSystemCoins:
    def test_every_bit_is_asked_for_when_it_is_needed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[int] = []
        honest = os.urandom

        def counting(size: int) -> bytes:
            asked.append(size)
            return honest(size)

        monkeypatch.setattr(os, "urandom", counting)
        coins = SystemCoins()
        for count in (1, 8, 9, 64, 65, 0):
            assert 0 <= coins.bits(count) < 1 << count or count == 0
        assert asked == [1, 1, 2, 8, 9, 0]

    def test_nothing_is_kept_that_another_process_could_inherit(self) -> None:
        coins = SystemCoins()
        coins.bits(17)
        coins.below(1000)
        assert vars(coins) == {}
        copies = [pickle.loads(pickle.dumps(coins)) for _ in range(2)]  # noqa: S301
        assert copies[0].bits(128) != copies[1].bits(128)

    def test_all_bits_are_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "urandom", lambda size: b"\xff" * size)
        assert [SystemCoins().bits(count) for count in (1, 7, 8, 13)] == [1, 127, 255, 8191]


class TestEnumeration:
    def test_laws_add_up_to_one(self) -> None:
        def run(coins: Coins) -> tuple[int, bool, tuple[int, ...]]:
            return coins.choose(WEIGHTS["a few scores"]()), coins.flip(Fraction(1, 3)), coins.subset(3, 2)

        found = law(run)
        assert sum(found.values()) == 1
        assert len(found) == 5 * 2 * 6  # six scores, two of them equal

    def test_what_was_decided_before_is_not_weighed_again(self) -> None:
        asked: list[int] = []

        class Counted(Listed):
            @property
            def key(self) -> Hashable:
                asked.append(len(self.weights))
                return super().key

        def run(coins: Coins) -> tuple[int, int]:
            return coins.choose(Counted((ONE, ONE))), coins.choose(Counted((ONE, 2 * ONE, 3 * ONE)))

        ONE = Fraction(1)
        assert law(run) == {(i, j): Fraction(j + 1, 12) for i in range(2) for j in range(3)}
        assert asked == [2, 3, 3], "once for every place where branches part"

    def test_independent_runs_have_the_product_of_their_laws(self) -> None:
        def die(coins: Coins) -> int:
            return coins.below(2) + coins.below(3)

        def biased(coins: Coins) -> bool:
            return coins.flip(Fraction(1, 3))

        def together(coins: Coins) -> tuple[int, tuple[object, ...]]:
            first = coins.below(2)  # what was decided before matters to each of them
            runs: list[Callable[[Coins], Hashable]] = [die, biased] if first else [biased, biased]
            return first, tuple(coins.each(runs))

        one, other = law(die), law(biased)
        expected: dict[tuple[int, tuple[object, ...]], Fraction] = {}
        for a, p in other.items():
            for b, q in other.items():
                expected[0, (a, b)] = Fraction(1, 2) * p * q
            for c, q in one.items():
                expected[1, (c, a)] = Fraction(1, 2) * q * p
        assert law(together) == expected
        assert [SeededCoins(3).each([die, biased])] == [[die(coins := SeededCoins(3)), biased(coins)]]

    def test_an_exception_is_an_outcome_with_its_own_probability(self) -> None:
        def run(coins: Coins) -> int:
            face = coins.below(6)
            if face == 0:
                raise ParameterError("die", "face", face, allowed="above 0")
            if face == 1 and coins.flip(Fraction(1, 3)):
                raise KeyError("a value nobody may see")
            return face

        found = outcome_law(run)
        raised = {o.kind: (o.sentence, p) for o, p in found.items() if isinstance(o, Raised)}
        assert raised == {
            "ParameterError": ("die: face is 0, but must be above 0.", Fraction(1, 6)),
            "KeyError": ("", Fraction(1, 18)),
        }
        assert {o: p for o, p in found.items() if not isinstance(o, Raised)} == {
            1: Fraction(1, 9),
            **{face: Fraction(1, 6) for face in range(2, 6)},
        }
        with pytest.raises(ParameterError):
            law(run)

    def test_a_run_that_raises_ends_the_independent_runs_after_it(self) -> None:
        """As with coins that are tossed: what was decided before counts, what comes after does not happen."""

        def fails(one_in: int, word: str) -> Callable[[Coins], bool]:
            def run(coins: Coins) -> bool:
                drawn = coins.below(one_in)
                if drawn == 0:
                    raise PrivpacError(word)
                return drawn == 1

            return run

        def listed(coins: Coins) -> tuple[object, ...]:
            first = coins.flip(Fraction(1, 4))
            runs = [fails(2, "one"), fails(3, "two")]
            return tuple(coins.each(runs if first else runs[::-1]))

        def one_by_one(coins: Coins) -> tuple[object, ...]:
            first = coins.flip(Fraction(1, 4))
            runs = [fails(2, "one"), fails(3, "two")]
            return tuple([run(coins) for run in (runs if first else runs[::-1])])

        found = outcome_law(listed)
        assert found == outcome_law(one_by_one)
        said = {o.sentence: p for o, p in found.items() if isinstance(o, Raised)}
        quarter, third, half = Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)
        assert said == {
            "one": quarter * half + 3 * quarter * (1 - third) * half,
            "two": quarter * half * third + 3 * quarter * third,
        }
        assert sum(found.values()) == 1

    def test_a_refusal_inside_may_be_caught_outside(self) -> None:
        def refuses(coins: Coins) -> int:
            if coins.flip(Fraction(1, 5)):
                raise PrivpacError("No.")
            return 1

        def tries_again(coins: Coins) -> int:
            try:
                return coins.each([refuses])[0]
            except PrivpacError:
                return 1 + coins.each([refuses])[0]

        found = {o if isinstance(o, int) else o.kind: p for o, p in outcome_law(tries_again).items()}
        assert found == {1: Fraction(4, 5), 2: Fraction(4, 25), "PrivpacError": Fraction(1, 25)}

    def test_a_kernel_at_fault_is_no_outcome(self) -> None:
        def run(coins: Coins) -> int:
            raise EnclosureError("a kernel")

        with pytest.raises(EnclosureError):
            outcome_law(run)

    def test_impossible_branches_are_not_taken(self) -> None:
        assert law(lambda coins: coins.flip(Fraction(1))) == {True: 1}
        assert law(lambda coins: coins.flip(Fraction(0))) == {False: 1}

    @pytest.mark.parametrize("name", SMALL)
    def test_float_readings_lie_within_their_bounds(self, name: str) -> None:
        probabilities = Enumeration().probabilities(WEIGHTS[name]())
        assert sum(probabilities) == 1

    @pytest.mark.parametrize("bias", [1e-15, -1e-12, 1e-3])
    def test_a_bias_beyond_the_bound_is_an_alarm(self, bias: float) -> None:
        weights = (Fraction(1), Fraction(3), Fraction(5))
        Enumeration().probabilities(Listed(weights))
        with pytest.raises(EnclosureError):
            Enumeration().probabilities(Listed(weights, bias=bias * 8))

    @pytest.mark.parametrize("name", SMALL)
    def test_balls_enclose_the_exact_weights(self, name: str) -> None:
        weights = WEIGHTS[name]()
        exact = list(weights.exact())
        for bits in (128, 192, 640, 1200):
            found = list(weights.balls(bits))
            if len(found) < len(exact):
                exact_here = [*exact[: len(found) - 1], sum(exact[len(found) - 1 :], Fraction(0))]
                assert exact_here[-1] < sum(exact) * Fraction(1, 2**bits)
            else:
                exact_here = exact
            assert len(found) == len(exact_here)
            for enclosure, value in zip(found, exact_here, strict=True):
                assert enclosure.overlaps(ball(value))
                assert enclosure.rad() <= abs(enclosure.mid()) * arb(2) ** (16 - bits) or len(found) < len(
                    exact
                )


TOP = 2**64 - 1
TIED = [
    (Fraction(2**64 // 3), Fraction(1, 3)),
    (Fraction(5), Fraction(1, 2**64)),
    (Fraction(5), 1 - Fraction(1, 2**64)),
    (Fraction(TOP), Fraction(1, 2)),
    (Fraction(0), Fraction(2, 3)),
]


@pytest.mark.parametrize(("digits", "rest"), TIED)
def test_flips_that_tie_in_64_digits_are_decided_by_the_digits_beyond(
    digits: Fraction, rest: Fraction
) -> None:
    chance, edge = (digits + rest) / 2**64, math.floor(rest * 2**64)
    for further, expected in [(edge - 1, True), (edge + 1, False)]:
        if 0 <= further <= TOP:
            words = [int(digits), further]
            coins = GivenWords(*words)
            assert coins.flips([chance], [0]).tolist() == [expected] == [GivenWords(*words).flip(chance)]
            assert coins.left == []


def test_a_flip_that_ties_leaves_the_others_alone() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    edge = 2**64 // 3
    coins = GivenWords(edge, 2**63 - 1, edge, 2**63 + 1, edge, edge - 1, edge + 1)
    assert coins.flips([third, half], [0, 1, 0, 1, 1]).tolist() == [True, True, False, False, True]
    assert coins.left == []


def test_flips_that_tie_with_a_chance_that_ends_are_tails_and_a_chance_of_one_is_heads() -> None:
    assert GivenWords(2**63, 0).flips([Fraction(1, 2)], [0]).tolist() == [False]
    assert GivenWords(0, 0).flips([Fraction(0)], [0]).tolist() == [False]
    assert GivenWords(TOP, TOP).flips([Fraction(1)], [0]).tolist() == [True]
