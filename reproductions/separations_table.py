"""Points found with and without privacy, by the kind of answer and of learner: a printed table in numbers.

Statement: the printed table gives orders of growth in the bits d of a key; here are numbers, for points and for points
that a public generator makes of seeds of 16 bits. `enough` is promised by a learner that ships, `too few` is a floor
for every learner of that kind; none where there is only an order. An efficient learner of generated points cannot try
the seeds; its floor rests on the generator looking random, and what it can do is draw from all keys, as if there were
none. Without privacy it is enough to see the value once: it fails if a value of more than the error stays unseen.
Found: the paper prints orders, Theta(1) against Theta(d). Here, at 128 bits, 29 records are enough without privacy, 275
with privacy and a set for an answer, 2,285 if the answer must be a point, and 1,048 are then too few for anybody.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Table 1; register `occam-realizable`, `pairwise-cover`,
`floor-points-any`, `floor-points-proper`, `floor-generated-points`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import Any

from privpac.cli.console import Progress
from privpac.constructions.points import covered as covered_points
from privpac.theory import floors, sizes

__all__ = ["rows"]

ERROR, FAILURE, EPSILON = Fraction(1, 10), Fraction(1, 20), Fraction(1)
WANTED: Mapping[str, Any] = {"error": ERROR, "failure": FAILURE, "epsilon": EPSILON}
BITS, QUICK_BITS = (32, 64, 128), (32,)
SEED_BITS = 16


def rows(*, quick: bool, progress: Progress) -> list[dict[str, Any]]:
    """One row per class, kind of learner and key length."""
    bits = QUICK_BITS if quick else BITS
    made: list[dict[str, Any]] = []
    for kinds in (_points, _generated):
        for size in bits:
            made += kinds(size)
            progress(len(made), 6 * len(bits))
    return made


def _points(bits: int) -> Iterator[dict[str, Any]]:
    name, domain = "points", 2**bits
    yield _free(name, bits)
    need, _ = covered_points.plan_cover(**WANTED)
    yield _row(name, bits, "private, improper", "Theta(1)", need, floors.floor_points_any(domain, **WANTED))
    need, few = sizes.records_occam(domain, **WANTED), floors.floor_points_proper(domain, **WANTED)
    yield _row(name, bits, "private, proper", "Theta(d)", need, few)


def _generated(bits: int) -> Iterator[dict[str, Any]]:
    name, seeds = f"points of {SEED_BITS}-bit seeds", 2**SEED_BITS
    yield _free(name, bits)
    need, few = sizes.records_occam(seeds, **WANTED), floors.floor_points_proper(seeds, **WANTED)
    yield _row(name, bits, "private, proper, tries all seeds", "Theta(l(d)), l bits of a seed", need, few)
    need = sizes.records_occam(2**bits, **WANTED)
    few = floors.floor_generated_points(2**bits, failure=FAILURE, epsilon=EPSILON)
    yield _row(name, bits, "private, proper, efficient", "Theta(d)", need, few)


def _free(name: str, bits: int) -> dict[str, Any]:
    seen = next(n for n in count(1) if (1 - ERROR) ** n <= FAILURE)
    return _row(name, bits, "not private", "Theta(1)", seen, None)


def _row(name: str, bits: int, learner: str, printed: str, enough: int, few: int | None) -> dict[str, Any]:
    return {
        "concepts": name,
        "bits": bits,
        "learner": learner,
        "printed": printed,
        "enough": enough,
        "too_few": few,
    }
