"""A declared base rate beside a plan: whether what is proved is better than a constant."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from privpac import plan
from privpac.planning.simulation import NotSimulated
from privpac.planning.text import in_short

COLUMNS = [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}]
RARE: dict[str, Any] = {"label": "ill", "classes": ["no", "yes"], "base_rate": 0.15, "columns": COLUMNS}
CONSTANT = 'By the base rate of the schema, always saying "no" errs 0.15 of the time'
TELLS = "private estimate after learning tells whether it does."


def test_a_proof_that_shows_nothing_against_a_constant_says_so() -> None:
    found = plan.reachable("trees:1", schema=RARE, records=300, epsilon=1)
    assert found.headline is not None
    assert found.headline.proved >= Fraction("0.15")
    alone = ": the proof alone does not show that the rule beats that."
    assert f"{CONSTANT}{alone} --simulate or the {TELLS}" in in_short(found)
    assert f"{CONSTANT}{alone} The {TELLS}" in in_short(
        replace(found, simulated=NotSimulated("it takes long"))
    )


def test_a_better_proof_says_how_good_the_best_rule_must_be() -> None:
    """The rule errs at most as often as the best one and the proved excess: 0.05 where 0.15 is to be beaten."""
    asked = {"schema": RARE, "error": "0.05", "epsilon": 1}
    beats = "; the proof alone shows that the rule beats that only if the best rule errs less than 0.1."
    assert CONSTANT + beats in in_short(plan.needed("trees:1", **asked))


def test_of_several_classes_the_commonest_is_the_constant() -> None:
    three = {**RARE, "classes": ["a", "b", "c"], "base_rate": [0.2, 0.7, 0.1]}
    found = plan.reachable("trees:1", schema=three, records=3000, epsilon=1)
    assert 'always saying "b" errs 0.3 of the time; the proof' in in_short(found)


def test_without_a_base_rate_and_without_a_rule_nothing_is_said() -> None:
    bare = {key: value for key, value in RARE.items() if key != "base_rate"}
    assert "always saying" not in in_short(plan.reachable("trees:1", schema=bare, records=300, epsilon=1))
    table = plan.reachable("thresholds:age", schema=RARE, records=3000, epsilon=1, release=True)
    assert table.rows
    assert "always saying" not in in_short(table)
