"""A sheet to draw diagrams on: boxes with words, arrows, lines, bars, dots; written as SVG on light paper.

The paper makes a picture readable on pages of any colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from privpac.pictures.drawing import CLASS_COLOURS, EDGE, FONTS, INK, PAPER, SOFT, text_width

__all__ = ["BLUE", "GREEN", "GREY", "INK", "ORANGE", "PALE", "PURPLE", "Sheet", "flow"]

GREY, ORANGE, GREEN, PURPLE = CLASS_COLOURS[:4]
BLUE, PALE = "#1f6feb", "#dfe4ea"
SIZE, SMALL, LINE = 13.0, 11.0, 17.0


class Sheet:
    """Shapes in the order they were put down."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.shapes: list[str] = []

    def line(
        self, *points: tuple[float, float], colour: str = EDGE, width: float = 1.4, dashed: bool = False
    ) -> None:
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.shapes.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width}"'
            f' stroke-linejoin="round"{dashes}/>'
        )

    def arrow(self, start: tuple[float, float], end: tuple[float, float], colour: str = EDGE) -> None:
        (x0, y0), (x1, y1) = start, end
        long = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
        ux, uy = (x1 - x0) / long, (y1 - y0) / long
        left = (x1 - 8 * ux - 4 * uy, y1 - 8 * uy + 4 * ux)
        right = (x1 - 8 * ux + 4 * uy, y1 - 8 * uy - 4 * ux)
        self.line(start, end, colour=colour)
        self.line(left, end, right, colour=colour)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = PAPER,
        edge: str = "none",
        radius: float = 0.0,
    ) -> None:
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:.1f}"'
            f' fill="{fill}" stroke="{edge}"/>'
        )

    def dot(self, x: float, y: float, *, fill: str = GREY, radius: float = 4.0, edge: str = "none") -> None:
        self.shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{edge}"/>'
        )

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        colour: str = INK,
        small: bool = False,
        bold: bool = False,
        anchor: str = "middle",
    ) -> None:
        size = SMALL if small else SIZE
        weight = ' font-weight="700"' if bold else ""
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.0f}" fill="{colour}"{weight}>'
            f"{escape(text)}</text>"
        )

    def note(self, x: float, y: float, text: str, *, anchor: str = "middle") -> None:
        self.words(x, y, text, colour=SOFT, small=True, anchor=anchor)

    def box(
        self, x: float, y: float, text: str, *, fill: str = PAPER, width: float | None = None
    ) -> tuple[float, float]:
        """Lines of text in a rounded box whose upper left corner is (x, y); gives its width and height."""
        lines = text.split("\n")
        wide = width or max(text_width(line) for line in lines) + 22
        high = len(lines) * LINE + 14
        self.rect(x, y, wide, high, fill=fill, edge=EDGE if fill == PAPER else "none", radius=7)
        colour = INK if fill in (PAPER, PALE) else "#ffffff"
        for number, line in enumerate(lines):
            self.words(x + wide / 2, y + 7 + LINE * number + 13, line, colour=colour)
        return wide, high

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}"'
            f' width="{self.width:.0f}" height="{self.height:.0f}" role="img" font-family="{escape(FONTS)}">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="{self.width:.0f}" height="{self.height:.0f}" rx="8" fill="#ffffff"/>\n'
            + "\n".join(self.shapes)
            + "\n</svg>\n"
        )


def flow(title: str, *columns: Sequence[tuple[str, str]], gap: float = 46.0) -> Sheet:
    """Columns of boxes from left to right, every box of a column with arrows to the next: to its own if there are as
    many, else to all. A box is (text, colour)."""
    tall = [_height(column) for column in columns]
    wide = [
        max(text_width(line) for text, _ in column for line in text.split("\n")) + 22 for column in columns
    ]
    sheet = Sheet(sum(wide) + gap * (len(columns) - 1) + 40, max(tall) + 40, title)
    x, ends = 20.0, []
    for column, high, width in zip(columns, tall, wide, strict=True):
        y, here = (sheet.height - high) / 2, []
        for text, fill in column:
            _, box = sheet.box(x, y, text, fill=fill, width=width)
            here.append(y + box / 2)
            y += box + 16
        for start, end in _pairs(ends, here):
            sheet.arrow((x - gap + 2, start), (x - 3, end))
        x, ends = x + width + gap, here
    return sheet


def _height(column: Sequence[tuple[str, str]]) -> float:
    return sum(len(text.split("\n")) * LINE + 14 for text, _ in column) + 16 * (len(column) - 1)


def _pairs(left: Sequence[float], right: Sequence[float]) -> list[tuple[float, float]]:
    if len(left) == len(right):
        return list(zip(left, right, strict=True))
    return [(start, end) for start in left for end in right]
