"""No formula is without a check, and every check notices the formula it claims when that promises too much."""

from __future__ import annotations

import pytest

from privpac.constructions.catalogue import formulas, theorems
from tests.statistical.claims import Claim, breaking, collected

ALL = collected()


def test_every_formula_has_a_check() -> None:
    claimed = {claim.formula for claim in ALL}
    known = set(formulas()) | {key.replace("-", "_") for key in theorems()}
    assert sorted(known - claimed) == []
    assert sorted(claimed - known) == []


@pytest.mark.long_cases(
    "floor_thresholds_proper in test_floors.floor_of_thresholds",
    "floor_thresholds_few_switches in test_floors.floor_of_few_switches",
    "most_success_thresholds_few_switches in test_floors.floor_of_few_switches",
)
@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.name)
def test_a_promise_too_good_is_noticed(claim: Claim) -> None:
    with breaking(claim), pytest.raises(AssertionError):
        claim.check(**claim.case)
