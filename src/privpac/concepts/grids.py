"""How finely classes look at columns: public numbers that a plan knows too, without the kernels of the classes."""

from __future__ import annotations

__all__ = [
    "BOX_GROUPS",
    "CUTOFFS",
    "CUTS",
    "FEWER_CUTS",
    "HALFSPACE_POINTS",
    "LARGEST_SPHERE",
    "LEVELS",
    "MOST_DIRECTIONS",
    "MOST_TESTS",
    "PLANE",
    "POINTS",
]

CUTS = 31
"""Cuts of a numeric column: 15 lose 0.003 accuracy on average, 63 gain nothing."""

FEWER_CUTS = 15
"""Cuts when the table is wide or long: see `Binarisation.default`."""

MOST_TESTS = 250
"""Tables with more tests are wide."""

BOX_GROUPS = {1: 4096, 2: 256, 3: 32}
"""Groups of a column that boxes tell apart, by number of columns: sums take tens of milliseconds, and edges are fine
enough to be useful."""

LEVELS = 32
"""Steps of a column of a score: 16 do as well on most tables, 256 gain nothing and cannot be read."""

POINTS = 3
"""Largest number of points a feature gets: 1 loses .01 to .02 of accuracy on small tables, 5 gains nothing."""

HALFSPACE_POINTS = {1: 1, 2: 16, 3: 6, 4: 3, 5: 2}
"""Largest points of a half-space by number of columns: some hundreds to some thousands of directions each."""

CUTOFFS = 256
"""Cut-offs of one direction."""

PLANE = 2**30
"""Half-side of the square of directions in the plane, for half-spaces through the middle."""

MOST_DIRECTIONS = 2**22
"""Directions through the middle that are counted one by one: some seconds for a thousand records."""

LARGEST_SPHERE = 5
"""Dimensions in which such directions are listed: in six a cover of level 0.01 has some 10^9 members."""
