"""What a request gives on invented records: beside the rule without privacy, timed by its first run, or a reason."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac import plan
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.planning import simulation
from privpac.planning.simulation import Loss, NotSimulated, Simulation, Trial, simulate
from privpac.request import LearnRequest

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
OTHERS = [{"name": f"c{k}", "kind": "numeric", "lower": 0, "upper": 99, "integer": True} for k in range(5)]
TREE: dict[str, Any] = {"label": "ill", "base_rate": 0.4, "attainable": 0.9, "columns": [AGE, *OTHERS]}
FEW = {"seconds": 1e9}


@pytest.fixture(autouse=True)
def _few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are the fewest, on every machine."""
    monkeypatch.setattr(simulation, "MOST", simulation.LEAST)


def tried(word: str, records: int = 2_000, epsilon: str = "1", **wishes: Any) -> Simulation:
    made = LearnRequest(epsilon=Fraction(epsilon), concepts=word, estimate_epsilon="auto", **wishes)
    found = simulate(Trial(Schema.from_json(TREE), made, records), **FEW)
    assert isinstance(found, Simulation), found
    return found


def test_three_kinds_of_records_as_rare_and_as_hard_as_the_schema_says() -> None:
    found = tried("auto")
    assert [row.what for row in found.rows] == ["a tree", "one strong column", "many weak effects"]
    assert all(abs(row.constant - 0.4) < 0.02 for row in found.rows)
    assert '40 % "1" on which a model without privacy reaches an AUC of 0.90' in found.lines[0]
    strong = found.rows[1]
    assert strong.free < 0.3 < strong.constant
    assert strong.value < 0.3
    assert strong.cost.mean == pytest.approx(strong.value - strong.free, abs=2e-4)
    assert found.to_json()["tables"][1]["on"] == "one strong column"


def test_less_privacy_costs_less_and_cards_are_judged_by_their_order() -> None:
    little, much = (tried("card", epsilon=epsilon).rows[1] for epsilon in ("0.1", "10"))
    assert little.value < much.value
    assert little.cost.mean > much.cost.mean
    assert much.value > 0.8
    assert "AUC 0." in tried("auto", aim="rank").lines[1]


@pytest.mark.parametrize("word", ["thresholds:age", "points:age", "stumps", "conjunctions:2"])
def test_labels_of_other_words_come_from_the_class_that_is_asked_about(word: str) -> None:
    (row,) = tried(word).rows
    assert row.what.startswith(
        "labels of one value" if word.startswith("points") else "labels of such a rule"
    )
    assert row.value == pytest.approx(0.1, abs=0.03), "a tenth of them is flipped"


def test_a_public_table_is_drawn_from() -> None:
    table = {
        "age": list(range(100)) * 5,
        **{f"c{k}": [k] * 500 for k in range(5)},
        "ill": ([0] * 60 + [1] * 40) * 5,
    }
    wishes = LearnRequest(epsilon=Fraction(2), concepts="trees:1")
    found = simulate(Trial(Schema.from_json(TREE), wishes, 2_000, table=table), **FEW)
    assert isinstance(found, Simulation)
    assert found.rows[0].what == "draws from the given table of 500 records"
    assert found.rows[0].value < 0.1
    with pytest.raises(SchemaError):
        simulate(Trial(Schema.from_json(TREE), wishes, 2_000, table={"age": [1]}), **FEW)


def test_what_takes_too_long_says_how_long_it_takes() -> None:
    found = plan.reachable(schema=TREE, records=2_000, epsilon=1, simulate=True, seconds="0.001").simulated
    assert isinstance(found, NotSimulated)
    assert found.why.endswith("--seconds are the fewest that tell")


def test_progress_ends_with_all_runs_and_the_same_question_has_the_same_answer() -> None:
    seen: list[tuple[int, int]] = []
    trial = Trial(Schema.from_json(TREE), LearnRequest(epsilon=Fraction(1), concepts="trees:1"), 500)
    first = simulate(trial, **FEW, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (12, 12)
    assert simulate(trial, **FEW) == first


@pytest.mark.parametrize(
    ("word", "wishes", "why"),
    [
        ("thresholds", {"bits": 8, "release": True}, "not released tables"),
        ("thresholds", {"bits": 8, "protect": "predictions"}, "not single answers"),
        ("thresholds", {"bits": 8, "unlabelled": 1_000}, "without labels"),
        ("reference:3", {}, "every density"),
    ],
)
def test_what_cannot_be_tried_says_why(word: str, wishes: dict[str, Any], why: str) -> None:
    found = plan.reachable(word, records=300, epsilon=1, simulate=True, **wishes)
    assert isinstance(found.simulated, NotSimulated)
    assert why in found.simulated.why
    assert found.to_json()["simulation"] == {"why": found.simulated.why}
    assert f"Not simulated: {found.simulated.why}." in str(found)


@pytest.mark.parametrize("kind", ["needed", "smallest_epsilon"])
def test_a_simulation_is_about_records_and_epsilon(kind: str) -> None:
    given = {"epsilon": 1} if kind == "needed" else {"records": 300}
    with pytest.raises(ParameterError, match="--records and --epsilon"):
        getattr(plan, kind)("thresholds", bits=8, error="0.1", simulate=True, **given)


def test_a_loss_that_cannot_be_shown_is_called_so() -> None:
    assert str(Loss.of([0.3, 0.1], [0.3, 0.1])) == "nothing"
    assert str(Loss.of([0.3, 0.2], [0.1, 0.25])).startswith("nothing that these runs could show (at most 0.")
    assert str(Loss.of([0.3, 0.31], [0.2, 0.2])) == "0.105 (0.095 to 0.115)"
