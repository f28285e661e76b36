"""Ideas along a line or in the plane: covers, switches, public features, counts, quantiles, packings."""

from __future__ import annotations

import math
from collections.abc import Callable

from docs.pictures.sheet import BLUE, GREEN, GREY, INK, ORANGE, PALE, Sheet

from privpac.theory.vc import records_net, uniform_gap

__all__ = ["LINES"]


def switches() -> Sheet:
    sheet = Sheet(640, 170, "One of the switches is a good cut")
    sheet.note(30, 34, "the rule", anchor="start")
    for start, end in ((150, 190), (330, 560), (590, 610)):
        sheet.rect(start, 44, end - start, 16, fill=ORANGE)
    sheet.line((100, 60), (610, 60), colour=INK)
    for x in (150, 190, 330, 560, 590):
        sheet.line((x, 40), (x, 84), colour=BLUE, dashed=True)
        sheet.dot(x, 88, fill=BLUE, radius=4)
    sheet.note(30, 92, "switches", anchor="start")
    sheet.note(30, 132, "the cut", anchor="start")
    sheet.rect(330, 120, 280, 16, fill=GREEN)
    sheet.line((100, 136), (610, 136), colour=INK)
    sheet.note(355, 158, "a few candidates, so a private pick among them is cheap")
    return sheet


def reference_covers() -> Sheet:
    sheet = Sheet(640, 210, "Quantiles of a reference, and a truth that is at most kappa times as dense")
    reference = [(40 + x, 150 - 60 * math.exp(-(((x - 280) / 170) ** 2)) - 12) for x in range(0, 561, 10)]
    truth = [(40 + x, 150 - 105 * math.exp(-(((x - 350) / 70) ** 2)) - 4) for x in range(0, 561, 10)]
    sheet.line(*reference, colour=GREY, width=2.5)
    sheet.line(*truth, colour=ORANGE, width=2.5)
    sheet.line((40, 150), (600, 150), colour=INK)
    for x in (84, 150, 205, 250, 288, 320, 352, 390, 435, 490, 556):
        sheet.line((x, 142), (x, 162), colour=BLUE, width=2)
    sheet.note(100, 90, "reference")
    sheet.words(460, 48, "truth, at most κ times as dense", colour=ORANGE, small=True, anchor="start")
    sheet.note(320, 182, "candidate cuts at equal shares of the reference: every cut is within r of one,")
    sheet.note(320, 198, "and within κ·r of it in truth")
    return sheet


def sampled_covers() -> Sheet:
    sheet = Sheet(640, 200, "Random candidates, one in the ball")
    for number in range(42):
        x, y = 60 + number * 211 % 520, 24 + number * 137 % 150
        near = (x - 330) ** 2 + (y - 95) ** 2 < 48**2
        sheet.dot(x, y, fill=GREEN if near else GREY, radius=4)
    sheet.dot(330, 95, fill="none", radius=48, edge=ORANGE)
    sheet.dot(330, 95, fill=ORANGE, radius=6)
    sheet.note(
        320,
        192,
        "candidates are drawn before any record is seen; some fall into the ball around the best rule (orange)",
    )
    return sheet


def label_privacy() -> Sheet:
    sheet = Sheet(640, 150, "Cuts between records, by their features")
    places = [70, 95, 150, 170, 240, 262, 300, 350, 400, 430, 520, 560]
    sheet.line((40, 70), (610, 70), colour=INK)
    for number, x in enumerate(places):
        sheet.dot(x, 70, fill="#ffffff", edge=INK, radius=8)
        sheet.words(x, 74, "?", small=True, colour=ORANGE, bold=True)
        if number % 3 == 2:
            middle = (x + places[number - 1]) / 2
            sheet.line((middle, 36), (middle, 104), colour=BLUE, width=2)
    sheet.note(40, 26, "features are public: cuts may follow them", anchor="start")
    sheet.note(320, 130, "labels are secret: they decide only which of the few cuts is drawn")
    return sheet


def histogram() -> Sheet:
    sheet = Sheet(640, 190, "Noise on every cell, small counts dropped")
    true = (0, 6, 0, 0, 9, 2, 0, 12, 0, 0, 1, 7)
    noise = (1, -1, 4, 0, 2, -1, -2, 1, 3, 0, -1, -2)
    for number, (count, off) in enumerate(zip(true, noise, strict=True)):
        x, noisy = 50 + 47 * number, max(0, count + off)
        sheet.rect(x, 140 - 8 * count, 16, 8 * count, fill=GREY)
        sheet.rect(x + 18, 140 - 8 * noisy, 16, 8 * noisy, fill=BLUE if noisy > 3 else PALE)
    sheet.line((40, 140), (610, 140), colour=INK)
    sheet.line((40, 140 - 8 * 3), (610, 140 - 8 * 3), colour=ORANGE, dashed=True)
    sheet.words(40, 40, "counts above the dashed line are kept", colour=ORANGE, small=True, anchor="start")
    sheet.note(
        320,
        162,
        "true count and noisy count of every cell; empty cells get noise as well (the third cell is kept)",
    )
    return sheet


