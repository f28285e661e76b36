"""The only source of randomness.

Learners draw through `Coins`. The same code then has three readings: `SystemCoins` (operating-system entropy,
for release), `SeededCoins` (reproducible, never for release) and `EnumeratedCoins` (every branch with its exact
probability: the output law of the code that ships).

Claim of `choose`: outcome i has probability exactly weight_i / sum of weights.
Proof: docs/proofs/certified-choice.md. Tested by tests/unit/test_coins.py (forced doubt against exact
rationals) and tests/statistical/test_draws.py.
"""

from __future__ import annotations

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, Protocol, TypeVar

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.errors import ParameterError, PrivpacError
from privpac.numbers.exact import UNIT_ROUNDOFF

__all__ = [
    "Coins",
    "EnclosureError",
    "Enumeration",
    "Raised",
    "SeededCoins",
    "SystemCoins",
    "Weights",
    "coins_for",
    "law",
    "outcome_law",
]

T = TypeVar("T", bound=Hashable)

_FIRST_BITS = 64
_MOST_BITS = 2**16
"""A draw that is still in doubt after so many digits has balls that do not tighten; chance alone: 2^-65000."""
_DOUBT = -1
"""Instead of an index: floats do not decide this draw."""
_ROUNDINGS = 16
"""Roundings in the search besides one per summand: quotients and conversions, counted generously."""


