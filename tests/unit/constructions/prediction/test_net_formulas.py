"""Records of Dagan–Feldman 2020, Theorem 2, by arithmetic of its own: nothing but the printed formulas, in floats."""

from __future__ import annotations

import math

import pytest

from privpac.constructions.prediction.net_relabelled import plan_net_relabelled, records_net_relabelled

FAILURE = 0.05


def growth(n: int) -> float:
    """ln of the labellings of n points by thresholds."""
    return math.log(n + 1)


def wrong(against: int, models: int, epsilon: float) -> float:
    """How often the vote is wrong if so many models are."""
    middle = (models - 1) // 2
    if against <= middle:
        return math.exp(-epsilon * (middle - against)) / (1 + math.exp(epsilon))
    return 1 - math.exp(-epsilon * (against - middle - 1)) / (1 + math.exp(epsilon))


def voted(average: float, models: int, epsilon: float) -> float:
    sure = wrong(0, models, epsilon)
    steepest = max((wrong(k, models, epsilon) - sure) / k for k in range(1, models + 1))
    return sure + average * models * steepest


@pytest.mark.parametrize(("error", "records"), [("0.1", 2_518_221), ("0.2", 734_230)])
def test_planned_records_are_private_and_accurate_by_the_printed_formulas(error: str, records: int) -> None:
    n = records_net_relabelled(error, failure="0.05", epsilon=1, vc=1)
    assert n == records
    plan = plan_net_relabelled(n, epsilon=1, failure="0.05", vc=1)
    assert plan is not None
    kept, net = plan.kept, float(plan.net)
    draw, vote, flip = float(plan.drawing), float(plan.inner), float(plan.flip)

    share, apart, both = kept / n, math.floor(net * (n - 1)) + 1, draw + vote
    loss = (1 - share) * math.exp(both) + 4 * share * math.exp(both * apart)
    assert loss <= math.e
    delta = share * math.exp(2 * growth(n - 1) - net * (kept - 1)) / 2
    assert flip >= delta / (math.expm1(1) + 2 * delta)

    block = n // plan.models
    average = (
        2
        / (block * math.log(2))
        * (math.log(2) + 2 * growth(2 * block) + math.log(2 * plan.models / FAILURE))
    )
    best = math.sqrt(2 * growth(n) / n) + 2 * math.sqrt(math.log(4 / FAILURE) / (2 * n))
    near = (growth(n) + math.log(kept + 1)) / kept + 1 / (kept + 1)
    drawn = 2 * growth(kept) / (draw * n)
    excess = best + near + drawn + voted(average, plan.models, vote) + flip
    assert 0.99 * float(error) < excess <= float(error)
