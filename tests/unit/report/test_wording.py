"""Stored facts in words: the same whether the library says them or the checker's arithmetic does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.checker.document import FROM_DATA
from privpac.data.schema import Schema
from privpac.guarantee.facts import Loss, Privacy, fact_from_json
from privpac.report.meaning import does_not_mean, means, shares_in_words, taken_for_granted
from privpac.report.wording import fact_in_words

SCHEMA = {"label": "ill", "columns": [{"name": "smokes", "kind": "boolean"}]}
GOLDEN = Path(__file__).parents[2] / "golden"


def facts(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Every fact of every derivation in stored data."""
    if isinstance(tree, Mapping):
        if "rule" in tree and "fact" in tree:
            yield tree["fact"]
        for value in tree.values():
            yield from facts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from facts(value)


def test_every_stored_fact_reads_the_same() -> None:
    kinds = set()
    for path in GOLDEN.glob("*/**/*.json"):
        for fact in facts(json.loads(path.read_text(encoding="utf-8"))):
            kinds.add(fact["kind"])
            assert fact_in_words(fact) == str(fact_from_json(fact))
    assert kinds == {
        "privacy",
        "bounded-range",
        "range",
        "concentrated",
        "stability",
        "accuracy",
        "answers",
    }


@pytest.mark.parametrize("factor", ["1", "3/7", "2", "10/9", f"{10**400}/3", f"1/{3**200}"])
def test_losses_of_any_size_read_the_same(factor: str) -> None:
    fact = Privacy(Loss(log=Fraction(1, 3), factor=Fraction(factor)), delta=Fraction(1, 10**9))
    assert fact_in_words(fact.to_json()) == str(fact)


class Certified:
    """A certificate with one fact about privacy; what was wished for says something else."""

    def __init__(self, people: int = 1) -> None:
        fact = {"kind": "privacy", "unit": "record", "release": "hypothesis"}
        fact |= {"records_per_person": people} if people > 1 else {}
        self.certificate: dict[str, Any] = {
            "epsilon": "1",
            "delta": "0",
            "request": {"records_per_person": 99},
            "privacy": {"rule": "declared", "fact": fact},
            "assumptions": [],
        }


def test_how_many_records_are_protected_together_is_what_was_derived() -> None:
    model = Certified(3)
    assert "all records of one person (up to 3)" in means(model.certificate)[0]
    assert "more than 3 records" in does_not_mean(model.certificate)[4]


def test_a_wish_alone_protects_nobody() -> None:
    assert "If one record had been" in means(Certified().certificate)[0]


def test_what_is_taken_for_granted_is_what_the_limits_list() -> None:
    """Whoever adds a way to lose the protection to one of the two adds it to the other."""
    limits = (Path(__file__).parents[3] / "docs/understand/limits.md").read_text(encoding="utf-8")
    ways = re.findall(
        r"^\d\. ", limits.split("ways to lose the protection")[1].split("**What nobody")[0], re.MULTILINE
    )
    assert "**Seven ways" in limits
    assert len(taken_for_granted(Certified().certificate, Schema.from_json(SCHEMA))) == len(ways) == 7


def test_a_base_rate_and_assumptions_of_the_file_are_taken_for_granted_too() -> None:
    model = Certified(3)
    model.certificate["assumptions"] = ["visits are\n# independent", FROM_DATA]
    schema = {**SCHEMA, "classes": ["no", "y\n"], "base_rate": [0.85, 0.15]}
    granted = taken_for_granted(model.certificate, Schema.from_json(schema))
    assert "the base rate (no: 0.85, 'y\\n': 0.15), are no secret, although they were read from" in granted[0]
    assert granted[1] == "No person has more than 3 records."
    assert granted[7:] == ["'visits are\\n# independent'."]
    assert shares_in_words(Schema.from_json(SCHEMA)) == ""
