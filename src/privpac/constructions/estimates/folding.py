"""A tree as people should read it: what chance decided is marked, and what does not fit on a page is folded.

In a leaf without records the draw follows its public prior alone: chance decided what it says. Noisy counts tell where
that may be so: where their sum does not stand out from its noise, nobody can tell whether any record arrives, and the
counts are not told. The others are told so that they add up to no more than there are records. They also tell which
branches of a large tree matter least. Without counts the schema tells where only unusual values arrive, if it says what
is usual, and where none can; nothing else is known, and the deepest questions are folded first. All this looks at the
tree, the schema and the released counts only, so it is free; the rule stays as it was drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.risks import spread_of
from privpac.concepts.literals.reach import NOBODY, UNUSUAL, Arrival
from privpac.concepts.trees.tree import INDENT, Leaf, Split, Tree
from privpac.constructions.estimates.leaf_counts import CHANGE, LeafCounts
from privpac.data.schema import Schema

__all__ = ["BY_CHANCE", "PAGE", "FoldedLeaf", "FoldedTree", "fold"]

DEVIATIONS = 2
"""A sum of counts that is no larger than this many standard deviations of its noise may well be that of no record."""

PAGE = 24
"""Leaves that a page holds: as words in about fifty lines, as a picture in the height of a sheet."""

BY_CHANCE = "by chance"
_NOTHING = "Read nothing into such a branch."
EXPLANATIONS = {
    BY_CHANCE: '"By chance": the counts there are mostly noise, so nobody can tell whether any record arrives, or'
    f" whether chance alone decided what the rule says. {_NOTHING}",
    UNUSUAL: f'"Unusual values only": the schema says that most values lie elsewhere. {_NOTHING}',
    NOBODY: f'"No value left": after the answers before it, no record can arrive there. {_NOTHING}',
}
"""What each mark means."""


@dataclass(frozen=True)
class FoldedLeaf:
    """A leaf, or all leaves of a branch that is not shown."""

    labels: tuple[int, ...]
    """Its answer, or all answers of the branch."""
    counts: tuple[int, ...] = ()
    """Noisy counts by class; empty where none were bought."""
    shares: tuple[float, ...] = ()
    answered: tuple[int, ...] = ()
    """How many of these records get each class for an answer."""
    by_chance: bool = False
    arrival: Arrival = ""
    """Why hardly any record arrives, where that is known of the schema and nothing was counted."""
    leaves: int = 1

    @property
    def mark(self) -> str:
        """Why nothing can be read into it; empty if nothing is known of that."""
        return BY_CHANCE if self.by_chance else self.arrival

    @property
    def answer(self) -> int:
        """What most of the records here are answered; without counts, one of the answers."""
        return int(np.argmax(self.answered)) if any(self.answered) else self.labels[0]

    @property
    def undecided(self) -> bool:
        """Whether no single answer can be shown: hardly any record arrives, or nobody counted."""
        return bool(self.mark) or (len(self.labels) > 1 and not self.counts)

    @property
    def otherwise(self) -> int:
        """How many records are answered otherwise than is shown."""
        return sum(self.answered) - max(self.answered) if self.answered and not self.by_chance else 0

    def name(self, schema: Schema) -> str:
        """What the rule answers here."""
        if len(self.labels) == 1 or self.undecided:
            return " or ".join(schema.class_names[label] for label in self.labels)
        return f"mostly {schema.class_names[self.answer]}"

    def text(self, schema: Schema) -> str:
        """The answer, with the noisy counts by class, and of two classes the risk of the second."""
        if not self.counts:
            size_text = f"{self.leaves} leaves" if self.arrival else self.folded
            notes = ", ".join(note for note in (size_text * (self.leaves > 1), self.arrival) if note)
            return self.name(schema) + (f" ({notes})" if notes else "")
        if self.by_chance:
            size_text = f" ({self.leaves} leaves)" if self.leaves > 1 else ""
            return f"{self.name(schema)}, {BY_CHANCE}{size_text}"
        counts = ", ".join(
            f"{name}: {count:,}" for count, name in zip(self.counts, schema.class_names, strict=True)
        )
        risk = "" if len(self.counts) > 2 else f"; risk of {schema.class_names[-1]} {self.shares[-1]:.0%}"
        prefix = f"{self.folded}, " if self.leaves > 1 else ""
        return f"{self.name(schema)} ({prefix}about {counts}{risk})"

    @property
    def folded(self) -> str:
        """What is not shown."""
        return "1 more question" if self.leaves == 2 else f"{self.leaves - 1} more questions"


@dataclass(frozen=True)
class FoldedTree:
    """A tree, and what is to be said in each of its leaves."""

    tree: Tree
    leaves: tuple[FoldedLeaf, ...]
    """In the order of `Tree.leaves`."""

    @property
    def counted(self) -> bool:
        """Whether counts were bought."""
        return any(leaf.counts for leaf in self.leaves)

    @property
    def by_chance(self) -> int:
        """How many leaves of the rule chance decided."""
        return sum(leaf.leaves for leaf in self.leaves if leaf.by_chance)

    @property
    def beyond(self) -> int:
        """How many questions of the rule are not shown for want of space."""
        return sum(leaf.leaves - 1 for leaf in self.leaves if not leaf.mark)

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that some leaf has, each once."""
        return tuple(mark for mark in EXPLANATIONS if any(leaf.mark == mark for leaf in self.leaves))

    def describe(self, schema: Schema) -> str:
        """As `Tree.describe`, with the counts, and what is to be known of marks and folds."""
        lines = list(_lines(self.tree, self.leaves, schema, ""))
        return "\n".join([*lines, *(EXPLANATIONS[mark] for mark in self.marks), *self._page()])

    def _page(self) -> list[str]:
        """What a page leaves out, if it does."""
        if not self.beyond:
            return []
        size = sum(leaf.leaves for leaf in self.leaves)
        what = f"The rule has {size} leaves; {self.beyond} of its questions are folded to fit a page"
        whole = "privpac explain, in Python explain(), shows all of them."
        if not self.counted:
            return [f"{what}, the last ones first; {whole}"]
        records = sum(sum(leaf.answered) for leaf in self.leaves)
        other = sum(leaf.otherwise for leaf in self.leaves) / max(1, records)
        if not other:
            return [f"{what}: they separate higher risks from lower ones and change no answer. {whole}"]
        return [
            f'{what}. "Mostly" is what most records there are answered: about {other:.1%} of all records are answered'
            f" otherwise. {whole}"
        ]


