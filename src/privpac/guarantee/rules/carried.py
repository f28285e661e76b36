"""Accuracy carried over: from an inner run to the run on all records that it is part of."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import ctx

from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.numbers.exact import ball, ln_down, ln_up, power_up, shortened, written
from privpac.theory.vc import erm_excess, ln_growth, relative_error

__all__ = [
    "confidence",
    "empirical_draw",
    "relabelling_accuracy",
    "resampling_accuracy",
    "resampling_empirical",
    "stable_accuracy",
    "subsampling_accuracy",
]


def empirical_draw(
    *, odds: int | Fraction, records: int, ratio: Fraction, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """On records that some member labels without mistakes, a draw errs on at most `error` of them.

    More than that has probability at most odds·ratio^(floor(error·records) + 1). No chance but the coins': any records
    will do. Source: Li–Wang–Ye 2025, Lemma 11 and Definition 13; register `empirical-draw`. Holds if a mistake costs at
    least one unit of score.
    """
    rule = "empirical-draw"
    need(rule, 0 < ratio <= 1 and odds >= 0 and records >= 1, "a parameter is out of range")
    need(rule, 0 <= error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    mistakes = int(error * records) + 1
    with ctx.workprec(192):
        holds = odds == 0 or bool(
            ball(Fraction(odds)).log() + mistakes * ball(ratio).log() <= ball(failure).log()
        )
    need(rule, holds, "the bound is larger than the failure probability asked for")
    where = parameters(odds=written(odds), ratio=ratio)
    return Proof(Accuracy(error, failure, Against.EMPIRICAL, records), rule, where=where, seal=SEAL)


def subsampling_accuracy(premise: Proof[Accuracy], *, of: int) -> Proof[Accuracy]:
    """A uniform subset of independent records is a sample of independent records: nothing changes but their number.

    Register `subsampling-accuracy`.
    """
    rule = "subsampling-accuracy"
    old = premise.fact
    need(rule, old.against is not Against.EMPIRICAL, "a subset says nothing about mistakes on all records")
    need(rule, old.records <= of, "a subset has no more records than there are")
    return Proof(replace(old, records=of), rule, (premise,), {"of": of}, seal=SEAL)


def _for_every_distribution(rule: str, premise: Proof[Accuracy]) -> None:
    """Draws from a table follow the table's distribution, of which nothing can be assumed."""
    independent = premise.fact.against in (Against.REALIZABLE, Against.AGNOSTIC)
    need(rule, independent, "the inner bound must be for independent records")
    need(
        rule, not premise.assumptions, "the inner bound must hold without assumptions, for every distribution"
    )


def resampling_empirical(premise: Proof[Accuracy], *, of: int) -> Proof[Accuracy]:
    """Independent draws from the records themselves: what held for any distribution holds for theirs.

    Source: Li–Wang–Ye 2025, Lemma 14; register `resampling-empirical`. Refused if the premise assumes anything: a table
    is a discrete distribution, which has no density bound that was assumed of the records'.
    """
    rule = "resampling-empirical"
    old = premise.fact
    _for_every_distribution(rule, premise)
    need(rule, of >= 1, "there must be records")
    fact = replace(old, against=Against.EMPIRICAL, records=of)
    return Proof(fact, rule, (premise,), {"of": of}, seal=SEAL)


def resampling_accuracy(premise: Proof[Accuracy], *, of: int, vc: int, miss: Fraction) -> Proof[Accuracy]:
    """The same with independent records: the error on the records, plus what a class of this VC dimension adds.

    Realizable: relative deviation for one target; agnostic: one uniform side and one concept. Failure grows by `miss`.
    Source: Li–Wang–Ye 2025, Lemma 14, constants ours; register `resampling-accuracy`. Holds if answers belong to the
    class; refused, as there, if the premise assumes anything.
    """
    rule = "resampling-accuracy"
    old = premise.fact
    _for_every_distribution(rule, premise)
    need(rule, old.proper, "the inner answers must belong to the class")
    need(rule, of >= 1 and vc >= 0 and 0 < miss < 1, "a parameter is out of range")
    if old.against is Against.REALIZABLE:
        error = relative_error(old.error, n=of, failure=miss, vc=vc)
    else:
        error = min(Fraction(1), old.error + erm_excess(of, failure=miss, vc=vc))
    fact = replace(old, error=error, failure=_total(rule, old.failure + miss), records=of)
    return Proof(fact, rule, (premise,), {"of": of, "vc": vc, "miss": written(miss)}, seal=SEAL)


def _total(rule: str, failure: Fraction) -> Fraction:
    need(rule, failure < 1, "the failures add up to 1")
    return failure


