"""A counted tree as people should read it: leaves that hardly any record reaches are marked, and folded together.

In a leaf without records the draw follows its public prior alone: chance decided what it says. Noisy counts tell where
that may be so: where their sum does not stand out from its noise, nobody can tell whether any record arrives. Folding
looks at the tree and the released counts only, so it is free; the rule itself stays as it was drawn.
Tested by tests/unit/constructions/estimates/test_folding.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privpac.concepts.cards.risks import spread_of
from privpac.concepts.trees.tree import INDENT, Leaf, Split, Tree
from privpac.constructions.estimates.leaf_counts import CHANGE, LeafCounts
from privpac.data.schema import Schema

__all__ = ["BY_CHANCE", "FoldedLeaf", "FoldedTree", "fold"]

DEVIATIONS = 2
"""A sum of counts that is no larger than so many standard deviations of its noise may well be that of no record."""

BY_CHANCE = "by chance"
EXPLAINED = (
    '"By chance": so few records arrive there that chance decided what the rule says.'
    " Read nothing into such a branch."
)


@dataclass(frozen=True)
class FoldedLeaf:
    """A leaf, or all leaves of a branch that hardly any record reaches."""

    labels: tuple[int, ...]
    """Its answer, or all answers of the branch."""
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    by_chance: bool
    leaves: int = 1

    def name(self, schema: Schema) -> str:
        """What the rule answers here."""
        return " or ".join(schema.classes[label] for label in self.labels)

    def text(self, schema: Schema) -> str:
        """The answer, with the noisy counts by class, and of two classes the risk of the second."""
        if self.leaves > 1:
            return (
                f"{self.name(schema)}, {BY_CHANCE} ({self.leaves} leaves, about {sum(self.counts):,} records)"
            )
        counted = ", ".join(
            f"{name}: {count:,}" for count, name in zip(self.counts, schema.classes, strict=True)
        )
        risk = "" if len(self.counts) > 2 else f"; risk of {schema.classes[-1]} {self.shares[-1]:.0%}"
        chance = f", {BY_CHANCE}" if self.by_chance else ""
        return f"{self.name(schema)}{chance} (about {counted}{risk})"


@dataclass(frozen=True)
class FoldedTree:
    """A tree, and what is to be said in each of its leaves."""

    tree: Tree
    leaves: tuple[FoldedLeaf, ...]
    """In the order of `Tree.leaves`."""

    @property
    def by_chance(self) -> int:
        """How many leaves of the rule chance decided."""
        return sum(leaf.leaves for leaf in self.leaves if leaf.by_chance)

    def describe(self, schema: Schema) -> str:
        """As `Tree.describe`, with the counts."""
        lines = list(_lines(self.tree, self.leaves, schema, ""))
        return "\n".join([*lines, EXPLAINED] if self.by_chance else lines)


def fold(tree: Tree, counts: LeafCounts, *, whole: bool = False) -> FoldedTree:
    """The tree with branches of which chance decided every leaf folded into one; with `whole` they are only marked."""
    noise = DEVIATIONS * spread_of(counts.epsilon, CHANGE)
    marked = tuple(
        FoldedLeaf((leaf.label,), row, tuple(map(float, shares)), sum(row) <= noise * math.sqrt(len(row)))
        for leaf, row, shares in zip(tree.leaves(), counts.counts, counts.shares(tree), strict=True)
    )
    # Where nothing stands out, the tree itself is all there is to show.
    if whole or all(leaf.by_chance for leaf in marked):
        return FoldedTree(tree, marked)
    return _fold(tree, marked)


def _fold(tree: Tree, leaves: tuple[FoldedLeaf, ...]) -> FoldedTree:
    if not isinstance(tree, Split):
        return FoldedTree(tree, leaves)
    if all(leaf.by_chance for leaf in leaves):
        return FoldedTree(Leaf(leaves[0].labels[0]), (_together(leaves),))
    below = sum(1 for _ in tree.low.leaves())
    low, high = _fold(tree.low, leaves[:below]), _fold(tree.high, leaves[below:])
    return FoldedTree(Split(tree.test, low.tree, high.tree), (*low.leaves, *high.leaves))


def _together(leaves: tuple[FoldedLeaf, ...]) -> FoldedLeaf:
    labels = sorted({label for leaf in leaves for label in leaf.labels})
    counts = np.array([leaf.counts for leaf in leaves])
    weights = counts.sum(axis=1) + 1
    shares = np.average([leaf.shares for leaf in leaves], axis=0, weights=weights)
    return FoldedLeaf(
        tuple(labels),
        tuple(map(int, counts.sum(axis=0))),
        tuple(map(float, shares)),
        by_chance=True,
        leaves=sum(leaf.leaves for leaf in leaves),
    )


def _lines(tree: Tree, leaves: tuple[FoldedLeaf, ...], schema: Schema, indent: str) -> Iterator[str]:
    """As `Tree.describe`; `leaves` are those of this subtree."""
    if not isinstance(tree, Split):
        yield f"{indent}always {leaves[0].text(schema)}"
        return
    below = sum(1 for _ in tree.low.leaves())
    for child, part, positive in ((tree.high, leaves[below:], True), (tree.low, leaves[:below], False)):
        question = f"{indent}if {tree.test.describe(schema, positive=positive)}:"
        if isinstance(child, Leaf):
            yield f"{question} {part[0].text(schema)}"
        else:
            yield question
            yield from _lines(child, part, schema, indent + INDENT)
