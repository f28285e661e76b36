"""Rows for learners of one draw or several, for what is released beside them, and for the mechanisms below."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from privpac.audit.exact import Case
from privpac.audit.registry.cases import (
    learner_case,
    mirrored,
    records_of,
    remembered,
    reordered,
    sample_of,
    tiny_schema,
)
from privpac.audit.symmetry import Record
from privpac.coins import Coins
from privpac.concepts.binarise import Binarisation
from privpac.concepts.finite import Finite
from privpac.concepts.intervals import Intervals
from privpac.concepts.one_test import OneTest
from privpac.concepts.points import Points
from privpac.concepts.rectangles import Rectangles
from privpac.concepts.stumps import Stumps
from privpac.concepts.thresholds import Threshold, Thresholds
from privpac.concepts.tree_mixture import TreeMixture
from privpac.concepts.trees import Trees
from privpac.concepts.unions import Unions
from privpac.data.sample import Size
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.learners.label_private import LabelPrivateTrees
from privpac.learners.merged import Merged
from privpac.learners.occam import Occam
from privpac.learners.recipe import Recipe
from privpac.learners.staged_trees import StagedTrees
from privpac.learners.words import Request, learner_for
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import ratio_for
from privpac.release.confusion import compare, estimate_privacy

__all__ = [
    "ROWS",
    "intervals_case",
    "points_case",
    "rectangles_case",
    "stumps_case",
    "thresholds_case",
    "tree_case",
    "unions_case",
    "worded_case",
]

ONE = Fraction(1)


def thresholds_case(direction: str, *, cells: int = 4, n: int = 4) -> Case:
    schema = tiny_schema(cells)
    learner = Occam(Thresholds(schema, "a", direction), ONE)  # type: ignore[arg-type]
    case = learner_case(f"occam thresholds {direction}", learner, schema, n)
    return case if direction == "either" else mirrored(case, cells=cells)


def _costs() -> Case:
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a", "either"), ONE, costs=(1, 3))
    return learner_case("occam thresholds with costs", learner, schema, 4)


def points_case(*, cells: int = 4, n: int = 4) -> Case:
    schema = tiny_schema(cells)
    case = learner_case("occam points", Occam(Points(schema, "a"), ONE), schema, n)
    return reordered(case, cells=cells, output=lambda point, row: replace(point, cell=row[point.cell]))


def stumps_case(*, n: int = 2) -> Case:
    schema = tiny_schema(3, categories=3)
    return learner_case("occam stumps", Occam(Stumps(schema), ONE), schema, n)


def intervals_case(*, cells: int = 4, n: int = 3) -> Case:
    schema = tiny_schema(cells)
    return learner_case("occam intervals", Occam(Intervals(schema, "a"), ONE), schema, n)


def unions_case(*, cells: int = 4, n: int = 2) -> Case:
    schema = tiny_schema(cells)
    learner = Occam(Unions(schema, "a", intervals=2), ONE, costs=(2, 1))
    return learner_case("occam unions of two intervals with costs", learner, schema, n)


def rectangles_case(*, cells: tuple[int, int] = (3, 2), n: int = 2) -> Case:
    schema = tiny_schema(*cells)
    return learner_case("occam rectangles", Occam(Rectangles(schema, ("a", "b")), ONE), schema, n)


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
    coarse = Binarisation.of(schema, given={"a": [1]})
    parts = (Trees(schema, 1, Binarisation.of(schema), threads=1), Trees(schema, 2, coarse, threads=1))
    return learner_case("trees of two depths", Merged(Occam(TreeMixture(parts, (1, 2)), ONE)), schema, 2)


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


def _recipe(name: str, n: int, **wishes: Fraction) -> Case:
    schema = tiny_schema(2)
    request = Request(schema=schema, size=Size(n), epsilon=ONE)
    return recipe_case(name, lambda size: Recipe("thresholds:a", replace(request, size=size), **wishes), n)


def recipe_case(name: str, recipe: Callable[[Size], Recipe], n: int) -> Case:
    """What `learn` releases: a rule and what was asked for beside it."""
    made = lru_cache(maxsize=None)(recipe)
    schema = made(Size(n)).request.schema
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = remembered(schema, data, memory)
        return made(sample.size).run(sample, coins)

    def certified(records: int) -> Privacy:
        return made(Size(records)).certify().privacy.fact

    return Case(name, run, records_of(schema), n, certified(n), certified=certified)


def _leaf_counts(name: str, protect: str) -> Case:
    """A tree of one test and noisy counts of its leaves, as `learn` releases them."""
    schema = tiny_schema(2)
    request = Request(schema=schema, size=Size(1), epsilon=ONE, protect=protect)
    return recipe_case(
        name, lambda size: Recipe("trees:1", replace(request, size=size), leaf_epsilon=Fraction(1, 2)), 1
    )


def worded_case(name: str, word: str, cells: tuple[int, ...], n: int, *, classes: int = 2) -> Case:
    """What a word names, as `learn` builds it."""
    schema = tiny_schema(*cells, classes=classes)
    learner = learner_for(word, Request(schema=schema, size=Size(n), epsilon=ONE))
    return learner_case(name, learner, schema, n)


def tree_case(
    stages: tuple[int, ...],
    cells: tuple[int, ...],
    n: int,
    *,
    unit: Unit = Unit.RECORD,
    epsilon: Fraction = ONE,
) -> Case:
    schema = tiny_schema(*cells)
    learner = StagedTrees(schema, epsilon, stages, Binarisation.of(schema), unit=unit, threads=1)
    name = "staged trees " + "+".join(str(depth) for depth in stages)
    return learner_case(name, learner, schema, n)


def _label_private() -> Case:
    """Cuts at the quantiles of public features; only labels change between neighbours."""
    schema = tiny_schema(3)
    learner = LabelPrivateTrees(schema, ONE, (1,), cuts=2)
    return learner_case("label-private trees", learner, schema, 2)


def _tree_of_three_classes() -> Case:
    schema = tiny_schema(2, classes=3)
    learner = StagedTrees(schema, ONE, (1, 1), Binarisation.of(schema), costs=(1, 2, 1), threads=1)
    return learner_case("staged trees, three classes and costs", learner, schema, 1)


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
    "finite": _finite,
    "comparison": _comparison,
    "one-test": _one_test,
    "tree-mixture": _tree_mixture,
    "permute-and-flip": _permute_and_flip,
    "geometric": _geometric,
    "estimate-same-records": lambda: _recipe(
        "threshold and estimate on the same records", 1, estimate_epsilon=Fraction(1, 2)
    ),
    "estimate-holdout": lambda: _recipe(
        "threshold and estimate on a hold-out part",
        2,
        estimate_epsilon=Fraction(1, 2),
        holdout=Fraction(1, 2),
    ),
    "leaf-counts": lambda: _leaf_counts("tree and counts of its leaves", "records"),
    "leaf-counts-labels": lambda: _leaf_counts("label-private tree and counts of its leaves", "labels"),
    "trees": lambda: tree_case((2,), (2, 2), 2),
    "staged-trees": lambda: tree_case((1, 1), (3,), 2),
    "staged-trees-tight": lambda: tree_case((1, 1), (2,), 4, epsilon=Fraction(8)),
    "staged-trees-labels": lambda: tree_case((1, 1), (2,), 3, unit=Unit.LABEL),
    "label-private-trees": _label_private,
    "staged-trees-three-classes": _tree_of_three_classes,
    "lists": lambda: worded_case("decision lists", "lists:2", (2, 2), 2),
    "lists-three-classes": lambda: worded_case(
        "decision lists of three classes", "lists:1", (2,), 2, classes=3
    ),
    "conjunctions": lambda: worded_case("conjunctions", "conjunctions:2", (2, 2), 2),
    "disjunctions": lambda: worded_case("disjunctions", "disjunctions:2", (2, 2), 2),
}
