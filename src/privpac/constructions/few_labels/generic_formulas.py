"""Few labels through a sanitised sample: how many labelled and unlabelled records GenericLearner needs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.theory import sizes
from privpac.theory.occam import Occam, Rate, error_occam
from privpac.theory.register import formula
from privpac.theory.vc import relative_error

__all__ = [
    "POINTS",
    "GenericPlan",
    "labels_generic",
    "plan_generic",
    "tolerated_generic",
]

OWNER = "GenericLearner"

POINTS = (8, 16, 32, 64, 128, 256)
"""Points per column that are tried: more of them come nearer to the target, fewer leave fewer hypotheses."""

BOX_POINTS = (*POINTS, 512, 1024, 2048)
"""Those of boxes, which have twice as many sides as columns: each may be off by what lies between two points."""

MOST_BOX_POINTS = {1: 2048, 2: 2048, 3: 64, 4: 16, 5: 8}
"""By the number of columns: with thousands of labels, sums over boxes then take seconds."""


def points_of_boxes(columns: int) -> tuple[int, ...]:
    """Points per column that are tried for boxes in this many columns.

    >>> points_of_boxes(3)
    (8, 16, 32, 64)
    """
    return tuple(points for points in BOX_POINTS if points <= MOST_BOX_POINTS[columns])


@formula("generic-learner")
def tolerated_generic(seen: Fraction, *, unlabelled: int, failure: Fraction, vc: int) -> Fraction:
    """What a hypothesis may err in truth that errs on a share `seen` of the unlabelled records.

    Statement: seen + 2·sqrt(seen·A) + 4A, A = (ln growth(2N) + ln(4/failure))/N. Source: registers `generic-learner`,
    `relative-deviation`. Holds if: records are independent and the target is fixed.
    Proof: docs/proofs/generic-learner.md.
    """
    return relative_error(seen, n=unlabelled, failure=failure, vc=vc)


@formula("generic-learner")
def labels_generic(
    hypotheses: int, *, error: Fraction, tolerated: Fraction, failure: Fraction, ratio: Fraction
) -> int:
    """Labelled records after which the drawn hypothesis errs by more than `error` with probability at most `failure`.

    Statement: (hypotheses - 1)·(1 - error·(1 - x) + tolerated·(1/x - 1))^m at the best x from ratio to 1.
    Source: register `generic-learner`; the bound is `occam-realizable` with a hypothesis of error `tolerated`.
    Holds if: the hypotheses do not depend on the labelled records. Proof: docs/proofs/generic-learner.md.

    >>> labels_generic(82, error=Fraction(1, 10), tolerated=Fraction(3, 100), failure=Fraction(1, 60),
    ...                ratio=Fraction(61, 100))
    425
    """
    return sizes.records_occam(
        Fraction(hypotheses),
        error=error,
        failure=failure,
        ratio=ratio,
        tolerated=tolerated,
    )


@dataclass(frozen=True)
class GenericPlan:
    """What is promised with this many points per column: `error`, and the numbers its proof needs."""

    points: int
    seen: Fraction
    tolerated: Fraction
    tilt: Fraction
    error: Fraction


@formula("generic-learner")
def plan_generic(
    points: int,
    *,
    hypotheses: int,
    seen: Fraction,
    labelled: int,
    unlabelled: int,
    vc: int,
    ratio: Fraction,
    failure: Fraction,
) -> GenericPlan | None:
    """The smallest provable error of this many records, half of `failure` for each of the two last steps; None if none.

    Statement: as `tolerated_generic` and `labels_generic`. Source: register `generic-learner`.
    Holds if: as there. Proof: docs/proofs/generic-learner.md.
    """
    if seen >= 1 or unlabelled < 1:
        return None
    tolerated = tolerated_generic(seen, unlabelled=unlabelled, failure=failure / 2, vc=vc)
    if tolerated >= 1:
        return None
    error = error_occam(
        labelled,
        size=Fraction(hypotheses),
        failure=failure / 2,
        ratio=ratio,
        tolerated=tolerated,
    )
    if error >= 1:
        return None
    bound = Occam.uniform(
        Fraction(hypotheses), owner=OWNER, error=error, rate=Rate(Fraction(0), ratio), tolerated=tolerated
    )
    tilt = max(ratio, bound.tilt or ratio)
    return GenericPlan(points, seen, tolerated, tilt, error)
