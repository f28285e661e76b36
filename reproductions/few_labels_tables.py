"""What private learners without unlabelled records need, by privacy and answer: two printed tables in numbers.

Statement: Table 1 gives orders for any class, here with numbers for points and thresholds; Table 2 for thresholds over
keys of d bits. `enough` is the least that a learner promises which ships and takes columns of that size, by its word in
`learner`; `too few` is a floor; a dash stands where there is only an order.
Found: the paper prints orders. Here, at 128 bits, a pure learner of points needs 1,167 records if it must answer with a
point and 275 if it need not, and one of thresholds needs 2,285 records, or 545 with a small delta.
Source: Beimel–Nissim–Stemmer 2015, Tables 1 and 2; register `occam-realizable`, `floor-thresholds-proper`,
`floor-points-proper`, `clipped-points-accuracy`, `sparse-sets-accuracy`, `pairwise-cover`, `occupied-blocks-accuracy`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privpac.cli.console import Progress
from privpac.constructions.cuts.blocks_formulas import records_blocks
from privpac.constructions.points.clipped import records_clipped
from privpac.constructions.points.covered import records_cover
from privpac.constructions.points.sparse import records_sparse
from privpac.theory import floors, sizes

__all__ = ["rows"]

ERROR, FAILURE, EPSILON, DELTA = Fraction(1, 10), Fraction(1, 20), Fraction(1), Fraction(1, 10**6)
BITS, QUICK_BITS = (16, 32, 64, 128), (16, 32)


Promised = tuple[int, str]
"""Records that are enough, and the word of the learner that promises it."""


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per table, kind and domain."""
    made: list[dict[str, Any]] = []
    bits = QUICK_BITS if quick else BITS
    for size in bits:
        made += _table_one(size)
        progress(len(made), 9 * len(bits))
    for size in bits:
        made += _table_two(size)
        progress(len(made), 9 * len(bits))
    return made


def _row(
    table: int,
    concepts: str,
    bits: int,
    answer: str,
    privacy: str,
    printed: str,
    promised: Promised | None,
    few: int | None,
) -> dict[str, Any]:
    return {
        "table": table,
        "concepts": concepts,
        "bits": bits,
        "answer": answer,
        "privacy": privacy,
        "printed": printed,
        "enough": None if promised is None else promised[0],
        "learner": None if promised is None else promised[1],
        "too_few": few,
    }


WISH: dict[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": EPSILON}


def _table_one(bits: int) -> list[dict[str, Any]]:
    """Proper learners pay for the size of the class, improper ones for its representation dimension."""
    floor = floors.floor_points_proper(2**bits, **WISH)
    proper, improper = _proper_points(bits), _improper_points(bits)
    return [
        _row(1, "points", bits, "proper", "pure", "O(log |C|)", proper, floor),
        _row(1, "points", bits, "improper", "pure", "Theta(RepDim)", improper, None),
        _row(1, "points", bits, "proper", "approximate", "O(log |C|)", proper, None),
        _row(1, "points", bits, "improper", "approximate", "O(RepDim)", improper, None),
    ]


def _proper_points(bits: int) -> Promised:
    drawn = sizes.records_occam(2**bits, **WISH), "points:COLUMN"
    return min(drawn, (records_clipped(2**bits, **WISH), "points:COLUMN:clipped"))


def _improper_points(bits: int) -> Promised:
    """Cells of a sparse set are listed, so longer keys take the sets of a random cover."""
    if bits <= 24:
        return records_sparse(**WISH), "points:COLUMN:gibbs"
    return records_cover(**WISH), "points:COLUMN:cover"


def _table_two(bits: int) -> list[dict[str, Any]]:
    floor = floors.floor_thresholds_proper(2**bits, **WISH)
    pure = sizes.records_occam(2**bits + 1, **WISH), "thresholds:COLUMN"
    spent = min(pure, (records_blocks(2**bits, **WISH, delta=DELTA), "blocks:COLUMN"))
    return [
        _row(2, "thresholds", bits, "proper", "pure", "Theta(d)", pure, floor),
        _row(2, "thresholds", bits, "improper", "pure", "Theta(d)", pure, None),
        _row(2, "thresholds", bits, "proper", "approximate", "2^O(log* d)", spent, None),
        _row(2, "thresholds", bits, "proper", "approximate, floor", "Omega(log* d)", None, None),
        _row(2, "thresholds", bits, "improper", "approximate", "2^O(log* d)", spent, None),
    ]
