"""A card in words and as a picture: counts are said, and drawn, once and for the sums they are about."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac import Schema
from privpac.concepts.cards.blocks import PointsBlock
from privpac.concepts.cards.risks import Table
from privpac.concepts.cards.words import MOST_SUMS, description, risk_rows, sheet
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.shapes import PointsBar, PointsSheet, RiskBar
from privpac.pictures.card import BETWEEN, HOLLOW, MARGIN, card_picture
from privpac.pictures.drawing import Line, Words

COLUMNS = [{"name": "level", "kind": "numeric", "lower": 1, "upper": 3, "integer": True}]
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS})
TABLE = Table(((900, 100), (450, 550), (100, 900)), tuple(range(15)), -14, 3, Fraction(1, 2))
RISKS = [TABLE.risk(total) for total in TABLE.sums]


def drawn(cutoff: int) -> PointsSheet:
    return sheet((), TABLE, RISKS, cutoff, (1, 1), SCHEMA)


@pytest.mark.parametrize("cutoff", range(16))
def test_a_row_says_which_sums_its_counts_are_about_where_the_cut_off_splits_them(cutoff: int) -> None:
    rows = risk_rows(TABLE, RISKS, cutoff)
    words = description((), TABLE, RISKS, cutoff, (1, 1), SCHEMA)
    is_split = cutoff not in {0, 5, 10, 15}
    assert len(rows) == 3 + is_split
    assert [row.whole for row in rows if row.whole] == 2 * is_split * [_bucket_of(cutoff)]
    assert words.count(f"(counted for {_bucket_of(cutoff)}: ") == 2 * is_split
    assert words.count("(counted: ") == len(rows) - 2 * is_split


@pytest.mark.parametrize("cutoff", [0, 4, 5, 13])
def test_every_sum_has_its_own_risk_where_they_are_few(cutoff: int) -> None:
    counts = tuple((900 - 80 * i, 100 + 80 * i) for i in range(10))
    few = Table(counts, tuple(range(MOST_SUMS)), -MOST_SUMS + 1, 3, Fraction(1, 2))
    risks = [few.risk(total) for total in few.sums]
    rows = risk_rows(few, risks, cutoff)
    assert [row.sums for row in rows] == [str(total) for total in few.sums]
    assert [row.low for row in rows] == [row.high for row in rows] == risks
    assert [row.whole for row in rows if row.whole] == ["0 to 1", "0 to 1", "6 to 7", "6 to 7"]
    assert len(_thin(card_picture(sheet((), few, risks, cutoff, (1, 1), SCHEMA), SCHEMA).shapes)) == 10
    more = Table(counts, tuple(range(MOST_SUMS + 1)), -MOST_SUMS, 3, Fraction(1, 2))
    assert len(risk_rows(more, [more.risk(total) for total in more.sums], 0)) == 10


def _bucket_of(total: int) -> str:
    return f"{total // 5 * 5} to {total // 5 * 5 + 4}"


@pytest.mark.parametrize("cutoff", range(16))
def test_what_was_counted_together_has_one_thin_line_between_its_bars(cutoff: int) -> None:
    shown = drawn(cutoff)
    picture = card_picture(shown, SCHEMA)
    assert len(_thin(picture.shapes)) == 3
    places = {shape.text: shape.x for shape in picture.shapes if isinstance(shape, Words)}
    pair = [places[bar.sums.replace(" to ", "–")] for bar in shown.risks if bar.whole]
    assert (BETWEEN in picture.svg()) == bool(pair)
    if pair:
        assert any(x == pytest.approx(sum(pair) / 2) for x in _thin(picture.shapes))


def _thin(shapes: tuple[object, ...]) -> list[float]:
    """Where upright lines stand; the sheet has no blocks, which have some too."""
    lines = [shape.points for shape in shapes if isinstance(shape, Line)]
    return [first[0] for first, last in lines if first[0] == last[0]]


def test_notes_stay_on_the_sheet_when_there_are_many() -> None:
    plain = drawn(4)
    empty = RiskBar("15 to 17", "99 %", 0.99, 0.0, 1.0, 1)
    full = replace(plain, risks=(*plain.risks, empty), weighing="Decided with costs.")
    picture = card_picture(full, SCHEMA)
    assert picture.height > card_picture(plain, SCHEMA).height
    texts = [shape for shape in picture.shapes if isinstance(shape, Words)]
    assert [BETWEEN in shape.text for shape in texts].count(True) == 1
    assert HOLLOW in [shape.text for shape in texts]  # in a line of its own, since both would be too wide
    assert max(shape.y for shape in texts) < picture.height - MARGIN


def test_nothing_is_said_of_a_line_between_hollow_bars() -> None:
    noisy = replace(TABLE, spread=400)
    shown = sheet((), noisy, RISKS, 4, (1, 1), SCHEMA)
    picture = card_picture(shown, SCHEMA)
    assert [bar.whole for bar in shown.risks].count("0 to 4") == 2
    assert _thin(picture.shapes) == []
    assert BETWEEN not in picture.svg()
    assert HOLLOW in picture.svg()


@pytest.mark.parametrize(
    ("title", "is_whole"),
    [("Cholesterol level (1 normal, 3 high)", True), ("W" * 36, False), ("i" * 50, True)],
)
def test_a_heading_is_cut_where_there_is_no_room_and_not_by_its_letters(title: str, is_whole: bool) -> None:
    block = (title, (PointsBar("any", 1),))
    shown = card_picture(replace(drawn(3), blocks=(block,)), SCHEMA)
    texts = [shape.text for shape in shown.shapes if isinstance(shape, Words)]
    assert (title in texts) == is_whole
    assert title in shown.svg()  # where it is cut, a pointer shows it


def test_a_whole_number_at_an_end_of_the_range_is_called_by_its_name() -> None:
    tests = Binarisation.of(SCHEMA).tests
    block = PointsBlock("level", tuple((test, 2) for test in tests))
    assert [bar.values for bar in block.rows(SCHEMA)] == ["1", "2", "3"]
    wide = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [{**COLUMNS[0], "upper": 5}]})
    assert [bar.values for bar in block.rows(wide)] == ["1", "2", "3 or more"]
    real = Schema.from_json({"label": "ill", "columns": [{**COLUMNS[0], "integer": False, "resolution": 3}]})
    assert block.rows(real)[0].values.startswith("below ")


def test_a_range_of_everything_is_not_told() -> None:
    """With 50 records every row of a card said "counted: 0 to 100 %"."""
    loud = replace(TABLE, counts=((9, 20), (14, 0), (3, 12)), spread=60)
    words = description((), loud, RISKS, 5, (1, 1), SCHEMA)
    assert "counted" not in words.replace("the counts are mostly noise", "")
    assert "These risks have nothing behind them but a curve" in words
    mixed = replace(TABLE, counts=((900, 100), (450, 550), (1, 2)))
    some = description((), mixed, RISKS, 5, (1, 1), SCHEMA)
    assert some.count("(counted: ") == 2
    assert "Risks without a counted range have nothing behind them" in some
    assert "nothing behind them" not in description((), TABLE, RISKS, 5, (1, 1), SCHEMA)
