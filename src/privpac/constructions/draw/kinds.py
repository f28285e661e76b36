"""Boxes and stumps in public numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from privpac.concepts.grids import BOX_GROUPS, MOST_BOX_COLUMNS, Bins, box_grid, grid_of_word
from privpac.constructions.class_facts import OWNER, ClassFacts, Description, Kinds
from privpac.constructions.rule_lists import FORM, rules_of
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

PLACE = 3


def _rectangles(rest: str, description: Description) -> ClassFacts:
    columns, bins = grid_of_word(rest)
    if description.schema is not None:
        names = [description.schema.column(name.strip()).name for name in columns.split(",")]
        sizes = [description.schema.column(name).size for name in names]
    else:
        parts = int(columns) if is_count(columns) else columns.count(",") + 1 if columns else 2
        if not 1 <= parts <= MOST_BOX_COLUMNS:
            names, sizes = [], []
        else:
            names, sizes = ["COLUMN"] * parts, [description.cells("", "rectangles:K")] * parts
    if not 1 <= len(sizes) <= MOST_BOX_COLUMNS:
        raise ParameterError(
            OWNER,
            "concepts",
            f"rectangles:{rest}",
            allowed="boxes in one to five columns",
            remedy="Use trees.",
        )
    groups = _groups(sizes, bins, rest)
    size = math.prod(g * (g + 1) // 2 for g in groups) + 1
    vc = 2 * len(sizes)
    return ClassFacts(
        f"rectangles:{','.join(names)}{rest[len(columns) :]}",
        "rectangles",
        size,
        Fraction(size - 1),
        vc,
        vc if min(groups) >= 3 else 1,
        parts=len(sizes),
        groups=tuple(groups),
        grid=box_grid(names, sizes, groups),
        named=description.named,
    )


def _groups(sizes: list[int], bins: Bins, rest: str) -> list[int]:
    """Cells of each column that boxes tell apart."""
    if isinstance(bins, str):
        return sizes
    if bins is None:
        return [min(size, BOX_GROUPS.get(len(sizes), 1)) for size in sizes]
    counts = bins if isinstance(bins, tuple) else (bins,) * len(sizes)
    if len(counts) != len(sizes):
        raise ParameterError(
            OWNER, "concepts", f"rectangles:{rest}", allowed="given one number of groups, or one per column"
        )
    return [min(size, count) for size, count in zip(sizes, counts, strict=True)]


def _stumps(rest: str, description: Description) -> ClassFacts:
    if description.schema is not None:
        useful = [(c.size, c.ordered) for c in description.schema.columns if c.size > 1]
    else:
        useful = [(description.cells("", "stumps"), True)] * (description.columns or 1)
    sizes = [2, *(2 * (size - 1) if is_ordered or size == 2 else 2 * size for size, is_ordered in useful)]
    points = 1
    while 2 ** (points + 1) <= 2 * len(useful) * (points + 1) + 2:
        points += 1
    odds = Fraction(len(sizes) * max(sizes)) - 1
    return ClassFacts(
        "stumps", "stumps", sum(sizes), odds, points, 1, table=tuple(useful), named=description.named
    )


def _finite(rest: str, description: Description) -> ClassFacts:
    """Listed rules: nothing is known but their number, and that two of them differ on some record, or there would be
    nothing to learn."""
    size = len(rules_of(rest))
    return ClassFacts(FORM, "finite", size, Fraction(size - 1), size.bit_length() - 1, 1, named=False)


KINDS: Kinds = {
    "rectangles": ("rectangles:K --bits B", _rectangles),
    "stumps": ("stumps --columns C", _stumps),
    "finite": (FORM, _finite),
}
