"""Coins that are enumerated: every branch with its exact probability, hence the output law of the code that ships.

On the way probabilities are multiplied and added as flint's rational numbers, in a tenth of the time of `Fraction`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from privpac.coins.base import Coins, EnclosureError, Repeatable, Weights
from privpac.errors import PrivpacError
from privpac.numbers.exact import flint_of, fraction_of

__all__ = ["EnumeratedCoins", "Enumeration", "Raised", "Unfolding", "law", "outcome_law"]

T = TypeVar("T", bound=Hashable)


class Enumeration:
    """Exact probabilities of weights seen before, and laws of repeatable runs, shared by all runs of an audit."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, list[fmpq]] = {}
        self._laws: dict[tuple[Repeatable[Any], bool], _Outcomes] = {}

    def outcomes(self, run: Callable[[Coins], Any], *, sets: bool) -> _Outcomes:
        """The law of a run inside of another."""
        if not isinstance(run, Repeatable):
            return _Outcomes.of(_chances(run, self, sets=sets))
        if (run, sets) not in self._laws:
            self._laws[run, sets] = _Outcomes.of(_chances(run, self, sets=sets))
        return self._laws[run, sets]

    def probabilities(self, weights: Weights) -> list[Fraction]:
        """The exact probability of every outcome of one choice."""
        return [fraction_of(chance) for chance in self.chances(weights)]

    def chances(self, weights: Weights) -> list[fmpq]:
        """The same, in the numbers that branches are reckoned with."""
        key = weights.key
        if key not in self._seen:
            exact = list(weights.exact())
            self._check_enclosure(weights, exact)
            wholes = _wholes(exact)
            total = sum(wholes)
            self._seen[key] = [fmpq(whole, total) for whole in wholes]
        return self._seen[key]

    def _check_enclosure(self, weights: Weights, exact: list[Fraction]) -> None:
        """Tie the audited weights to the kernel that ships: sum |v_i - s·w_i| <= e·sum v_i at s = sum v / sum w.

        If the bound holds for some s, it holds for this one with 2e; that is what is checked.
        """
        values, error = weights.floats()
        if not error < 1.0:  # a bound that excludes nothing: every draw is left to balls
            return
        floats = [Fraction(float(value)) for value in values]
        floats += [Fraction(0)] * (len(exact) - len(floats))
        v, w, bound = _wholes(floats), _wholes(exact), 2 * Fraction(error)
        whole_v, whole_w = sum(v), sum(w)
        gap = sum(abs(f * whole_w - e * whole_v) for f, e in zip(v, w, strict=True))
        if gap * bound.denominator > bound.numerator * whole_v * whole_w:
            raise EnclosureError("float weights leave their error bound")


def _wholes(numbers: Sequence[Fraction]) -> list[int]:
    """Whole numbers in the same proportions: they are added and multiplied in a fraction of the time."""
    whole = math.lcm(*(number.denominator for number in numbers))
    return [number.numerator * (whole // number.denominator) for number in numbers]


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


@lru_cache(maxsize=32)
def _evenly(n: int) -> list[fmpq]:
    return [fmpq(1, n)] * n


ALWAYS = fmpq(1)


class _Decision(NamedTuple):
    """One step of a branch: the option taken, what there was to take, and the probability of the branch so far."""

    option: int
    chances: list[fmpq]
    reached: fmpq


class _Outcomes(NamedTuple):
    """A law as two lists: what may come, and how probable it is."""

    results: list[Any]
    chances: list[fmpq]

    @classmethod
    def of(cls, law: dict[Any, fmpq]) -> _Outcomes:
        """In the order of the law."""
        return cls(list(law), list(law.values()))


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
        laws: dict[tuple[int, ...], _Outcomes],
        *,
        sets: bool = False,
    ) -> None:
        self._sets = sets
        self._begun = begun
        self._memory = memory
        self._laws = laws
        self.trail: list[_Decision] = []

    @property
    def reached(self) -> fmpq:
        """The probability of all decisions so far."""
        return self.trail[-1].reached if self.trail else ALWAYS

    def _decide(self, chances: Callable[[], list[fmpq]]) -> int:
        step = len(self.trail)
        decision = self._begun[step] if step < len(self._begun) else self._first(chances())
        self.trail.append(decision)
        return decision.option

    def _first(self, chances: list[fmpq]) -> _Decision:
        index = next(i for i, p in enumerate(chances) if p)
        return _Decision(index, chances, self.reached * chances[index])

    def choose(self, weights: Weights) -> int:
        return self._decide(lambda: self._memory.chances(weights))

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        return np.array([self.choose(weights) for _ in range(count)], dtype=np.int64)

    def below(self, n: int) -> int:
        return 0 if n == 1 else self._decide(lambda: _evenly(n))

    def flip(self, p: Fraction) -> bool:
        heads = flint_of(p)
        return self._decide(lambda: [1 - heads, heads]) == 1

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
        here = tuple(decision.option for decision in self.trail)
        if here not in self._laws:
            self._laws[here] = self._memory.outcomes(run, sets=self._sets)
        results, chances = self._laws[here]
        result: T | Raised = results[self._decide(lambda: chances)]
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
    chances: dict[T, Fraction] = {}
    for outcome, probability in outcome_law(run, memory=memory, sets=sets).items():
        if isinstance(outcome, Raised):
            raise outcome.again()
        chances[outcome] = probability
    return chances


def outcome_law(
    run: Callable[[Coins], T], *, memory: Enumeration | None = None, sets: bool = False
) -> dict[T | Raised, Fraction]:
    """As `law`, with exceptions among the outcomes: a refusal is something the world sees.

    >>> list(outcome_law(lambda coins: 1 // coins.below(4)).values())
    [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    """
    return Unfolding(run, memory, sets=sets).law()


def _chances(run: Callable[[Coins], T], memory: Enumeration, *, sets: bool) -> dict[T | Raised, fmpq]:
    return Unfolding(run, memory, sets=sets).finish()


class Unfolding(Generic[T]):
    """The branches of a run, one after the other. Who stops it by a `BaseException` may go on where it was."""

    def __init__(
        self, run: Callable[[Coins], T], memory: Enumeration | None = None, *, sets: bool = False
    ) -> None:
        self._run, self._memory, self._sets = run, memory or Enumeration(), sets
        self._outcome: dict[T | Raised, fmpq] = {}
        self._begun: list[_Decision] | None = []
        self._laws: dict[tuple[int, ...], _Outcomes] = {}

    def law(self) -> dict[T | Raised, Fraction]:
        """All outcomes with their probabilities."""
        return {outcome: fraction_of(chance) for outcome, chance in self.finish().items()}

    def finish(self) -> dict[T | Raised, fmpq]:
        """The same, in the numbers that branches are reckoned with."""
        outcome = self._outcome
        while self._begun is not None:
            coins = EnumeratedCoins(self._begun, self._memory, self._laws, sets=self._sets)
            result = _result(self._run, coins)
            before = outcome.get(result)
            outcome[result] = coins.reached if before is None else before + coins.reached
            self._begun = _next_branch(coins.trail)
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
        for following in range(trail[depth].option + 1, len(chances)):
            if chances[following]:
                before = trail[depth - 1].reached if depth else ALWAYS
                return [*trail[:depth], _Decision(following, chances, before * chances[following])]
    return None