def fold(
    tree: Tree, counts: LeafCounts | None, schema: Schema, *, whole: bool = False, most: int = PAGE
) -> FoldedTree:
    """The tree with branches of which every leaf is marked folded into one, and at most this many leaves; with `whole`
    nothing is folded, only marked."""
    picture = FoldedTree(tree, _marked_leaves(tree, counts, schema))
    if whole:
        return picture
    # Where nothing stands out, the tree itself is all there is to show.
    if not all(leaf.mark for leaf in picture.leaves):
        picture = _fold(tree, picture.leaves)
    while len(picture.leaves) > most:
        picture = _without(picture, min(_pairs(picture.tree, picture.leaves, 0, 0))[1])
    return picture


def _marked_leaves(tree: Tree, counts: LeafCounts | None, schema: Schema) -> tuple[FoldedLeaf, ...]:
    if counts is None:
        arrivals = zip(tree.leaves(), tree.arrivals(schema), strict=True)
        return tuple(FoldedLeaf((leaf.label,), arrival=arrival) for leaf, arrival in arrivals)
    noise = DEVIATIONS * spread_of(counts.epsilon, CHANGE)
    told = _of_so_many(np.array(counts.counts), counts.records).tolist()
    return tuple(
        FoldedLeaf(
            (leaf.label,),
            tuple(row),
            tuple(map(float, shares)),
            tuple(sum(row) if label == leaf.label else 0 for label in range(len(row))),
            by_chance=sum(noisy) <= noise * math.sqrt(len(noisy)),
        )
        for leaf, noisy, row, shares in zip(
            tree.leaves(), counts.counts, told, counts.shares(tree), strict=True
        )
    )


