"""Quotients of laws that floats look at first are those of fractions alone, however near or small they are."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.audit.quotients import Quotients, delta_at

Law = dict[int, Fraction]
ONE = Fraction(1)

SMALL = Fraction(1, 2**2000)
"""No float holds it."""


@st.composite
def laws(draw: st.DrawFn) -> Law:
    """Weights that tie, nearly tie, or are far too small for floats."""
    near = st.sampled_from(
        [ONE, 1 + Fraction(1, 10**14), 1 - Fraction(1, 10**18), Fraction(2), Fraction(1, 3)]
    )
    size = st.sampled_from([ONE, ONE, SMALL, SMALL**2])
    weights = draw(st.dictionaries(st.integers(0, 5), st.tuples(near, size), min_size=3))
    total = sum((one * other for one, other in weights.values()), Fraction(0))
    return {output: one * other / total for output, (one, other) in weights.items()}


def largest(p: Law, q: Law) -> Fraction | None:
    return None if p.keys() - q.keys() else max(p[output] / q[output] for output in p)


@given(laws(), laws())
def test_the_largest_is_that_of_fractions(p: Law, q: Law) -> None:
    quotients = Quotients()
    ratio, where = quotients.largest(quotients.masses(p), quotients.masses(q), ONE)
    assert ratio == largest(p, q)
    if ratio is None:
        assert where not in q
    elif ratio > 1:
        assert p[where] / q[where] == ratio


@given(laws(), laws())
def test_what_does_not_reach_the_bound_stays_below_it(p: Law, q: Law) -> None:
    true = largest(p, q)
    if true is None:
        return
    quotients = Quotients()
    one, other = quotients.masses(p), quotients.masses(q)
    for bound in (true * (1 + Fraction(1, 10**15)), true * 2):
        ratio, _ = quotients.largest(one, other, bound)
        assert ratio is not None
        assert ratio < bound
    assert quotients.largest(one, other, true)[0] == true


@given(laws(), laws(), st.sampled_from([ONE, Fraction(3, 2), Fraction(20)]))
def test_delta_is_the_larger_of_both(p: Law, q: Law, factor: Fraction) -> None:
    quotients = Quotients()
    one, other, true = quotients.masses(p), quotients.masses(q), delta_at(p, q, factor)
    for known in (Fraction(0), true * (1 - Fraction(1, 10**15)), true * (1 + Fraction(1, 10**15)), true + 1):
        assert quotients.delta(one, other, factor, known) == max(true, known)


@pytest.mark.parametrize("power", [40, 400])
def test_a_difference_that_floats_do_not_show_decides(power: int) -> None:
    """The largest of three quotients that are one float."""
    step = Fraction(1, 10**power)
    p = {0: Fraction(1, 2), 1: Fraction(1, 4) + step, 2: Fraction(1, 4) - step}
    q = {0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 2)}
    quotients = Quotients()
    ratio, where = quotients.largest(quotients.masses(p), quotients.masses(q), ONE)
    assert (ratio, where) == (p[1] / q[1], 1)


def test_what_a_law_lists_and_never_gives_is_impossible() -> None:
    quotients = Quotients()
    always, never = quotients.masses({0: ONE / 2, 1: ONE / 2}), quotients.masses({0: ONE, 1: Fraction(0)})
    assert quotients.largest(always, never, ONE) == (None, 1)
    assert quotients.largest(never, always, ONE) == (Fraction(2), 0)
    assert quotients.delta(always, never, ONE, Fraction(0)) == ONE / 2
