"""Stored facts in words: the same whether the library says them or the checker's arithmetic does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.guarantee.facts import Loss, Privacy, fact_from_json
from privpac.report.meaning import does_not_mean, guessed_at_most, means
from privpac.report.wording import fact_in_words, short

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


@pytest.mark.parametrize(
    ("value", "shown"),
    [("1/3", "1/3"), (7, "7"), ("1/30000000000000000", "≈ 3.33333e-17"), (str(2**2000), "≈ 2^2000")],
)
def test_long_numbers_are_shortened(value: object, shown: str) -> None:
    assert short(value) == shown
    assert short("words that are no number") == "words that are no number"


class Certified:
    """A certificate with one derivation of privacy; what was wished for says something else."""

    def __init__(self, *rules: str, size: int = 3) -> None:
        fact = {"kind": "privacy", "unit": "record", "release": "hypothesis"}
        step: dict[str, Any] = {"rule": "exponential-mechanism", "fact": fact, "where": {}, "premises": []}
        for rule in reversed(rules):
            step = {"rule": rule, "fact": fact, "where": {"size": size}, "premises": [step]}
        self.certificate = {
            "epsilon": "1",
            "delta": "0",
            "request": {"records_per_person": 99},
            "privacy": step,
        }


@pytest.mark.parametrize(
    "rules", [("group",), ("declared", "group"), ("k-fold-composition", "group", "declared")]
)
def test_how_many_records_are_protected_together_is_what_was_derived(rules: tuple[str, ...]) -> None:
    model = Certified(*rules)
    assert "all records of one person (up to 3)" in means(model)[0]
    assert "more than 3 records" in does_not_mean(model)[4]


@pytest.mark.parametrize("rules", [(), ("declared",), ("disjoint-parts", "group")])
def test_a_wish_alone_protects_nobody(rules: tuple[str, ...]) -> None:
    assert "If one record had been" in means(Certified(*rules))[0]


@pytest.mark.parametrize(
    ("epsilon", "odds"), [("0", "50.0 %"), ("0.1", "52.5 %"), ("1", "73.2 %"), ("50", "100 %")]
)
def test_the_odds_of_a_guess(epsilon: str, odds: str) -> None:
    assert guessed_at_most(Fraction(epsilon)) == odds