def tree_counts() -> Sheet:
    sheet = Sheet(640, 190, "A prefix is a sum of few nodes")
    chosen = {(1, 0), (2, 2), (3, 6)}
    for level in range(4):
        parts = 2**level
        wide = 576 / parts
        for part in range(parts):
            on = (level, part) in chosen
            sheet.rect(
                32 + wide * part + 1, 24 + 30 * level, wide - 2, 24, fill=ORANGE if on else PALE, radius=3
            )
    sheet.line((32 + 576 * 7 / 8, 12), (32 + 576 * 7 / 8, 152), colour=BLUE, width=2)
    sheet.rect(32, 148, 576 * 7 / 8, 8, fill=BLUE)
    sheet.note(320, 178, "everything left of the line is three noisy counts, not seven")
    return sheet


def quantiles() -> Sheet:
    sheet = Sheet(640, 190, "Halving, and halving the halves")
    places = sorted((40 + (k * k * 13 + 97 * k) % 560) for k in range(32))
    for x in places:
        sheet.dot(x, 36, fill=GREY, radius=3)
    for level, colour in enumerate((ORANGE, BLUE, GREEN)):
        step = 32 // 2 ** (level + 1)
        for number in range(2**level):
            rank = step * (2 * number + 1)
            x = (places[rank - 1] + places[rank]) / 2
            sheet.line((x, 48), (x, 84 + 30 * level), colour=colour, width=2.5)
        sheet.words(14, 84 + 30 * level, f"{level + 1}", colour=colour, bold=True, anchor="start")
    sheet.line((40, 50), (610, 50), colour=INK)
    sheet.note(320, 180, "level 1: a median; level 2: a median of each half; a level costs one ε")
    return sheet


def candidate_databases() -> Sheet:
    sheet = Sheet(640, 220, "A staircase near the true one")
    true = [(60 + x, 180 - 150 / (1 + math.exp(-(x - 250) / 60))) for x in range(0, 521, 8)]
    band = 22
    sheet.line(*((x, y - band) for x, y in true), colour=PALE, dashed=True)
    sheet.line(*((x, y + band) for x, y in true), colour=PALE, dashed=True)
    sheet.line(*true, colour=GREY, width=2.5)
    stair, steps = [(60.0, 180.0)], 7
    for number in range(steps):
        level = (number + 0.5) / steps
        x = 60 + 250 + 60 * math.log(level / (1 - level))
        stair += [(x, stair[-1][1]), (x, 180 - 150 * (number + 1) / steps)]
    sheet.line(*stair, (580, 30), colour=ORANGE, width=2.5)
    sheet.line((60, 180), (600, 180), colour=INK)
    sheet.note(70, 40, "share of records below a value", anchor="start")
    sheet.words(
        330,
        208,
        "seven synthetic records (steps) within 1/14 of the truth everywhere",
        small=True,
        colour=ORANGE,
    )
    return sheet


def deviations() -> Sheet:
    sheet = Sheet(640, 260, "Records by error: nets and uniform deviation")
    errors = (0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
    net = [records_net(error, failure=0.05, vc=1) for error in errors]
    uniform = [_records_uniform(error) for error in errors]
    for values, colour, name in ((net, GREEN, "net"), (uniform, ORANGE, "uniform deviation")):
        places = [(70 + 72 * k, 210 - 34 * math.log10(n / 40)) for k, n in enumerate(values)]
        sheet.line(*places, colour=colour, width=2.5)
        for (x, y), n in zip(places, values, strict=True):
            sheet.dot(x, y, fill=colour)
            sheet.note(x, y - 9, f"{n:,}")
        sheet.words(places[5][0] + 8, places[5][1] + 18, name, colour=colour, small=True, anchor="start")
    sheet.line((50, 220), (610, 220), colour=INK)
    for k, error in enumerate(errors):
        sheet.note(70 + 72 * k, 236, f"{error:g}")
    sheet.note(330, 252, "error; records at VC dimension 1, failure 0.05")
    return sheet


def _records_uniform(error: float) -> int:
    low, high = 1, 10**8
    while low < high:
        middle = (low + high) // 2
        enough = uniform_gap(middle, failure=0.05, vc=1) <= error
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def floors() -> Sheet:
    sheet = Sheet(640, 190, "The answers of all situations must fit into one probability")
    sheet.note(30, 28, "probability of each answer in ONE situation", anchor="start")
    x = 30.0
    sheet.rect(30, 44, 580, 40, fill=PALE)
    for number, wide in enumerate((290, 58, 58, 58, 58, 58)):
        sheet.rect(x + 1, 44, wide - 2, 40, fill=GREEN if number == 0 else ORANGE)
        sheet.words(
            x + wide / 2, 69, "right here" if number == 0 else "≥", colour="#ffffff", small=number > 0
        )
        x += wide
    sheet.note(175, 102, "at least 1 − failure")
    sheet.note(465, 102, "each is right in another situation, K records away:")
    sheet.note(465, 118, "at least (1 − failure)·e^(−ε·K)")
    sheet.words(320, 150, "they exclude each other, so they must fit into 1:", bold=True)
    sheet.words(320, 172, "(number of situations) · e^(−ε·K) is at most about failure")
    return sheet


LINES: dict[str, Callable[[], Sheet]] = {
    "switches": switches,
    "reference-covers": reference_covers,
    "sampled-covers": sampled_covers,
    "label-privacy": label_privacy,
    "histogram": histogram,
    "tree-counts": tree_counts,
    "quantiles": quantiles,
    "candidate-databases": candidate_databases,
    "deviations": deviations,
    "floors": floors,
}
"""Pictures by the name of their page."""