class Weights(Protocol):
    """One recipe for a list of positive weights, in three readings that agree up to one common factor."""

    @property
    def key(self) -> Hashable:
        """Equal keys mean equal weights."""

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Values v and a bound e with sum |v_i - s·w_i| <= e · sum v_i for some s > 0.

        Weights too small for the table may be given as 0, or left out at the end; their mass is part of e.
        """

    def balls(self, bits: int) -> Sequence[arb]:
        """Enclosures of all weights, ever tighter as `bits` grows.

        The list may be cut short: then its last ball encloses the sum of all weights from there on, and that sum is
        below 2^-bits of the total, so that a draw is never decided in favour of it.
        """

    def exact(self) -> Sequence[Fraction]:
        """The weights themselves; for enumeration on small inputs."""


class Coins(Protocol):
    """What a learner may ask of chance."""

    @property
    def origin(self) -> str:
        """'system', 'seeded' or 'enumerated': goes into the certificate."""

    def choose(self, weights: Weights) -> int:
        """Index i with probability exactly proportional to weight i."""

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        """`count` independent choices from the same weights."""

    def below(self, n: int) -> int:
        """A uniform integer from 0 to n - 1, for n of any size."""

    def flip(self, p: Fraction) -> bool:
        """True with probability exactly p."""

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """Independent flips, many at once: the i-th is True with probability exactly chances[picks[i]]."""

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        """k different integers below n, every ordered choice equally likely.

        The order is random too: keeping the index order would break subsampling for learners that look at it.
        """

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        """The results of several independent runs, in order; one that raises is the last.

        Nothing but a list to a tossing coin; an enumeration computes each run's law once instead of every branch of
        every combination.
        """


class _BitCoins(ABC):
    """Everything from a stream of fair bits."""

    origin: str

    @abstractmethod
    def bits(self, count: int) -> int:
        """A uniform integer of `count` bits."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """`count` uniform integers of 64 bits."""
        return np.array([self.bits(_FIRST_BITS) for _ in range(count)], dtype=np.uint64)

    def below(self, n: int) -> int:
        if n < 1:
            raise ValueError("below(n) needs n >= 1")
        count = (n - 1).bit_length()
        while True:  # each round succeeds with probability above one half
            value = self.bits(count)
            if value < n:
                return value

    def flip(self, p: Fraction) -> bool:
        """Compare a uniform real with p, 64 binary digits at a time: no digit beyond the first difference."""
        if not 0 <= p <= 1:
            raise ValueError("flip(p) needs 0 <= p <= 1")
        while True:
            scaled = p * (1 << _FIRST_BITS)
            digits = math.floor(scaled)
            drawn = self.bits(_FIRST_BITS)
            if drawn != digits:
                return drawn < digits
            p = scaled - digits
            if p == 0:
                return False

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        """As `flip`, with the first 64 digits of all of them compared at once."""
        if not all(0 <= p <= 1 for p in chances):
            raise ValueError("flips(chances) needs numbers from 0 to 1")
        which = np.asarray(picks, dtype=np.int64)
        scaled = [p * (1 << _FIRST_BITS) for p in chances]
        # A chance of 1 has no 64 digits after the point; all ones and a rest of 1 mean the same.
        digits = [min(math.floor(p), (1 << _FIRST_BITS) - 1) for p in scaled]
        stream = self.bits(_FIRST_BITS * len(which)).to_bytes(_FIRST_BITS // 8 * len(which), "little")
        drawn = np.frombuffer(stream, dtype="<u8")
        edges = np.array(digits, dtype=np.uint64)[which]
        heads = drawn < edges
        for i in np.flatnonzero(drawn == edges).tolist():
            heads[i] = self.flip(scaled[which[i]] - digits[which[i]])
        return heads

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        """Fisher–Yates on a sparse array: k draws, memory for k entries."""
        if not 0 <= k <= n:
            raise ValueError("subset(n, k) needs 0 <= k <= n")
        moved: dict[int, int] = {}
        chosen = []
        for i in range(k):
            j = i + self.below(n - i)
            chosen.append(moved.get(j, j))
            moved[j] = moved.get(i, i)
        return tuple(chosen)

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        return [run(self) for run in runs]

    def choose(self, weights: Weights) -> int:
        values, error = weights.floats()
        drawn = self.bits(_FIRST_BITS)
        index = _locate(values, error, drawn)
        return index if index is not None else self._refine(weights, drawn)

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        values, error = weights.floats()
        drawn = self.words(count)
        indices = _locate_many(values, error, drawn)
        for place in np.flatnonzero(indices == _DOUBT).tolist():
            indices[place] = self._refine(weights, int(drawn[place]))
        return indices

    def _refine(self, weights: Weights, drawn: int) -> int:
        """Decide a doubtful draw by balls, extending the same random number; it is never drawn again.

        Starting afresh would favour outcomes far from the doubtful edges.
        """
        bits = _FIRST_BITS
        while bits < _MOST_BITS:
            drawn = (drawn << bits) | self.bits(bits)
            bits *= 2
            index = _locate_in_balls(weights.balls(bits + 64), drawn, bits)
            if index is not None:
                return index
        raise EnclosureError("the balls of some weights do not tighten")


def _locate(values: NDArray[np.float64], error: float, drawn: int) -> int | None:
    """As `_locate_many`, for one number; None if that is in doubt."""
    index = int(_locate_many(values, error, np.array([drawn], dtype=np.uint64))[0])
    return None if index == _DOUBT else index


def _locate_many(values: NDArray[np.float64], error: float, drawn: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The indices whose parts of [0, 1) certainly contain the drawn numbers, `_DOUBT` where that is in doubt.

    A number is known to 64 bits: it lies in [drawn, drawn + 1) / 2^64. With E the relative error of the cumulative
    sums (the weights' own, plus one rounding per summand), a true cumulative probability differs from the computed
    quotient by at most 3E for E <= 1/4; the fourth E, at least 16 roundings, covers those of the comparison itself.
    """
    sums = np.cumsum(values)
    total = float(sums[-1])
    bound = error + (len(values) + _ROUNDINGS) * UNIT_ROUNDOFF * 1.01
    if not (bound <= 0.25 and math.isfinite(total) and total > 0):
        return np.full(len(drawn), _DOUBT, dtype=np.int64)
    doubt = 4.0 * bound * total
    points = (
        drawn.astype(np.float64) * 2.0**-_FIRST_BITS * total
    )  # two roundings: of the integer, of the product
    index = np.searchsorted(sums, points, side="right")
    inside = np.minimum(index, len(sums) - 1)
    sure = index < len(sums)
    sure &= (index == 0) | (points - doubt > sums[np.maximum(inside - 1, 0)])
    # The last one too: a dropped tail may follow.
    sure &= points + doubt + 2.0**-_FIRST_BITS * total < sums[inside]
    return np.where(sure, index, _DOUBT)


def _locate_in_balls(weights: Sequence[arb], drawn: int, bits: int) -> int | None:
    with ctx.workprec(bits + 64):
        sums: list[arb] = []
        running = arb(0)
        for weight in weights:
            running += weight
            sums.append(running)
        scale = arb(fmpz(1) << bits)
        low = arb(fmpz(drawn)) * running
        high = arb(fmpz(drawn + 1)) * running
        first, last = 0, len(sums) - 1
        while first < last:  # the first index whose scaled sum is not certainly at or below `low`
            middle = (first + last) // 2
            if sums[middle] * scale <= low:
                first = middle + 1
            else:
                last = middle
        certain = first == len(sums) - 1 or high <= sums[first] * scale
        return first if certain else None


