"""How a union is drawn from its sums; the law against brute force is in `test_unions`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privpac.coins import law
from privpac.concepts.line.union_law import UnionLaw, Walk


def test_ranges_are_called_what_the_caller_wants() -> None:
    """Two cells, one record of class 1 in the second: its weight falls to a half where it is outside."""
    walk = Walk(np.array([1], dtype=np.uint64), np.array([[0, 1]]), 2, (1, 1), 1)
    drawn = law(UnionLaw(walk, 3, Fraction(1, 2), 4, len).draw)
    # Nothing and the first cell leave the record outside; the second cell and both cells take it inside.
    assert drawn == {0: Fraction(1, 6), 1: Fraction(5, 6)}


def test_a_law_shows_nothing() -> None:
    walk = Walk(np.array([1], dtype=np.uint64), np.array([[0, 1]]), 2, (1, 1), 1)
    assert "array" not in repr(UnionLaw(walk, 3, Fraction(1, 2), 4, len))
