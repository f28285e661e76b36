"""A card as people hang it on a wall: one block of bars per column, and the risks by sum of points underneath.

Blocks stand in two columns, the next one always where there is more room, so the sheet stays close to a printed page.
Points for two answers at once have a block as wide as the page, one line each.
A sheet that hangs by itself says at its foot whom it hides, and how well (`promise`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privpac.concepts.shapes import TOGETHER, PointsBar, PointsSheet, RiskBar
from privpac.data.schema import Schema
from privpac.pictures.drawing import LARGE, SIZE, SMALL, Box, Drawing, Line, Words, text_width

__all__ = ["card_picture"]

WIDTH, MARGIN, GUTTER = 760.0, 28.0, 20.0
PANEL = (WIDTH - 2 * MARGIN - GUTTER) / 2
TOP = MARGIN + 52.0
"""Where the first block begins."""
PADDING, HEADING, ROW, GAP = 14.0, 34.0, 22.0, 16.0
VALUES, BAR, THICK = 205.0, 75.0, 12.0
"""Room for the values of a row, for its bar, and how thick a bar is."""
RISK_HEIGHT, RISK_HEAD, RISK_FOOT, CAPTION = 120.0, 50.0, 78.0, 58.0
NOTE = 18.0
"""From one line below the risks to the next."""
GRID = (0.25, 0.5, 0.75, 1.0)
"""Risks that have a line across."""
FOOT = 26.0
THIN = "Thin lines: risks within two standard deviations of the noisy counts."
BETWEEN = "One between two bars is about both."
HOLLOW = "Hollow bars: too few were counted there to tell."

Shapes = Iterator[Box | Line | Words]


@dataclass(frozen=True)
class _Panel:
    """One block at its place."""

    column: str
    bars: tuple[PointsBar, ...]
    x: float
    y: float
    width: float = PANEL

    @property
    def height(self) -> float:
        return _height(self.bars)

    @property
    def values(self) -> float:
        """Room for the values of a row: what a wide panel has more is theirs."""
        return VALUES + self.width - PANEL

    def shapes(self, most: int) -> Shapes:
        yield Box(self.x, self.y, self.width, self.height, "node", 6.0)
        name = _fitting(self.column, self.width - 2 * PADDING, SIZE)
        yield Words(self.x + PADDING, self.y + 23, name, "heading", "start", _full(self.column, name))
        for number, bar in enumerate(self.bars):
            yield from self._row(bar, self.y + HEADING + number * ROW, most)

    def _row(self, bar: PointsBar, y: float, most: int) -> Shapes:
        start = self.x + PADDING + self.values
        values = _fitting(bar.values, self.values - 8)
        yield Words(self.x + PADDING, y + 14, values, "soft", "start", _full(bar.values, values))
        yield Line(((start, y + 2), (start, y + ROW - 2)))
        if bar.points:
            yield Box(start, y + 5, BAR * bar.points / most, THICK, "k1", 2.0)
        yield Words(self.x + self.width - PADDING, y + 15, str(bar.points), "heading", "end")


def card_picture(sheet: PointsSheet, schema: Schema, *, promise: str = "") -> Drawing:
    """The drawing of a card; `promise` stands at its foot."""
    panels = _panels(sheet)
    most = max((bar.points for panel in panels for bar in panel.bars), default=1)
    bottom = max((panel.y + panel.height + GAP for panel in panels), default=TOP)
    shapes: list[Box | Line | Words] = list(_title(schema))
    for panel in panels:
        shapes += panel.shapes(most)
    shapes += _risks(sheet, schema, bottom)
    height = bottom + RISK_HEAD + RISK_HEIGHT + _foot(sheet) + MARGIN
    if promise:
        shapes.append(Words(MARGIN, height - 2, promise, "soft", "start"))
        height += FOOT
    return Drawing(WIDTH, height, tuple(shapes), _in_words(sheet, schema))


def _title(schema: Schema) -> Shapes:
    title = f"Risk card for {_of_one(schema)}"
    text = _fitting(title, WIDTH - 2 * MARGIN, LARGE)
    yield Words(MARGIN, MARGIN + 14, text, "title", "start", _full(title, text))
    advice = "Add up the points of all blocks, then read the risk off below."
    yield Words(MARGIN, MARGIN + 34, advice, "soft", "start")


def _panels(sheet: PointsSheet) -> list[_Panel]:
    free = [TOP, TOP]
    panels = []
    for column, bars in sheet.blocks:
        side = 0 if free[0] <= free[1] else 1
        panels.append(_Panel(column, bars, MARGIN + side * (PANEL + GUTTER), free[side]))
        free[side] += _height(bars) + GAP
    if sheet.together:
        panels.append(_Panel(TOGETHER, sheet.together, MARGIN, max(free), WIDTH - 2 * MARGIN))
    return panels


def _height(bars: Sequence[PointsBar]) -> float:
    return HEADING + len(bars) * ROW + PADDING / 2


def _risks(sheet: PointsSheet, schema: Schema, y: float) -> Shapes:
    wide = WIDTH - 2 * MARGIN
    start, end = MARGIN + PADDING, MARGIN + wide - PADDING
    yield Box(MARGIN, y, wide, RISK_HEAD + RISK_HEIGHT + _foot(sheet), "node", 6.0)
    yield Words(start, y + 23, f"Risk of {_of_one(schema)} by sum of points", "heading", "start")
    step = (end - start - CAPTION) / len(sheet.risks)
    floor = y + RISK_HEAD + RISK_HEIGHT
    for share in GRID:
        height = floor - share * RISK_HEIGHT
        yield Line(((start + CAPTION, height), (end, height)), "grid")
        yield Words(start + CAPTION - 8, height + 4, f"{share:.0%}".replace("%", " %"), "soft", "end")
    for number, (bar, after) in enumerate(zip(sheet.risks, (*sheet.risks[1:], None), strict=True)):
        middle = start + CAPTION + (number + 0.5) * step
        yield from _risk(bar, middle, floor, step)
        if number == 0 or not _counted_together(sheet.risks[number - 1], bar):
            beside = step / 2 if _counted_together(bar, after) else _half(step) + 5
            yield from _count_line(bar, middle + beside, floor)
    yield Line(((start, floor), (end, floor)))
    yield Words(start, floor + 18, "points", "soft", "start")
    yield Words(start, floor + 36, "risk", "soft", "start")
    yield Words(start, floor + 64, sheet.verdict, "test", "start")
    for number, text in enumerate(_notes(sheet)):
        yield Words(start, floor + 84 + number * NOTE, text, "soft", "start")


def _notes(sheet: PointsSheet) -> list[str]:
    """What stands below the cut-off, a line each; what thin lines and hollow bars mean shares one where it fits."""
    lines, hollow = [THIN], [HOLLOW] if any(bar.says_nothing for bar in sheet.risks) else []
    if any(map(_counted_together, sheet.risks, sheet.risks[1:])):
        lines = [f"{THIN} {BETWEEN}", *hollow]
    elif hollow:
        lines = [f"{THIN} {HOLLOW}"]
    return [*filter(None, [sheet.weighing]), *lines, sheet.caution]


def _foot(sheet: PointsSheet) -> float:
    """Room below the bars."""
    return RISK_FOOT + NOTE * len(_notes(sheet))


def _of_one(schema: Schema) -> str:
    """What the risk is of: a label that is 0 or 1, or false or true, needs no more than its name."""
    zero, one = schema.class_names
    plain = (zero.lower(), one.lower()) in {("0", "1"), ("false", "true"), ("no", "yes")}
    return schema.label_called if plain else f"{schema.label_called} = {one}"


def _risk(bar: RiskBar, x: float, floor: float, step: float) -> Shapes:
    half = _half(step)
    height = max(1.0, bar.share * RISK_HEIGHT)
    style = "edge" if bar.says_nothing else f"k{bar.label}"
    yield Box(x - half, floor - height, 2 * half, height, style, 2.0)
    yield Words(x, floor + 18, _range_text(bar.sums), "test")
    yield Words(x, floor + 36, _range_text(bar.risk), "soft")


def _half(step: float) -> float:
    """Half of a bar's width."""
    return min(24.0, 0.3 * step)


