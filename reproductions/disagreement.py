"""How differently rules judge, and how many of them it takes: disagreement, packings, covers, doubling dimension.

Statement: on a finite set of rules with pairwise disagreements, two rules more than r apart are never within r/2 of
one and the same rule. So a packing (pairwise more than r apart) bounds every cover of radius r/2 from below.
Source: Chaudhuri–Hsu 2011, Section 2. Holds if: disagreements are measured on public records or draws of a reference.
Proof: docs/proofs/reference-cover.md. Tested by tests/unit/concepts/labellings/test_disagreement.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Hypothesis
from privpac.errors import ParameterError
from privpac.pictures.curves import Curves, Series

__all__ = [
    "Doubling",
    "cover",
    "cover_curves",
    "disagreements",
    "doubling",
    "doubling_curves",
    "packing",
    "sampling_width",
]

Distances = NDArray[np.float64]


def disagreements(hypotheses: Sequence[Hypothesis], cells: Cells) -> Distances:
    """The share of records on which each pair of rules differs: a symmetric matrix with zeros on its diagonal.

    The records must be public, or draws of a reference: nothing here is private.
    """
    count = len(next(iter(cells.values()))) if cells else 0
    if count == 0 or not hypotheses:
        raise ParameterError("disagreements", "cells", count, allowed="at least one record and one rule")
    table = np.stack([rule.predict(cells) for rule in hypotheses]).astype(np.float64)
    ones = table.sum(axis=1)
    both = table @ table.T  # whole numbers below 2^53: exact
    apart: Distances = (ones[:, None] + ones[None, :] - 2 * both) / count
    return apart


def sampling_width(rules: int, draws: int, *, failure: float = 0.05) -> float:
    """How far disagreements of so many rules, seen on independent draws, may lie from the truth (Hoeffding)."""
    if rules < 1 or draws < 1 or not 0 < failure < 1:
        raise ParameterError(
            "sampling_width", "draws", draws, allowed="positive numbers, and a failure in (0, 1)"
        )
    pairs = max(1, rules * (rules - 1) // 2)
    return math.sqrt(math.log(2 * pairs / failure) / (2 * draws))


def packing(distances: Distances, radius: float) -> list[int]:
    """Rules that are pairwise more than `radius` apart, to which none can be added: in order, first come first kept."""
    _check(distances, radius)
    kept: list[int] = []
    for index in range(len(distances)):
        if not kept or bool((distances[index, kept] > radius).all()):
            kept.append(index)
    return kept


def cover(distances: Distances, radius: float) -> list[int]:
    """Rules such that every rule is within `radius` of one of them: the farthest one next, so covers are nested."""
    _check(distances, radius)
    kept = [0]
    nearest = distances[0].copy()
    while float(nearest.max()) > radius:
        kept.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances[kept[-1]])
    return kept


@dataclass(frozen=True)
class Doubling:
    """Bounds on the doubling dimension at one radius: log2 of how many half-balls the worst ball needs."""

    radius: float
    lower: float
    upper: float


def doubling(distances: Distances, radius: float) -> Doubling:
    """For every ball a packing (more than `radius` apart) and a cover of radius/2; the worst ball counts for both."""
    _check(distances, radius)
    most_apart, most_needed = 1, 1
    for row in distances:
        ball = np.flatnonzero(row <= radius)
        inner = distances[np.ix_(ball, ball)]
        most_apart = max(most_apart, len(packing(inner, radius)))
        most_needed = max(most_needed, len(cover(inner, radius / 2)))
    return Doubling(radius, math.log2(most_apart), math.log2(most_needed))


def _check(distances: Distances, radius: float) -> None:
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or len(distances) == 0:
        raise ParameterError("disagreement", "distances", distances.shape, allowed="a square matrix")
    if not radius > 0:
        raise ParameterError("disagreement", "radius", radius, allowed="a positive number")


def cover_curves(
    distances: Distances, radii: Sequence[float], *, title: str = "Covers and packings"
) -> Curves:
    """How many rules a greedy cover has at each radius, and how many a packing: the least cover lies between the
    packing at twice the radius and the cover shown."""
    covers: list[float | None] = [float(len(cover(distances, radius))) for radius in radii]
    packed: list[float | None] = [float(len(packing(distances, 2 * radius))) for radius in radii]
    series = [
        Series("greedy cover", list(radii), covers),
        Series("no cover is smaller (packing at twice the radius)", list(radii), packed, dashed=True),
    ]
    return Curves(title, "radius (disagreement)", "rules", series, log_x=True, log_y=True)


def doubling_curves(
    distances: Distances, radii: Sequence[float], *, title: str = "Doubling dimension"
) -> Curves:
    """Upper and lower estimates at each radius."""
    covers = [doubling(distances, radius) for radius in radii]
    upper: list[float | None] = [one.upper for one in covers]
    lower: list[float | None] = [one.lower for one in covers]
    series = [
        Series("at most (greedy half-balls)", list(radii), upper),
        Series("at least (packing)", list(radii), lower, dashed=True),
    ]
    return Curves(title, "radius (disagreement)", "doubling dimension", series, log_x=True)
