"""The command that a plan prints is the one that its first paragraph speaks of: its certificate keeps that promise.

Over words, what is protected, with and without a delta, and which of records, error and epsilon is asked for.
"""

from __future__ import annotations

import shlex
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privpac import Schema, Size, plan
from privpac.constructions.recipe import Recipe
from privpac.planning import advice
from privpac.planning.table import Row
from privpac.request import LearnRequest
from tests.contracts.planned_commands import PROTECTED, SCHEMA, WORDS

NEEDED = [
    {"error": error, "epsilon": epsilon} for error, epsilon in product(("0.1", "0.25"), ("0.3", "1", "4"))
]
REACHED = [{"records": records, "epsilon": epsilon} for records in (900, 40_000) for epsilon in ("0.3", "2")]
SMALLEST = [{"records": records, "error": error} for records in (9_000, 200_000) for error in ("0.1", "0.25")]
KINDS = {"needed": NEEDED, "reachable": REACHED, "smallest_epsilon": SMALLEST}
AT_HAND = (300, 2_000, 4_700, 8_000, 30_000)
"""Records at hand, beside an error and an epsilon: below, within and above what `auto` is proved with."""


def certified(command: str, records: int) -> dict[str, Fraction]:
    """What `privpac learn` certifies for a table of so many records: the error, by what it is relative to,
    against the largest class that something is said about."""
    words = shlex.split(command)
    options = {words[i][2:]: words[i + 1] for i in range(len(words) - 1) if words[i].startswith("--")}
    known = {name: options[name] for name in ("concepts", "epsilon", "delta", "protect") if name in options}
    assert set(options) <= {*known, "schema"}, command
    recipe = Recipe.of(LearnRequest.read(**known), schema=Schema.from_json(SCHEMA), size=Size(records))
    facts = [proof.fact for proof in recipe.certify().accuracy]
    assert all(fact.failure <= Fraction(1, 20) for fact in facts)
    return {
        against: max(fact.error for fact in facts if fact.against == against)
        for against in {fact.against for fact in facts}
    }


def command_of(said: str | None) -> str | None:
    """The command of an advice; None where there is none, or where it is not about learning a rule."""
    command = None if said is None or "privpac learn" not in said else said[said.index("privpac learn") :]
    return (
        None
        if command is None or "--protect predictions" in command or "--unlabelled" in command
        else command
    )


def kept(row: Row, command: str, records: int, error: Fraction) -> bool:
    """Whether the command's certificate keeps an error in the setting of a row."""
    return certified(command, records).get(row.setting, Fraction(1)) <= error


def check(kind: str, word: str, **wishes: Any) -> int:
    """Compare both commands of a plan with the numbers of its first paragraph; how many there were."""
    found = getattr(plan, kind)(word, schema=SCHEMA, **wishes)
    pairs = [(found.headline, "run"), (found.perfect, "run_perfect")]
    checked = 0
    for row, rule in pairs:
        command = command_of(advice.RULES[rule](found))
        if row is None or command is None:
            continue
        records = row.records if kind == "needed" else wishes["records"]
        assert kept(row, command, records, row.error), (kind, word, wishes, command)
        epsilon = Fraction(shlex.split(command)[shlex.split(command).index("--epsilon") + 1])
        if kind == "smallest_epsilon":
            assert epsilon == row.proved, (kind, word, wishes, command)
        else:
            assert epsilon <= Fraction(str(wishes["epsilon"]))
        checked += 1
    return checked


OFTEN = ("auto-needed", "thresholds:c-reachable", "points:c-needed")
"""Asked in every run; all other pairs of a word and a question are long."""


@pytest.mark.long_cases(
    *(case for word in WORDS for kind in KINDS if (case := f"{word}-{kind}") not in OFTEN)
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", WORDS)
def test_the_certificate_keeps_what_the_headline_promises(kind: str, word: str) -> None:
    questions = KINDS[kind][::2] if word == "auto" else KINDS[kind][1:3]
    deltas = ("0", "1e-6") if word == "thresholds:c" else ("0",)  # other words have no way that uses one
    checked = [
        check(kind, word, protect=protect, delta=delta, **question)
        for question in questions
        for protect in PROTECTED
        for delta in deltas
    ]
    assert sum(checked) >= len(questions), "nearly every plan names a command"


@pytest.mark.parametrize(("records", "epsilon"), list(product(AT_HAND, ("0.2", "1", "3"))))
def test_with_records_at_hand_the_verdict_is_about_the_command(records: int, epsilon: str) -> None:
    found = plan.needed("auto", schema=SCHEMA, error="0.1", epsilon=epsilon, records=records)
    command = command_of(advice.RULES["run"](found))
    assert command is not None
    assert found.headline is not None
    rows = [row for row in (found.headline, found.perfect) if row is not None and row.enough]
    if rows:
        assert kept(rows[0], command, records, Fraction(1, 10)), command
        return
    proved = plan.reachable("auto", schema=SCHEMA, epsilon=epsilon, records=records)
    for row in proved.rows:
        if row.word == "auto":
            assert kept(row, command, records, row.error), command


def test_another_epsilon_than_that_of_the_headline_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a thousandth of the epsilon, the certificate promises less than the headline."""
    monkeypatch.setattr(
        Row, "command", property(lambda row: row.way.command(row.records, row.epsilon / 1000, row.error))
    )
    with pytest.raises(AssertionError, match=r"epsilon 0\.001"):
        check("needed", "auto", error="0.1", epsilon="1")