class SystemCoins(_BitCoins):
    """Entropy of the operating system; every bit is asked for when it is needed.

    Nothing is buffered: a buffer copied into another process would deal the same coins twice.
    """

    origin = "system"

    def bits(self, count: int) -> int:
        size = (count + 7) // 8
        return int.from_bytes(os.urandom(size), "little") >> (8 * size - count)

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class SeededCoins(_BitCoins):
    """Reproducible coins for tests, tutorials and simulations: BLAKE2b of seed and counter.

    A model made with them is marked as not for release: whoever knows the seed can undo the noise.
    """

    origin = "seeded"

    def __init__(self, seed: int) -> None:
        self._key = hashlib.blake2b(str(int(seed)).encode(), digest_size=32).digest()
        self._counter = 0
        self._pool = 0
        self._pooled = 0

    def bits(self, count: int) -> int:
        if self._pooled < count:
            self._fill(count)
        value = self._pool & ((1 << count) - 1)
        self._pool >>= count
        self._pooled -= count
        return value

    def words(self, count: int) -> NDArray[np.uint64]:
        size = _FIRST_BITS // 8 * count
        return np.frombuffer(self.bits(8 * size).to_bytes(size, "little"), dtype="<u8")

    def _fill(self, wanted: int) -> None:
        """Blocks for so many bits, joined before they become one integer: adding them one by one takes square time."""
        first = self._counter
        self._counter += -(-(wanted - self._pooled) // (8 * hashlib.blake2b.MAX_DIGEST_SIZE))
        blocks = b"".join(
            hashlib.blake2b(i.to_bytes(8, "little"), key=self._key).digest()
            for i in range(first, self._counter)
        )
        self._pool |= int.from_bytes(blocks, "little") << self._pooled
        self._pooled += 8 * len(blocks)


def coins_for(random_state: int | None, *, owner: str = "learn") -> SystemCoins | SeededCoins:
    """System entropy for release, or reproducible coins for trying out."""
    if random_state is None:
        return SystemCoins()
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)):
        allowed = "None (for release) or an integer (for trying out)"
        raise ParameterError(owner, "random_state", random_state, allowed=allowed)
    return SeededCoins(int(random_state))


class EnclosureError(AssertionError):
    """A reading of some weights does not enclose them, or not tightly enough: a fault in a kernel."""


