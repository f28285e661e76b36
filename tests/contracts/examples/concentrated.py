"""Examples of concentrated privacy: ranges, prices, their sums, and back to (epsilon, delta)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.guarantee import rules
from privpac.guarantee.facts import Concentrated, Fact, Range
from privpac.guarantee.proof import Proof
from tests.contracts.examples.plain import RATIO, mixed, pure


def _range() -> Proof[Range]:
    return rules.draw_range(pure())


def _draw() -> Proof[Concentrated]:
    return rules.range_concentrated(_range())


def _rough() -> Proof[Concentrated]:
    """With a delta, so that the rules' second number is looked at too."""
    return rules.pure_concentrated(mixed())


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "draw-range": _range,
    "range-log-odds": lambda: rules.range_log_odds(_range()),
    "range-concentrated": _draw,
    "log-odds-concentrated": lambda: rules.log_odds_concentrated(rules.bounded_range(ratio=RATIO)),
    "pure-concentrated": _rough,
    "noise-concentrated": lambda: rules.noise_concentrated(
        rules.geometric_noise(ratio=RATIO, change=2), largest=1
    ),
    "subsampled-concentrated": lambda: rules.subsampled_concentrated(_range(), kept=2, of=7),
    "concentrated-sum": lambda: rules.concentrated_sum(_draw(), _rough(), times=3),
    "concentrated-post-processing": lambda: rules.concentrated_post_processing(_rough(), what="an example"),
    "concentrated-on-part": lambda: rules.concentrated_on_part(_rough(), part="one part"),
    "concentrated-parts": lambda: rules.concentrated_parts(
        rules.concentrated_on_part(_draw(), part="one part"),
        rules.concentrated_on_part(_rough(), part="another part"),
    ),
    "concentrated-mixture": lambda: rules.concentrated_mixture(_draw(), _rough()),
    "concentrated-group": lambda: rules.concentrated_group(_draw(), size=3),
    "range-fold": lambda: rules.range_fold(rules.range_log_odds(_range()), times=4, epsilon=Fraction(3)),
    "concentrated-privacy": lambda: rules.concentrated_privacy(
        _rough(), delta=Fraction(1, 10**6), order=Fraction(21)
    ),
}
