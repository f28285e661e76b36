"""What to expect, in words: one guess or three, what is not forecast, and what is refused or only warned of."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privpac.data.schema import Schema
from privpac.errors import MostLikelyUseless
from privpac.report.forecast import Asked, Forecast, NoForecast, forecast, refuse_useless, remark

COLUMNS = [{"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}]


def schema(**more: Any) -> Schema:
    return Schema.from_json({"label": "ill", "classes": ["no", "yes"], "columns": COLUMNS, **more})


RARE = Asked("auto", schema(base_rate=0.12), 5_000, Fraction(1), Fraction(1))


def expected(asked: Asked = RARE, attainable: float | None = None) -> Forecast:
    found = forecast(asked, attainable)
    assert isinstance(found, Forecast)
    return found


def test_without_a_guess_there_are_three_rows_and_never_one() -> None:
    lines = expected().lines
    assert [line.strip()[:4] for line in lines[1:4]] == ["0.65", "0.75", "0.85"]
    assert "--attainable" in lines[0]
    assert len(expected().to_json()["rows"]) == 3


def test_the_guess_stands_in_the_schema_or_is_given_which_goes_first() -> None:
    known = replace(RARE, schema=schema(base_rate=0.12, attainable=0.8, attainable_one_column=0.7))
    assert expected(known).rows[0].given.attainable == 0.8
    assert expected(known).rows[0].given.one_column == 0.7
    assert expected(known, 0.9).rows[0].given.attainable == 0.9
    assert expected(known, 0.9).rows[0].given.one_column is None


def with_epsilon(asked: Asked, epsilon: Fraction) -> Asked:
    """All of it for the rule."""
    return replace(asked, epsilon=epsilon, rule_epsilon=epsilon)


def test_a_card_says_what_a_better_one_needs_and_that_does() -> None:
    card = with_epsilon(replace(RARE, word="card"), Fraction(3, 10))
    *_, needs = expected(card, 0.70).lines
    assert needs.strip().startswith("AUC 0.63 needs epsilon ")
    epsilon = float(needs.split("epsilon ")[1].split(",")[0])
    records = int(needs.split("or ")[1].split(" records")[0].replace(",", ""))
    assert expected(with_epsilon(card, Fraction(str(epsilon))), 0.70).rows[0].auc.middle >= 0.629
    assert expected(replace(card, records=records), 0.70).rows[0].auc.middle >= 0.629


def test_the_rarer_class_may_be_the_first() -> None:
    found = expected(replace(RARE, schema=schema(base_rate=0.9)))
    assert (found.rare, found.constant) == ("no", 'always saying "yes"')


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (
            {"schema": Schema.from_json({"label": "y", "classes": [0, 1, 2], "columns": COLUMNS})},
            "two classes",
        ),
        ({"protect": "labels"}, "labels"),
        ({"protect": "predictions"}, "predictions"),
        ({"delta": Fraction(1, 10**6)}, "delta"),
        ({"word": "lists:3"}, "lists:3"),
        ({"costs": "other"}, "costs of your own"),
        ({"schema": schema()}, "base_rate"),
    ],
)
def test_what_was_not_measured_is_not_forecast_and_the_reason_is_said(
    change: dict[str, Any], word: str
) -> None:
    found = forecast(replace(RARE, **change), 0.7)
    assert isinstance(found, NoForecast)
    assert word in found.why
    assert found.lines[0].startswith("Not forecast: ")
    assert found.to_json()["why"] == found.why
    assert remark(found, aim="label") is None
    refuse_useless(found, aim="label")


def test_by_ones_own_guess_a_useless_rule_is_refused_with_what_helps_in_order() -> None:
    with pytest.raises(MostLikelyUseless, match="no better than always saying") as caught:
        refuse_useless(expected(attainable=0.70), aim="label")
    assert "anyway=True" in caught.value.remedy
    strong = expected(replace(RARE, records=40_000), 0.70)
    with pytest.raises(MostLikelyUseless) as caught:
        refuse_useless(strong, aim="label")
    text = str(caught.value)
    assert text.index("--aim rank") < text.index("--costs balanced") < text.index("No epsilon")


def test_without_a_guess_or_with_another_aim_nothing_is_refused() -> None:
    few = replace(RARE, records=500)
    assert expected(few).is_hopeless
    refuse_useless(expected(few), aim="label")
    assert "may well return a rule" in str(remark(expected(few), aim="label"))
    refuse_useless(expected(attainable=0.70), aim="rank")
    refuse_useless(expected(replace(RARE, costs="balanced"), 0.70), aim="label")
    refuse_useless(expected(replace(RARE, word="card"), 0.70), aim="label")


def test_a_rare_class_without_costs_or_another_aim_is_asked_about() -> None:
    common = expected(replace(RARE, schema=schema(base_rate=0.3), records=50_000), 0.9)
    assert remark(common, aim="label") is None
    rare = expected(replace(RARE, records=50_000), 0.9)
    assert "--costs balanced is probably what you want" in str(remark(rare, aim="label"))
    assert remark(rare, aim="rank") is None


def test_without_a_guess_it_says_what_a_rule_would_need() -> None:
    asked = replace(RARE, schema=schema(base_rate=0.17))
    said = str(remark(expected(asked), aim="label"))
    takes = float(said.split("an AUC above ")[1][:4])
    assert expected(asked, takes - 0.01).is_hopeless
    assert not expected(asked, takes + 0.01).is_hopeless
    assert "--costs balanced is probably what you want" in said
    common = replace(RARE, schema=schema(base_rate=0.22), records=500)
    assert "unless a model without privacy would reach" in str(remark(expected(common), aim="label"))


def test_all_of_it_is_data() -> None:
    tree = json.loads(json.dumps(expected(attainable=0.7).to_json()))
    assert tree["kind"] == "rule"
    assert tree["most_likely_no_better"] is True
    assert set(tree["rows"][0]) >= {"gain", "accuracy", "found", "false_alarms", "auc", "best_gain"}
