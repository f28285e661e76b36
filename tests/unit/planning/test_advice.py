"""Every rule of advice speaks where it should and is silent elsewhere, and what it says is true."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from privpac import plan
from privpac.numbers.exact import plain
from privpac.planning import advice, options
from privpac.planning.making import Plan
from privpac.planning.options import Need, Option

CHECKS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {}
"""One check a rule; the last test asserts that none is missing."""

ASK = {"bits": 32, "error": "0.1", "epsilon": 1}


def check(function: Callable[[pytest.MonkeyPatch], None]) -> Callable[[pytest.MonkeyPatch], None]:
    CHECKS[function.__name__] = function
    return function


def said(found: Plan, rule: str) -> str | None:
    return advice.RULES[rule](found)


def numbers(text: str | None) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", text or "")]


@check
def run(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", **ASK)
    command = "privpac learn DATA --schema SCHEMA --concepts thresholds:COLUMN --epsilon 1"
    assert said(found, "run") == f"Run: {command}"
    auto = plan.needed("auto", columns=12, error="0.1", epsilon=1)
    assert said(auto, "run") == "Run: privpac learn DATA --schema SCHEMA --epsilon 0.05", (
        "the default is the default, with the epsilon that its number is proved with"
    )
    assert said(plan.needed("any:2", **ASK), "run") is None, "a class on paper cannot be run"
    assert said(plan.needed("thresholds", records=200, **ASK), "run") is None, "too few records to run it"


@check
def run_perfect(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("points", **ASK)
    command = "privpac learn DATA --schema SCHEMA --concepts points:COLUMN"
    assert said(found, "run") == f"Run: {command} --epsilon 1", "that of the headline, for any records"
    assert (said(found, "run_perfect") or "").endswith(f": {command}:cover --epsilon 1"), "and the other one"
    assert said(plan.needed("thresholds", **ASK), "run_perfect") is None, "one command for both numbers"
    assert said(plan.needed("points", records=10_000, **ASK), "run_perfect") is None, (
        "they are enough as it is"
    )


@check
def large(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", **{**ASK, "epsilon": 12})
    assert "factor of about 162,755, which protects hardly anybody" in (said(found, "large") or "")
    assert said(plan.needed("thresholds", **ASK), "large") is None
    least = plan.smallest_epsilon("thresholds", bits=32, error="0.1", records=2000)
    assert said(least, "large") is None, "what is asked for is not an epsilon that somebody chose"


@check
def halving(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", **ASK)
    text = said(found, "halving")
    assert text == "Half as many suffice with error 0.15 instead of 0.1 (or 13 bits instead of 32)."
    assert found.headline is not None
    goal = found.headline.need.labelled // 2
    for change in ({"error": "0.15"}, {"bits": 13}):
        assert (
            plan.needed("thresholds", **{**ASK, **change}).option("occam", "agnostic").need.labelled <= goal
        )
    for nearly in ({"error": "0.14"}, {"bits": 14}):
        assert plan.needed("thresholds", **{**ASK, **nearly}).option("occam", "agnostic").need.labelled > goal
    assert said(plan.reachable("points", bits=8, records=900, epsilon=1), "halving") is None


def _invented(need: Need, **changes: object) -> Option:
    plain = options.OPTIONS[0]
    return replace(plain, learner="invented", needs=lambda wish: need, error=None, epsilon=None, **changes)


def _only(monkeypatch: pytest.MonkeyPatch, *rows: Option) -> None:
    monkeypatch.setattr("privpac.planning.question.OPTIONS", (options.OPTIONS[0], *rows))


@check
def labels(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, _invented(Need(100, 5000)))
    assert said(plan.needed("thresholds", **ASK), "labels") == (
        "Labels can be saved: invented needs 100 labelled records instead of 683, with 5,000 unlabelled ones (a perfect"
        " fit)."
    )
    _only(monkeypatch, _invented(Need(1000, 5000)))
    assert said(plan.needed("thresholds", **ASK), "labels") is None
    assert said(plan.needed("thresholds", unlabelled=10, **ASK), "labels") is None
    monkeypatch.undo()
    pool = plan.reachable("thresholds", bits=16, records=3000, epsilon=1, unlabelled=10**6)
    text = said(pool, "labels") or ""
    assert pool.headline is not None
    proved = [row.proved for row in pool.answers if row.need.unlabelled and row.command is not None]
    assert numbers(text)[1:3] == [
        float(f"{math.ceil(n * 10_000) / 10_000}") for n in (min(proved), pool.headline.proved)
    ]
    assert said(plan.reachable("thresholds", bits=16, records=3000, epsilon=1), "labels") is None


@pytest.mark.long_cases("halving", "run")
@pytest.mark.parametrize("rule", sorted(advice.RULES))
def test_rule(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    CHECKS[rule](monkeypatch)


def test_no_rule_is_forgotten_and_all_that_speak_are_heard() -> None:
    assert set(CHECKS) == set(advice.RULES)
    found = plan.needed("thresholds", **ASK)
    spoken = [text for rule in advice.RULES.values() if (text := rule(found)) is not None]
    assert list(found.advice) == spoken
    assert len(spoken) >= 2


def test_what_has_no_command_is_run_in_python() -> None:
    small = {
        "label": "y",
        "columns": [{"name": "c", "kind": "numeric", "lower": 0, "upper": 3, "integer": True}],
    }
    made = plan.needed("points:c", schema=small, error="0.2", epsilon=1, release=True)
    found = replace(made, answers=(made.option("listed-blr"),))
    text = said(found, "run")
    assert text is not None
    lines = [line.removeprefix("    ") for line in text.splitlines()[1:]]
    assert "\n".join(lines) == found.answers[0].python
    compile("\n".join(lines), "advice", "exec")


def test_the_command_spends_what_the_headline_promises_with() -> None:
    found = plan.smallest_epsilon(records=4239, error="0.15", concepts="trees:3", columns=15)
    row = found.headline
    assert row is not None
    assert row.option.setting == "agnostic"
    assert (said(found, "run") or "").endswith(f"--epsilon {plain(row.wish.epsilon)}")


def test_where_ranks_are_asked_for_the_command_is_the_one_that_ranks() -> None:
    found = plan.reachable(columns=5, records=3_000, epsilon="0.5", aim="rank")
    commands = [text for text in found.advice if text.startswith("Run: ")]
    assert commands == ["Run: privpac learn DATA --schema SCHEMA --aim rank --epsilon 0.5"]


def test_a_word_without_a_bound_is_run_all_the_same() -> None:
    found = plan.reachable("card", columns=10, records=3000, epsilon=1)
    assert list(found.advice) == ["Run: privpac learn DATA --schema SCHEMA --concepts card --epsilon 1"]
    assert "For a card no bound on errors is proved, whatever the number of records" in str(found)
    assert plan.reachable("scorecards:3", columns=10, records=3000, epsilon=1).answers, "it has one"
