"""Examples of mechanisms, composition, sampling and the Occam bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.draw.chained import ChainedDraw
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact, Privacy
from privpac.guarantee.proof import Proof
from privpac.theory.occam import first_error
from privpac.theory.refined import Kind, error_refined, excess_counted, failure_left

# Functions whose key in certificates is not simply their name with dashes.
ALIASES: dict[str, tuple[str, ...]] = {
    "k_fold": ("k-fold-composition",),
    "occam": ("occam-realizable", "occam-agnostic"),
    "refined_draw": ("refined-draw-realizable", "refined-draw-agnostic"),
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


CHAINED = ChainedDraw(
    Fraction(2**20), RATIO, Fraction(9, 10), Fraction(21, 100), chains=2, slack=Fraction(0), apart=True
)
KINDS = (Kind(Fraction(7), 10**6), Kind(Fraction(1, 9), 10**9))
FIRST = Fraction(9, 10)
FAILURE = Fraction(1, 20)


def _least_realizable() -> Fraction:
    return error_refined(1000, odds=Fraction(100), ratio=RATIO, growth=1 / FIRST**2, failure=FAILURE)


def _least_agnostic() -> Fraction:
    numbers = {"odds": Fraction(100), "tilt": Fraction(17, 20), "failure": FAILURE}

    def proves(excess: Fraction) -> bool:
        left = failure_left(1000, excess=excess, **numbers)
        return left > 0 and excess_counted(1000, kinds=KINDS, ratio=RATIO, failure=left) <= excess

    return first_error(proves)


def _refined(against: Against) -> Proof[Any]:
    agnostic = against is Against.AGNOSTIC
    return rules.refined_draw(
        None if agnostic else rules.exponential_mechanism(ratio=FIRST),
        odds=100,
        records=1000,
        ratio=RATIO,
        error=_least_agnostic() if agnostic else _least_realizable(),
        failure=Fraction(1, 20),
        against=against,
        tilt=Fraction(17, 20) if agnostic else None,
        kinds=KINDS if agnostic else (),
        rivals="rules of one question",
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "refined-draw-realizable": lambda: _refined(Against.REALIZABLE),
    "refined-draw-agnostic": lambda: _refined(Against.AGNOSTIC),
    "exponential-mechanism": pure,
    "bounded-range": lambda: rules.bounded_range(ratio=RATIO),
    "total-variation": lambda: rules.total_variation(rules.bounded_range(ratio=RATIO)),
    "permute-and-flip": lambda: rules.permute_and_flip(ratio=RATIO),
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
    "chained-draw": lambda: CHAINED.promise(1000, FAILURE)[0],
}
