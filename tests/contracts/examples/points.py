"""Examples of the rules about points."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.cover_formulas import Cover, error_cover, sure_hits
from privpac.constructions.points.formulas import Clip, error_clipped
from privpac.constructions.points.representation_formulas import Code, error_code
from privpac.constructions.points.sampled_formulas import Boost, Draw, error_sampled
from privpac.constructions.points.sparse_formulas import Sparsity, error_sparse
from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ratio_for

ALIASES: dict[str, tuple[str, ...]] = {}

FAILURE = Fraction(1, 20)
HALF = ratio_for(Fraction(1, 2))
CLIP = Clip(ratio_for(Fraction(19, 20)), 23, 16)
SPARSITY = Sparsity(Fraction(1, 500), HALF)
CODE = Code(263, 2)
COVER = Cover(69172, Fraction(1, 400))
DRAW = Draw(Fraction(1, 48), Fraction(49, 4000))


def _clipped() -> Proof[Any]:
    error = error_clipped(279, domain=2**16, failure=FAILURE, clip=CLIP)
    return points_rules.clipped_points_accuracy(
        domain=2**16, clip=CLIP, records=279, error=error, failure=FAILURE
    )


def _sparse() -> Proof[Any]:
    error = error_sparse(236, failure=FAILURE, sparsity=SPARSITY)
    return points_rules.sparse_sets_accuracy(sparsity=SPARSITY, records=236, error=error, failure=FAILURE)


def _code() -> Proof[Any]:
    error, tolerated = error_code(264, code=CODE, failure=FAILURE, ratio=HALF)
    return points_rules.reed_solomon_points(
        domain=2**16,
        code=CODE,
        tolerated=tolerated,
        ratio=HALF,
        records=264,
        error=error,
        failure=FAILURE,
    )


def _cover() -> Proof[Any]:
    error = error_cover(275, cover=COVER, failure=FAILURE, ratio=HALF)
    good = sure_hits(COVER, failure=FAILURE)
    return points_rules.pairwise_cover(
        cover=COVER, good=good, ratio=HALF, records=275, error=error, failure=FAILURE
    )


def _run() -> Proof[Any]:
    failure = Fraction(331, 500)
    error = error_sampled(1648, draw=DRAW, failure=failure)
    return points_rules.sampled_point_accuracy(
        draw=DRAW, fail=Fraction(0), light=error / 2, records=1648, error=error, failure=failure
    )


def _boosted() -> Proof[Any]:
    boost = Boost(9, 1648, 2160, DRAW, _run().fact.error / 2)
    return points_rules.boosted_points(
        _run(),
        boost=boost,
        ratio=HALF,
        tilt=Fraction(837, 1000),
        error=Fraction(1001, 10000),
        failure=FAILURE,
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "clipped-points": lambda: points_rules.clipped_points(domain=2**16, clip=CLIP),
    "clipped-points-accuracy": _clipped,
    "sparse-sets-accuracy": _sparse,
    "reed-solomon-points": _code,
    "pairwise-cover": _cover,
    "star-entries": lambda: points_rules.star_entries(rate=Fraction(1, 5), spread=Fraction(9)),
    "sampled-point": lambda: points_rules.sampled_point(
        rate=Fraction(1, 16), fail=Fraction(1, 32), spread=Fraction(31)
    ),
    "sampled-point-accuracy": _run,
    "boosted-points": _boosted,
}
