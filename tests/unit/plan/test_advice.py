"""Every rule of advice speaks where it should and is silent elsewhere, and what it says is true."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from privpac import plan
from privpac.errors import ParameterError
from privpac.numbers.exact import plain
from privpac.plan import advice, options
from privpac.plan.options import Need, Option
from privpac.plan.plan import Plan

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
def run_unlabelled(_: pytest.MonkeyPatch) -> None:
    pool = plan.reachable("thresholds", bits=16, records=3000, epsilon=1, unlabelled=10**6)
    text = said(pool, "run_unlabelled") or ""
    assert pool.headline is not None
    proved = [row.proved for row in pool.answers if row.need.unlabelled and row.command is not None]
    assert numbers(text)[1:3] == [
        float(f"{math.ceil(n * 10_000) / 10_000}") for n in (min(proved), pool.headline.proved)
    ]
    assert said(plan.reachable("thresholds", bits=16, records=3000, epsilon=1), "run_unlabelled") is None


@check
def ranking(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", aim="rank", **ASK)
    assert "privpac learn DATA --schema SCHEMA --aim rank --epsilon 1." in (said(found, "ranking") or "")
    three = {"label": "y", "classes": [0, 1, 2], "columns": [{"name": "x", "kind": "boolean"}]}
    many = plan.reachable("trees:1", records=500, epsilon="0.5", schema=three, aim="rank")
    assert (said(many, "ranking") or "").endswith("--aim rank --epsilon 0.5")
    assert said(plan.needed("thresholds", **ASK), "ranking") is None
    with pytest.raises(ParameterError, match="label, rank"):
        plan.needed("thresholds", aim="order", **ASK)


@check
def balance(_: pytest.MonkeyPatch) -> None:
    columns = [{"name": "x", "kind": "boolean"}]
    ask = {"records": 500, "epsilon": 1}
    rare = plan.reachable(schema={"label": "y", "base_rate": 0.06, "columns": columns}, **ask)
    assert "costs 0: 1, 1: 16" in (said(rare, "balance") or "")
    assert "average costs divided by the largest, 16." in (said(rare, "balance") or "")
    even = plan.reachable(schema={"label": "y", "base_rate": 0.5, "columns": columns}, **ask)
    assert said(even, "balance") is None
    assert said(plan.reachable(schema={"label": "y", "columns": columns}, **ask), "balance") is None


@check
def large(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", **{**ASK, "epsilon": 12})
    assert "factor of about 162,755, which protects hardly anybody" in (said(found, "large") or "")
    assert said(plan.needed("thresholds", **ASK), "large") is None
    least = plan.smallest_epsilon("thresholds", bits=32, error="0.1", records=2000)
    assert said(least, "large") is None, "what is asked for is not an epsilon that somebody chose"


@check
def driver(_: pytest.MonkeyPatch) -> None:
    def noisy(**other: object) -> int:
        return plan.needed("unions:2", error="0.1", **other).option("occam", "agnostic").need.labelled

    domain, small = plan.needed("unions:2", bits=64, error="0.1", epsilon=2), noisy(bits=2, epsilon=2)
    drives = f"The bits of the domain drive the number ({noisy(bits=64, epsilon=2):,}): {small:,} records"
    assert said(domain, "driver") == f"{drives} would do with 2 bits."
    private = plan.needed("unions:2", bits=4, error="0.1", epsilon="0.05")
    now, free = noisy(bits=4, epsilon="0.05"), noisy(bits=4, epsilon=40)
    drives = f"Epsilon drives the number ({now:,}): {free:,} records"
    assert said(private, "driver") == f"{drives} would do without privacy."
    assert said(plan.reachable("points", bits=8, records=900, epsilon=1), "driver") is None


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


@check
def impossible(_: pytest.MonkeyPatch) -> None:
    ask = {"records": 130, "bits": 64, "error": "0.2", "epsilon": 1, "unlabelled": 0}
    assert said(plan.needed("thresholds", **{**ask, "records": 200}), "impossible") is None
    found = plan.needed("thresholds", **ask)
    floor = found.option("occam").floor
    assert floor is not None
    assert floor > 130
    text = said(found, "impossible")
    assert text is not None
    start = f"Impossible: no proper private learner can do this with fewer than {floor} records"
    assert text.startswith(start)
    assert "floor-thresholds-proper" in text
    grid = re.search(r"Ways out: .*a coarser grid of (\d+) bits", text)
    assert grid is not None
    for bits, enough in ((int(grid[1]), True), (int(grid[1]) + 1, False)):
        assert plan.needed("thresholds", **{**ask, "bits": bits}).answers[0].enough is enough
    for name in ("error", "epsilon"):
        larger = re.search(rf"; {name} ([\d.]+)", text)
        if larger is not None:
            assert plan.needed("thresholds", **{**ask, name: larger[1]}).option("occam").enough
    pooled = plan.needed("thresholds", **{**ask, "records": 400, "bits": 256, "unlabelled": None})
    text = said(pooled, "impossible")
    assert text is not None
    assert f"Ways out: {pooled.option('generic-learner').need.unlabelled:,} records without labels" in text


@check
def unproved(_: pytest.MonkeyPatch) -> None:
    ask = {"bits": 32, "error": "0.1", "epsilon": 1, "unlabelled": 0}
    found = plan.needed("unions:2", records=600, **ask)
    text = said(found, "unproved")
    assert text is not None
    assert numbers(text)[:2] == [600, found.answers[0].need.labelled]
    assert said(plan.needed("unions:2", records=6000, **ask), "unproved") is None
    assert said(plan.needed("unions:2", records=10, **ask), "unproved") is None


@check
def nothing(_: pytest.MonkeyPatch) -> None:
    found = plan.reachable("trees:3", columns=40, records=100, unlabelled=0, epsilon="0.01")
    text = said(found, "nothing")
    assert found.answers == ()
    assert text is not None
    assert text.startswith("Nothing can be promised with these numbers. Ways out: ")
    more = int(numbers(text)[0])
    assert plan.needed("trees:3", columns=40, records=more, error="0.25", epsilon="0.01").answers[0].enough
    assert said(plan.reachable("points", bits=8, records=900, epsilon=1), "nothing") is None


@check
def auto(_: pytest.MonkeyPatch) -> None:
    text = said(plan.reachable(columns=12, records=3000, epsilon="0.5"), "auto")
    assert text is not None
    assert "--concepts auto" in text
    assert said(plan.reachable("trees:2", columns=12, records=3000, epsilon="0.5"), "auto") is None


@check
def noise(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("thresholds", **ASK)
    known = plan.needed("thresholds", noise="0.05", **ASK).option("occam", "agnostic").need.labelled
    assert said(found, "noise") == (
        "If the best rule is known to err at most 5% of the time, --noise 0.05 brings the number for any records"
        f" from 5,011 to {known:,} records."
    )
    assert said(plan.needed("thresholds", noise="0.1", **ASK), "noise") is None


@check
def sampling(_: pytest.MonkeyPatch) -> None:
    assert "chance in the records" in (said(plan.needed("thresholds", **ASK), "sampling") or "")
    assert said(plan.needed("thresholds", **{**ASK, "epsilon": "0.1"}), "sampling") is None
    assert said(plan.smallest_epsilon("points", bits=16, records=400, error="0.1"), "sampling") is None


@check
def close(_: pytest.MonkeyPatch) -> None:
    text = said(plan.needed("points", **ASK), "close")
    assert text is not None
    assert text.startswith(
        "What is proved for clipped-points is within a factor 1.4 of what is possible with answers from the class ("
    )
    assert said(plan.needed("any:2", **ASK), "close") is None


@check
def pessimistic(_: pytest.MonkeyPatch) -> None:
    found = plan.reachable("trees:2", columns=12, records=3000, epsilon="0.5")
    text = said(found, "pessimistic")
    assert text is not None
    assert (
        "about the worst records. On ordinary records errors of trees and lists were found to be about ten"
        in text
    )
    assert "pessimistic" not in text, "the gap of the table says what a better proof could save"
    assert text.endswith("help. --simulate tells what to expect.")
    late = replace(found, answers=tuple(replace(row, unsimulated="late") for row in found.answers))
    assert (said(late, "pessimistic") or "").endswith("near-copies of every good rule help."), (
        "it was asked for"
    )
    simulated = plan.needed("points", simulate=True, seconds=1, **ASK).option("occam").simulated
    done = replace(found, answers=tuple(replace(row, simulated=simulated) for row in found.answers))
    assert said(done, "pessimistic") is None
    assert said(plan.needed("points", **ASK), "pessimistic") is None


@check
def jumps(_: pytest.MonkeyPatch) -> None:
    found = plan.needed("auto", columns=12, error="0.1", epsilon=1)
    text = said(found, "jumps") or ""
    assert text.startswith(
        "Why a smaller epsilon proves more: as long as records times epsilon is small, auto"
    )
    assert (
        "about the proof, not about how good the rule will be: learnt with epsilon 1 it is usually better."
        in text
    )
    named = re.search(
        r"no such jumps: with --concepts (\S+) and epsilon 1, ([\d,]+) records are enough", text
    )
    assert named is not None
    fixed = plan.needed(named[1], columns=12, error="0.1", epsilon=1).option("occam", "agnostic")
    assert f"{fixed.proved:,}" == named[2], "as a plan for that kind of rule says"
    assert found.headline is not None
    assert fixed.proved < found.headline.proved
    assert all(
        plan.reachable(named[1], columns=12, records=records, epsilon=1).option("occam", "agnostic").proved
        <= Fraction("0.1")
        for records in (fixed.proved, 2 * fixed.proved, 20 * fixed.proved)
    ), "no jumps: more records prove no less"
    assert said(plan.needed(named[1], columns=12, error="0.1", epsilon=1), "jumps") is None
    assert said(plan.reachable("auto", columns=12, records=3000, epsilon="0.5"), "jumps") is None


@check
def no_bound(_: pytest.MonkeyPatch) -> None:
    for word, what, near in (
        ("card", "a card", "scorecards:3"),
        ("risk-tree:2", "a tree that ranks", "trees:3"),
    ):
        found = plan.reachable(word, columns=10, records=3000, epsilon=1)
        text = said(found, "no_bound")
        assert text is not None
        assert text.startswith(
            f"Instead of a bound, an estimate on a fifth of the records tells how good {what} is"
        )
        assert f"--concepts {word} --epsilon 1 --holdout 0.2 --estimate-epsilon 1." in text
        assert f"the nearest word that has one is --concepts {near}." in text
        assert str(found).startswith(f"What can be said of {word}: 3,000 records, epsilon 1")
        assert (found.answers, said(found, "nothing")) == ((), None)
        assert f"For {what} no bound on errors is proved, whatever the number of records." in str(found)
        assert plan.reachable(near, columns=10, records=3000, epsilon=1).answers, "it has one"
    assert said(plan.needed("points", **ASK), "no_bound") is None


@check
def little(_: pytest.MonkeyPatch) -> None:
    text = said(plan.reachable("stumps", columns=2, bits=4, records=100, epsilon="0.5"), "little")
    assert text is not None
    assert text.startswith("Records times epsilon is 50: below 200")
    assert said(plan.reachable("stumps", columns=2, bits=4, records=1000, epsilon="0.5"), "little") is None


def _invented(need: Need, **changes: object) -> Option:
    plain = options.OPTIONS[0]
    return replace(plain, learner="invented", needs=lambda wish: need, error=None, epsilon=None, **changes)


def _only(monkeypatch: pytest.MonkeyPatch, *rows: Option) -> None:
    monkeypatch.setattr("privpac.plan.question.OPTIONS", (options.OPTIONS[0], *rows))


@check
def labels(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, _invented(Need(100, 5000)))
    assert said(plan.needed("thresholds", **ASK), "labels") == (
        "Labels can be saved: invented needs 100 labelled records instead of 628, with 5,000 unlabelled ones (a perfect"
        " fit)."
    )
    _only(monkeypatch, _invented(Need(1000, 5000)))
    assert said(plan.needed("thresholds", **ASK), "labels") is None
    assert said(plan.needed("thresholds", unlabelled=10, **ASK), "labels") is None


@check
def delta(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, _invented(Need(100), pure=False))
    text = "With delta 1e-6, invented needs 100 records instead of 628."
    assert said(plan.needed("thresholds", **ASK), "delta") == text
    assert said(plan.needed("thresholds", delta="1e-9", **ASK), "delta") is None
    _only(monkeypatch, _invented(Need(1000), pure=False))
    assert said(plan.needed("thresholds", **ASK), "delta") is None


@pytest.mark.long_cases(
    "driver", "pessimistic", "unproved", "little", "halving", "sampling", "auto", "balance", "run"
)
@pytest.mark.parametrize("rule", sorted(advice.RULES))
def test_rule(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    CHECKS[rule](monkeypatch)


def test_no_rule_is_forgotten_and_all_that_speak_are_heard() -> None:
    assert set(CHECKS) == set(advice.RULES)
    found = plan.needed("thresholds", **ASK)
    spoken = [text for rule in advice.RULES.values() if (text := rule(found)) is not None]
    assert list(found.advice) == spoken
    assert len(spoken) >= 4


def test_weaker_promises_are_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    _only(monkeypatch, _invented(Need(20), protects="labels"), _invented(Need(30), pure=False))
    text = said(plan.needed("thresholds", records=40, bits=32, error="0.2", epsilon=1), "impossible")
    assert text is not None
    assert (
        "protect labels only (invented needs 20 records); allow delta 1e-6 (invented needs 30 records)"
        in text
    )
    assert Fraction(1, 5) == plan.needed("thresholds", bits=8, error="0.2", epsilon=1).question.error


@pytest.mark.long
def test_a_dimension_that_needs_its_bits_keeps_its_advice() -> None:
    """The bits of `any` say how large a class is: no coarser grid is looked for."""
    found = plan.needed("any:40", bits=300, error="0.1", epsilon="0.5", records=100)
    assert any("Impossible" in text and "coarser" not in text for text in found.advice)


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
