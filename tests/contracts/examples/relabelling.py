"""Examples of relabelling, stable draws, and accuracy carried over from an inner run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.stable.stable import listed_from_some, stable_from_some
from privpac.constructions.wrappers.relabelling import relabelling, relabelling_part, relabelling_votes
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact
from privpac.guarantee.proof import Proof
from tests.contracts.examples.plain import RATIO, mixed

ALIASES: dict[str, tuple[str, ...]] = {}

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def inner(against: Against, records: int = 1000) -> Proof[Any]:
    realizable = against is Against.REALIZABLE
    return rules.occam(
        odds=100,
        records=records,
        ratio=HALF,
        tilt=HALF if realizable else Fraction(7, 10),
        error=TENTH if realizable else HALF,
        failure=Fraction(1, 20),
        against=against,
    )


def empirical(records: int = 10) -> Proof[Any]:
    """Tight: one mistake less, or a smaller failure, is not proved."""
    return rules.empirical_draw(
        odds=1, records=records, ratio=HALF, error=Fraction(3, records), failure=Fraction(1, 15)
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "relabelling": lambda: relabelling(mixed(), classes=2, kept=2, of=5, ratio=RATIO, change=3, mistake=2),
    "relabelling-part": lambda: relabelling_part(mixed(), classes=2, ratio=RATIO, change=3, part="left"),
    "relabelling-votes": lambda: relabelling_votes(classes=2, ratio=RATIO, mistake=2, part="voting records"),
    "listed-from-some": lambda: listed_from_some(rules.bounded_range(ratio=RATIO), kept=1, of=4),
    "stable-from-some": lambda: stable_from_some(
        rules.total_variation(rules.bounded_range(ratio=RATIO)), kept=1, of=4
    ),
    "empirical-draw": empirical,
    "subsampling-accuracy": lambda: rules.subsampling_accuracy(inner(Against.AGNOSTIC), of=5000),
    "resampling-empirical": lambda: rules.resampling_empirical(inner(Against.REALIZABLE), of=5000),
    "resampling-accuracy": lambda: rules.resampling_accuracy(
        inner(Against.REALIZABLE), of=10**5, vc=1, miss=Fraction(1, 20)
    ),
    "confidence": lambda: rules.confidence(
        inner(Against.REALIZABLE),
        runs=3,
        held=2000,
        of=5000,
        ratio=HALF,
        tilt=Fraction(4, 5),
        gap=TENTH,
    ),
    "relabelling-accuracy": lambda: rules.relabelling_accuracy(
        empirical(10**5),
        kept=10**5,
        of=10**6,
        ratio=Fraction(9, 10),
        change=9,
        mistake=1,
        vc=1,
        miss=Fraction(1, 100),
    ),
    "stable-accuracy": lambda: rules.stable_accuracy(
        kept=1000, of=10**5, ratio=Fraction(9, 10), vc=2, miss=Fraction(1, 100)
    ),
}
