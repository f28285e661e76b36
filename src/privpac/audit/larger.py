"""The registry's constructions on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privpac.audit.exact import Case
from privpac.audit.registry import occam
from privpac.guarantee.facts import Unit

__all__ = ["LARGER"]

LARGER: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: occam.thresholds_case("up", cells=5, n=8),
    "thresholds-down": lambda: occam.thresholds_case("down", cells=5, n=8),
    "thresholds-either": lambda: occam.thresholds_case("either", cells=5, n=6),
    "points": lambda: occam.points_case(cells=6, n=6),
    "stumps": lambda: occam.stumps_case(n=4),
    "intervals": lambda: occam.intervals_case(cells=5, n=6),
    "unions": lambda: occam.unions_case(cells=5, n=4),
    "rectangles": lambda: occam.rectangles_case(cells=(3, 3), n=4),
    "trees": lambda: occam.tree_case((2,), (2, 2), 4),
    "staged-trees": lambda: occam.tree_case((1, 1), (3,), 4),
    "staged-trees-labels": lambda: occam.tree_case((1, 1), (3,), 4, unit=Unit.LABEL),
    "lists": lambda: occam.worded_case("decision lists", "lists:2", (2, 2), 4),
    "lists-three-classes": lambda: occam.worded_case(
        "decision lists of three classes", "lists:1", (3,), 4, classes=3
    ),
    "conjunctions": lambda: occam.worded_case("conjunctions", "conjunctions:2", (2, 2), 5),
    "disjunctions": lambda: occam.worded_case("disjunctions", "disjunctions:2", (2, 2), 5),
}
"""Names of the registry; those it leaves out are audited at the registry's size."""
