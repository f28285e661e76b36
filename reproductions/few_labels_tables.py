"""What private learners without unlabelled records need, by privacy and answer: two printed tables in numbers.

Statement: Table 1 gives orders for any class, here with numbers for points and thresholds; Table 2 for thresholds over
keys of d bits. `enough` is promised by a learner that ships and takes columns of that size, `too few` by a floor; a
dash stands where there is only an order.
Found: the paper prints orders. Here, at 128 bits, a pure learner of points needs 2,285 records if it must answer with a
point and 275 if it need not, and thresholds with a small delta 3,149: at these sizes the constant still outweighs log*.
Source: Beimel–Nissim–Stemmer 2015, Tables 1 and 2; register `occam-realizable`, `floor-thresholds-proper`,
`floor-points-proper`, `sparse-sets-accuracy`, `pairwise-cover`, `rec-concave`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privpac.cli.console import Progress
from privpac.constructions.cuts.recursive_formulas import records_rec_concave
from privpac.constructions.points.cover_formulas import records_cover
from privpac.constructions.points.options import LARGEST_LISTED
from privpac.constructions.points.sparse_formulas import records_sparse
from privpac.theory import floors, sizes

__all__ = ["improper_points", "rows"]

ERROR, FAILURE, EPSILON, DELTA = Fraction(1, 10), Fraction(1, 20), Fraction(1), Fraction(1, 10**6)
BITS, QUICK_BITS = (16, 32, 64, 128), (16, 32)


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
    enough: int | None,
    few: int | None,
) -> dict[str, Any]:
    return {
        "table": table,
        "concepts": concepts,
        "bits": bits,
        "answer": answer,
        "privacy": privacy,
        "printed": printed,
        "enough": enough,
        "too_few": few,
    }


def _occam(size: int) -> int:
    return sizes.records_occam(size, error=ERROR, failure=FAILURE, epsilon=EPSILON)


def _table_one(bits: int) -> list[dict[str, Any]]:
    """Proper learners pay for the size of the class, improper ones for its representation dimension."""
    proper = floors.floor_points_proper(2**bits, error=ERROR, failure=FAILURE, epsilon=EPSILON)
    improper = improper_points(bits)
    return [
        _row(1, "points", bits, "proper", "pure", "O(log |C|)", _occam(2**bits), proper),
        _row(1, "points", bits, "improper", "pure", "Theta(RepDim)", improper, None),
        _row(1, "points", bits, "proper", "approximate", "O(log |C|)", _occam(2**bits), None),
        _row(1, "points", bits, "improper", "approximate", "O(RepDim)", improper, None),
    ]


def improper_points(bits: int) -> int:
    """Cells of a sparse set are listed, so longer keys take the sets of a random cover."""
    records = records_sparse if 2**bits <= LARGEST_LISTED else records_cover
    return records(error=ERROR, failure=FAILURE, epsilon=EPSILON)


def _table_two(bits: int) -> list[dict[str, Any]]:
    floor = floors.floor_thresholds_proper(2**bits, error=ERROR, failure=FAILURE, epsilon=EPSILON)
    enough, concave = _occam(2**bits + 1), _concave(bits)
    return [
        _row(2, "thresholds", bits, "proper", "pure", "Theta(d)", enough, floor),
        _row(2, "thresholds", bits, "improper", "pure", "Theta(d)", enough, None),
        _row(2, "thresholds", bits, "proper", "approximate", "2^O(log* d)", concave, None),
        _row(2, "thresholds", bits, "proper", "approximate, floor", "Omega(log* d)", None, None),
        _row(2, "thresholds", bits, "improper", "approximate", "2^O(log* d)", concave, None),
    ]


def _concave(bits: int) -> int:
    """Records at which the recursive learner of thresholds promises the same error at delta 10^-6."""
    return records_rec_concave(2**bits, error=ERROR, failure=FAILURE, epsilon=EPSILON, delta=DELTA)