def _of_so_many(counts: NDArray[np.int64], records: int) -> NDArray[np.int64]:
    """Noisy counts that add up to more than there are records, all lowered by the same, and none below 0."""
    excess = int(counts.sum()) - records
    if excess <= 0:
        return counts
    falling = np.sort(counts, axis=None)[::-1]
    lowered = (np.cumsum(falling) - records) / np.arange(
        1, falling.size + 1
    )  # if the first so many stay above 0
    stay = int(np.flatnonzero(falling > lowered)[-1])
    told: NDArray[np.int64] = np.maximum(0, np.floor(counts - lowered[stay])).astype(np.int64)
    return told


def _fold(tree: Tree, leaves: tuple[FoldedLeaf, ...]) -> FoldedTree:
    if not isinstance(tree, Split):
        return FoldedTree(tree, leaves)
    if all(leaf.mark for leaf in leaves):
        return FoldedTree(Leaf(leaves[0].labels[0]), (_together(leaves),))
    below = sum(1 for _ in tree.low.leaves())
    low, high = _fold(tree.low, leaves[:below]), _fold(tree.high, leaves[below:])
    return FoldedTree(Split(tree.test, low.tree, high.tree), (*low.leaves, *high.leaves))


def _pairs(
    tree: Tree, leaves: tuple[FoldedLeaf, ...], first: int, depth: int
) -> Iterator[tuple[tuple[int, int, int], int]]:
    """What folding two leaves of one test would hide, and the number of the first of them.

    The fewest records that are answered otherwise than before, then the fewest records, then the deepest.
    """
    if not isinstance(tree, Split):
        return
    if len(leaves) == 2:
        both = _together(leaves)
        loss = both.otherwise - sum(leaf.otherwise for leaf in leaves)
        yield (loss, sum(both.counts), -depth), first
        return
    below = sum(1 for _ in tree.low.leaves())
    yield from _pairs(tree.low, leaves[:below], first, depth + 1)
    yield from _pairs(tree.high, leaves[below:], first + below, depth + 1)


def _without(picture: FoldedTree, first: int) -> FoldedTree:
    """The same with the leaf of this number and the next one, which belong to one test, folded into one."""
    both = _together(picture.leaves[first : first + 2])
    tree = _cut(picture.tree, first, Leaf(both.answer))
    return FoldedTree(tree, (*picture.leaves[:first], both, *picture.leaves[first + 2 :]))


def _cut(tree: Tree, first: int, leaf: Leaf) -> Tree:
    """The tree with the test above leaf number `first` and the next one replaced by a leaf."""
    assert isinstance(tree, Split)
    below = sum(1 for _ in tree.low.leaves())
    if first == 0 and isinstance(tree.low, Leaf) and isinstance(tree.high, Leaf):
        return leaf
    if first < below:
        return replace(tree, low=_cut(tree.low, first, leaf))
    return replace(tree, high=_cut(tree.high, first - below, leaf))


def _together(leaves: tuple[FoldedLeaf, ...]) -> FoldedLeaf:
    labels = tuple(sorted({label for leaf in leaves for label in leaf.labels}))
    number = sum(leaf.leaves for leaf in leaves)
    if not leaves[0].counts:
        return FoldedLeaf(labels, arrival=_arrival({leaf.arrival for leaf in leaves}), leaves=number)
    counts = np.array([leaf.counts for leaf in leaves])
    weights = counts.sum(axis=1) + 1
    shares = np.average([leaf.shares for leaf in leaves], axis=0, weights=weights)
    return FoldedLeaf(
        labels,
        tuple(map(int, counts.sum(axis=0))),
        tuple(map(float, shares)),
        tuple(map(int, np.sum([leaf.answered for leaf in leaves], axis=0))),
        by_chance=all(leaf.by_chance for leaf in leaves),
        leaves=number,
    )


def _arrival(those: set[Arrival]) -> Arrival:
    """What is true of leaves that are shown as one."""
    return "" if "" in those else NOBODY if those == {NOBODY} else UNUSUAL


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
