"""Scorecards and half-spaces in numbers: integer points for a few features, a cut-off, two sides."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product

from privpac.constructions.class_facts import OWNER, ClassFacts, Description
from privpac.errors import ParameterError

__all__ = ["halfspaces", "scorecards"]

LEVELS, POINTS, MOST_CUTS = 32, 3, 256
"""As in concepts/linear (`halfspaces`, `direction_kernels`): steps of a column, points, cut-offs per direction."""

HALFSPACE_POINTS = {1: 1, 2: 16, 3: 6, 4: 3, 5: 2}
"""As in constructions/draw/linear_words.py: largest points by number of columns."""


def scorecards(rest: str, description: Description) -> ClassFacts:
    """Up to K features of the table."""
    if rest and not rest.isdecimal():
        raise ParameterError(OWNER, "concepts", f"scorecards:{rest}", allowed="of the form scorecards:K")
    count = int(rest or "2")
    features = _features(description, None)
    return _facts(f"scorecards:{count}", "scorecards", features, count, POINTS, description)


def halfspaces(rest: str, description: Description) -> ClassFacts:
    """All features of one to five columns."""
    if description.schema is None:
        names = ["COLUMN"] * (int(rest) if rest.isdecimal() else rest.count(",") + 1 if rest else 2)
        features = len(names)
    else:
        names = [description.schema.column(name.strip()).name for name in rest.split(",")]
        features = _features(description, names)
    if not 1 <= len(names) <= max(HALFSPACE_POINTS):
        raise ParameterError(
            OWNER, "concepts", f"halfspaces:{rest}", allowed="one to five columns", remedy="Use scorecards:K."
        )
    points = HALFSPACE_POINTS[len(names)]
    return _facts(f"halfspaces:{','.join(names)}", "halfspaces", features, len(names), points, description)


def _features(description: Description, names: list[str] | None) -> int:
    """Ordered columns are one feature each, the categories of others one each (of two, one)."""
    if description.schema is None:
        if description.columns is None:
            raise ParameterError(
                OWNER, "columns", None, allowed="given for scorecards", remedy="Give --columns NUMBER."
            )
        return description.columns
    columns = [column for column in description.schema.columns if names is None or column.name in names]
    return sum(
        0 if column.size < 2 else 1 if column.ordered or column.size == 2 else column.size
        for column in columns
    )


def _facts(
    word: str, kind: str, features: int, count: int, points: int, description: Description
) -> ClassFacts:
    if features < 1:
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="given a column of two values",
            remedy="A constant tells nobody apart.",
        )
    sizes = [math.comb(features, k) * _cuts(k, points) for k in range(1, min(count, features) + 1)]
    size = sum(sizes)
    return ClassFacts(
        word,
        kind,
        size,
        Fraction(len(sizes) * max(sizes) - 1),
        min(features + 1, size.bit_length() - 1),
        1,
        parts=count,
        named=description.schema is not None,
    )


@lru_cache(maxsize=64)
def _cuts(chosen: int, points: int) -> int:
    """Cut-offs and sides of all coprime points for so many features, up to a common sign."""
    total = 0
    for sizes in product(range(1, points + 1), repeat=chosen):
        if math.gcd(*sizes) == 1:
            total += 2 ** (chosen - 1) * 2 * min(MOST_CUTS, sum(sizes) * (LEVELS - 1) + 1)
    return total
