"""Built-in hard distributions, and how many records the exponential mechanism really needs on them.

On each of them the mistakes of all bad members differ from those of the good ones by one count, so the failure is an
expectation over two counts, which is summed instead of sampled: what a simulation would converge to, without its noise.
A hard distribution shows how far a proof can still be improved; it is not a promise for other distributions.
Tested by tests/unit/test_hard.py (draws of the learner itself) and tests/statistical/test_planner.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from privpac.plan.class_facts import ClassFacts
from privpac.plan.wish import Wish
from privpac.theory.binomial import first_whole

__all__ = ["agnostic_need", "failure", "odds_of_atom", "realizable_need"]

_TAIL = 1e-12
"""Counts outside a window of this probability are left out of the sums."""


def odds_of_atom(concepts: ClassFacts) -> Fraction | None:
    """Members that err on a lone atom next to a background, over those that do not: the worst target of a class.

    Points: the atom is the target. Thresholds: the background is the first cell, the atom the second, and the cut lies
    between them. Intervals and unions: the atom is the first cell, the background the second, and intervals beyond are
    free. `any`: a class all of whose other members err on the atom. None: no such family is known.
    """
    cells, kind = concepts.cells, concepts.kind
    if kind == "any":
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
    total = 0.0
    for a, p in _window(n, plus):
        if minus == 0.0:
            total += p * _logistic(log_odds - rate * a)
            continue
        for b, q in _window(n - a, minus / (1.0 - plus)):
            total += p * q * _logistic(log_odds - rate * (a - b))
    return total


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


@lru_cache(maxsize=4096)
def _window(n: int, chance: float) -> list[tuple[int, float]]:
    """Counts with their binomial probabilities, all but a tail."""
    if n == 0 or chance <= 0.0:
        return [(0, 1.0)]
    if chance >= 1.0:
        return [(n, 1.0)]
    spread = math.sqrt(2.0 * n * chance * (1.0 - chance) * math.log(2.0 / _TAIL)) + math.log(2.0 / _TAIL)
    low, high = max(0, math.floor(n * chance - spread)), min(n, math.ceil(n * chance + spread))
    here = (
        math.lgamma(n + 1)
        - math.lgamma(low + 1)
        - math.lgamma(n - low + 1)
        + low * math.log(chance)
        + (n - low) * math.log1p(-chance)
    )
    step = math.log(chance) - math.log1p(-chance)
    found = []
    for k in range(low, high + 1):
        found.append((k, math.exp(here)))
        if k < n:
            here += math.log((n - k) / (k + 1)) + step
    return found


def _log(odds: Fraction) -> float:
    """Numerator and denominator may be too large for a double."""
    return math.log(odds.numerator) - math.log(odds.denominator)


def _smallest(fails: Callable[[int], float], allowed: float, start: int) -> int:
    return first_whole(lambda n: fails(n) <= allowed, start=start, smallest=1)


def realizable_need(wish: Wish) -> int | None:
    """Records until the draw fails rarely enough where a lone atom of mass `error` decides."""
    odds = odds_of_atom(wish.concepts)
    if odds is None:
        return None
    error, rate, log_odds = float(wish.error), float(wish.epsilon) / 2.0, _log(odds)

    def fails(n: int) -> float:
        return failure(n, log_odds=log_odds, plus=error, minus=0.0, rate=rate)

    start = math.ceil((log_odds + 1.0) / (error * -math.expm1(-rate)))
    return _smallest(fails, float(wish.failure), start)


def agnostic_need(wish: Wish) -> int | None:
    """The same where labels at the atom are noisy, so that good members err with probability `noise` as well.

    Without a bound on the noise: every record is at the atom, its label right with probability (1 + excess)/2.
    """
    odds = odds_of_atom(wish.concepts)
    if odds is None:
        return None
    excess, rate, log_odds = float(wish.error), float(wish.epsilon) / 2.0, _log(odds)
    minus = (1.0 - excess) / 2.0 if wish.noise is None else min(float(wish.noise), (1.0 - excess) / 2.0)
    if minus >= (1.0 - excess) / 2.0:

        def fails(n: int) -> float:
            return math.fsum(
                p * _logistic(log_odds - rate * (2 * a - n)) for a, p in _window(n, (1.0 + excess) / 2.0)
            )
    else:

        def fails(n: int) -> float:
            return failure(n, log_odds=log_odds, plus=minus + excess, minus=minus, rate=rate)

    start = math.ceil((log_odds + 1.0) / (excess * math.tanh(rate)))
    return _smallest(fails, float(wish.failure), start)
