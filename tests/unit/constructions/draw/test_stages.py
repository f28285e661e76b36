"""Stages in public numbers: how many trees there are, and how likely a stage is to change nothing."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from itertools import product

import pytest

from privpac import plan
from privpac.audit.registry import tiny_schema
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.draw.default import auto
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.draw.stages import (
    SECOND_STAGE_ABOVE,
    SHARES,
    THIRD_STAGE_FROM,
    later_odds,
    outcomes_of,
    stage_steps,
    trees_up_to,
)
from privpac.constructions.request import Request
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against, Unit

SCHEMA = tiny_schema(4, 3)
TESTS = Binarisation.of(SCHEMA)


def test_trees_are_counted_with_their_labels() -> None:
    assert [trees_up_to(depth, 2, 2) for depth in range(3)] == [2, 10, 202]


def test_a_stage_leaves_a_leaf_as_it_is_with_the_prior_of_its_class() -> None:
    learner = StagedTrees(SCHEMA, Fraction(1), (2, 1), TESTS, others=(Binarisation.of(SCHEMA, cuts=1),))
    one, _ = learner.later[1, 0].parts  # type: ignore[union-attr]
    stays = one.prior.stop * one.prior.labels[0]  # type: ignore[union-attr]
    assert later_odds(0) == 1 / stays - 1
    assert learner.steps[1].odds == (1 / stays) ** 4 - 1, "up to four leaves before the second stage"


def test_majorities_make_trees_of_three_levels() -> None:
    flags = tiny_schema(2, 2, 2)
    learner = StagedTrees(flags, Fraction(1), (1, 1), Binarisation.of(flags), majorities=True)
    assert learner.steps[1].odds == later_odds(3)


@pytest.mark.parametrize("stages", [(), (0,), (2, 99), (99, 1), (1,) * (max(SHARES) + 1)])
def test_depths_that_there_are_not_are_refused(stages: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError):
        StagedTrees(SCHEMA, Fraction(1), stages, TESTS)


def test_depths_are_refused_where_asserts_are_left_out() -> None:
    """Once they were looked at inside an assert: `python -O` took any."""
    script = (
        "from fractions import Fraction\n"
        "from privpac.audit.registry import tiny_schema\n"
        "from privpac.concepts.literals.binarise import Binarisation\n"
        "from privpac.constructions.draw.staged_trees import StagedTrees\n"
        "schema = tiny_schema(4, 3)\n"
        "StagedTrees(schema, Fraction(1), (2, 99), Binarisation.of(schema))\n"
    )
    run = subprocess.run([sys.executable, "-O", "-c", script], capture_output=True, text=True, check=False)
    assert "ParameterError" in run.stderr


def test_sequences_of_draws_or_trees_whichever_are_fewer() -> None:
    assert outcomes_of(6, [(14, 1)], trees=10**9) == 6 * 14**2
    assert outcomes_of(6, [(14, 1)], trees=100) == 100


@pytest.mark.parametrize("costs", [None, (1, 3)])
def test_weights_are_those_of_the_learner_for_one_largest_mistake(costs: tuple[int, int] | None) -> None:
    learner = StagedTrees(SCHEMA, Fraction(2), (1, 1), TESTS, costs)
    price = max(learner.prices)
    for stage, step in enumerate(learner.steps):
        assert step.ratio >= learner.ratio(stage) ** price
        assert float(step.ratio) == pytest.approx(float(learner.ratio(stage)) ** price)
    steps = stage_steps(
        Fraction(learner.concepts.odds), [1], epsilon=Fraction(2), shares=SHARES[2], price=price
    )
    assert steps == learner.steps


def test_privacy_is_a_premise_only_with_one_price_and_nothing_is_promised_for_labels() -> None:
    size = Size(100_000)
    tenth = Fraction(1, 10)

    def premises(**wishes: object) -> list[int]:
        learner = StagedTrees(SCHEMA, tenth, (3, 3), TESTS, **wishes)  # type: ignore[arg-type]
        return [len(proof.premises) for proof in learner.certify(size).accuracy]

    assert 1 in premises()
    assert set(premises(costs=(1, 2))) == {0}
    assert premises(unit=Unit.LABEL) == []
    assert "note" not in StagedTrees(SCHEMA, tenth, (3, 3), TESTS).certify(Size(5)).learner


WIDE = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": f"x{i}", "kind": "numeric", "lower": 0, "upper": 9} for i in range(4)],
    }
)


@pytest.mark.long_cases(
    "20000-epsilon0",
)
@pytest.mark.parametrize(("n", "epsilon"), list(product((20_000, 300_000), (Fraction(1), Fraction(1, 20)))))
def test_a_plan_promises_what_the_learner_certifies(n: int, epsilon: Fraction) -> None:
    learner = StagedTrees(WIDE, epsilon, (2, 2), Binarisation.default(WIDE, n=n))
    rows = plan.reachable("staged:2+2", records=n, epsilon=epsilon, schema=WIDE)
    promised = {proof.fact.against: proof.fact.error for proof in learner.certify(Size(n)).accuracy}
    planned = {Against(row.option.setting): row.wish.error for row in rows.answers}
    assert planned == {against: error for against, error in promised.items() if error < Fraction(1, 2)}


def test_planned_records_are_enough_and_one_less_is_not() -> None:
    ask = {"error": "0.1", "epsilon": 1, "schema": WIDE}
    for setting in ("realizable", "agnostic"):
        need = plan.needed("staged:2+2", **ask).option("staged", setting).need.labelled
        for n, enough in ((need, True), (need - 1, False)):
            learner = StagedTrees(WIDE, Fraction(1), (2, 2), Binarisation.default(WIDE, n=n))
            errors = [p.fact.error for p in learner.certify(Size(n)).accuracy if p.fact.against == setting]
            assert (errors[0] <= Fraction(1, 10)) is enough


@pytest.mark.long_cases("4000-epsilon1", "60000-epsilon2")
@pytest.mark.parametrize(
    ("n", "epsilon"), [(800, Fraction(1)), (4_000, Fraction(1)), (60_000, Fraction(1, 4))]
)
def test_a_plan_of_auto_promises_what_auto_certifies(n: int, epsilon: Fraction) -> None:
    learner = auto(Request(schema=WIDE, size=Size(n), epsilon=epsilon), "")
    rows = plan.reachable("auto", records=n, epsilon=epsilon, schema=WIDE).answers
    planned = {row.option.setting: row.wish.error for row in rows if row.concepts.word == "auto"}
    certified = {proof.fact.against.value: proof.fact.error for proof in learner.certify(Size(n)).accuracy}
    assert planned == certified


@pytest.mark.long
def test_records_planned_for_auto_are_enough_in_one_draw_and_in_stages() -> None:
    for error, staged in (("0.4", False), ("0.06", True)):
        need = plan.needed("auto", error=error, epsilon=1, schema=WIDE).option("default", "agnostic").need
        n, epsilon = need.labelled, Fraction(need.parameters.get("epsilon", 1))
        assert (n * epsilon > SECOND_STAGE_ABOVE) is staged
        facts = [p.fact for p in auto(Request(WIDE, Size(n), epsilon), "").certify(Size(n)).accuracy]
        assert min(f.error for f in facts if f.against is Against.AGNOSTIC) <= Fraction(error)


@pytest.mark.long_cases(
    "0.1-1",
    "0.2-4",
)
@pytest.mark.parametrize(("error", "epsilon"), [("0.1", 1), ("0.3", 1), ("0.2", 4)])
def test_that_records_are_enough_for_auto_is_said_as_how_many_are_needed(error: str, epsilon: int) -> None:
    made = plan.needed("auto", error=error, epsilon=epsilon, schema=WIDE)
    for setting in ("realizable", "agnostic"):
        row = made.option("default", setting)
        enough, need = row.option.enough, row.need.labelled
        assert enough is not None
        around = [need // 8, need // 2, need - 1, need, need + 1, 2 * need, 9 * need]
        assert [enough(row.wish, n) for n in around] == [n >= need for n in around]


@pytest.mark.long_cases("0.1", "0.2")
@pytest.mark.parametrize("error", ["0.1", "0.2", "0.3"])
def test_more_records_than_planned_for_auto_are_never_too_many(error: str) -> None:
    """Where it passes on to another design, `auto` certifies less than for a few records fewer; the plan says which
    epsilon suffers no harm by it."""
    jumps = (101, SECOND_STAGE_ABOVE, SECOND_STAGE_ABOVE + 1, THIRD_STAGE_FROM - 1, THIRD_STAGE_FROM, 10**6)
    for setting in ("realizable", "agnostic"):
        need = plan.needed("auto", error=error, epsilon=1, schema=WIDE).option("default", setting).need
        epsilon = Fraction(need.parameters.get("epsilon", 1))
        steps = [math.ceil(jump / epsilon) for jump in jumps]
        for n in (need.labelled, *(step for step in steps if step > need.labelled)):
            facts = [p.fact for p in auto(Request(WIDE, Size(n), epsilon), "").certify(Size(n)).accuracy]
            assert [f.error <= Fraction(error) for f in facts if f.against == setting] == [True], n
