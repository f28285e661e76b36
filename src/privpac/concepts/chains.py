"""How the members of a class are covered by chains: members that change sides on more and more records.

What a draw promises for any records rests on their number (docs/proofs/chains.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Chains"]


class Chains(NamedTuple):
    """How all bad members of a class are covered, whichever member is the best."""

    number: int
    slack: Fraction = Fraction(0)
    """The share of records of which a chain does not know the sides, at most."""
    apart: bool = False
    """Whether there are two chains that change sides on different records."""

    @classmethod
    def by_ends(cls, places: Sequence[int], each: int, groups: int) -> Chains:
        """Members with `each` ends, in ascending order, in every column, which has so many places.

        Ends go into groups by the share of records below them: `groups` + 1 of them, or every place by itself where
        there are no more. Within its group an end may lie on either side of 1/`groups` of the records.

        >>> Chains.by_ends([2**64], 2, 100)
        Chains(number=5151, slack=Fraction(1, 50), apart=False)
        """
        number = math.prod(math.comb(min(groups, size) + each, each) for size in places)
        return cls(number, Fraction(each * sum(size > groups for size in places), groups))
