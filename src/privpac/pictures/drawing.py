"""Boxes, lines and words at fixed places, written as SVG or, with matplotlib, as PNG: one layout, two readings.

A shape has the name of a style; where a page brings its own (the HTML report, with its dark mode) the SVG uses the
names alone, and a file that stands by itself carries `STYLES`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from privpac.drafts import whole_file
from privpac.errors import MissingExtra, ParameterError

__all__ = ["CLASS_STYLES", "Box", "Drawing", "Line", "Words", "checked_path", "text_width"]

CLASS_STYLES = 6
"""Colours of classes; further classes use them again, and every leaf also has its class in words."""

SIZE, SMALL, LARGE = 13.0, 11.0, 19.0
INK, SOFT, EDGE, PAPER = "#1d2530", "#5a6675", "#8a94a3", "#f4f3ef"
CLASS_COLOURS = ("#64758b", "#c2571a", "#2b7a78", "#7a4fa3", "#a8324a", "#4d7c0f")
STYLES: dict[str, dict[str, str]] = {
    "node": {"fill": PAPER, "stroke": EDGE},
    "chance": {"fill": "#e3e6ea"},
    "edge": {"fill": "none", "stroke": EDGE},
    "grid": {"fill": "none", "stroke": "#dcdad2"},
    "curve": {"fill": "none", "stroke": CLASS_COLOURS[1]},
    "on": {"fill": "#ffffff", "font-weight": "700"},
    "test": {"fill": INK},
    "heading": {"fill": INK, "font-weight": "700"},
    "title": {"fill": INK, "font-size": f"{LARGE:.0f}px", "font-weight": "700"},
    "soft": {"fill": SOFT, "font-size": f"{SMALL:.0f}px"},
    **{f"k{index}": {"fill": colour} for index, colour in enumerate(CLASS_COLOURS)},
}
FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif'
DOTS_PER_UNIT = 2.0
MOST_DOTS = 30_000
"""Pixels of a PNG along its longer side."""

NARROW, WIDE = "iljtfrI1.,:;|!'()[]{} ", "mwMW@%≥"


def text_width(text: str, size: float = SIZE) -> float:
    """About how wide a text is, generously: fonts differ, and nothing here can measure them."""
    ems = 0.0
    for letter in text:
        if east_asian_width(letter) in "WF":
            ems += 1.05
        elif letter in NARROW:
            ems += 0.38
        elif letter in WIDE:
            ems += 0.95
        else:
            ems += 0.72 if letter.isupper() else 0.64
    return ems * size


@dataclass(frozen=True)
class Box:
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    style: str
    radius: float = 0.0

    def svg(self) -> str:
        """The rectangle as an SVG element."""
        return (
            f'<rect class="{self.style}" x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}"'
            f' height="{self.height:.1f}" rx="{self.radius:.1f}"/>'
        )

    def paint(self, axes: Any, layer: int) -> None:
        """The rectangle on matplotlib's axes, above all layers before its own."""
        from matplotlib.patches import FancyBboxPatch

        style = STYLES[self.style]
        rounding = min(self.radius, self.width / 2)
        axes.add_patch(
            FancyBboxPatch(
                (self.x, self.y),
                self.width,
                self.height,
                boxstyle=f"round,pad=0,rounding_size={rounding}" if rounding else "square,pad=0",
                facecolor=style["fill"],
                edgecolor=style.get("stroke", "none"),
                linewidth=0.75 if "stroke" in style else 0,
                zorder=layer,
            )
        )


@dataclass(frozen=True)
class Line:
    """Straight pieces from point to point."""

    points: tuple[tuple[float, float], ...]
    style: str = "edge"

    def svg(self) -> str:
        """The line as an SVG element."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)
        return f'<polyline class="{self.style}" points="{places}"/>'

    def paint(self, axes: Any, layer: int) -> None:
        """The line on matplotlib's axes, above all layers before its own."""
        xs, ys = zip(*self.points, strict=True)
        axes.plot(
            xs, ys, color=STYLES[self.style]["stroke"], linewidth=0.9, solid_joinstyle="round", zorder=layer
        )


@dataclass(frozen=True)
class Words:
    """Text on a base line, centred at x unless `anchor` says otherwise; `full` is what was cut short."""

    x: float
    y: float
    text: str
    style: str
    anchor: str = "middle"
    full: str = ""

    def svg(self) -> str:
        """The words as an SVG element, with the full text as its title."""
        title = f"<title>{_clean(self.full)}</title>" if self.full else ""
        return (
            f'<text class="{self.style}" x="{self.x:.1f}" y="{self.y:.1f}" text-anchor="{self.anchor}">'
            f"{title}{_clean(self.text)}</text>"
        )

    def paint(self, axes: Any, layer: int) -> None:
        """The words on matplotlib's axes, above all layers before its own."""
        style = STYLES[self.style]
        size = float(style.get("font-size", f"{SIZE}px").removesuffix("px"))
        axes.text(
            self.x,
            self.y,
            _printable(self.text),
            color=style["fill"],
            fontsize=size * 0.94 * 72 / 100,  # the font that comes with matplotlib runs wide
            fontweight=int(style.get("font-weight", "400")),
            ha={"middle": "center", "start": "left", "end": "right"}[self.anchor],
            va="baseline",
            parse_math=False,  # a column may be called $x$
            zorder=layer,
        )


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet, later ones on top; `title` says in words what is seen."""

    width: float
    height: float
    shapes: tuple[Box | Line | Words, ...]
    title: str

    def svg(self, *, alone: bool = True) -> str:
        """SVG text: a file of its own or, not `alone`, a part of a page that brings the styles."""
        start = f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img"'
        if alone:
            start += (
                f' xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}"'
            )
        else:
            start += f' width="{self.width:.0f}"'  # a page would stretch a small tree
        head = f"{start}>\n<title>{_clean(self.title)}</title>\n"
        if alone:
            head += f"<style>\n{''.join(_rules())}</style>\n"
            head += f'<rect width="{self.width:.0f}" height="{self.height:.0f}" fill="#ffffff"/>\n'
        return head + "\n".join(shape.svg() for shape in self.shapes) + "\n</svg>\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg or .png file, whole or not at all."""
        target = checked_path(path)
        with whole_file(target) as draft:
            if target.suffix.lower() == ".svg":
                draft.write_text(self.svg(), encoding="utf-8", newline="\n")
            else:
                self._paint(draft)

    def _paint(self, path: Path) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtra("A picture in PNG", "plots") from None
        figure = Figure(figsize=(self.width / 100, self.height / 100), facecolor="#ffffff")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        for layer, shape in enumerate(self.shapes):  # matplotlib would put all lines below or above all boxes
            shape.paint(axes, layer)
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        scale = min(DOTS_PER_UNIT, MOST_DOTS / max(self.width, self.height))
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="Glyph"
            )  # a script the font lacks: boxes, not a failure
            figure.set_dpi(100 * scale)
            canvas.print_figure(path, format="png", dpi=100 * scale)


def checked_path(path: str | os.PathLike[str]) -> Path:
    """A path whose ending names a kind of picture."""
    target = Path(path)
    if target.suffix.lower() not in (".svg", ".png"):
        raise ParameterError("picture", "path", str(target), allowed="a file name that ends in .svg or .png")
    return target


def _rules() -> Iterator[str]:
    yield f"text {{ font: {SIZE:.0f}px {FONTS}; }}\n"
    for name, style in STYLES.items():
        yield f".{name} {{ {' '.join(f'{key}: {value};' for key, value in style.items())} }}\n"


def _clean(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    """Without characters that XML forbids: names of columns are anybody's."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
