"""No formula is without a check, and every check notices the formula it claims when that promises too much."""

from __future__ import annotations

import pytest

from privpac.theory.register import formulas
from tests.statistical.claims import Claim, breaking, collected

ALL = collected()


def test_claims_are_about_formulas() -> None:
    assert {claim.formula for claim in ALL} <= set(formulas())


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.name)
def test_a_promise_too_good_is_noticed(claim: Claim) -> None:
    with breaking(claim), pytest.raises(AssertionError):
        claim.check(**claim.case)
