"""`privpac plan`: the question is what was left out; text, JSON and pictures; errors in one sentence."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from privpac import Schema, Size, plan
from privpac.cli import main
from privpac.constructions.recipe import Recipe
from privpac.errors import ParameterError
from privpac.guarantee.facts import Against
from privpac.request import LearnRequest

THRESHOLDS = ["plan", "--concepts", "thresholds", "--bits", "32"]


def test_json_is_what_python_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*THRESHOLDS, "--error", "0.1", "--failure", "0.05", "--epsilon", "1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == plan.needed("thresholds", bits=32, error="0.1", epsilon=1).to_json()
    occam = {row["setting"]: row["labelled"] for row in shown["options"] if row["learner"] == "occam"}
    assert occam == {"realizable": 683, "agnostic": 1422}


@pytest.mark.parametrize(
    ("arguments", "asks", "key"),
    [
        (["--error", "0.1", "--epsilon", "1"], "needed", "labelled"),
        (["--error", "0.1", "--epsilon", "1", "--records", "100"], "needed", "enough"),
        (["--records", "900", "--epsilon", "1"], "reachable", "error"),
        (["--records", "900", "--error", "0.1"], "smallest_epsilon", "epsilon"),
    ],
)
def test_the_question_is_what_was_left_out(
    arguments: list[str], asks: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*THRESHOLDS, *arguments, "--json"]) == 0
    tree = json.loads(capsys.readouterr().out)
    assert tree["question"]["asks"] == asks
    assert tree["options"][0][key] is not None


def test_text_has_a_table_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*THRESHOLDS, "--error", "0.1", "--epsilon", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Records needed for thresholds: error 0.1, epsilon 1, failure 0.05\n\nProved: ")
    assert "\nAdvice\n* Run: " in shown


def test_a_simulation_names_what_it_tried_and_needs_records_and_epsilon(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = [*THRESHOLDS, "--epsilon", "1", "--simulate", "--seconds", "2"]
    assert main([*asked, "--records", "300"]) == 0
    shown = capsys.readouterr().out
    assert "Simulated, not proved, on records that are invented: 300 records, epsilon 1, " in shown
    assert "labels of such a rule, 10% of them flipped: wrong 0.1" in shown
    assert main([*asked, "--error", "0.1"]) == 2
    assert "Name the numbers that it is about: --records and --epsilon." in capsys.readouterr().err


@pytest.mark.long_cases("epsilon", "bits")
@pytest.mark.parametrize("against", ["epsilon", "error", "bits"])
def test_pictures(against: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.svg"
    ask = [*THRESHOLDS, "--error", "0.1", "--epsilon", "1", "--against", against, "--picture", str(path)]
    assert main(ask) == 0
    text = path.read_text(encoding="utf-8")
    assert "one draw, a perfect fit: proved" in text
    assert "floor" in text
    assert "Wrote the picture" in capsys.readouterr().err


@pytest.mark.long
def test_a_display_keeps_the_numbers_it_draws() -> None:
    found = plan.needed("points", bits=16, error="0.1", epsilon=1)
    display = found.curves("bits", learner="occam")
    proved = next(series for series in display.rows if series.label == "one draw, a perfect fit: proved")
    floor = next(series for series in display.rows if series.label == "one draw, a perfect fit: floor")
    at = list(display.x).index(16.0)
    assert proved.y[at] == 351
    assert floor.y[at] == 182
    assert all(
        low <= high
        for low, high in zip(floor.y, proved.y, strict=True)
        if low is not None and high is not None
    )
    other = plan.reachable("points", bits=16, records=400, epsilon=1).curves("error")
    assert other.rows
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert display.plot(axes) is display
    assert len(axes.lines) == len(display.curves.series)
    with pytest.raises(ParameterError, match="one of epsilon, error, bits"):
        found.curves("moon")
    with pytest.raises(ParameterError, match="a learner of the plan"):
        found.curves(learner="oracle")
    with pytest.raises(ParameterError, match="epsilon or error"):
        plan.needed("trees:1", columns=3, error="0.1", epsilon=1).curves("bits")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--epsilon", "1"], "Give two of records, error and epsilon; the third is computed."),
        ([], "Give two of records, error and epsilon"),
        (["--error", "0.5", "--epsilon", "1"], "A coin reaches 1/2 without any record"),
        (
            ["--error", "0.1", "--epsilon", "0"],
            "--epsilon is 0, but must be a positive number from 1e-12 to 1e6",
        ),
        (["--error", "0.1", "--epsilon", "1", "--failure", "0"], "No proof is certain: try 0.05."),
        (["--error", "0.1", "--epsilon", "1", "--records", "-3"], "--records is -3"),
        (["--error", "0.1", "--epsilon", "1", "--against", "moon"], "must be one of epsilon, error, bits"),
        (["--error", "0.1", "--epsilon", "1", "--picture", "plan.txt"], "svg"),
        (
            ["--error", "0.1", "--epsilon", "1", "--schema", "nowhere.json"],
            "The schema file nowhere.json cannot be read",
        ),
    ],
)
def test_nonsense_gets_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*THRESHOLDS, *arguments]) == 2
    caught = capsys.readouterr()
    assert sentence in caught.err
    assert caught.out == ""
    assert caught.err.count("\n") == 1


def test_costs_are_answered_with_how_to_read_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """The advice names learning with `--costs balanced`, so people try it here."""
    assert main([*THRESHOLDS, "--error", "0.1", "--epsilon", "1", "--costs", "balanced"]) == 2
    shown = capsys.readouterr().err
    assert "the default and one draw of a rule prove the same numbers with costs and without" in shown
    assert "an error is the average cost of a record, divided by the largest cost" in shown


@pytest.mark.parametrize("word", ["auto", "trees:2", "thresholds:age"])
@pytest.mark.parametrize("records", [4_239, 8_000])
def test_for_any_records_costs_leave_the_proved_number_alone(word: str, records: int) -> None:
    """One draw from trees, or several in stages, as `auto` takes them at these sizes."""
    age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
    schema = Schema.from_json({"label": "ill", "base_rate": 0.15, "columns": [age]})

    def error(costs: str | None) -> Fraction:
        wishes = LearnRequest.read(concepts=word, epsilon="1", costs=costs)
        certificate = Recipe.of(wishes, schema=schema, size=Size(records)).certify()
        return {proof.fact.against: proof.fact.error for proof in certificate.accuracy}[Against.AGNOSTIC]

    assert error("balanced") == error(None)
