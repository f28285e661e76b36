"""How common the rarer of two classes is, bought with a share of epsilon where nobody declared it.

Costs that make rare classes count as much as common ones follow from their shares, and shares counted from the records
are a release of their own: one count with exact geometric noise, rounded to a few shares that people would write down.

Statement: replacing one record, or its label, moves the count of a class by at most 1, so noise at `ratio` per unit is
epsilon-DP with e^epsilon = 1/ratio; clamping and rounding are post-processing.
Source: register `geometric-noise`. Proof: docs/proofs/geometric-noise.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.data.sample import Block, Sample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import plain, ratio_for

__all__ = ["RATE_SHARE", "ROUND_RATES", "ClassCount", "base_rate_privacy", "bought_rate", "is_round"]

RATE_SHARE = Fraction(1, 50)
"""Of epsilon, for the count: at records times epsilon 1,000 it is right to about 7 % of the records, which is enough to
tell one class in ten from one in two."""

ROUND_RATES = tuple(Fraction(share, 100) for share in (1, 2, 5, 10, 20, 30, 40, 50))
"""Of the rarer class, whichever it is."""


@dataclass(frozen=True)
class ClassCount:
    """The additive statistic: how many records have the second class."""

    columns: tuple[str, ...] = ()

    def zero(self) -> int:
        return 0

    def absorb(self, state: int, block: Block) -> int:
        if block.labels is None:
            raise SizeError("Counting a class needs labelled records.")
        return state + int((block.labels == 1).sum())

    def merge(self, a: int, b: int) -> int:
        return a + b


def _ratio(epsilon: Fraction) -> Fraction:
    ratio = ratio_for(epsilon)
    if ratio == 1:
        raise ParameterError(
            "learn", "epsilon", plain(epsilon / RATE_SHARE), allowed="large enough for noise of finite size"
        )
    return ratio


def base_rate_privacy(*, epsilon: Fraction, unit: Unit = Unit.RECORD) -> Proof[Privacy]:
    """What the count costs: at most `epsilon`."""
    mechanism = rules.geometric_noise(ratio=_ratio(epsilon), change=1, single=True, unit=unit)
    return rules.declared(mechanism, epsilon=epsilon)


def bought_rate(sample: Sample, *, epsilon: Fraction, coins: Coins) -> tuple[float, float]:
    """The shares of both classes, rounded, from one noisy count."""
    n = sample.size.labelled
    true = sample.reduce(ClassCount())
    [noisy] = add_noise([true], ratio=_ratio(epsilon), low=0, high=n, coins=coins)
    share = Fraction(noisy, n)
    rarer = min(ROUND_RATES, key=lambda rate: (abs(rate - min(share, 1 - share)), rate))
    second = rarer if share <= Fraction(1, 2) else 1 - rarer
    return float(1 - second), float(second)


def is_round(shares: tuple[float, ...]) -> bool:
    """Whether these can be shares that were bought."""
    return any(
        shares in ((float(1 - rate), float(rate)), (float(rate), float(1 - rate))) for rate in ROUND_RATES
    )
