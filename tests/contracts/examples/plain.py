"""Examples of mechanisms, composition, sampling and the Occam bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact, Privacy
from privpac.guarantee.proof import Proof
from privpac.theory.staged import Stage

# Functions whose key in certificates is not simply their name with dashes.
ALIASES: dict[str, tuple[str, ...]] = {
    "k_fold": ("k-fold-composition",),
    "occam": ("occam-realizable", "occam-agnostic"),
    "staged_draws": ("staged-draws-realizable", "staged-draws-agnostic"),
    "subsampling": ("subsampling-without-replacement",),
}

RATIO = Fraction(3, 5)


def pure() -> Proof[Privacy]:
    return rules.exponential_mechanism(ratio=RATIO)


def mixed() -> Proof[Privacy]:
    """With a delta, so that the rules' second number is looked at too."""
    return rules.k_fold(pure(), times=3, saved=1)


def _occam(against: Against) -> Proof[Any]:
    return rules.occam(
        odds=100,
        records=1000,
        ratio=Fraction(1, 2),
        tilt=Fraction(1, 2) if against is Against.REALIZABLE else Fraction(7, 10),
        error=Fraction(1, 2),
        failure=Fraction(1, 20),
        against=against,
    )


def _staged(against: Against) -> Proof[Any]:
    return rules.staged_draws(
        rules.declared(pure(), epsilon=Fraction(5, 2)) if against is Against.REALIZABLE else None,
        stages=(Stage(Fraction(100), RATIO), Stage(Fraction(7, 2), Fraction(1, 2))),
        records=1000,
        size=10**6,
        failure=Fraction(1, 20),
        against=against,
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "staged-draws-realizable": lambda: _staged(Against.REALIZABLE),
    "staged-draws-agnostic": lambda: _staged(Against.AGNOSTIC),
    "exponential-mechanism": pure,
    "bounded-range": lambda: rules.bounded_range(ratio=RATIO),
    "total-variation": lambda: rules.total_variation(rules.bounded_range(ratio=RATIO)),
    "permute-and-flip": lambda: rules.permute_and_flip(ratio=RATIO),
    "leafwise-exponential": lambda: rules.leafwise_exponential(ratio=RATIO, sensitivity=2),
    "geometric-noise": lambda: rules.geometric_noise(ratio=RATIO, change=2),
    "post-processing": lambda: rules.post_processing(mixed(), what="an example"),
    "sequential": lambda: rules.sequential(pure(), mixed()),
    "disjoint-parts": lambda: rules.disjoint_parts(
        rules.on_part(pure(), part="one part"), rules.on_part(mixed(), part="another part")
    ),
    "on-part": lambda: rules.on_part(mixed(), part="one part"),
    "group": lambda: rules.group(mixed(), size=3),
    "subsampling-without-replacement": lambda: rules.subsampling(mixed(), kept=2, of=7),
    "sampling-with-replacement": lambda: rules.sampling_with_replacement(mixed(), draws=2, of=7),
    "k-fold-composition": lambda: rules.k_fold(pure(), times=5, saved=2),
    "declared": lambda: rules.declared(mixed(), epsilon=Fraction(5, 2), delta=Fraction(1, 2)),
    "assuming": lambda: rules.assuming(mixed(), "an example is an example"),
    "occam-realizable": lambda: _occam(Against.REALIZABLE),
    "occam-agnostic": lambda: _occam(Against.AGNOSTIC),
}
