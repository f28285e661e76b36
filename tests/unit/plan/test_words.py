"""A plan in words: what is said of lower bounds."""

from __future__ import annotations

from privpac import plan
from privpac.plan.words import in_short


def test_a_floor_for_pure_epsilon_is_not_said_of_methods_with_a_delta() -> None:
    asked = {"bits": 1024, "error": "0.1", "epsilon": 1}
    floor = "No private method that answers with such a rule can do it with fewer than 3,751 records"
    assert f"{floor} without the delta." in in_short(plan.needed("thresholds", **asked, delta="1e-6"))
    assert f"{floor}." in in_short(plan.needed("thresholds", **asked))


SCHEMA = {
    "label": "ill",
    "base_rate": 0.1,
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}],
}


def test_a_simulation_uses_the_base_rate_of_a_schema() -> None:
    found = plan.reachable("trees:1", schema=SCHEMA, records=500, epsilon=1, simulate=True, seconds=2)
    assert "labels from a member of the class, as common as the base rate says, 6.7% of them flipped" in str(
        found
    )


def test_a_simulation_says_where_the_base_rate_plays_no_part() -> None:
    asked = {"records": 500, "epsilon": 1, "simulate": True, "seconds": 2}
    part = "The base rate of the schema plays no part on"
    assert part in str(plan.reachable("points:age", schema=SCHEMA, **asked))
    bare = {key: value for key, value in SCHEMA.items() if key != "base_rate"}
    assert part not in str(plan.reachable("points:age", schema=bare, **asked))
