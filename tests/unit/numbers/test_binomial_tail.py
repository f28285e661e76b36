"""The lower tail of a binomial: the window around the mean says what the whole sum says, at every precision."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import ctx

from privpac.numbers import binomial


@pytest.mark.parametrize("bits", [40, 96, 192])
@pytest.mark.parametrize(("n", "count"), [(60_000, 5_900), (60_000, 6_000), (60_000, 4_500), (60_000, 9_000)])
def test_a_window_says_what_the_sum_says(
    n: int, count: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Fraction(1, 10)
    with ctx.workprec(bits):
        window = binomial.at_most(count, n=n, chance=chance)
        monkeypatch.setattr(binomial, "_MOST_SUMMED", n)
        whole = binomial.at_most(count, n=n, chance=chance)
        assert window.overlaps(whole)
        assert float(window.rad()) < 2.0 ** (20 - bits), "and nearly as sharply"
        one_off = binomial.at_most(count - 10, n=n, chance=chance)
        assert not window.overlaps(one_off) or count in (4_500, 9_000), (
            "a window that ends too soon is noticed"
        )
