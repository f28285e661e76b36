"""Everything the exact audit runs on: one row a construction, with a tiny domain on which it can be enumerated.

A new learner, transform or predictor adds its row here, and the exact suite, `privpac audit` and the table in the docs
pick it up. Sizes are chosen so that each row takes a few seconds at most.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from privpac.audit.exact import Case
from privpac.audit.symmetry import Record, Symmetry
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
from privpac.data.columns import Categorical, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size, Statistic
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.learners.base import Learner
from privpac.learners.label_private import LabelPrivateTrees
from privpac.learners.merged import Merged
from privpac.learners.occam import Occam
from privpac.learners.recipe import Recipe
from privpac.learners.staged_trees import StagedTrees
from privpac.learners.words import Request, learner_for
from privpac.mechanisms.geometric import add_noise
from privpac.release.confusion import compare, estimate_privacy
from privpac.theory.exact import ratio_for

__all__ = ["REGISTRY", "learner_case", "records_of", "sample_of", "tiny_schema"]

ONE = Fraction(1)


def tiny_schema(*cells: int, categories: int = 0, classes: int = 2) -> Schema:
    """Integer columns a, b, … with so many cells each, and maybe a categorical one."""
    columns: list[Numeric | Categorical] = [
        Numeric(name, lower=0, upper=size - 1, integer=True)
        for name, size in zip("abcdef", cells, strict=False)
    ]
    if categories:
        columns.append(Categorical("kind", tuple("uvwxyz"[:categories])))
    return Schema(tuple(columns), label="y", classes=tuple(str(k) for k in range(classes)))


def records_of(schema: Schema) -> tuple[Record, ...]:
    """Every possible record: cells in column order, then the label."""
    cells = [range(column.size) for column in schema.columns]
    return tuple(product(*cells, range(len(schema.classes))))


def sample_of(schema: Schema, data: Sequence[Record]) -> MemorySample:
    table = np.array(data, dtype=np.int64).reshape(len(data), len(schema.columns) + 1)
    cells = {name: table[:, i] for i, name in enumerate(schema.names)}
    return MemorySample.from_cells(schema, cells, table[:, -1])


@dataclass(frozen=True)
class _Remembered:
    """A sample that computes each statistic once for all branches: the same records give the same evidence."""

    sample: MemorySample
    data: tuple[Record, ...]
    memory: dict[Hashable, Any]

    @property
    def size(self) -> Size:
        return self.sample.size

    @property
    def schema(self) -> Schema:
        return self.sample.schema

    def reduce(self, statistic: Statistic[Any]) -> Any:
        key = (self.data, statistic)
        if key not in self.memory:
            self.memory[key] = self.sample.reduce(statistic)
        return self.memory[key]

    def take(self, positions: Any) -> _Remembered:
        return self._wrap([self.data[i] for i in positions])

    def rest(self, positions: Any) -> _Remembered:
        out = {int(i) for i in positions}
        return self._wrap([record for i, record in enumerate(self.data) if i not in out])

    def parts(
        self, number: Callable[[Mapping[str, Any]], Any], count: int, *, columns: tuple[str, ...]
    ) -> list[_Remembered]:
        numbers = number(self.sample.block(*columns).cells) if columns else [0] * len(self.data)
        return [
            self._wrap([d for d, k in zip(self.data, numbers, strict=True) if k == i]) for i in range(count)
        ]

    def _wrap(self, data: list[Record]) -> _Remembered:
        return _Remembered(sample_of(self.schema, data), tuple(data), self.memory)


def learner_case(
    name: str, learner: Learner, schema: Schema, n: int, *, claim: Privacy | None = None
) -> Case:
    """A learner on every multiset of n records of a tiny schema."""

    remembered: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(_Remembered(sample_of(schema, data), tuple(data), remembered), coins)

    fact = claim or learner.certify(Size(n)).privacy.fact
    return Case(name, run, records_of(schema), n, fact)


def mirrored(case: Case, *, cells: int) -> Case:
    """Cuts in one column look the same if its cells are read backwards and classes are exchanged."""

    def record(record: Record) -> Record:
        cell, label = record
        return cells - 1 - int(str(cell)), 1 - int(str(label))

    def output(threshold: Any) -> Any:
        return replace(threshold, cut=cells - threshold.cut)

    return replace(case, symmetries=(Symmetry(record, output),))


def reordered(case: Case, *, cells: int, output: Callable[[Any, list[int]], Any]) -> Case:
    """Cells without an order may be exchanged: a swap and a cycle generate every permutation."""

    def moving(row: list[int]) -> Symmetry:
        return Symmetry(lambda record: (row[int(str(record[0]))], *record[1:]), lambda o: output(o, row))

    swap, cycle = [1, 0, *range(2, cells)], [*range(1, cells), 0]
    return replace(case, symmetries=(moving(swap), moving(cycle)))


def _thresholds(direction: str, *, cells: int = 4, n: int = 4) -> Case:
    schema = tiny_schema(cells)
    learner = Occam(Thresholds(schema, "a", direction), ONE)  # type: ignore[arg-type]
    case = learner_case(f"occam thresholds {direction}", learner, schema, n)
    return case if direction == "either" else mirrored(case, cells=cells)


def _costs() -> Case:
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a", "either"), ONE, costs=(1, 3))
    return learner_case("occam thresholds with costs", learner, schema, 4)


def _points(*, cells: int = 4, n: int = 4) -> Case:
    schema = tiny_schema(cells)
    case = learner_case("occam points", Occam(Points(schema, "a"), ONE), schema, n)
    return reordered(case, cells=cells, output=lambda point, row: replace(point, cell=row[point.cell]))


def _stumps() -> Case:
    schema = tiny_schema(3, categories=3)
    return learner_case("occam stumps", Occam(Stumps(schema), ONE), schema, 2)


def _intervals() -> Case:
    schema = tiny_schema(4)
    return learner_case("occam intervals", Occam(Intervals(schema, "a"), ONE), schema, 3)


def _unions() -> Case:
    schema = tiny_schema(4)
    learner = Occam(Unions(schema, "a", intervals=2), ONE, costs=(2, 1))
    return learner_case("occam unions of two intervals with costs", learner, schema, 2)


def _rectangles() -> Case:
    schema = tiny_schema(3, 2)
    return learner_case("occam rectangles", Occam(Rectangles(schema, ("a", "b")), ONE), schema, 2)


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

    return Case("comparison of two rules", run, records_of(schema), 3, estimate_privacy(epsilon=ONE).fact)


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
    case = Case("geometric histogram", run, ((0,), (1,), (2,)), 3, claim)
    return reordered(case, cells=3, output=lambda noisy, row: tuple(noisy[row.index(i)] for i in range(3)))


def _recipe(name: str, n: int, **wishes: Fraction) -> Case:
    schema = tiny_schema(2)
    request = Request(schema=schema, size=Size(n), epsilon=ONE)
    recipe = Recipe("thresholds:a", request, **wishes)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return recipe.run(sample_of(schema, data), coins)

    return Case(name, run, records_of(schema), n, recipe.certify().privacy.fact)


def _leaf_counts(name: str, protect: str) -> Case:
    """A tree of one test and noisy counts of its leaves, as `learn` releases them."""
    schema = tiny_schema(2)
    request = Request(schema=schema, size=Size(1), epsilon=ONE, protect=protect)
    recipe = Recipe("trees:1", request, leaf_epsilon=Fraction(1, 2))
    remembered: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return recipe.run(_Remembered(sample_of(schema, data), tuple(data), remembered), coins)

    return Case(name, run, records_of(schema), 1, recipe.certify().privacy.fact)


def _worded(name: str, word: str, cells: tuple[int, ...], n: int, *, classes: int = 2) -> Case:
    """What a word names, as `learn` builds it."""
    schema = tiny_schema(*cells, classes=classes)
    learner = learner_for(word, Request(schema=schema, size=Size(n), epsilon=ONE))
    return learner_case(name, learner, schema, n)


def _subsampled() -> Case:
    """The rule for subsampling, on thresholds: three of four records."""
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a"), ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        kept = [data[i] for i in coins.subset(len(data), 3)]
        return learner.learn(sample_of(schema, kept), coins)

    inner = learner.certify(Size(3)).privacy
    claim = rules.subsampling(inner, kept=3, of=4).fact
    return mirrored(Case("subsampled thresholds", run, records_of(schema), 4, claim), cells=3)


def _resampled() -> Case:
    """The rule for sampling with replacement, on thresholds: two draws of three records."""
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a"), ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        kept = [data[coins.below(len(data))] for _ in range(2)]
        return learner.learn(sample_of(schema, kept), coins)

    inner = learner.certify(Size(2)).privacy
    claim = rules.sampling_with_replacement(inner, draws=2, of=3).fact
    return mirrored(Case("resampled thresholds", run, records_of(schema), 3, claim), cells=3)


def _tree(stages: tuple[int, ...], cells: tuple[int, ...], n: int, *, unit: Unit = Unit.RECORD) -> Case:
    schema = tiny_schema(*cells)
    learner = StagedTrees(schema, ONE, stages, Binarisation.of(schema), unit=unit, threads=1)
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


REGISTRY: Mapping[str, Callable[[], Case]] = {
    "thresholds-up": lambda: _thresholds("up"),
    "thresholds-down": lambda: _thresholds("down"),
    "thresholds-either": lambda: _thresholds("either"),
    "thresholds-costs": _costs,
    "points": _points,
    "stumps": _stumps,
    "intervals": _intervals,
    "unions": _unions,
    "rectangles": _rectangles,
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
    "trees": lambda: _tree((2,), (2, 2), 2),
    "staged-trees": lambda: _tree((1, 1), (3,), 2),
    "staged-trees-labels": lambda: _tree((1, 1), (2,), 3, unit=Unit.LABEL),
    "label-private-trees": _label_private,
    "staged-trees-three-classes": _tree_of_three_classes,
    "lists": lambda: _worded("decision lists", "lists:2", (2, 2), 2),
    "lists-three-classes": lambda: _worded("decision lists of three classes", "lists:1", (2,), 2, classes=3),
    "conjunctions": lambda: _worded("conjunctions", "conjunctions:2", (2, 2), 2),
    "disjunctions": lambda: _worded("disjunctions", "disjunctions:2", (2, 2), 2),
    "subsampled": _subsampled,
    "resampled": _resampled,
}
