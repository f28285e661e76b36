"""Declared workloads: releases whose number and kind are fixed beforehand, under one promise and one charge.

Whoever declares what will be released need not pay for the freedom to choose as one goes. Three ways are tried: adding
epsilons, adding rhos and converting once, and for draws of one kind the exact fold of their log-odds. What shows the
promise with the smallest delta counts.
Proof: docs/proofs/range-fold.md, docs/proofs/concentrated.md. Tested by tests/unit/numbers/test_range_folds.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import ALL, Loss, Privacy
from privpac.guarantee.price import concentrated_price, range_of
from privpac.guarantee.proof import Proof
from privpac.numbers.concentrated import spendable
from privpac.numbers.range_folds import LARGEST_TIMES

__all__ = ["together"]


def together(*each: Proof[Privacy], times: int, epsilon: Fraction, delta: Fraction) -> Proof[Privacy]:
    """All of `each`, `times` times over, each release possibly chosen after earlier ones, within (epsilon, delta).

    Raises RuleRefused if no way shows that.

    >>> one = rules.exponential_mechanism(ratio=Fraction(9, 10))
    >>> print(together(one, times=4, epsilon=Fraction(3, 4), delta=Fraction(1, 100)).fact)
    (0.75, 0.01)-DP, one record replaced, hypothesis released
    """
    promised = Loss(log=epsilon)
    shown = [way for way in _ways(each, times, epsilon, delta) if way.fact.epsilon <= promised]
    best = min(shown, key=lambda way: way.fact.delta, default=None)
    if best is None or best.fact.delta > delta:
        raise RuleRefused(
            "declared",
            "these releases together lose more than what is declared",
            remedy="Declare fewer of them, a smaller epsilon for each, or more in all.",
        )
    return rules.declared(best, epsilon=epsilon, delta=delta)


def _ways(
    each: tuple[Proof[Privacy], ...], times: int, epsilon: Fraction, delta: Fraction
) -> Iterator[Proof[Privacy]]:
    once = rules.sequential(*each) if len(each) > 1 else each[0]
    pure = once.fact.delta == 0
    if pure:
        yield rules.k_fold(once, times=times, saved=0)
    if not delta:
        return
    cost = rules.concentrated_sum(*(concentrated_price(one) for one in each), times=times)
    left = delta - cost.fact.delta
    if left > 0:
        yield rules.concentrated_privacy(cost, delta=left, order=spendable(epsilon, left).order)
    range_ = range_of(each[0]) if len(each) == 1 and pure else None
    if range_ is not None and range_.fact.part == ALL and times <= LARGEST_TIMES:
        odds = rules.range_log_odds(range_)
        yield rules.range_fold(odds, times=times, epsilon=epsilon, release=once.fact.release)
