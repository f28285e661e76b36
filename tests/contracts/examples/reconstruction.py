"""Examples of clear leads, cuts by recursion, and cuts from switches and from noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact
from privpac.guarantee.proof import Proof
from privpac.theory.rec_concave import error_rec_concave, plan_rec_concave, widths
from privpac.theory.reconstruction import records_switch, tilt_switch

RATIO = Fraction(3, 5)
FAILURE = Fraction(1, 20)


def rec_concave(domain: int = 2**64, records: int = 3100) -> Proof[Any]:
    plan = plan_rec_concave(domain, failure=FAILURE, epsilon=1, delta="0.000001")
    error = error_rec_concave(records, domain=domain, failure=FAILURE, plan=plan)
    return rules.rec_concave(
        widths=widths(domain),
        ratios=plan.ratios,
        slack=plan.slack,
        threshold=plan.threshold,
        margin=plan.margin,
        last=plan.last,
        blocks=plan.blocks,
        records=records,
        error=error,
        failure=FAILURE,
    )


def learnt() -> Proof[Any]:
    """A rule of error at most 1/50 from 4000 records."""
    return rules.occam(
        odds=2**20,
        records=4000,
        ratio=RATIO,
        tilt=RATIO,
        error=Fraction(1, 50),
        failure=FAILURE / 2,
        against=Against.REALIZABLE,
    )


def switched() -> Proof[Any]:
    return rules.switch_reconstruction(
        learnt(),
        candidates=6,
        selection=records_switch(
            6, error=Fraction(1, 10), failure=FAILURE / 2, tolerated=Fraction(1, 50), ratio=RATIO
        ),
        ratio=RATIO,
        tilt=tilt_switch(Fraction(1, 10), tolerated=Fraction(1, 50), ratio=RATIO),
        error=Fraction(1, 10),
        failure=FAILURE,
    )


EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    "stable-choice": lambda: rules.stable_choice(ratio=RATIO, threshold=7),
    "rec-concave": rec_concave,
    "switch-reconstruction": switched,
    "independent-noise": lambda: rules.independent_noise(
        learnt(), rate=Fraction(1, 1000), noise=Fraction(1, 20)
    ),
    "noise-reconstruction": lambda: rules.noise_reconstruction(learnt(), rate=Fraction(1, 100)),
}
