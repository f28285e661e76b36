"""How many records of each class arrive in each leaf of a released tree, with exact geometric noise.

Statement: replacing one record takes one cell of the table down and one up by 1 (or changes nothing), so noise at
`ratio` per unit on every cell, empty ones included, is epsilon-DP with e^epsilon = ratio^-2. Replacing a label does
the same within one leaf, so the number is the same when the unit is the label.
Source: register `geometric-noise`. Holds if: the tree is public, or was itself drawn privately and is charged apart.
Proof: docs/proofs/geometric-noise.md. Tested by tests/exact/ (rows `leaf-counts`, `leaf-counts-labels`),
tests/unit/constructions/estimates/test_leaf_counts.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.concepts.trees.tree import INDENT, Leaf, Split, Tree
from privpac.data.sample import Block, Sample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.fields import listed, record, require, whole
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import plain, ratio_for, written

__all__ = ["SMOOTHING", "LeafCounts", "LeafTable", "leaf_counts_privacy", "release_leaf_counts"]

SMOOTHING = 1
"""Added to every noisy count before shares are taken (the rule of succession): no class is called impossible because
noise pushed its count to 0, and a leaf without records says that all classes are equally likely. Public."""

_CHANGE = 2


@dataclass(frozen=True)
class LeafTable:
    """The additive statistic: how many records of each class (column) arrive in each leaf (row, as in `leaves()`)."""

    tree: Tree
    classes: int

    @property
    def columns(self) -> tuple[str, ...]:
        return self.tree.columns

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((sum(1 for _ in self.tree.leaves()), self.classes), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise SizeError("Leaf counts need labelled records.")
        numbers = self.tree.leaf_numbers(block.cells, n=block.n).astype(np.int64)
        flat = numbers * self.classes + block.labels
        return state + np.bincount(flat, minlength=state.size).reshape(state.shape)

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


@dataclass(frozen=True)
class LeafCounts:
    """Released: a noisy count for every leaf (row, in the order of `Tree.leaves`) and class (column)."""

    counts: tuple[tuple[int, ...], ...]
    records: int
    """How many records were counted: public."""
    epsilon: Fraction
    """What the counts cost a record, on top of the tree."""

    def shares(self) -> NDArray[np.float64]:
        """Leaves x classes: noisy counts plus `SMOOTHING`, divided by their sum. Rows add up to 1."""
        smooth = np.array(self.counts, dtype=np.float64) + SMOOTHING
        shares: NDArray[np.float64] = smooth / smooth.sum(axis=1, keepdims=True)
        return shares

    def proba(self, tree: Tree, cells: Cells, *, n: int | None = None) -> NDArray[np.float64]:
        """The shares of the leaf each record arrives in. The largest need not belong to the leaf's own label."""
        return self.shares()[tree.leaf_numbers(cells, n=n)]

    def fits(self, tree: Tree, classes: int) -> bool:
        """Whether these can be counts of this tree's leaves."""
        leaves = sum(1 for _ in tree.leaves())
        whole = all(0 <= count <= self.records for row in self.counts for count in row)
        return len(self.counts) == leaves and all(len(row) == classes for row in self.counts) and whole

    def describe(self, tree: Tree, schema: Schema) -> str:
        """The tree in words, each leaf with its noisy counts."""
        labels = iter(self._texts(schema))
        return "\n".join(_lines(tree, [next(labels) for _ in tree.leaves()], schema, ""))

    def _texts(self, schema: Schema) -> Iterator[str]:
        for row in self.counts:
            yield ", ".join(f"{name}: {count:,}" for count, name in zip(row, schema.classes, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {
            "counts": [list(row) for row in self.counts],
            "records": self.records,
            "epsilon": plain(self.epsilon),
            "smoothing": SMOOTHING,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> LeafCounts:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "counts", "records", "epsilon", "smoothing")
        require(whole(tree["smoothing"]) == SMOOTHING, "counts are smoothed by another number")
        counts = tuple(tuple(whole(count) for count in listed(row)) for row in listed(tree["counts"]))
        return cls(counts, whole(tree["records"], least=1), written(tree["epsilon"]))


def _lines(tree: Tree, texts: list[str], schema: Schema, indent: str) -> Iterator[str]:
    """As `Tree.describe`; `texts` are those of this subtree's leaves."""
    if isinstance(tree, Leaf):
        yield f"{indent}always {schema.classes[tree.label]} (about {texts[0]})"
        return
    assert isinstance(tree, Split)
    low = sum(1 for _ in tree.low.leaves())
    for child, part, positive in ((tree.high, texts[low:], True), (tree.low, texts[:low], False)):
        question = f"{indent}if {tree.test.describe(schema, positive=positive)}:"
        if isinstance(child, Leaf):
            yield f"{question} {schema.classes[child.label]} (about {part[0]})"
        else:
            yield question
            yield from _lines(child, part, schema, indent + INDENT)


def _ratio(epsilon: Fraction) -> Fraction:
    ratio = ratio_for(epsilon / _CHANGE)
    if ratio == 1:
        raise ParameterError(
            "learn", "leaf_epsilon", plain(epsilon), allowed="large enough for noise of finite size"
        )
    return ratio


def leaf_counts_privacy(*, epsilon: Fraction, unit: Unit = Unit.RECORD) -> Proof[Privacy]:
    """What releasing the counts of a public tree's leaves costs: at most `epsilon`."""
    mechanism = rules.geometric_noise(ratio=_ratio(epsilon), change=_CHANGE, single=True, unit=unit)
    return rules.declared(mechanism, epsilon=epsilon)


def release_leaf_counts(sample: Sample, tree: Tree, *, epsilon: Fraction, coins: Coins) -> LeafCounts:
    """Counts with noise on every cell, clamped to 0..n, which is public."""
    true = sample.reduce(LeafTable(tree, len(sample.schema.classes)))
    n = sample.size.labelled
    noisy = add_noise(true.ravel().tolist(), ratio=_ratio(epsilon), low=0, high=n, coins=coins)
    classes = true.shape[1]
    rows = (tuple(noisy[i : i + classes]) for i in range(0, len(noisy), classes))
    return LeafCounts(tuple(rows), n, epsilon)
