"""A plan in words: what is said of lower bounds."""

from __future__ import annotations

from privpac import plan
from privpac.plan.words import in_short


def test_a_floor_for_pure_epsilon_is_not_said_of_methods_with_a_delta() -> None:
    asked = {"bits": 1024, "error": "0.1", "epsilon": 1}
    floor = "No private method that answers with such a rule can do it with fewer than 3,751 records"
    assert f"{floor} without the delta." in in_short(plan.needed("thresholds", **asked, delta="1e-6"))
    assert f"{floor}." in in_short(plan.needed("thresholds", **asked))