class Enumeration:
    """Exact probabilities of weights seen before, shared by all runs of an audit."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, list[Fraction]] = {}

    def probabilities(self, weights: Weights) -> list[Fraction]:
        """The exact probability of every outcome of one choice."""
        key = weights.key
        if key not in self._seen:
            exact = list(weights.exact())
            total = sum(exact)
            self._check_enclosure(weights, exact, Fraction(total))
            self._seen[key] = [weight / total for weight in exact]
        return self._seen[key]

    def _check_enclosure(self, weights: Weights, exact: list[Fraction], total: Fraction) -> None:
        """Tie the audited weights to the kernel that ships: sum |v_i - s·w_i| <= e·sum v_i at s = sum v / sum w.

        If the bound holds for some s, it holds for this one with 2e; that is what is checked.
        """
        values, error = weights.floats()
        if not error < 1.0:  # a bound that excludes nothing: every draw is left to balls
            return
        floats = [Fraction(float(value)) for value in values]
        floats += [Fraction(0)] * (len(exact) - len(floats))
        scale = sum(floats) / total
        gap = sum(abs(f - scale * w) for f, w in zip(floats, exact, strict=True))
        if gap > 2 * Fraction(error) * sum(floats):
            raise EnclosureError("float weights leave their error bound")


@dataclass(frozen=True)
class Raised:
    """An exception as an outcome: what the world sees of it is its type, and the sentence of one of our own."""

    kind: str
    sentence: str
    error: Exception = field(compare=False, repr=False)

    @classmethod
    def of(cls, error: Exception) -> Raised:
        """An error as an outcome of a run: its type and its sentence, without the traceback."""
        sentence = str(error) if isinstance(error, PrivpacError) else ""
        return cls(
            type(error).__name__, sentence, error.with_traceback(None)
        )  # a traceback holds the records

    def again(self) -> Exception:
        """The exception, to be raised where the run would have raised it."""
        return self.error.with_traceback(None)


@lru_cache(maxsize=32)
def _subsets(n: int, k: int, sets: bool) -> tuple[tuple[int, ...], ...]:
    """All ordered choices of k below n, or each set once."""
    return tuple((combinations if sets else permutations)(range(n), k))


@dataclass(frozen=True, slots=True)
class _Decision:
    """One step of a branch: the option taken, what there was to take, and the probability of the branch so far."""

    index: int
    chances: list[Fraction]
    reached: Fraction


class EnumeratedCoins:
    """Replays the decisions a branch begins with, then takes the first open option at every further one.

    A run is a function of its records and coins, so equal decisions lead to equal weights: those of replayed decisions
    are not computed again.
    """

    origin = "enumerated"

    def __init__(
        self,
        begun: Sequence[_Decision],
        memory: Enumeration,
        laws: dict[tuple[int, ...], list[tuple[Any, Fraction]]],
        *,
        sets: bool = False,
    ) -> None:
        self._sets = sets
        self._begun = begun
        self._memory = memory
        self._laws = laws
        self.trail: list[_Decision] = []

    @property
    def reached(self) -> Fraction:
        """The probability of all decisions so far."""
        return self.trail[-1].reached if self.trail else Fraction(1)

    def _decide(self, chances: Callable[[], list[Fraction]]) -> int:
        step = len(self.trail)
        decision = self._begun[step] if step < len(self._begun) else self._first(chances())
        self.trail.append(decision)
        return decision.index

    def _first(self, chances: list[Fraction]) -> _Decision:
        index = next(i for i, p in enumerate(chances) if p > 0)
        return _Decision(index, chances, self.reached * chances[index])

    def choose(self, weights: Weights) -> int:
        return self._decide(lambda: self._memory.probabilities(weights))

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        return np.array([self.choose(weights) for _ in range(count)], dtype=np.int64)

    def below(self, n: int) -> int:
        return 0 if n == 1 else self._decide(lambda: [Fraction(1, n)] * n)

    def flip(self, p: Fraction) -> bool:
        return self._decide(lambda: [1 - p, p]) == 1

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        return np.array([self.flip(chances[i]) for i in picks], dtype=np.bool_)

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        options = _subsets(n, k, self._sets)
        return options[self.below(len(options))]

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        return [self._outcome(run) for run in runs]

    def _outcome(self, run: Callable[[Coins], T]) -> T:
        """One run by its law; the decisions so far fix everything it can depend on besides its own coins.

        That it raises is one of its outcomes, with a probability of its own; the runs after it are then not begun.
        """
        here = tuple(decision.index for decision in self.trail)
        if here not in self._laws:
            self._laws[here] = list(outcome_law(run, memory=self._memory, sets=self._sets).items())
        outcomes = self._laws[here]
        result: T | Raised = outcomes[self._decide(lambda: [chance for _, chance in outcomes])][0]
        if isinstance(result, Raised):
            raise result.again()
        return result


def law(
    run: Callable[[Coins], T], *, memory: Enumeration | None = None, sets: bool = False
) -> dict[T, Fraction]:
    """The exact distribution of what `run` returns, by visiting every branch; whatever one of them raises is raised.

    With `sets`, `subset` gives every set once, in order: for runs that are known not to look at its order.

    >>> law(lambda coins: coins.below(2) + coins.below(2))
    {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
    """
    returned: dict[T, Fraction] = {}
    for outcome, probability in outcome_law(run, memory=memory, sets=sets).items():
        if isinstance(outcome, Raised):
            raise outcome.again()
        returned[outcome] = probability
    return returned


def outcome_law(
    run: Callable[[Coins], T], *, memory: Enumeration | None = None, sets: bool = False
) -> dict[T | Raised, Fraction]:
    """As `law`, with exceptions among the outcomes: a refusal is something the world sees.

    >>> list(outcome_law(lambda coins: 1 // coins.below(4)).values())
    [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    """
    memory = memory or Enumeration()
    outcome: dict[T | Raised, Fraction] = {}
    begun: list[_Decision] | None = []
    laws: dict[tuple[int, ...], list[tuple[Any, Fraction]]] = {}
    while begun is not None:
        coins = EnumeratedCoins(begun, memory, laws, sets=sets)
        result = _result(run, coins)
        outcome[result] = outcome.get(result, Fraction(0)) + coins.reached
        begun = _next_branch(coins.trail)
    return outcome


def _result(run: Callable[[Coins], T], coins: EnumeratedCoins) -> T | Raised:
    try:
        return run(coins)
    except EnclosureError:  # the coins are at fault, not the run
        raise
    except Exception as error:  # whatever it is, it ends the run in sight of everybody
        return Raised.of(error)


def _next_branch(trail: list[_Decision]) -> list[_Decision] | None:
    """The next branch in depth-first order: advance the last decision that still has an option."""
    for depth in range(len(trail) - 1, -1, -1):
        chances = trail[depth].chances
        for following in range(trail[depth].index + 1, len(chances)):
            if chances[following] > 0:
                before = trail[depth - 1].reached if depth else Fraction(1)
                return [*trail[:depth], _Decision(following, chances, before * chances[following])]
    return None
