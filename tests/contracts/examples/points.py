"""Examples of the theorems about points."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.points.clipped import ClippedAccuracy, ClippedLoss
from privpac.constructions.points.coded import CodeAccuracy
from privpac.constructions.points.covered import CoverAccuracy
from privpac.constructions.points.sampled import BoostAccuracy, SampledAccuracy, SampledLoss, StarLoss
from privpac.constructions.points.sparse import SparseAccuracy
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import ratio_for

FAILURE = Fraction(1, 20)
HALF = ratio_for(Fraction(1, 2))
CLIP = (2**16, ratio_for(Fraction(19, 20)), 23, 16)


def _best(bound: AccuracyBound, n: int, failure: Fraction = FAILURE) -> Callable[[], Proof[Any]]:
    """The smallest error that this many records prove."""
    return lambda: bound.promise(n, failure)[0]


_run = _best(SampledAccuracy(Fraction(1, 48), Fraction(49, 4000)), 1648, Fraction(331, 500))


def _boosted() -> Proof[Any]:
    bound = BoostAccuracy(_run(), 9, 2160, _run().fact.error, HALF, Fraction(837, 1000))
    return bound.proof(16992, error=Fraction(1001, 10000), failure=FAILURE)


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "clipped-points": lambda: ClippedLoss(*CLIP).proof(),
    "clipped-points-accuracy": _best(ClippedAccuracy(*CLIP), 279),
    "sparse-sets-accuracy": _best(SparseAccuracy(Fraction(1, 500), HALF), 236),
    "reed-solomon-points": _best(CodeAccuracy(2**16, 263, 2, ratio=HALF), 264),
    "pairwise-cover": _best(CoverAccuracy(69172, Fraction(1, 400), 64, HALF), 275),
    "star-entries": lambda: StarLoss(Fraction(1, 5), Fraction(9)).proof(),
    "sampled-point": lambda: SampledLoss(Fraction(1, 16), Fraction(1, 32), Fraction(31)).proof(),
    "sampled-point-accuracy": _run,
    "boosted-points": _boosted,
}
