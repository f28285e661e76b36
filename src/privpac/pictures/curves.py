"""Curves over one axis, as an SVG or PNG file: several series with gaps, steps and bands, linear or log axes.

Drawn with matplotlib (`privpac[plots]`). The same curves give the same SVG, byte for byte, with one version of it.
"""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from privpac.drafts import whole_file
from privpac.errors import MissingExtra, ParameterError
from privpac.pictures.drawing import CLASS_COLOURS, EDGE, INK, SOFT, checked_path

__all__ = ["Curves", "Series", "require_matplotlib"]

OWNER = "curves"
WIDTH, HEIGHT = 8.0, 5.0  # inches
BESIDE = 2.8  # more width for a legend beside the axes
DOTS_PER_INCH = 160
PANEL_WIDTH, PANEL_HEIGHT, GAP = 4.7, 2.7, 0.95  # inches; a phone shows a panel at nearly this width
LEFT, RIGHT = 0.72, 1.38  # inches, for the numbers on one side and the names of curves on the other
ACROSS = PANEL_WIDTH - LEFT - RIGHT
LINE = 0.19  # inches, of a line of the title or the note
NAME_WIDTH, TITLE_WIDTH, NOTE_WIDTH = 16, 46, 62  # characters
NAME_SIZE, NAME_HEIGHT = 9.5, 12.5  # points
MILLION = 10**6
FEW = 6
"""Series whose names find room inside the axes; those of more stand beside them."""
COLOURS = (*CLASS_COLOURS, "#1f6feb", "#9a6b00", "#c05780", "#3d8b5f")
MARKERS = "osD^v<>Ph"
"""Told apart by colour and by shape: nobody should need to see colours."""


@dataclass(frozen=True)
class Series:
    """One curve: a value for every x, None where there is none, and perhaps a band around it.

    `kind`: 'line' joins the points, 'step' holds a value until the next x, 'points' joins nothing, 'mark' is what to
    look at: a ring, or a cross if dashed.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    kind: Literal["line", "step", "points", "mark"] = "line"
    dashed: bool = False
    """For floors, limits and promises, beside what was measured."""
    group: str = ""
    """Series about one thing have one colour and one shape; none: a series is a thing of its own."""
    panel: str = ""
    """The title of the panel it stands in, one below the other; none: all series share one pair of axes."""

    def __post_init__(self) -> None:
        rows = [values for values in (self.y, self.low, self.high) if values is not None]
        if any(len(values) != len(self.x) for values in rows):
            raise ParameterError(OWNER, "series", self.label, allowed="a value (or None) for every x")
        if (self.low is None) != (self.high is None):
            raise ParameterError(
                OWNER, "series", self.label, allowed="a band with both a low and a high edge"
            )


@dataclass(frozen=True)
class Curves:
    """Several series on one pair of axes."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    log_x: bool = False
    log_y: bool = False
    x_ticks: Sequence[float] | None = None
    """Where to mark the x axis, written as they are; None: where it looks right."""
    note: str = ""
    """What was measured and how, below the axes."""

    def __post_init__(self) -> None:
        if not self.series:
            raise ParameterError(OWNER, "series", 0, allowed="at least one series")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an .svg or .png file, whole or not at all."""
        target = checked_path(path)
        require_matplotlib()
        with whole_file(target) as draft:
            self._write(draft, target.suffix.lower()[1:])

    def _write(self, path: Path, kind: str) -> None:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        # Text stays text in an SVG, and neither dates nor random names make two equal figures differ.
        settings = {
            "svg.fonttype": "none",
            "svg.hashsalt": "privpac",
            "font.size": 10.0,
            "text.parse_math": False,
        }
        with mpl.rc_context(settings):
            if any(series.panel for series in self.series):
                canvas = FigureCanvasAgg(self._panels(Figure))
                self._print(canvas, path, kind)
                return
            width = WIDTH + (BESIDE if len(self.series) > FEW else 0.0)
            figure = Figure(figsize=(width, HEIGHT), facecolor="#ffffff", layout="constrained")
            canvas = FigureCanvasAgg(figure)
            self._draw(figure.add_subplot())
            if self.note:
                figure.supxlabel(self.note, fontsize=8, color=SOFT, x=0.01, ha="left")
            self._print(canvas, path, kind)

    def _print(self, canvas: Any, path: Path, kind: str) -> None:
        metadata = {"Date": None, "Title": self.title} if kind == "svg" else {"Title": self.title}
        canvas.print_figure(path, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)

    def _panels(self, figure_of: Callable[..., Any]) -> Any:
        """One panel below the other, narrow enough to be read on a phone; each curve has its name at its end."""
        titles = list(dict.fromkeys(series.panel for series in self.series))
        head, note = _wrap(self.title, TITLE_WIDTH), _wrap(self.note, NOTE_WIDTH) if self.note else ""
        above, below = (
            LINE * (head.count("\n") + 1) + 0.62,
            0.68 + (LINE * (note.count("\n") + 1) if note else 0.0),
        )
        tall = len(titles) * PANEL_HEIGHT + (len(titles) - 1) * GAP
        height = tall + above + below
        figure = figure_of(figsize=(PANEL_WIDTH, height), facecolor="#ffffff")
        axes = figure.subplots(len(titles), 1, squeeze=False)[:, 0]
        figure.subplots_adjust(
            left=LEFT / PANEL_WIDTH,
            right=1 - RIGHT / PANEL_WIDTH,
            top=1 - above / height,
            bottom=below / height,
            hspace=GAP / PANEL_HEIGHT,
        )
        figure.text(0.02, 1 - 0.08 / height, head, fontsize=12, color=INK, va="top")
        for one, title in zip(axes, titles, strict=True):
            curves = [series for series in self.series if series.panel == title]
            there = {x for series in curves for x, y in zip(series.x, series.y, strict=True) if y is not None}
            ticks = None if self.x_ticks is None else [tick for tick in self.x_ticks if tick in there]
            looks = _looks(curves, self.series)
            panel = replace(self, title="", y_label="", series=curves, x_ticks=ticks)
            panel._draw(one, looks, legend=False)
            one.set_title(title, fontsize=10.5, color=INK, x=(0.02 * PANEL_WIDTH - LEFT) / ACROSS, ha="left")
            _name_at_ends(one, curves, looks)
        if note:
            figure.text(0.02, 0.07 / height, note, fontsize=8.5, color=SOFT, va="bottom")
        return figure

    def _draw(self, axes: Any, looks: Sequence[int] | None = None, *, legend: bool = True) -> None:
        for series, look in zip(self.series, looks or _looks(self.series, self.series), strict=True):
            _draw_series(axes, series, look)
        if self.log_x:
            axes.set_xscale("log")
            _mark_powers(axes.xaxis, axes.get_xlim())
        if self.log_y:
            axes.set_yscale("log")
            _mark_powers(axes.yaxis, axes.get_ylim())
        if self.x_ticks is not None:
            axes.set_xticks(self.x_ticks, [f"{tick:g}" for tick in self.x_ticks])
            axes.minorticks_off()
        axes.set_title(self.title, fontsize=11, color=INK, loc="left", wrap=True)
        axes.set_xlabel(self.x_label, color=INK)
        axes.set_ylabel(self.y_label, color=INK)
        axes.grid(visible=True, which="major", color=EDGE, alpha=0.25, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(EDGE)
        axes.tick_params(colors=SOFT)
        if not legend:
            return
        if len(self.series) <= FEW:
            axes.legend(frameon=False, fontsize=8.5, loc="best")
        else:
            axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _looks(curves: Sequence[Series], among: Sequence[Series]) -> list[int]:
    """The number of each series' colour and shape: one for each thing they are about, in every panel the same."""
    things = list(dict.fromkeys(series.group or series.label for series in among))
    return [things.index(series.group or series.label) for series in curves]


