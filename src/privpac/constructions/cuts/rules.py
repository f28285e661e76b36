"""Reconstruction: clear leads, cuts by recursion and among blocks, and proper cuts from other hypotheses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from privpac.constructions.cuts.blocks_formulas import BlockPlan
from privpac.guarantee.facts import Accuracy, Against, Loss, Privacy
from privpac.guarantee.proof import SEAL, Proof, need, parameters, power
from privpac.numbers.binomial import at_most
from privpac.numbers.exact import ball, power_up, shortened, written

__all__ = [
    "independent_noise",
    "noise_reconstruction",
    "occupied_blocks",
    "occupied_blocks_empirical",
    "rec_concave",
    "stable_choice",
    "switch_reconstruction",
]


def stable_choice(*, ratio: Fraction, threshold: int) -> Proof[Privacy]:
    """The best member of a list, released only if its lead plus geometric noise is at least 2 + threshold.

    e^epsilon = ratio^-2, delta = ratio^threshold/(1 + ratio). Register `stable-choice`. Holds if list, ratio and order
    of ties are public, scores are whole and one unit moves each by at most 1 (assumed of the caller).
    """
    rule = "stable-choice"
    need(rule, 0 < ratio < 1, "the ratio must lie strictly between 0 and 1")
    need(rule, threshold >= 0, "the threshold must not be negative")
    delta = shortened(power_up(ratio, threshold) / (1 + ratio))
    fact = Privacy(Loss(factor=power(rule, 1 / ratio, 2)), delta)
    return Proof(fact, rule, where={"ratio": written(ratio), "threshold": threshold}, seal=SEAL)


def rec_concave(
    *,
    widths: int,
    ratios: tuple[Fraction, Fraction, Fraction],
    slack: int,
    threshold: int,
    margin: int,
    last: int,
    blocks: int,
    records: int,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A cut drawn in three steps (width, block, cut) errs by more than `error`, or is not released, with probability at
    most widths·r1^(slack+1) + 1/blocks + r2^margin/(1+r2) + (2·blocks+1)·r3^(last+1) + 2·P[Bin(records, error) ≤ E],
    E = 2·slack + 1 + threshold + margin + last.

    Register `rec-concave`. Holds for independent records of which some cut makes no error.
    """
    rule = "rec-concave"
    need(rule, all(0 < ratio < 1 for ratio in ratios), "the ratios must lie strictly between 0 and 1")
    need(rule, min(widths, slack, threshold, margin, last, records) >= 0, "a number must not be negative")
    need(rule, blocks >= 1, "there must be at least one block")
    _need_chances(rule, error, failure)
    mistakes = 2 * slack + 1 + threshold + margin + last

    def bound() -> arb:
        first, second, third = (ball(ratio) for ratio in ratios)
        wrong = widths * first ** (slack + 1) + (2 * blocks + 1) * third ** (last + 1)
        loss = ball(Fraction(1, blocks)) + second**margin / (1 + second)
        return wrong + loss + 2 * at_most(mistakes, n=records, chance=error)

    _need_bound(rule, bound, failure)
    names = ("width_ratio", "block_ratio", "cut_ratio")
    steps = parameters(
        widths=widths, **dict(zip(names, ratios, strict=True)), slack=slack, threshold=threshold
    )
    where = steps | parameters(margin=margin, last=last, blocks=blocks, records=records)
    return Proof(Accuracy(error, failure, Against.REALIZABLE, records), rule, where=where, seal=SEAL)


def occupied_blocks(*, ratio: Fraction, levels: int, stake: int) -> Proof[Privacy]:
    """A draw, with weight ratio^cost, among middles of occupied blocks, both ends, and a blank that counts `stake`
    times: e^epsilon = ratio^-2·(1 + (levels - 1)/(ratio·stake)), delta = (levels - 1)/(levels - 1 + ratio·stake).

    Register `occupied-blocks`. Holds if one unit moves every cost by at most 1, and a block that one record alone
    occupies costs at least one less than the blank (assumed of the caller).
    """
    rule = "occupied-blocks"
    need(rule, 0 < ratio < 1, "the ratio must lie strictly between 0 and 1")
    need(rule, levels >= 1 and stake >= 1, "there must be a level and a stake")
    lone = (levels - 1) / (ratio * stake)
    fact = Privacy(
        Loss(factor=shortened(power(rule, 1 / ratio, 2) * (1 + lone))), shortened(lone / (1 + lone))
    )
    return Proof(fact, rule, where=parameters(ratio=ratio, levels=levels, stake=written(stake)), seal=SEAL)


