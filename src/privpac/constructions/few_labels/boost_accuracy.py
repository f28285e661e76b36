"""What one round of LabelBoost proves about errors.

The labelled records are a random part of all kept points, so a labelling that is wrong on many points is wrong on many
labelled records, and unlikely to be drawn; no concept is counted that looks the same on the points. The base's rule is
near the drawn labels, and a rate on the points is carried over to their distribution.
Proof: docs/proofs/label-boost.md.
"""

from __future__ import annotations

from fractions import Fraction

from privpac.concepts.base import AnyClass
from privpac.concepts.labellings.base import members_from
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import Learner
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import levels
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.constructions.few_labels.base_formulas import mistakes_of_draw
from privpac.constructions.few_labels.formulas import (
    BASE,
    DEVIATION,
    DRAW,
    RoundPromise,
    round_promise,
)
from privpac.constructions.few_labels.rules import Carried, DrawBound
from privpac.constructions.few_labels.transfer_formulas import Family, Transfer
from privpac.constructions.wrappers.transform import empirical_accuracy
from privpac.data.sample import Size
from privpac.errors import ParameterError
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain

__all__ = ["base_accuracy", "base_for", "carried_by", "family_of", "one_round_accuracy"]


def family_of(concepts: AnyClass, *, owner: str, voted: bool = False) -> Family:
    """The public numbers of a class whose labellings are drawn or `voted` on; its size must be known."""
    if concepts.size is None:
        raise ParameterError(owner, "concepts", concepts.word, allowed="a class whose size is known")
    first = members_from(concepts, voted=voted)
    is_directed = isinstance(concepts, Thresholds) and concepts.direction != "either"
    depth = levels(concepts.schema.column(concepts.column).size) if is_directed else None  # type: ignore[attr-defined]
    return Family(concepts.size, concepts.vc, Fraction(concepts.odds), first, depth)


def base_for(concepts: AnyClass, *, epsilon: Fraction, delta: Fraction, failure: Fraction) -> Learner:
    """The learner after relabelling: a draw from the class, or with a delta one among occupied blocks."""
    if delta == 0:
        return Occam(concepts, epsilon)
    if not isinstance(concepts, Thresholds) or concepts.direction == "either":
        raise ParameterError(
            "few labels",
            "delta",
            plain(delta),
            allowed=f"0 for {concepts.word}: a base that spends a delta is known for cuts in one direction only",
            remedy="Leave delta out, or use thresholds:COLUMN.",
        )
    return BlockCuts(concepts, epsilon, delta, failure)


def base_accuracy(base: Learner, *, points: int, failure: Fraction) -> DrawBound | Proof[Accuracy] | None:
    """How near to the labels of these very points a base is; None if nothing is proved of it."""
    if isinstance(base, Occam):
        if base.costs is not None:
            return None
        odds = Fraction(base.concepts.odds)
        return DrawBound(odds, base.ratio, mistakes_of_draw(odds, ratio=base.ratio, failure=failure), failure)
    proof = empirical_accuracy(base, Size(points))
    return proof if proof is not None and proof.fact.proper else None


def _base_promise(base: Learner, *, draws: int) -> Proof[Accuracy] | None:
    """What is proved of it for every distribution: that of the points, from which the draws are, is one."""
    proofs = base.certify(Size(draws)).accuracy
    fitting = (
        p for p in proofs if p.fact.against is Against.REALIZABLE and p.fact.proper and not p.assumptions
    )
    return next(fitting, None)


def carried_by(transfer: Transfer, *, points: int, family: Family, failure: Fraction, pairs: bool) -> Carried:
    """What carries rates over to the distribution, from this transfer of errors."""
    vc = 0 if family.vc is None else family.vc
    return Carried(points, transfer.basis, failure, family.size, vc, square=transfer.square, pairs=pairs)


def _transfer(promise: RoundPromise, *, points: int, family: Family, failure: Fraction) -> Carried:
    transfer = promise.transfer
    if isinstance(transfer, Transfer):
        return carried_by(transfer, points=points, family=family, failure=failure, pairs=False)
    vc = 0 if family.vc is None else family.vc
    return Carried(
        points, transfer.basis, failure, family.size, vc, uniform=transfer.uniform, single=transfer.single
    )


def one_round_accuracy(
    concepts: AnyClass,
    base: Learner,
    *,
    draw: Fraction,
    labelled: int,
    kept: int,
    points: int,
    draws: int | None,
    failure: Fraction,
    against: Against,
) -> Proof[Accuracy] | None:
    """The accuracy of one round as a proof; None where nothing is proved."""
    family = family_of(concepts, owner="LabelBoost")
    if draws is None:
        near = base_accuracy(base, points=points, failure=failure * BASE)
    else:
        near = _base_promise(base, draws=draws)
    if near is None:
        return None
    if isinstance(near, DrawBound):
        distance, total = Fraction(near.most, points), failure
    else:  # the base's share is its own; on these very points it stands in the place of a draw's
        distance, kept_back = near.fact.error, Fraction(0) if draws is not None else failure * BASE
        total = failure - kept_back + near.fact.failure
    promise = round_promise(
        kept=kept,
        points=points,
        ratio=draw,
        apart=distance,
        family=family,
        failure=failure,
        agnostic=against is Against.AGNOSTIC,
    )
    if promise is None or total >= 1:
        return None
    return few_labels_rules.label_boost_accuracy(
        against=against,
        labelled=labelled,
        kept=kept,
        odds=family.labellings(points) - 1,
        ratio=draw,
        tilt=promise.tilt,
        drawn=promise.drawn,
        draw_failure=failure * DRAW,
        base=near,
        carried=_transfer(promise, points=points, family=family, failure=failure * DEVIATION),
        error=promise.error,
        failure=total,
    )
