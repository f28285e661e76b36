"""The page about what to expect shows the figures that were stored, and the constants that ship."""

from __future__ import annotations

import json
from dataclasses import asdict

from benchmarks.forecast.page import DATA, PAGE, page

from privpac.theory.forecast import CONSTANTS


def test_its_figures_are_those_that_were_stored() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text, json.loads(DATA.read_text(encoding="utf-8"))), (
        "python -m benchmarks.forecast.page"
    )


def test_its_formulas_have_the_constants_that_ship() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f".5 + {CONSTANTS.one_column:g} (A - .5)".replace("0.", ".") in text
    assert f"divided by {CONSTANTS.spread:g} and times {CONSTANTS.spread:g}" in text
    for name in ("rule", "balanced", "card"):
        for part, value in asdict(getattr(CONSTANTS, name)).items():
            assert f"| {name}: {part} | {value:g} |" in text