def occupied_blocks_empirical(
    *, ratio: Fraction, levels: int, stake: int, reach: int, records: int, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """On records that some cut labels without mistakes, a cut drawn among occupied blocks errs on more than `error` of
    them, or none is released, with probability at most stake·r^(2a) + 2·(2·levels/(1 - r) + 1)·r^(1 - a)·r^(m + 1),
    r = ratio, a = reach, m = floor(error·records).

    Register `occupied-blocks-empirical`. No chance but the coins': any such records will do.
    """
    rule = "occupied-blocks-empirical"
    plan = BlockPlan(ratio, levels, stake, reach)
    plan.check()
    need(rule, records >= 0, "a number is too small")
    need(rule, 0 <= error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    mistakes = int(error * records) + 1
    _need_bound(rule, lambda: plan.blank_or_rivals(ball(ratio) ** mistakes), failure)
    where = parameters(ratio=ratio, levels=levels, stake=written(stake), reach=reach)
    return Proof(Accuracy(error, failure, Against.EMPIRICAL, records), rule, where=where, seal=SEAL)


def switch_reconstruction(
    premise: Proof[Accuracy],
    *,
    candidates: int,
    selection: int,
    ratio: Fraction,
    tilt: Fraction,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A cut drawn among the `candidates` places where a hypothesis changes its answer (and both ends), on `selection`
    further records, errs by more than `error` with probability at most the hypothesis' own failure plus
    (candidates - 1)·(1 - error·(1 - x) + tolerated·(1/x - 1))^selection, x = tilt in [ratio, 1], tolerated its error.

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, proof of Theorem 5.4; register `switch-reconstruction`. Holds if
    the premise speaks of a class that contains every cut, and of other records than the selection (assumed).
    """
    rule, inner = "switch-reconstruction", premise.fact
    need(
        rule, inner.against is Against.REALIZABLE, "the premise must be about data that some concept explains"
    )
    need(rule, candidates >= 2 and selection >= 0, "both ends are candidates, and records are not negative")
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    _need_chances(rule, error, failure)
    base = 1 - error * (1 - tilt) + inner.error * (1 / tilt - 1)
    _need_bound(rule, lambda: ball(inner.failure) + (candidates - 1) * ball(base) ** selection, failure)
    where = parameters(candidates=candidates, selection=selection, ratio=ratio, tilt=tilt)
    fact = Accuracy(error, failure, Against.REALIZABLE, inner.records + selection)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def independent_noise(premise: Proof[Accuracy], *, rate: Fraction, noise: Fraction) -> Proof[Accuracy]:
    """Every answer of a hypothesis flipped with probability `rate`, independently: at most `noise` more error, except
    with probability rate/noise more. The result lies in no class.

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Definition 5.6; register `independent-noise`.
    """
    rule, inner = "independent-noise", premise.fact
    need(rule, 0 < rate < Fraction(1, 2), "the rate must lie strictly between 0 and 1/2")
    need(rule, 0 < noise <= 1, "the noise must lie in (0, 1]")
    error, failure = inner.error + noise, inner.failure + rate / noise
    need(rule, error <= 1 and failure < 1, "so much noise leaves nothing to promise")
    fact = Accuracy(error, failure, inner.against, inner.records, proper=False)
    return Proof(fact, rule, (premise,), parameters(rate=rate, noise=noise), seal=SEAL)


def noise_reconstruction(premise: Proof[Accuracy], *, rate: Fraction) -> Proof[Accuracy]:
    """The cut with the fewest mismatches to its own noisy copy is the cut itself, except with probability
    1 - (1 - 2·rate)² = 4·rate - 4·rate²: the error of the cut, and that much more failure.

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, proof of Theorem 5.8 (printed 8·rate); register
    `noise-reconstruction`. Holds if the premise speaks of a cut and every cell's answer was flipped independently
    with probability `rate` (assumed).
    """
    rule, inner = "noise-reconstruction", premise.fact
    need(rule, 0 < rate < Fraction(1, 2), "the rate must lie strictly between 0 and 1/2")
    need(rule, inner.proper, "the premise must speak of a cut")
    failure = inner.failure + 4 * rate * (1 - rate)
    need(rule, failure < 1, "so much noise leaves nothing to promise")
    fact = Accuracy(inner.error, failure, inner.against, inner.records)
    return Proof(fact, rule, (premise,), {"rate": written(rate)}, seal=SEAL)


def _need_chances(rule: str, error: Fraction, failure: Fraction) -> None:
    need(rule, 0 < error <= 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")


def _need_bound(rule: str, bound: Callable[[], arb], failure: Fraction) -> None:
    with ctx.workprec(192):
        holds = bool(bound() <= ball(failure))
    need(rule, holds, "the bound is larger than the failure probability asked for")