def _name_at_ends(axes: Any, curves: Sequence[Series], looks: Sequence[int]) -> None:
    """The name of each curve beside its last point, pushed apart where names would lie on each other."""
    ends = []
    for series, look in zip(curves, looks, strict=True):
        x, y = max((x, y) for x, y in zip(series.x, series.y, strict=True) if y is not None)
        height = axes.transData.transform((x, y))[1]
        ends.append((height, x, y, _wrap(series.label, NAME_WIDTH), COLOURS[look % len(COLOURS)]))
    points = 72 / axes.figure.dpi
    right = axes.get_window_extent().x1
    lowest = -math.inf
    for height, x, y, name, colour in sorted(ends, key=lambda end: end[0]):
        room = NAME_HEIGHT * (name.count("\n") + 1)
        place = max(height * points - room / 2, lowest)
        lowest = place + room
        across = (right - axes.transData.transform((x, y))[0]) * points + 10
        axes.annotate(
            name,
            (x, y),
            (across, place + room / 2 - height * points),
            textcoords="offset points",
            fontsize=NAME_SIZE,
            color=colour,
            va="center",
            annotation_clip=False,
        )


def _wrap(text: str, width: int) -> str:
    return textwrap.fill(text, width)


def _draw_mark(axes: Any, series: Series) -> None:
    """Large, in the colour of the text, and above all curves."""
    look = {"marker": "x", "markersize": 11} if series.dashed else {"marker": "o", "markersize": 13}
    axes.plot(
        series.x,
        _numbers(series.y),
        label=series.label,
        color=INK,
        linestyle="none",
        markerfacecolor="none",
        markeredgewidth=2.0,
        zorder=5,
        **look,
    )


def _draw_series(axes: Any, series: Series, index: int) -> None:
    if series.kind == "mark":
        _draw_mark(axes, series)
        return
    colour = COLOURS[index % len(COLOURS)]
    many = len(series.x) > 40  # a marker on each of many points hides the curve
    axes.plot(
        series.x,
        _numbers(series.y),
        label=series.label,
        color=colour,
        linewidth=1.6,
        linestyle="none" if series.kind == "points" else ("--" if series.dashed else "-"),
        drawstyle="steps-post" if series.kind == "step" else "default",
        marker="" if many and series.kind != "points" else MARKERS[index % len(MARKERS)],
        markersize=4.5,
        # Beside a line of its colour, points on their own are hollow.
        markerfacecolor="#ffffff" if series.kind == "points" and series.group else colour,
    )
    if series.low is not None and series.high is not None:
        step = "post" if series.kind == "step" else None
        low, high = _numbers(series.low), _numbers(series.high)
        axes.fill_between(series.x, low, high, color=colour, alpha=0.18, linewidth=0, step=step)


def _mark_powers(axis: Any, limits: tuple[float, float]) -> None:
    """Plain numbers on a log axis; between powers of ten as well when there are few of them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    few = limits[1] < 500 * limits[0]
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))
    axis.set_minor_formatter(NullFormatter())


def _number(value: float) -> str:
    """A mark of an axis; millions are short, so that they stay on the page."""
    return f"{value / MILLION:,.10g} M" if value >= MILLION else f"{value:,.10g}"


def _numbers(values: Sequence[float | None]) -> list[float]:
    """A gap is a number that is not one."""
    return [math.nan if value is None else float(value) for value in values]


def require_matplotlib() -> None:
    """Refuse, naming the extra, before any work is done for a figure."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("A figure", "plots") from None
