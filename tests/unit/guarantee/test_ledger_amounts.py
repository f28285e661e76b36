"""Amounts as people read them: exact in the ledger, short and true on the screen."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from privpac import Ledger
from privpac.cli import main
from privpac.errors import BudgetExceeded
from privpac.guarantee.ledger.budget import exact_text

ODD = ["1/3", "1/7919", "1/104729", "3/1299709", "5/15485863"]


def shown(text: str) -> dict[str, Fraction]:
    """The epsilons of a text, by the words in front of them."""
    found = re.findall(r"(spent|left) +epsilon (?:at most |at least )?([0-9./E-]+)", text)
    return {word: Fraction(number) for word, number in found}


def test_after_odd_fractions_amounts_are_short_and_true(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "budget.db"
    ledger = Ledger.create(place, epsilon=10)
    for text in ODD:
        ledger.charge(epsilon=text, note="odd")
    spent = sum(map(Fraction, ODD), Fraction(0))
    assert ledger.spent.epsilon == spent
    assert len(exact_text(spent)) > 40  # exact where it is kept
    assert main(["ledger", "show", str(place)]) == 0
    out = capsys.readouterr().out
    told = shown(out)
    assert 0 <= told["spent"] - spent < Fraction(1, 10**10)
    assert 0 <= (10 - spent) - told["left"] < Fraction(1, 10**8)
    assert "at most" in out
    assert "at least" in out
    assert main(["ledger", "verify", str(place)]) == 0
    with pytest.raises(BudgetExceeded) as refused:
        ledger.charge(epsilon=10, note="too much")
    for words in (out, capsys.readouterr().out, str(refused.value), repr(ledger)):
        assert max(map(len, re.findall(r"[0-9/.]+", words))) <= 20
