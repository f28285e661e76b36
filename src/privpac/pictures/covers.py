"""Sizes of covers and doubling dimensions of a set of rules, as curves over the radius."""

from __future__ import annotations

from collections.abc import Sequence

from privpac.concepts.labellings.disagreement import Distances, cover, doubling, packing
from privpac.pictures.curves import Curves, Series

__all__ = ["cover_curves", "doubling_curves"]


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
