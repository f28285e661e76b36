"""Scorecards and half-spaces in public numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import product

from privpac.concepts.grids import (
    CUTOFFS,
    HALFSPACE_POINTS,
    LEVELS,
    MOST_FEATURES,
    POINTS,
    TABLE_SIZE,
    linear_grid,
    tabled_grid,
)
from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

PLACE = 5


def _scorecards(rest: str, description: Description) -> ClassFacts:
    """Up to K features of the table."""
    if rest and not is_count(rest):
        raise ParameterError(OWNER, "concepts", f"scorecards:{rest}", allowed="of the form scorecards:K")
    count = int(rest or "2")
    features = _features(description, None)
    return _linear_facts(f"scorecards:{count}", "scorecards", features, count, POINTS, description)


def _halfspaces(rest: str, description: Description) -> ClassFacts:
    """All features of the columns named: every pattern of points up to five of them, beyond that a public table."""
    if description.schema is None:
        columns = int(rest) if is_count(rest) else rest.count(",") + 1 if rest else 2
        names = ["COLUMN"] * min(columns, MOST_FEATURES + 1)  # more are refused below
        features = len(names)
    else:
        names = [description.schema.column(name.strip()).name for name in rest.split(",")]
        features = _features(description, names)
    if len(names) > max(HALFSPACE_POINTS):
        return _of_table(f"halfspaces:{','.join(names)}", features, len(names), description)
    points = HALFSPACE_POINTS[len(names)]
    return _linear_facts(
        f"halfspaces:{','.join(names)}", "halfspaces", features, len(names), points, description
    )


def _of_table(word: str, features: int, columns: int, description: Description) -> ClassFacts:
    """Half-spaces of many columns: single features, pairs, and the public table of directions."""
    from privpac.concepts.linear.direction_table import direction_table

    if not 2 <= features <= MOST_FEATURES:
        raise ParameterError(
            OWNER, "concepts", word, allowed=f"2 to {MOST_FEATURES} features", remedy="Use scorecards:K."
        )
    table = direction_table(features, TABLE_SIZE)
    members = sum(2 * min(CUTOFFS, sum(map(abs, points)) * (LEVELS - 1) + 1) for points in table)
    sizes = [features * _cutoffs(1, 1), math.comb(features, 2) * _cutoffs(2, 1), members]
    grid = tabled_grid(features, TABLE_SIZE, LEVELS)
    return _of_groups(word, "halfspaces", features, sizes, parts=columns, grid=grid, named=description.named)


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


def _linear_facts(
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
    sizes = [math.comb(features, k) * _cutoffs(k, points) for k in range(1, min(count, features) + 1)]
    grid = linear_grid(min(count, features), points, LEVELS)
    return _of_groups(word, kind, features, sizes, parts=count, grid=grid, named=description.named)


def _of_groups(
    word: str, kind: str, features: int, sizes: list[int], *, parts: int, grid: str, named: bool
) -> ClassFacts:
    """Groups of members of these sizes, each group as likely beforehand."""
    size, odds = sum(sizes), Fraction(len(sizes) * max(sizes) - 1)
    vc = min(features + 1, size.bit_length() - 1)
    return ClassFacts(word, kind, size, odds, vc, 1, parts=parts, grid=grid, named=named)


@lru_cache(maxsize=64)
def _cutoffs(features: int, points: int) -> int:
    """Cut-offs and sides of all coprime points for this many features, up to a common sign."""
    total = 0
    for sizes in product(range(1, points + 1), repeat=features):
        if math.gcd(*sizes) == 1:
            total += 2 ** (features - 1) * 2 * min(CUTOFFS, sum(sizes) * (LEVELS - 1) + 1)
    return total


KINDS: Kinds = {
    "scorecards": ("scorecards:K --columns C", _scorecards),
    "halfspaces": ("halfspaces:K", _halfspaces),
}
