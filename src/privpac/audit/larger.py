"""The registry's constructions on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privpac.audit.exact import Case
from privpac.constructions.draw import cases, tree_cases
from privpac.guarantee.facts import Unit

__all__ = ["LARGER"]

LARGER: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: cases.thresholds_case("up", cells=5, n=8),
    "thresholds-down": lambda: cases.thresholds_case("down", cells=5, n=8),
    "thresholds-either": lambda: cases.thresholds_case("either", cells=5, n=6),
    "points": lambda: cases.points_case(cells=6, n=6),
    "stumps": lambda: cases.stumps_case(n=4),
    "intervals": lambda: cases.intervals_case(cells=5, n=6),
    "unions": lambda: cases.unions_case(cells=5, n=4),
    "rectangles": lambda: cases.rectangles_case(cells=(3, 3), n=4),
    "trees": lambda: tree_cases.tree_case((2,), (2, 2), 4),
    "staged-trees": lambda: tree_cases.tree_case((1, 1), (3,), 4),
    "staged-trees-labels": lambda: tree_cases.tree_case((1, 1), (3,), 4, unit=Unit.LABEL),
    "lists": lambda: tree_cases.worded_case("decision lists", "lists:2", (2, 2), 4),
    "lists-three-classes": lambda: tree_cases.worded_case(
        "decision lists of three classes", "lists:1", (3,), 4, classes=3
    ),
    "conjunctions": lambda: tree_cases.worded_case("conjunctions", "conjunctions:2", (2, 2), 5),
    "disjunctions": lambda: tree_cases.worded_case("disjunctions", "disjunctions:2", (2, 2), 5),
}
"""Names of the registry; those it leaves out are audited at the registry's size."""
