"""Rényi divergences of exact laws: moments in fractions, and whether a price covers them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from flint import fmpq

from privpac.audit.exact import Record
from privpac.coins import Coins, law
from privpac.numbers.exact import exp_down

Law = Mapping[Hashable, Fraction]

ORDERS = (2, 3, 5, 9)


def moment(p: Law, q: Law, order: int) -> Fraction | None:
    """The sum of p^order·q^(1 - order); None if it is infinite."""
    if any(not q.get(outcome) for outcome, chance in p.items() if chance):
        return None
    mine = ((p.get(y, Fraction(0)), chance) for y, chance in q.items() if chance)
    total = sum((_quick(one) ** order * _quick(chance) ** (1 - order) for one, chance in mine), fmpq(0))
    return Fraction(int(total.p), int(total.q))


def _quick(number: Fraction) -> fmpq:
    """Of flint: fractions of thousands of digits are multiplied and added in a tenth of the time."""
    return fmpq(number.numerator, number.denominator)


def worst_moment(pairs: Iterable[tuple[Law, Law]], order: int) -> Fraction:
    """The largest moment over pairs in both directions."""
    found = [moment(*ends, order) for p, q in pairs for ends in ((p, q), (q, p))]
    assert None not in found, "infinite"
    return max(value for value in found if value is not None)


def per_order(value: Fraction, order: int) -> float:
    """D_order/order of a moment."""
    return math.log(value) / (order * (order - 1))


def covered(value: Fraction, order: int, rho: Fraction) -> bool:
    """Whether D_order is at most order·rho, without rounding."""
    return value <= exp_down(order * (order - 1) * rho, 30)


def entropy(p: Law, q: Law) -> float:
    """The relative entropy."""
    return sum(float(chance) * math.log(chance / q[y]) for y, chance in p.items() if chance)


def neighbour_laws(
    run: Callable[[Sequence[Record], Coins], Hashable], records: Sequence[Record], n: int
) -> list[tuple[Law, Law]]:
    """The laws of `run` on all pairs of tables of n records that differ in one, each pair once."""
    laws = {data: law(lambda coins, data=data: run(data, coins)) for data in product(records, repeat=n)}  # type: ignore[misc]
    pairs = []
    for data, one in laws.items():
        for i, other in product(range(n), records):
            changed = (*data[:i], other, *data[i + 1 :])
            if repr(data) < repr(changed):
                pairs.append((one, laws[changed]))
    return pairs
