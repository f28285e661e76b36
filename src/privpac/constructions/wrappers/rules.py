"""Relabelling: labels chosen by a private vote of the other records, and classes listed from some of the records.

In all of them x = 1/ratio is what one unit of score is worth, and a draw picks a labelling z of the kept points with
weight ratio^score(z), score(z) = min over concepts f of change·#{kept: z ≠ f} + mistake·#{rest: f is wrong}.
"""

from __future__ import annotations

from fractions import Fraction

from privpac.guarantee.facts import ALL, BoundedRange, Loss, Privacy, Stability, Unit
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    need,
    need_record,
    need_two_classes,
    parameters,
    power,
    rational,
)
from privpac.numbers.exact import shortened

__all__ = ["listed_from_some", "rank_relabelling", "relabelling", "relabelling_part", "stable_from_some"]


def _need_scores(rule: str, ratio: Fraction, change: int, mistake: int) -> None:
    need(rule, 0 < ratio <= 1, "the ratio must lie in (0, 1]")
    need(rule, change >= 1 and mistake >= 1, "a change and a mistake must cost a positive whole number")


def _need_vote(
    rule: str, old: Privacy, classes: int, kept: int, of: int, ratio: Fraction, change: int, mistake: int
) -> None:
    need_two_classes(rule, classes)
    need(rule, 1 <= kept < of, "some records must be kept and some must not")
    _need_scores(rule, ratio, change, mistake)
    need(rule, old.unit is Unit.RECORD and old.part == ALL, "the inner run must protect whole records")


def _mean(kept: int, of: int, *, outside: Fraction, weight: Fraction, inside: Fraction) -> Fraction:
    """The mean of two losses with weights 1 - q and q·weight, at least the first."""
    if inside <= outside:
        return outside
    q = Fraction(kept, of)
    return shortened(((1 - q) * outside + q * weight * inside) / (1 - q + q * weight))


def relabelling(
    premise: Proof[Privacy], *, classes: int, kept: int, of: int, ratio: Fraction, change: int, mistake: int
) -> Proof[Privacy]:
    """Relabel a uniform `kept`-subset by the vote of the rest and run on it, shuffled.

    With a = x^mistake, b = x^(2·change), q = kept/of, E = e^eps of the inner run, and w = a(1 + a)/2 if change is at
    least mistake, else a^2: e^eps' = ((1 - q)·a^2 + q·w·4·b·E)/((1 - q) + q·w), but at least a^2; delta' = q·delta.
    Source: Li–Wang–Ye 2025, Lemma 15, with constants of its own; register `relabelling`. Refused unless there are two
    `classes`. Holds if the labellings are all dichotomies of the kept points by the class, each once, drawn by the
    exponential mechanism itself (no permute-and-flip, no clamped scores), and the kept records come in uniformly random
    order (assumed of the caller).
    """
    rule, old = "relabelling", premise.fact
    _need_vote(rule, old, classes, kept, of, ratio, change, mistake)
    a, b = power(rule, 1 / ratio, mistake), power(rule, 1 / ratio, 2 * change)
    weight = a * (1 + a) / 2 if change >= mistake else a * a
    inside = 4 * b * rational(rule, old.epsilon)
    factor = _mean(kept, of, outside=a * a, weight=weight, inside=inside)
    delta = Fraction(kept, of) * old.delta
    fact = Privacy(Loss(factor=factor), shortened(delta), Unit.RECORD, ALL, old.release)
    where = parameters(kept=kept, of=of, ratio=ratio, change=change, mistake=mistake)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def rank_relabelling(
    premise: Proof[Privacy], *, classes: int, kept: int, of: int, ratio: Fraction, change: int, mistake: int
) -> Proof[Privacy]:
    """The same for cuts of an ordered column, where equal points are distinguished by their place in the shuffled list.

    Labelling j gives one class to the j first in that order, so that changing one record changes two labels at most:
    e^eps' = ((1 - q)·a^2 + q·a^2·b·E^2)/((1 - q) + q·a^2), at least a^2; delta' = q·(1 + E)·delta.
    Source: our coupling of ranks; register `rank-relabelling`. Holds if all kept + 1 prefixes of the order by point and
    place are drawn from, and the inner run accepts equal points with different labels (assumed of the caller).
    """
    rule, old = "rank-relabelling", premise.fact
    _need_vote(rule, old, classes, kept, of, ratio, change, mistake)
    a, b = power(rule, 1 / ratio, mistake), power(rule, 1 / ratio, 2 * change)
    e = rational(rule, old.epsilon)
    factor = _mean(kept, of, outside=a * a, weight=a * a, inside=b * e * e)
    delta = Fraction(kept, of) * min(ONE, (1 + e) * old.delta)
    fact = Privacy(Loss(factor=factor), shortened(delta), Unit.RECORD, ALL, old.release)
    where = parameters(kept=kept, of=of, ratio=ratio, change=change, mistake=mistake)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def relabelling_part(
    premise: Proof[Privacy], *, classes: int, ratio: Fraction, change: int, part: str
) -> Proof[Privacy]:
    """What the relabelled records lose when who they are is fixed beforehand: 4·x^(2·change) times the inner factor.

    Their labels are not looked at. The fact names their part: the records that vote are another one, and lose
    otherwise. Source: Li–Wang–Ye 2025, Lemma 17 (A_Auxiliary); register `relabelling-part`. Refused unless there are
    two `classes`. Holds if the labellings are all dichotomies of the points, each once, drawn by the exponential
    mechanism itself (assumed of the caller).
    """
    rule = "relabelling-part"
    need_two_classes(rule, classes)
    _need_scores(rule, ratio, change, 1)
    old = premise.fact
    need_record(rule, old)
    need(rule, old.part == ALL, "the premise must speak of all records of its input")
    need(rule, part not in ("", ALL), "the part must be named: those who vote are another one")
    factor = shortened(4 * power(rule, 1 / ratio, 2 * change) * old.epsilon.factor)
    fact = Privacy(Loss(old.epsilon.log, factor), old.delta, old.unit, part, old.release)
    where = parameters(ratio=ratio, change=change, part=part)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def listed_from_some(premise: Proof[BoundedRange], *, kept: int, of: int) -> Proof[Privacy]:
    """A draw by all records from a class listed from the points of a uniform `kept`-subset: (g, kept/of).

    Source: Dagan–Feldman 2020, Lemma 7, read as privacy; register `listed-from-some`. Holds if representatives are
    chosen by the set of points alone (assumed of the caller).
    """
    rule = "listed-from-some"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    fact = Privacy(premise.fact.epsilon, Fraction(kept, of), premise.fact.unit)
    return Proof(fact, rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


def stable_from_some(premise: Proof[Stability], *, kept: int, of: int) -> Proof[Stability]:
    """The same as stability: gamma' = q + (1 - q)·gamma with q = kept/of.

    Source: Dagan–Feldman 2020, Lemma 7, tight; register `stable-from-some`. Holds as `listed_from_some`.
    """
    rule = "stable-from-some"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    q = Fraction(kept, of)
    gamma = q + (1 - q) * premise.fact.gamma
    return Proof(Stability(gamma, premise.fact.unit), rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)
