"""Rows for learners of one draw or several, for what is released beside them, and for the mechanisms below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.mixture import NamedMixture, TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.cases import (
    Case,
    Record,
    learner_case,
    mirrored,
    records_of,
    reordered,
    sample_of,
    tiny_schema,
)
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.estimates.confusion import compare, estimate_privacy
from privpac.guarantee import rules
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import ratio_for

__all__ = [
    "LARGER",
    "ROWS",
    "intervals_case",
    "points_case",
    "rectangles_case",
    "stumps_case",
    "thresholds_case",
    "unions_case",
]

PLACE = 10

ONE = Fraction(1)


def thresholds_case(direction: str, *, cells: int = 4, n: int = 4) -> Case:
    """One draw among thresholds."""
    schema = tiny_schema(cells)
    learner = Occam(Thresholds(schema, "a", direction), ONE)  # type: ignore[arg-type]
    case = learner_case(f"occam thresholds {direction}", learner, schema, n)
    return case if direction == "either" else mirrored(case, cells=cells)


def _costs() -> Case:
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a", "either"), ONE, costs=(1, 3))
    return learner_case("occam thresholds with costs", learner, schema, 4)


def points_case(*, cells: int = 4, n: int = 4) -> Case:
    """One draw among points."""
    schema = tiny_schema(cells)
    case = learner_case("occam points", Occam(Points(schema, "a"), ONE), schema, n)
    return reordered(case, cells=cells, output=lambda point, row: replace(point, cell=row[point.cell]))


def stumps_case(*, n: int = 2) -> Case:
    """One draw among stumps."""
    schema = tiny_schema(3, categories=3)
    return learner_case("occam stumps", Occam(Stumps(schema), ONE), schema, n)


def intervals_case(*, cells: int = 4, n: int = 3) -> Case:
    """One draw among intervals."""
    schema = tiny_schema(cells)
    return learner_case("occam intervals", Occam(intervals(schema, "a"), ONE), schema, n)


def unions_case(*, cells: int = 4, n: int = 2) -> Case:
    """One draw among unions of two intervals, with costs."""
    schema = tiny_schema(cells)
    learner = Occam(Unions(schema, "a", intervals=2), ONE, costs=(2, 1))
    return learner_case("occam unions of two intervals with costs", learner, schema, n)


def rectangles_case(*, cells: tuple[int, int] = (3, 2), n: int = 2) -> Case:
    """One draw among rectangles."""
    schema = tiny_schema(*cells)
    return learner_case("occam rectangles", Occam(Rectangles(schema, ("a", "b")), ONE), schema, n)


def _boxes_in_space() -> Case:
    """One draw among boxes in three dimensions, one of them in groups."""
    schema = tiny_schema(3, 2, 2)
    boxes = Rectangles(schema, ("a", "b", "c"), (2, 2, 2))
    return learner_case("occam boxes in space, in groups", Occam(boxes, ONE), schema, 1)


def _finite() -> Case:
    schema = tiny_schema(3, categories=2)
    members = ["a >= 1", "a == 1 or kind == 'u'", "kind == 'v'", "False"]
    learner = Occam(Finite(schema, members, weights=[1, 2, 1, 3]), ONE)
    return learner_case("occam predicates with a prior", learner, schema, 2)


def _comparison() -> Case:
    schema = tiny_schema(2)
    first, second = Threshold("a", 1, True), Threshold("a", 1, False)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return compare(sample_of(schema, data), first, second, epsilon=ONE, coins=coins)[0]

    claim = estimate_privacy(epsilon=ONE).fact
    return Case("comparison of two rules", run, records_of(schema), 3, claim, certified=lambda records: claim)


def _one_test() -> Case:
    schema = tiny_schema(3, 2, classes=3)
    learner = Occam(OneTest(schema, Binarisation.of(schema)), ONE, costs=(1, 2, 1))
    return learner_case("one test with two answers, three classes and costs", learner, schema, 1)


def _tree_mixture() -> Case:
    schema = tiny_schema(3)
    coarse = Binarisation.of(schema, cut_values={"a": [1]})
    parts = (Trees(schema, 1, Binarisation.of(schema), threads=1), Trees(schema, 2, coarse, threads=1))
    return learner_case("trees of two depths", Merged(Occam(TreeMixture(parts, (1, 2)), ONE)), schema, 2)


def _default_mixture() -> Case:
    """All that the default draws from, on a column that two scales cut differently."""
    schema = tiny_schema(5)
    sets = [Binarisation.of(schema, cut_values={"a": cuts}) for cuts in ([1, 2, 4], [1, 3])]
    parts = [part for tests in sets for part in (OneTest(schema, tests), Trees(schema, 1, tests, threads=1))]
    mixture = NamedMixture((Constants(schema, sets[0]), *parts), (2, 24, 6, 24, 6), (0, 0, 1, 0, 2))
    return learner_case("constants, tests and trees with handicaps", Merged(Occam(mixture, ONE)), schema, 2)


def _permute_and_flip() -> Case:
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a"), ONE, mechanism="permute-and-flip")
    return learner_case("permute-and-flip thresholds", learner, schema, 3)


def _geometric() -> Case:
    ratio = ratio_for(Fraction(1, 2))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        counts = [sum(1 for record in data if record[0] == cell) for cell in range(3)]
        return tuple(add_noise(counts, ratio=ratio, low=0, high=len(data), coins=coins))

    claim = rules.geometric_noise(ratio=ratio, change=2).fact
    case = Case("geometric histogram", run, ((0,), (1,), (2,)), 3, claim, certified=lambda records: claim)
    return reordered(case, cells=3, output=lambda noisy, row: tuple(noisy[row.index(i)] for i in range(3)))


ROWS: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: thresholds_case("up"),
    "thresholds-down": lambda: thresholds_case("down"),
    "thresholds-either": lambda: thresholds_case("either"),
    "thresholds-costs": _costs,
    "points": points_case,
    "stumps": stumps_case,
    "intervals": intervals_case,
    "unions": unions_case,
    "rectangles": rectangles_case,
    "rectangles-space": _boxes_in_space,
    "finite": _finite,
    "comparison": _comparison,
    "one-test": _one_test,
    "tree-mixture": _tree_mixture,
    "auto-mixture": _default_mixture,
    "permute-and-flip": _permute_and_flip,
    "geometric": _geometric,
}

LARGER: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: thresholds_case("up", cells=5, n=8),
    "thresholds-down": lambda: thresholds_case("down", cells=5, n=8),
    "thresholds-either": lambda: thresholds_case("either", cells=5, n=6),
    "points": lambda: points_case(cells=6, n=6),
    "stumps": lambda: stumps_case(n=4),
    "intervals": lambda: intervals_case(cells=5, n=6),
    "unions": lambda: unions_case(cells=5, n=4),
    "rectangles": lambda: rectangles_case(cells=(3, 3), n=4),
}
"""The same on larger domains: minutes instead of seconds, for `privpac audit exact --large`."""
