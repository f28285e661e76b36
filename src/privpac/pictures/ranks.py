"""How well a rule ranks and whether its risks are kept, as two pictures side by side: what noisy counts say.

On the left each risk that is told, against the share that was counted, with its interval if it has one:
on the diagonal it is kept. On the right the curve of sensitivity against false alarms (ROC); the diagonal is what
chance gives.
"""

from __future__ import annotations

from collections.abc import Iterator

from privpac.constructions.estimates.ranks import RankFigures
from privpac.pictures.drawing import Box, Drawing, Line, Words

__all__ = ["ranks_picture"]

SIDE, LEFT, GAP, TOP, FOOT, MARGIN = 280.0, 52.0, 96.0, 44.0, 58.0, 16.0
WIDTH, HEIGHT = LEFT + 2 * SIDE + GAP + MARGIN, TOP + SIDE + FOOT
DOT, CAP = 9.0, 4.0
LOW = 0.12
"""Below this height words under a dot would lie on the axis."""
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

Shapes = Iterator[Box | Line | Words]


def ranks_picture(figures: RankFigures, label: str) -> Drawing | None:
    """The drawing; None where the counts are too noisy to say anything."""
    if figures.auc is None:
        return None
    one = figures.class_names[1]
    left, right = LEFT, LEFT + SIDE + GAP
    shapes: list[Box | Line | Words] = []
    shapes += _frame(left, "Are the risks kept?", "risk that is told", "share that was counted")
    shapes += _calibration(figures, left)
    flattering = " (flattering)" if figures.flattering else ""
    title = f"How well it ranks: AUC about {figures.auc.value:.2f}{flattering}"
    shapes += _frame(right, title, "false alarms", "found")
    shapes += _curve(figures, right)
    words = (
        f"{label} = {one}: AUC about {figures.auc}{flattering}; risks told and shares counted: "
        + "; ".join(f"{risk:.2f}: {share.value:.2f}" for risk, share, _ in figures.calibration())
    )
    return Drawing(WIDTH, HEIGHT, tuple(shapes), words)


def _place(left: float, x: float, y: float) -> tuple[float, float]:
    return left + x * SIDE, TOP + (1 - y) * SIDE


def _frame(left: float, title: str, along: str, up: str) -> Shapes:
    yield Box(left, TOP, SIDE, SIDE, "node", 4.0)
    yield Words(left, TOP - 22, title, "heading", "start")
    yield Words(left, TOP - 6, up, "soft", "start")
    for tick in TICKS:
        x, y = _place(left, tick, tick)
        yield Words(x, TOP + SIDE + 16, f"{tick:.0%}", "soft")
        yield Words(left - 6, y + 4, f"{tick:.0%}", "soft", "end")
    yield Words(left + SIDE / 2, TOP + SIDE + 36, along, "soft")
    yield Line((_place(left, 0, 0), _place(left, 1, 1)))


def _calibration(figures: RankFigures, left: float) -> Shapes:
    for risk, share, _ in figures.calibration():
        x, middle = _place(left, risk, share.value)
        if share.low is not None and share.high is not None:
            (_, low), (_, high) = _place(left, risk, share.low), _place(left, risk, share.high)
            yield Line(((x, low), (x, high)))
            for end in (low, high):
                yield Line(((x - CAP, end), (x + CAP, end)))
        yield Box(x - DOT / 2, middle - DOT / 2, DOT, DOT, "k1", DOT / 2)


def _curve(figures: RankFigures, left: float) -> Shapes:
    places = [_place(left, x, y) for x, y in figures.curve()]
    yield Line(tuple(places), "curve")
    if figures.sensitivity is not None and figures.specificity is not None:
        x, y = _place(left, 1 - figures.specificity.value, figures.sensitivity.value)
        yield Box(x - DOT / 2, y - DOT / 2, DOT, DOT, "k1", DOT / 2)
        before = x > left + SIDE / 2
        yield Words(
            x + (-10 if before else 10),
            y + (18 if figures.sensitivity.value > LOW else 0),
            "the rule's own answers",
            "soft",
            "end" if before else "start",
        )
