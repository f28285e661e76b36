"""How far the nearest half-space of a list may be: the numbers that certificates say."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.nearest import linear_band


def test_the_band_shrinks_with_points_and_levels_and_grows_with_features() -> None:
    known = linear_band(2, points=16, levels=32, cutoffs=256)
    assert known == Fraction(2, 31) + Fraction(1, 16) + Fraction(1, 128) + Fraction(2, 31)
    assert linear_band(3, points=16, levels=32, cutoffs=256) > known
    assert linear_band(2, points=32, levels=32, cutoffs=256) < known
    assert linear_band(2, points=16, levels=64, cutoffs=256) < known
