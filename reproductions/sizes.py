"""Records needed to find a point or a threshold: promised, exact in the hardest known case, and the floor.

Statement: no learner that answers from the class gets below `floor`; the exponential mechanism is proved to
work from `promised` on; for points, `extremal` is where it first works on the hardest two-point distribution
known.
Found: theory says that a learner which answers from the class needs records in proportion to the bits of a key. Here
the promise is at most 2.2 times the floor for points and 4.4 times for thresholds, from 8 to 128 bits, and on the
hardest known distribution the learner really needs seven eighths of it or more.
Source: register `occam-realizable`, `points-extremal-family`, `floor-points-proper`,
`floor-thresholds-proper`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from privpac.cli.console import Progress
from privpac.theory import floors, sizes

__all__ = ["rows"]

ERROR, FAILURE = Fraction(1, 10), Fraction(1, 20)  # the field's habitual example
BITS, QUICK_BITS = (8, 16, 32, 64, 128), (8, 16)
EPSILONS, QUICK_EPSILONS = ("1", "0.5", "0.1"), ("1",)


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per class, domain and epsilon."""
    epsilons, domains = (QUICK_EPSILONS, QUICK_BITS) if quick else (EPSILONS, BITS)
    wanted = list(product((_points, _thresholds), epsilons, domains))
    made = []
    for make, epsilon, bits in wanted:
        made.append(make(bits, epsilon))
        progress(len(made), len(wanted))
    return made


def _points(bits: int, epsilon: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": Fraction(epsilon)}
    return _row(
        "points",
        bits,
        epsilon,
        promised=sizes.records_occam(2**bits, **wanted),
        extremal=sizes.records_points(2**bits, **wanted),
        floor=floors.floor_points_proper(2**bits, **wanted),
    )


def _thresholds(bits: int, epsilon: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": Fraction(epsilon)}
    return _row(
        "thresholds",
        bits,
        epsilon,
        promised=sizes.records_occam(2**bits + 1, **wanted),
        extremal=None,
        floor=floors.floor_thresholds_proper(2**bits, **wanted),
    )


def _row(
    concepts: str, bits: int, epsilon: str, *, promised: int, extremal: int | None, floor: int
) -> dict[str, Any]:
    return {
        "concepts": concepts,
        "domain_bits": bits,
        "epsilon": float(epsilon),
        "error": float(ERROR),
        "failure": float(FAILURE),
        "promised": promised,
        "extremal": extremal,
        "floor": floor,
        "promised_over_floor": round(promised / floor, 2),
    }