def _count_line(bar: RiskBar, x: float, floor: float) -> Shapes:
    """What the counts allow, as a thin line."""
    if bar.says_nothing:
        return
    low, high = floor - bar.least * RISK_HEIGHT, floor - bar.most * RISK_HEIGHT
    yield Line(((x, low), (x, high)))
    for end in (low, high):
        yield Line(((x - 3, end), (x + 3, end)))


def _counted_together(bar: RiskBar, after: RiskBar | None) -> bool:
    """Whether these two have a thin line in common: the cut-off splits what was counted together."""
    return after is not None and bar.whole == after.whole != "" and not bar.says_nothing


def _range_text(text: str) -> str:
    """From … to …, short enough to stand under a bar."""
    return text.replace(" to ", "–")


def _in_words(sheet: PointsSheet, schema: Schema) -> str:
    pairs = f" and {len(sheet.together)} pairs of answers" if sheet.together else ""
    return (
        f"Risk card for {schema.label_called}: points for {len(sheet.blocks)} columns{pairs}; {sheet.verdict}"
    )


def _short(text: str, letters: int) -> str:
    if len(text) <= letters:
        return text
    half = (letters - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _fitting(text: str, width: float, size: float = SMALL) -> str:
    """The text, its middle left out where it is wider than this."""
    letters = len(text)
    while letters > 3 and text_width(_short(text, letters), size) > width:
        letters -= 1
    return _short(text, letters)


def _full(text: str, excerpt: str) -> str:
    return "" if text == excerpt else text
