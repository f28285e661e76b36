"""Declared workloads: releases whose number and kind are fixed beforehand, under one promise and one charge.

Whoever declares what will be released need not pay for the freedom to choose as one goes. Three ways are tried: adding
epsilons, adding rhos and converting once, and for draws of one kind the exact fold of their log-odds. What shows the
promise with the smallest delta counts.
Proof: docs/proofs/range-fold.md, docs/proofs/concentrated.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial

from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import ALL, Loss, Privacy
from privpac.guarantee.price import concentrated_price, range_of
from privpac.guarantee.proof import Proof
from privpac.numbers.concentrated import approximate_epsilon, rho_up, spendable
from privpac.numbers.range_folds import LARGEST_TIMES, fold_epsilon

__all__ = ["smallest_epsilon", "together"]


def together(*each: Proof[Privacy], times: int, epsilon: Fraction, delta: Fraction) -> Proof[Privacy]:
    """All of `each`, `times` times over, each release possibly chosen after earlier ones, within (epsilon, delta).

    Raises RuleRefused if no way shows that.

    >>> one = rules.exponential_mechanism(ratio=Fraction(9, 10))
    >>> print(together(one, times=4, epsilon=Fraction(3, 4), delta=Fraction(1, 100)).fact)
    (0.75, 0.01)-DP, one record replaced, the rule is released
    """
    promise = Loss(log=epsilon)
    proofs: list[Proof[Privacy]] = []
    for way in _ways(each, times, epsilon, delta):
        with suppress(
            RuleRefused
        ):  # this many releases, or this much of them, may be out of the range of one way
            proofs.append(way())
    fitting = (proof for proof in proofs if proof.fact.epsilon <= promise)
    best = min(fitting, key=lambda proof: proof.fact.delta, default=None)
    if best is None or best.fact.delta > delta:
        raise RuleRefused(
            "declared",
            "these releases together lose more than what is declared",
            remedy="Declare fewer of them, a smaller epsilon for each, or more in all.",
        )
    return rules.declared(best, epsilon=epsilon, delta=delta)


def smallest_epsilon(one: Proof[Privacy], *, times: int, delta: Fraction) -> Proof[Privacy] | None:
    """`times` draws as `one`, declared beforehand, at the smallest epsilon that this delta allows.

    None if `one` is no single stage of exponential draws: for anything else `k_fold` is the best there is.

    >>> one = rules.exponential_mechanism(ratio=Fraction(99, 100))
    >>> smallest_epsilon(one, times=1000, delta=Fraction(1, 10**6)).fact.epsilon < Loss(log=Fraction(2))
    True
    """
    range_ = range_of(one)
    if not delta or range_ is None or one.fact.part != ALL or one.fact.delta:
        return None
    cost = rules.concentrated_sum(concentrated_price(one), times=times)
    about = approximate_epsilon(rho_up(cost.fact.rho), delta)
    by_rho = rules.concentrated_privacy(cost, delta=delta, order=spendable(about, delta).order)
    if times > LARGEST_TIMES:
        return by_rho
    odds = rules.range_log_odds(range_)
    total = fold_epsilon(range_.fact.epsilon.upper, times=times, delta=delta)
    by_fold = rules.range_fold(odds, times=times, epsilon=total, release=one.fact.release)
    return by_fold if by_fold.fact.epsilon <= by_rho.fact.epsilon else by_rho


def _ways(
    each: tuple[Proof[Privacy], ...], times: int, epsilon: Fraction, delta: Fraction
) -> Iterator[Callable[[], Proof[Privacy]]]:
    once = rules.sequential(*each) if len(each) > 1 else each[0]
    pure = once.fact.delta == 0
    if pure:
        yield partial(rules.k_fold, once, times=times, saved=0)
    if not delta:
        return
    cost = rules.concentrated_sum(*(concentrated_price(one) for one in each), times=times)
    left = delta - cost.fact.delta
    if left > 0:
        yield partial(rules.concentrated_privacy, cost, delta=left, order=spendable(epsilon, left).order)
    range_ = range_of(each[0]) if len(each) == 1 and pure else None
    if range_ is not None and once.fact.part == ALL:
        odds = rules.range_log_odds(range_)
        yield partial(rules.range_fold, odds, times=times, epsilon=epsilon, release=once.fact.release)
