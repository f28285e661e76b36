"""`privpac plan --optimum`: proved, drawn, optimal and impossible side by side."""

from __future__ import annotations

import json

import pytest

from privpac import plan
from privpac.cli import main
from privpac.errors import ParameterError


@pytest.mark.long
def test_the_columns_are_in_order() -> None:
    found = plan.needed("points", bits=1, error="0.3", epsilon=1, failure="0.4").optimum()
    assert [row.records for row in found.rows] == list(range(1, 11))
    for row in found.rows:
        assert (
            float(row.formula)
            <= float(row.floor)
            <= row.solved + 1e-6
            <= row.draw + 1e-6
            <= float(row.proved) + 1e-6
        )
        assert row.free is None or row.free <= row.floor
    assert found.records == found.floor
    assert str(found.records) in found.summary()


def test_where_more_records_than_are_solved_would_be_needed() -> None:
    found = plan.needed("thresholds", bits=2, error="0.1", epsilon=1, records=2).optimum()
    assert [row.records for row in found.rows] == [2]
    assert found.records is None
    assert "no private learner" in str(found)


@pytest.mark.long_cases("points-more4")
@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("intervals", {"bits": 2}),
        ("thresholds", {"bits": 2, "delta": "1e-6"}),
        ("thresholds", {"bits": 64}),
        ("thresholds", {"bits": 2, "records": 1000}),
        ("points", {"bits": 2, "protect": "labels"}),
    ],
)
def test_what_is_not_solved_says_so(word: str, more: dict[str, object]) -> None:
    made = plan.needed(word, error="0.3", epsilon=1, **more)
    with pytest.raises(ParameterError):
        made.optimum()


def test_the_command_prints_it_and_its_json_is_python_s(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--optimum", "--concepts", "points", "--bits", "1", "--error", "0.3", "--epsilon", "1"]
    assert main([*words, "--records", "2"]) == 0
    assert "optimal, any rule" in capsys.readouterr().out
    assert main([*words, "--records", "2", "--json"]) == 0
    made = plan.needed("points", bits=1, error="0.3", epsilon=1, records=2).optimum()
    assert json.loads(capsys.readouterr().out)["optimum"] == made.to_json()
