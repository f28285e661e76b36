"""Ideas that have a shape: weights, runs, codes, random sets. Numbers come from the library where there are any."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

from docs.pictures.sheet import BLUE, GREEN, GREY, INK, ORANGE, PALE, PURPLE, Sheet

from privpac.constructions.points.clipped import records_clipped
from privpac.constructions.points.coded import plan_code
from privpac.constructions.points.covered import records_cover
from privpac.numbers.exact import ratio_for
from privpac.theory.floors import floor_points_proper
from privpac.theory.sizes import records_occam

__all__ = ["SHAPES"]

WANTED = {"error": 0.1, "failure": 0.05, "epsilon": 1}


def exponential_mechanism() -> Sheet:
    """The table of the page: eight ages, one label out of order, epsilon 2."""
    labels = (0, 0, 0, 1, 0, 1, 1, 1)
    mistakes = [sum(y != (age >= cut) for age, y in enumerate(labels)) for cut in range(9)]
    ratio = float(ratio_for(Fraction(1)))
    weights = [ratio**m for m in mistakes]
    sheet = Sheet(640, 250, "Cuts, their mistakes, and how likely each is")
    for age, y in enumerate(labels):
        sheet.dot(100 + 60 * age + 30, 40, fill=ORANGE if y else GREY, radius=7)
    sheet.note(20, 44, "records", anchor="start")
    for cut, (wrong, weight) in enumerate(zip(mistakes, weights, strict=True)):
        x = 100 + 60 * cut
        share = weight / sum(weights)
        sheet.line((x, 58), (x, 72), colour=INK)
        sheet.words(x, 90, str(wrong))
        sheet.rect(x - 16, 220 - 340 * share, 32, 340 * share, fill=BLUE)
        sheet.note(x, 238, f"{share:.2f}")
    sheet.note(20, 90, "mistakes", anchor="start")
    sheet.note(20, 238, "chance", anchor="start")
    return sheet


def trees() -> Sheet:
    sheet = Sheet(640, 270, "A first tree, then a tree in every leaf")
    sheet.rect(150, 12, 340, 118, fill="#eef3fb", radius=10)
    sheet.note(160, 30, "stage 1: all records, 3/10 of ε", anchor="start")
    sheet.note(12, 160, "stage 2: each leaf", anchor="start")
    sheet.note(12, 176, "its own records,", anchor="start")
    sheet.note(12, 192, "7/10 of ε for all", anchor="start")
    sheet.box(270, 38, "smoker?", width=100)
    for number, (x, text) in enumerate(((175, "age ≥ 40?"), (365, "bmi ≥ 28?"))):
        sheet.line((320, 70), (x + 50, 92))
        sheet.box(x, 92, text, width=100)
        for side in (0, 1):
            leaf = 150 + 190 * number + 90 * side
            sheet.line((x + 50, 124), (leaf + 30, 156))
            sheet.rect(leaf - 8, 148, 76, 108, fill="#fdf1e7", radius=8)
            sheet.rect(leaf + 14, 158, 32, 20, fill="#ffffff", edge=GREY, radius=4)
            for end in (0, 1):
                place = leaf + 4 + 36 * end
                sheet.line((leaf + 30, 178), (place + 8, 206))
                sheet.rect(
                    place - 2, 206, 22, 20, fill=ORANGE if (number + side + end) % 2 else GREY, radius=4
                )
    return sheet


def cuts_and_boxes() -> Sheet:
    sheet = Sheet(640, 150, "Runs of equal score between records")
    places = [(90, 0), (170, 0), (200, 1), (330, 0), (360, 1), (470, 1), (560, 1)]
    ends = [40, *(x for x, _ in places), 610]
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        wrong = sum((x >= end) != bool(y) for x, y in places)
        sheet.rect(start + 1, 70, end - start - 2, 24, fill=PALE if number % 2 else "#eef3fb")
        sheet.words((start + end) / 2, 87, str(wrong), small=end - start < 40)
    for x, y in places:
        sheet.dot(x, 52, fill=ORANGE if y else GREY, radius=6)
        sheet.line((x, 60), (x, 96), colour=INK, width=1)
    sheet.line((40, 96), (610, 96), colour=INK)
    sheet.note(40, 26, "records by the value of the column, class 0 and 1", anchor="start")
    sheet.note(
        325, 120, "mistakes of a cut anywhere between two records: n records, n + 1 numbers, 2^64 cuts"
    )
    return sheet


def halfspaces() -> Sheet:
    sheet = Sheet(640, 230, "Integer directions and public cut-offs")
    for dx in range(-3, 4):
        for dy in range(-3, 4):
            if max(abs(dx), abs(dy)) == 3 or (math.gcd(dx, dy) == 1):
                sheet.line((120, 115), (120 + 30 * dx, 115 - 30 * dy), colour=PALE, width=1.2)
    for dx in range(-3, 4):
        for dy in range(-3, 4):
            sheet.dot(120 + 30 * dx, 115 - 30 * dy, fill=GREY, radius=2.5)
    sheet.line((120, 115), (180, 85), colour=ORANGE, width=3)
    sheet.note(120, 222, "points up to 3 for two columns")
    sheet.rect(300, 22, 300, 180, fill="#f7f8fa", edge=GREY)
    for level in range(7):
        x = 330 + 45 * level
        bold = level == 3
        sheet.line(
            (x, 24),
            (x - 90, 200) if x - 90 > 300 else (300, 24 + (x - 300) * 176 / 90),
            colour=ORANGE if bold else PALE,
            width=3 if bold else 1.4,
        )
    for number in range(26):
        x, y = 312 + number * 79 % 276, 34 + number * 53 % 156
        over = x + (y - 24) * 90 / 176 >= 465
        sheet.dot(x, y, fill=ORANGE if over else GREY, radius=4)
    sheet.note(450, 222, "2 · first + 1 · second, cut at public places")
    return sheet


def cards() -> Sheet:
    sheet = Sheet(640, 220, "Rounds of a risk card")
    rounds = (("age", 3, (26, 26, 26, 26)), ("pressure", 2, (26, 18, 26, 9)), ("smoker", 1, (21, 13, 24, 6)))
    for number, (test, points, weights) in enumerate(rounds):
        x = 24 + 140 * number
        sheet.rect(x, 40, 120, 96, fill="#f7f8fa", edge=GREY, radius=6)
        for place, weight in enumerate(weights):
            sheet.rect(
                x + 14 + 26 * place, 120 - 2.4 * weight, 16, 2.4 * weight, fill=GREY if place % 2 else ORANGE
            )
        sheet.line((x + 8, 57.6), (x + 112, 57.6), colour=BLUE, dashed=True)
        sheet.words(x + 60, 158, f"{test}: {points}", bold=True)
        sheet.arrow((x + 120, 88), (x + 140, 88))
    sheet.note(24, 26, "weights of records in each round, cut at the cap", anchor="start")
    sheet.note(24, 184, "one test drawn per round, with its points", anchor="start")
    for place, risk in enumerate((4, 9, 18, 34, 55, 74, 87)):
        sheet.rect(452 + 24 * place, 136 - risk, 18, risk, fill=ORANGE if risk > 50 else GREY)
        sheet.note(461 + 24 * place, 152, str(place))
    sheet.line((446, 136), (622, 136), colour=INK)
    sheet.note(534, 184, "risk by sum of points")
    return sheet


def counts_and_estimates() -> Sheet:
    sheet = Sheet(640, 210, "A count with geometric noise")
    ratio = float(ratio_for(Fraction(1, 2)))
    for k in range(-14, 15):
        mass = (1 - ratio) / (1 + ratio) * ratio ** abs(k)
        sheet.rect(320 + 20 * k - 7, 160 - 560 * mass, 14, 560 * mass, fill=BLUE if abs(k) <= 7 else PALE)
    sheet.line((30, 160), (610, 160), colour=INK)
    sheet.line((320, 18), (320, 166), colour=ORANGE, width=2)
    sheet.words(320, 182, "true count", colour=ORANGE)
    sheet.note(320, 200, "ε = 1: the released count is one of these, each step e^(−1/2) times as likely")
    return sheet


def points() -> Sheet:
    sheet = Sheet(760, 330, "Records by bits and way")
    lengths = (16, 32, 64, 128)
    series = [
        ("the value, plain", GREY, [records_occam(2**d, **WANTED) for d in lengths]),
        ("the value, clipped", PURPLE, [records_clipped(2**d, **WANTED) for d in lengths]),
        ("no value can do with fewer", PALE, [floor_points_proper(2**d, **WANTED) for d in lengths]),
        ("a set of a code", ORANGE, [plan_code(2**d, **WANTED)[0] for d in lengths]),
        ("a random cover", GREEN, [records_cover(**WANTED)] * 4),
    ]
    top = max(series[0][2])
    for group, bits in enumerate(lengths):
        x = 40 + 178 * group
        sheet.words(x + 68, 292, f"{bits} bits")
        for number, (_, colour, values) in enumerate(series):
            high = 215 * values[group] / top
            sheet.rect(x + 28 * number, 270 - high, 24, high, fill=colour)
            sheet.note(x + 28 * number + 12, 264 - high, f"{values[group]:,}")
    sheet.line((30, 270), (740, 270), colour=INK)
    x = 30
    for name, colour, _ in series:
        sheet.rect(x, 308, 12, 12, fill=colour)
        sheet.note(x + 17, 318, name, anchor="start")
        x += 36 + 5.9 * len(name)
    return sheet


def points_clipped() -> Sheet:
    sheet = Sheet(640, 200, "The score of a value by its lead")
    sheet.line((60, 150), (600, 150), colour=INK)
    sheet.line((60, 150), (60, 24), colour=INK)
    sheet.line((60, 150), (230, 150), (430, 50), (600, 50), colour=ORANGE, width=3)
    sheet.line((60, 150), (600, -110 + 145), colour=GREY, width=1.5, dashed=True)
    sheet.line((230, 40), (230, 156), colour=PALE, dashed=True)
    sheet.line((430, 40), (430, 156), colour=PALE, dashed=True)
    sheet.note(145, 168, "too small to matter")
    sheet.note(330, 168, "the public window")
    sheet.note(515, 168, "enough already")
    sheet.note(330, 190, "class-1 records of a value, against all others")
    sheet.note(70, 34, "score (dashed: plain)", anchor="start")
    return sheet


def points_coded() -> Sheet:
    prime, cell = 11, 17
    sheet = Sheet(520, 240, "A value is a polynomial, a set is a point of the plane")
    left, low = 40, 210

    def at(u: int, v: int) -> tuple[float, float]:
        return left + cell * u, low - cell * v

    for u in range(prime):
        for v in range(prime):
            sheet.dot(*at(u, v), fill=PALE, radius=3)
    for colour, (a, b, c) in ((GREY, (5, 9, 2)), (GREEN, (0, 2, 3)), (ORANGE, (3, 1, 1))):
        for u in range(prime):
            sheet.dot(*at(u, (a + b * u + c * u * u) % prime), fill=colour, radius=5)
    u = 8
    x, y = at(u, (3 + u + u * u) % prime)
    sheet.dot(x, y, fill="none", radius=10, edge=INK)
    for number, (colour, text) in enumerate(
        ((ORANGE, "the target, as a polynomial"), (GREY, "another value"), (GREEN, "a third one"))
    ):
        sheet.dot(270, 50 + 26 * number, fill=colour, radius=5)
        sheet.words(284, 54 + 26 * number, text, anchor="start")
    sheet.dot(270, 132, fill="none", radius=9, edge=INK)
    sheet.words(284, 136, "an answer: all values through here", anchor="start")
    sheet.note(264, 168, "two values meet in at most t − 1 places,", anchor="start")
    sheet.note(264, 184, "so most answers through the target are good", anchor="start")
    return sheet


def points_sets() -> Sheet:
    sheet = Sheet(640, 190, "Random sets, some of which hold the target")
    target = 16
    for row in range(6):
        holds = False
        for place in range(34):
            inside = (place * place * (row + 2) + 7 * place * row + 11 * row) % 37 < 5
            holds |= inside and place == target
            sheet.rect(90 + 14 * place, 30 + 22 * row, 11, 14, fill=GREY if inside else PALE)
        if holds:
            sheet.rect(90 + 14 * target, 30 + 22 * row, 11, 14, fill=ORANGE)
            sheet.words(604, 42 + 22 * row, "holds it", small=True, colour=ORANGE)
        sheet.note(20, 42 + 22 * row, f"set {row + 1}", anchor="start")
    sheet.arrow((90 + 14 * target + 5, 182), (90 + 14 * target + 5, 166), colour=ORANGE)
    sheet.note(90 + 14 * target + 16, 182, "the target", anchor="start")
    return sheet


def points_generated() -> Sheet:
    sheet = Sheet(640, 150, "A few seeds mark a few values")
    sheet.note(30, 28, "2^16 seeds", anchor="start")
    sheet.note(30, 138, "2^64 values", anchor="start")
    sheet.line((30, 110), (610, 110), colour=INK)
    for seed in range(9):
        top, bottom = 60 + 65 * seed, 40 + (seed * seed * 97 + seed * 211 + 30) % 560
        sheet.dot(top, 44, fill=ORANGE if seed == 4 else GREY, radius=5)
        sheet.arrow((top, 52), (bottom, 104), colour=ORANGE if seed == 4 else PALE)
        sheet.line((bottom, 104), (bottom, 116), colour=ORANGE if seed == 4 else GREY, width=3)
    return sheet


def delta_removal() -> Sheet:
    sheet = Sheet(640, 190, "Turning round pushes probabilities from 0 and 1")
    for x, (name, before) in zip(
        (60, 360), (("as it was", (0.0, 0.12)), ("turned round now and then", (0.08, 0.18))), strict=True
    ):
        sheet.words(x + 110, 24, name)
        for number, share in enumerate(before):
            sheet.rect(x + 110 * number, 40, 90, 110, fill=PALE)
            sheet.rect(x + 110 * number, 150 - 110 * share, 90, 110 * share, fill=ORANGE)
            sheet.note(x + 45 + 110 * number, 168, f"table {number + 1}: {share:.2f}")
    sheet.note(170, 184, "0 against 0.12: no factor bounds it")
    sheet.note(470, 184, "0.08 against 0.18: a factor of 2.25")
    return sheet


SHAPES: dict[str, Callable[[], Sheet]] = {
    "exponential-mechanism": exponential_mechanism,
    "trees": trees,
    "cuts-and-boxes": cuts_and_boxes,
    "halfspaces": halfspaces,
    "cards": cards,
    "counts-and-estimates": counts_and_estimates,
    "points": points,
    "points-clipped": points_clipped,
    "points-coded": points_coded,
    "points-sets": points_sets,
    "points-generated": points_generated,
    "delta-removal": delta_removal,
}
"""Pictures by the name of their page."""
