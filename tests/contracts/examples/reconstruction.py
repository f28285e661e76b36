"""Examples of clear leads, cuts by recursion and among blocks, and cuts from switches and from noise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.cuts.blocks_formulas import mistakes_of_blocks, plan_blocks
from privpac.constructions.cuts.formulas import records_switch, tilt_switch
from privpac.constructions.cuts.recursive_formulas import error_rec_concave, plan_rec_concave, widths
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Fact
from privpac.guarantee.proof import Proof

RATIO = Fraction(3, 5)
FAILURE = Fraction(1, 20)


def rec_concave(domain: int = 2**64, records: int = 3100) -> Proof[Any]:
    plan = plan_rec_concave(domain, failure=FAILURE, epsilon=1, delta="0.000001")
    error = error_rec_concave(records, domain=domain, failure=FAILURE, plan=plan)
    return cuts_rules.rec_concave(
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


def blocks_accuracy(domain: int = 2**64, records: int = 520) -> Proof[Any]:
    plan = plan_blocks(domain, failure=FAILURE, epsilon=1, delta="0.000001")
    return plan.promise(records, FAILURE)[0]


TIGHT = Fraction(41, 1000)
"""What is left of a failure of 0.05 by the last whole mistake."""


def blocks_empirical(domain: int = 2**64, records: int = 520) -> Proof[Any]:
    plan = plan_blocks(domain, failure=FAILURE, epsilon=1, delta="0.000001")
    mistakes = mistakes_of_blocks(plan, failure=FAILURE)
    assert mistakes is not None
    return cuts_rules.occupied_blocks_empirical(
        ratio=plan.ratio,
        levels=plan.levels,
        stake=plan.stake,
        reach=plan.reach,
        records=records,
        error=Fraction(mistakes, records),
        failure=TIGHT,
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
    return cuts_rules.switch_reconstruction(
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
    "stable-choice": lambda: cuts_rules.stable_choice(ratio=RATIO, threshold=7),
    "rec-concave": rec_concave,
    "occupied-blocks": lambda: cuts_rules.occupied_blocks(ratio=RATIO, levels=16, stake=10**6),
    "occupied-blocks-accuracy": blocks_accuracy,
    "occupied-blocks-empirical": blocks_empirical,
    "switch-reconstruction": switched,
    "independent-noise": lambda: cuts_rules.independent_noise(
        learnt(), rate=Fraction(1, 1000), noise=Fraction(1, 20)
    ),
    "noise-reconstruction": lambda: cuts_rules.noise_reconstruction(learnt(), rate=Fraction(1, 100)),
}
