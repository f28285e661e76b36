"""The public table of directions, for more columns than all patterns of points could be listed for.

It is the same for everybody and follows from the number of features alone: integers from SHA-256 of a counter, so that
`verify` makes it again. Sums of eight bytes stand for normal numbers, hence no direction is preferred.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from itertools import count
from math import gcd

from privpac.concepts.grids import TABLE_POINTS

__all__ = ["direction_table"]

_NAME = b"privpac directions 1"


def _bytes(features: int, row: int) -> bytes:
    """Eight bytes per feature."""
    blocks = (
        sha256(b"%s %d %d %d" % (_NAME, features, row, block)).digest() for block in range(-(-features // 4))
    )
    return b"".join(blocks)[: 8 * features]


@lru_cache(maxsize=8)
def direction_table(features: int, size: int) -> tuple[tuple[int, ...], ...]:
    """So many directions in so many features: coprime points, the largest near `TABLE_POINTS`, the first one positive.

    >>> direction_table(3, 2)
    ((16, 10, -9), (4, 1, 16))
    """
    rows: dict[tuple[int, ...], None] = {}
    for row in count():
        raw = _bytes(features, row)
        sums = [2 * sum(raw[8 * j : 8 * j + 8]) - 8 * 255 for j in range(features)]
        largest = max(map(abs, sums)) or 1
        points = [(2 * TABLE_POINTS * x + largest) // (2 * largest) for x in sums]
        if not any(points):
            continue
        factor = gcd(*points) * (1 if next(filter(None, points)) > 0 else -1)
        rows[tuple(point // factor for point in points)] = None
        if len(rows) == size:
            return tuple(rows)
    raise AssertionError("unreachable: the counter has no end")