def confidence(
    premise: Proof[Accuracy], *, runs: int, held: int, of: int, ratio: Fraction, tilt: Fraction, gap: Fraction
) -> Proof[Accuracy]:
    """The best of `runs` independent answers, picked on `held` further records: failures multiply.

    One of them is good except with probability failure^runs; one that is worse by more than `gap` is picked with
    probability at most (runs - 1)·base^held, where base = 1 - (error + gap)(1 - t) + error·(1/t - 1) (realizable) or
    ((1 - gap)/t + (1 + gap)·t)/2 (agnostic), t = tilt in [ratio, 1]. Register `confidence`. Holds if the answers are
    learnt from different independent records, and `ratio` is the weight of a mistake in the pick.
    """
    rule = "confidence"
    old = premise.fact
    need(rule, old.against is not Against.EMPIRICAL, "the inner bound must be for independent records")
    need(rule, 0 < ratio <= tilt <= 1 and 0 < gap < 1, "a parameter is out of range")
    need(rule, runs >= 1 and held >= 0 and runs * old.records + held <= of, "there are too few records")
    if old.against is Against.REALIZABLE:
        base = 1 - (old.error + gap) * (1 - tilt) + old.error * (1 / tilt - 1)
    else:
        base = ((1 - gap) / tilt + (1 + gap) * tilt) / 2
    need(rule, old.error + gap < 1 and base < 1, "the bound is void")
    wrong = shortened(power_up(old.failure, runs) + (runs - 1) * power_up(base, held))
    where = parameters(runs=runs, held=held, ratio=ratio, tilt=tilt, gap=gap)
    fact = replace(old, error=old.error + gap, failure=_total(rule, wrong), records=of)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def relabelling_accuracy(
    premise: Proof[Accuracy],
    *,
    kept: int,
    of: int,
    ratio: Fraction,
    change: int,
    mistake: int,
    vc: int,
    miss: Fraction,
) -> Proof[Accuracy]:
    """A learner of clean records, run on relabelled ones, is nearly as good as the best concept on noisy ones.

    With w = of - kept, J = (ln growth(kept) + ln(1/miss))/ln(1/ratio): the concept behind the labels is J/(mistake·w)
    worse than the best on the voters and differs from the labels on J/(change·kept) of the kept records, and the inner
    answer on `error` more. Register `relabelling-accuracy` (Li–Wang–Ye 2025, Claim 16, constants ours). Failure grows
    by four times `miss`. Holds if answers belong to a class of this VC dimension, which is also that of the labellings.
    """
    rule = "relabelling-accuracy"
    old = premise.fact
    need(rule, old.against is Against.EMPIRICAL, "the inner bound must be for any records")
    need(
        rule,
        old.proper and old.records == kept,
        "the inner answers must belong to the class, from the kept records",
    )
    need(
        rule,
        1 <= kept < of and 0 < ratio < 1 and min(change, mistake, vc) >= 1,
        "a parameter is out of range",
    )
    need(rule, 0 < 4 * miss < 1, "the failures add up to 1")
    voters = of - kept
    units = (ln_growth(kept, vc=vc) + ln_up(1 / miss)) / ln_down(1 / ratio)
    distance = relative_error(old.error + units / (change * kept), n=kept, failure=miss, vc=vc, pairs=True)
    error = erm_excess(voters, failure=2 * miss, vc=vc) + units / (mistake * voters) + distance
    where = parameters(kept=kept, ratio=ratio, change=change, mistake=mistake, vc=vc, miss=miss)
    failure = _total(rule, old.failure + 4 * miss)
    excess = shortened(min(Fraction(1), error))
    fact = replace(old, error=excess, failure=failure, against=Against.AGNOSTIC, records=of)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def stable_accuracy(*, kept: int, of: int, ratio: Fraction, vc: int, miss: Fraction) -> Proof[Accuracy]:
    """A draw by all records from one concept a labelling of the kept points is nearly as good as the best concept.

    Above the best by at most what uniform deviation adds, (ln growth(of) + ln(1/miss))/kept for having listed few
    concepts, and (ln growth(kept) + ln(1/miss))/(of·ln(1/ratio)) for the draw. Register `stable-accuracy`
    (Dagan–Feldman 2020, Theorem 1, constants ours). Failure is four times `miss`.
    """
    rule = "stable-accuracy"
    need(rule, 1 <= kept <= of and 0 < ratio < 1 and vc >= 1, "a parameter is out of range")
    need(rule, 0 < 4 * miss < 1, "the failures add up to 1")
    log = ln_up(1 / miss)
    listing = (ln_growth(of, vc=vc) + log) / kept
    draw = (ln_growth(kept, vc=vc) + log) / (ln_down(1 / ratio) * of)
    error = shortened(min(Fraction(1), erm_excess(of, failure=2 * miss, vc=vc) + listing + draw))
    where = parameters(kept=kept, ratio=ratio, vc=vc, miss=miss)
    return Proof(Accuracy(error, 4 * miss, Against.AGNOSTIC, of), rule, where=where, seal=SEAL)
