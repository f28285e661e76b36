"""Cuts at round numbers: where they lie, how many there are, and that the schema decides where it speaks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.round_cuts import BESIDE_ZERO, MOST, on_round_numbers
from privpac.data.schema import Schema


def _schema(*columns: dict[str, Any]) -> Schema:
    return Schema.from_json({"label": "y", "columns": list(columns)})


def _numeric(lower: float, upper: float, **options: Any) -> dict[str, Any]:
    return {"name": "x", "kind": "numeric", "lower": lower, "upper": upper, **options}


def _shown(schema: Schema) -> list[str]:
    return [schema.column(test.column).show(test.cell) for test in on_round_numbers(schema).tests]


@pytest.mark.parametrize(
    ("column", "few"),
    [
        (_numeric(80, 300), ["90", "100", "110"]),
        (_numeric(0.05, 0.2), ["0.055", "0.06", "0.065"]),
        (_numeric(-50_000, 500_000, integer=True), ["-40000", "-20000", "-10000"]),
        (_numeric(0, 50_000, integer=True), ["200", "500", "1000"]),
        (_numeric(0, 50_000, integer=True, scale="even"), ["2000", "4000", "6000"]),
        (_numeric(0, 15), ["0.05", "0.1", "0.2"]),
        (_numeric(17, 31, integer=True), ["18", "19", "20"]),
        (_numeric(0, 100_000, integer=True, scale="mostly small"), ["4", "25", "80"]),
        (_numeric(-8, 8, scale="mostly small"), ["-6", "-5", "-4"]),
    ],
)
def test_cuts_are_round(column: dict[str, Any], few: list[str]) -> None:
    assert _shown(_schema(column))[:3] == few


def test_what_has_no_numbers_is_tested_as_ever() -> None:
    schema = _schema(
        {"name": "c", "kind": "categorical", "categories": ["a", "b", "c"]},
        {"name": "b", "kind": "boolean"},
        {"name": "d", "kind": "date", "lower": "2020-01-01", "upper": "2024-12-31"},
        _numeric(1, 9, integer=True),
    )
    assert on_round_numbers(schema) == Binarisation.of(schema)


@given(
    lower=st.floats(-1e9, 1e9),
    width=st.floats(1e-6, 1e12),
    scale=st.sampled_from([None, "even", "mostly small"]),
)
def test_there_are_enough_cuts_and_not_too_many(lower: float, width: float, scale: str | None) -> None:
    options = {} if scale is None else {"scale": scale}
    if not lower < lower + width or width < 1e-9 * abs(lower):
        return
    tests = on_round_numbers(_schema(_numeric(lower, lower + width, **options))).tests
    assert 1 <= len(tests) <= MOST + 2 * BESIDE_ZERO
    if scale != "mostly small":
        assert len(tests) >= 15


@given(lower=st.integers(-(10**30), 10**30), span=st.integers(13, 10**30))
def test_integers_of_any_length(lower: int, span: int) -> None:
    schema = _schema(_numeric(lower, lower + span, integer=True))
    cuts = [int(text) for text in _shown(schema)]
    assert all(lower < cut <= lower + span for cut in cuts)
    assert 12 <= len(cuts) <= MOST + 2 * BESIDE_ZERO
