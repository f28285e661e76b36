"""Every rule of advice speaks where it should and is silent elsewhere, and what it says is true."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from privpac import plan
from privpac.numbers.exact import plain
from privpac.planning import advice
from privpac.planning.making import Plan
from privpac.planning.table import row_of
from privpac.planning.text import number_text

CHECKS: dict[str, Callable[[], None]] = {}

ASK = {"bits": 32, "error": "0.1", "epsilon": 1}


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS[function.__name__] = function
    return function


def said(found: Plan, rule: str) -> str | None:
    return advice.RULES[rule](found)


@check
def run() -> None:
    command = "privpac learn DATA --schema SCHEMA --concepts thresholds:COLUMN --epsilon 1"
    assert said(plan.needed("thresholds", **ASK), "run") == f"Run: {command}"
    auto = plan.reachable("auto", columns=12, records=3_000, epsilon=1)
    assert said(auto, "run") == "Run: privpac learn DATA --schema SCHEMA --epsilon 1", (
        "the default is the default"
    )


@check
def run_perfect() -> None:
    found = plan.needed("points", **ASK)
    command = "privpac learn DATA --schema SCHEMA --concepts points:COLUMN"
    assert said(found, "run") == f"Run: {command} --epsilon 1", "that of the headline, for any records"
    assert (said(found, "run_perfect") or "").endswith(f": {command}:cover --epsilon 1"), "and the other one"
    assert said(plan.needed("thresholds", **ASK), "run_perfect") is None, "one command for both numbers"
    assert said(plan.needed("points", records=10_000, **ASK), "run_perfect") is None, (
        "they are enough as it is"
    )


@check
def large() -> None:
    found = plan.needed("thresholds", **{**ASK, "epsilon": 12})
    assert "factor of about 162,755, which protects hardly anybody" in (said(found, "large") or "")
    assert said(plan.needed("thresholds", **ASK), "large") is None
    least = plan.smallest_epsilon("thresholds", bits=32, error="0.1", records=2000)
    assert said(least, "large") is None, "what is asked for is not an epsilon that somebody chose"


@check
def halving() -> None:
    found = plan.needed("points", **ASK)
    text = said(found, "halving")
    assert text == "Half as many suffice with error 0.15 instead of 0.1 (or 13 bits instead of 32)."
    assert found.headline is not None
    goal, way = found.headline.records // 2, found.headline.way
    for change, does in (
        (("error", "0.15"), True),
        (("bits", 13), True),
        (("error", "0.14"), False),
        (("bits", 14), False),
    ):
        name, value = change
        row = row_of(way.of(way.question.at(name, Fraction(value))), "agnostic")
        assert row is not None
        assert (row.records <= goal) == does
    assert said(plan.reachable("thresholds", bits=8, records=900, epsilon=1), "halving") is None


@check
def labels() -> None:
    asked = {"bits": 16, "records": 3000, "epsilon": 1}
    assert said(plan.reachable("thresholds", **asked), "labels") is None
    pool = plan.reachable("thresholds", **asked, unlabelled=10**6)
    assert pool.headline is not None
    best = min(row.proved for row in pool.rows if row.unlabelled)
    numbers = f"{number_text(best)} is proved instead of {number_text(pool.headline.proved)}"
    assert f"With 1,000,000 records without labels {numbers}" in (said(pool, "labels") or "")


@pytest.mark.parametrize("rule", sorted(advice.RULES))
def test_rule(rule: str) -> None:
    CHECKS[rule]()


def test_no_rule_is_forgotten_and_all_that_speak_are_heard() -> None:
    assert set(CHECKS) == set(advice.RULES)
    found = plan.needed("thresholds", **ASK)
    spoken = [text for rule in advice.RULES.values() if (text := rule(found)) is not None]
    assert list(found.advice) == spoken
    assert len(spoken) >= 2


def test_the_command_spends_what_the_headline_promises_with() -> None:
    found = plan.smallest_epsilon(records=4239, error="0.15", concepts="trees:3", columns=15)
    row = found.headline
    assert row is not None
    assert row.setting == "agnostic"
    assert (said(found, "run") or "").endswith(f"--epsilon {plain(row.epsilon)}")


def test_where_ranks_are_asked_for_the_command_is_the_one_that_ranks() -> None:
    found = plan.reachable(columns=5, records=3_000, epsilon="0.5", aim="rank")
    commands = [text for text in found.advice if text.startswith("Run: ")]
    assert commands == ["Run: privpac learn DATA --schema SCHEMA --aim rank --epsilon 0.5"]


def test_a_word_without_a_bound_is_run_all_the_same() -> None:
    found = plan.reachable("card", columns=10, records=3000, epsilon=1)
    assert list(found.advice) == ["Run: privpac learn DATA --schema SCHEMA --concepts card --epsilon 1"]
    assert "For a card no bound on errors is proved, whatever the number of records" in str(found)
    assert plan.reachable("scorecards:3", columns=10, records=3000, epsilon=1).rows, "it has one"
