"""What boosting proves about the points of a card, if every round has a test with an edge: seldom much."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, ball
from privpac.numbers.parameters import at_least, chance
from privpac.theory.register import formula

__all__ = ["error_boosted", "lost_edge"]


@formula("boosted-rounds")
def lost_edge(
    records: int, *, candidates: int, rounds: int, ratio: Fraction, units: int, failure: Fraction
) -> Fraction:
    """By how much, per record, the drawn test of any round falls short of the best one; at most 1.

    Statement: ln(candidates·rounds/failure)/ln(1/ratio)/(units·records) + 1/units.
    Source: register `boosted-rounds` (ours). Holds if: scores are sums of weights in whole parts of 1/units, rounded to
    the nearest. Proof: docs/proofs/boosted-rounds.md.

    >>> float(lost_edge(100_000, candidates=300, rounds=8, ratio=Fraction(1, 2), units=64, failure=Fraction(1, 20)))
    0.01562...
    """
    have = at_least(1, records, owner="lost_edge", name="records")
    share = chance(failure, owner="lost_edge", name="failure")
    if not 0 < ratio < 1:
        raise ParameterError("lost_edge", "ratio", ratio, allowed="above 0 and below 1")
    with ctx.workprec(PRECISIONS[0]):
        shortfall = ball(Fraction(candidates * rounds) / share).log() / ball(1 / ratio).log()
        return rounded_up(shortfall / (units * have) + ball(Fraction(1, units)))


@formula("boosted-rounds")
def error_boosted(
    steps: Sequence[Fraction],
    *,
    edge: Fraction,
    lost: Fraction,
    cap: Fraction,
    start: Fraction = Fraction(1, 2),
) -> Fraction:
    """The part of the records on the wrong side of the points after all rounds; 1 where nothing is proved.

    Statement: with P the capped loss below, Phi = P(-|start's log-odds|), and for every step a, M the log-odds that can
    have been reached before it, Phi becomes Phi·(1 - d·cap/P(-M)) + lost·sinh a with d = edge·sinh a - cosh a + 1, or
    Phi·(1 - d) + lost·sinh a where d is negative; the answer is Phi/P(0). P(m) = ln(1 + e^-m) from
    m = ln((1 - cap)/cap) on, and below it the tangent of slope -cap.
    Source: register `boosted-rounds` (ours). Holds if: every round has a test of this edge, and the drawn one loses at
    most `lost` per record. Proof: docs/proofs/boosted-rounds.md.
    """
    if not 0 < cap <= Fraction(1, 2) or not 0 < start < 1 or not 0 <= edge <= 1:
        raise ParameterError(
            "error_boosted", "cap", cap, allowed="above 0 and at most 1/2, start and edge in 0..1"
        )
    with ctx.workprec(PRECISIONS[0]):
        reach = abs(ball(start / (1 - start)).log())
        phi = _capped_loss(-reach, cap)
        for step in steps:
            a = ball(step)
            gain = ball(edge) * a.sinh() - a.cosh() + 1
            shrink = gain * ball(cap) / _capped_loss(-reach, cap) if gain > 0 else gain
            phi = phi * (1 - shrink) + ball(lost) * a.sinh()
            reach += a
        return rounded_up(phi / _capped_loss(arb(0), cap))


def _capped_loss(margin: arb, cap: Fraction) -> arb:
    """The capped loss at a margin of at most 0."""
    bend = ball((1 - cap) / cap).log()
    return (1 + (-bend).exp()).log() + ball(cap) * (bend - margin)
