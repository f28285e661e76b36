"""Every reader of a number that a person writes refuses what only Python reads as one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac import Ledger
from privpac.cli.app import run
from privpac.errors import ParameterError, SchemaError
from privpac.guarantee.ledger.budget import read_amount
from privpac.numbers.exact import exact_decimal
from privpac.numbers.spelling import spelled
from privpac.service.pages.learn.schema_form import _number, _rates

ODD = ["1_0", "1_0.5", "1/1_0", "1e1_0", "\u0661", "\uff11", "1\u0660/3"]
"""All of them numbers to Python: underscores, Arabic and full-width digits."""


@pytest.mark.parametrize("text", ODD)
def test_what_only_python_reads_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="as people write it"):
        spelled(text)
    with pytest.raises(ParameterError) as refused:
        exact_decimal(text, owner="learn", name="epsilon")
    assert refused.value.parameter == "epsilon"
    with pytest.raises(ValueError):
        read_amount(text)
    with pytest.raises(ParameterError):
        Ledger(epsilon=text)
    with pytest.raises(SchemaError):
        _number("age", "upper", text)
    with pytest.raises(SchemaError):
        _rates(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" 0.5 ", "1/2"),
        (".5", "1/2"),
        ("5.", "5"),
        ("+1", "1"),
        ("1e-3", "1/1000"),
        ("1E+1", "10"),
        ("1/3", "1/3"),
    ],
)
def test_what_people_write_is_read(text: str, value: str) -> None:
    assert exact_decimal(text, owner="learn", name="epsilon") == read_amount(text) == Fraction(value)


@pytest.mark.parametrize("value", [0.1, np.float32(0.1), np.float64(0.1), np.int64(3), 1e-7, 10**30])
def test_numbers_are_read_as_they_are_shown(value: object) -> None:
    assert exact_decimal(value, owner="learn", name="epsilon") == Fraction(str(value))


@pytest.mark.parametrize(
    "words",
    [
        "plan --concepts points --bits 3_2 --error .1 --epsilon 1",
        "plan --concepts points --bits 32 --error .1 --epsilon 1_0",
        "audit sample module:function --epsilon 1 --runs 1_000",
        "audit exact thresholds-up --budget-seconds 2_0",
    ],
)
def test_no_option_takes_an_underscore(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == 2
    assert "_" in capsys.readouterr().err
