"""Built-in hard distributions, and how many records the exponential mechanism really needs on them.

On each of them the mistakes of all bad members differ from those of the good ones by one count, so the failure is an
expectation over two counts, which is summed instead of sampled: what a simulation would converge to, without its noise.
A hard distribution shows how far a proof can still be improved; it is not a promise for other distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.wish import Wish
from privpac.numbers.exact import first_whole

__all__ = [
    "agnostic_need",
    "failure",
    "lone_atom",
    "odds_of_atom",
    "realizable_need",
    "smallest",
]

Epsilon = Callable[[int], float]
"""The epsilon of a draw from this many records."""

_TAIL = 1e-12
"""Counts outside a window of this probability are left out of the sums."""


def odds_of_atom(concepts: ClassFacts) -> Fraction | None:
    """Members that err on a lone atom next to a background, over those that do not: the worst target of a class.

    Points: the atom is the target. Thresholds: the background is the first cell, the atom the second, and the cut lies
    between them. Intervals and unions: the atom is the first cell, the background the second, and intervals beyond are
    free. Generated points: the atom is one of them, the background none. `any`: a class all of whose other members err
    on the atom. None: no such family is known.
    """
    cells, kind = concepts.cells, concepts.kind
    if kind in ("any", "generated"):
        return concepts.odds
    if cells is None or cells < 4:
        return None
    if kind == "points":
        return Fraction(cells - 2)
    if kind == "thresholds" and concepts.vc == 1:
        return Fraction(cells - 1)
    if kind in ("intervals", "unions"):
        free = cells - 2
        without = sum(math.comb(free, k) for k in range(2 * concepts.parts + 1))
        with_it = sum(math.comb(free, k) for k in range(2 * concepts.parts - 1))
        return Fraction(without, with_it)
    return None


def failure(n: int, *, log_odds: float, plus: float, minus: float, rate: float) -> float:
    """E[odds/(odds + e^(rate·(A - B)))], (A, B) multinomial(n; plus, minus): bad members err A - B more often.

    >>> failure(328, log_odds=math.log(2**16 - 2), plus=0.1, minus=0.0, rate=0.5) <= 0.05
    True
    """
    # A and B together are binomial, and A is binomial among them: two windows, one sum.
    both, share = plus + minus, plus / (plus + minus)
    totals, chances = _window(n, both)
    chance_of_failure = 0.0
    for total, chance in zip(totals.tolist(), chances.tolist(), strict=True):
        hits, weights = _window(int(total), share)
        lead = log_odds - rate * (2.0 * hits - total)
        chance_of_failure += chance * float(
            np.dot(weights, 1.0 / (1.0 + np.exp(-np.clip(lead, -700.0, 700.0))))
        )
    return chance_of_failure


def _window(n: int, chance: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts with their binomial probabilities, all but a tail."""
    if n == 0 or chance <= 0.0 or chance >= 1.0:
        return np.array([float(n) if chance >= 1.0 else 0.0]), np.ones(1)
    log_tail = math.log(2.0 / _TAIL)
    spread = math.sqrt(2.0 * n * chance * (1.0 - chance) * log_tail) + log_tail
    low, high = max(0, math.floor(n * chance - spread)), min(n, math.ceil(n * chance + spread))
    first = (
        math.lgamma(n + 1)
        - math.lgamma(low + 1)
        - math.lgamma(n - low + 1)
        + low * math.log(chance)
        + (n - low) * math.log1p(-chance)
    )
    counts = np.arange(low, high + 1, dtype=np.float64)
    ratios = np.log((n - counts[:-1]) / (counts[:-1] + 1.0)) + (math.log(chance) - math.log1p(-chance))
    return counts, np.exp(first + np.concatenate(([0.0], np.cumsum(ratios))))


def _log(odds: Fraction) -> float:
    """Numerator and denominator may be too large for a double."""
    return math.log(odds.numerator) - math.log(odds.denominator)


def smallest(fails: Callable[[int], float], failure: float, start: int) -> int:
    """The first number of records that fails rarely enough."""
    return first_whole(lambda n: fails(n) <= failure, start=start, smallest=1)


def _epsilon_of(wish: Wish, epsilon: Epsilon | None) -> Epsilon:
    return (lambda n: float(wish.epsilon)) if epsilon is None else epsilon


def lone_atom(wish: Wish, epsilon: Epsilon | None = None) -> tuple[Callable[[int], float], int] | None:
    """The failure of a draw by records where a lone atom of mass `error` decides, and about how many are needed."""
    odds = odds_of_atom(wish.concepts)
    if odds is None:
        return None
    error, price, log_odds = float(wish.error), _epsilon_of(wish, epsilon), _log(odds)

    def fails(n: int) -> float:
        return failure(n, log_odds=log_odds, plus=error, minus=0.0, rate=price(n) / 2.0)

    return fails, math.ceil((log_odds + 1.0) / (error * -math.expm1(-float(wish.epsilon) / 2.0)))


def realizable_need(wish: Wish, *, epsilon: Epsilon | None = None) -> int | None:
    """Records until the draw fails rarely enough where a lone atom of mass `error` decides."""
    need = lone_atom(wish, epsilon)
    return None if need is None else smallest(need[0], float(wish.failure), need[1])


def agnostic_need(wish: Wish, *, epsilon: Epsilon | None = None) -> int | None:
    """The same where labels at the atom are noisy, so that good members err with probability `noise` as well.

    Without a bound on the noise: every record is at the atom, its label right with probability (1 + excess)/2.
    """
    odds = odds_of_atom(wish.concepts)
    if odds is None:
        return None
    excess, price, log_odds = float(wish.error), _epsilon_of(wish, epsilon), _log(odds)
    most = (1.0 - excess) / 2.0
    minus = most if wish.noise is None else min(float(wish.noise), most)

    def fails(n: int) -> float:
        return failure(n, log_odds=log_odds, plus=minus + excess, minus=minus, rate=price(n) / 2.0)

    start = math.ceil((log_odds + 1.0) / (excess * math.tanh(float(wish.epsilon) / 2.0)))
    return smallest(fails, float(wish.failure), start)
