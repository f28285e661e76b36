"""How many records of each class arrive in each leaf of a released tree, with exact geometric noise.

Statement: replacing one record takes one cell of the table down and one up by 1 (or changes nothing), so noise at
`ratio` per unit on every cell, empty ones included, is epsilon-DP with e^epsilon = ratio^-2. Replacing a label does
the same within one leaf, so the number is the same when the unit is the label.
Source: register `geometric-noise`. Holds if: the tree is public, or was itself drawn privately and is charged apart.
Proof: docs/proofs/geometric-noise.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.concepts.cards.risks import spread_of
from privpac.concepts.trees.tree import Split, Tree
from privpac.data.sample import Block, Sample
from privpac.errors import ParameterError, SizeError
from privpac.fields import as_list, record, require, whole
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import plain, ratio_for, read_number

__all__ = ["CHANGE", "LeafCounts", "LeafTable", "leaf_counts_privacy", "release_leaf_counts"]


SMOOTHING = 2
"""How shares are made of noisy counts, as a file names it: public, and free, since it looks at nothing else. A node's
shares are drawn towards those of the node above it, the more the less its counts stand out from their noise; so a leaf
of a few records says nearly what its neighbourhood says, and none says 0 or 1. Where all leaves below a node have one
label, a part of what it is drawn towards is that label: a tree has more of epsilon than its counts have, and where
these are nearly all noise its labels know better which leaf holds more of a class."""

PULL = 2
"""The shares of the node above weigh as much as so many standard deviations of a node's noise in records. Twice or half
of it changes the mean log-loss on the six tables of benchmarks/risks.py by .002 at most, and leaving out any one of
them chooses this, or another one by less than .0002."""

LABEL = 0.25
"""The part of it that a label is. AUC on the cells of benchmarks/risks.py below n·epsilon 1,000 is .663 without it and
.674 to .677 from a tenth to seven tenths; log-loss falls up to two fifths, there and on six further tables. Not more,
since a label that was drawn with costs speaks of another share than one half."""

CHANGE = 2
"""A replaced record takes one count down and one up."""


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

    def shares(self, tree: Tree) -> NDArray[np.float64]:
        """Leaves x classes: what the noisy counts say about the share of each class. Rows add up to 1."""
        counts = np.array(self.counts, dtype=np.float64)
        spread = spread_of(self.epsilon, CHANGE)
        everyone = _shares(counts.sum(axis=0), spread)
        return np.array(list(_drawn_to_above(tree, counts, everyone, PULL * spread)))

    def proba(self, tree: Tree, cells: Cells, *, n: int | None = None) -> NDArray[np.float64]:
        """The shares of the leaf each record arrives in. The largest need not belong to the leaf's own label."""
        return self.shares(tree)[tree.leaf_numbers(cells, n=n)]

    def fits(self, tree: Tree, classes: int) -> bool:
        """Whether these can be counts of this tree's leaves."""
        leaves = sum(1 for _ in tree.leaves())
        whole = all(0 <= count <= self.records for row in self.counts for count in row)
        return len(self.counts) == leaves and all(len(row) == classes for row in self.counts) and whole

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
        whole(tree["smoothing"], least=SMOOTHING, most=SMOOTHING)
        counts = tuple(tuple(whole(count) for count in as_list(row)) for row in as_list(tree["counts"]))
        epsilon = read_number(tree["epsilon"])
        require(epsilon > 0, "a share of epsilon is not positive")
        return cls(counts, whole(tree["records"], least=1), epsilon)


def _shares(counts: NDArray[np.float64], extra: float) -> NDArray[np.float64]:
    """Counts with this much added to each, divided by their sum."""
    smooth = counts + extra
    shares: NDArray[np.float64] = smooth / smooth.sum(axis=-1, keepdims=True)
    return shares


def _drawn_to_above(
    tree: Tree,
    counts: NDArray[np.float64],
    above: NDArray[np.float64],
    pull: float,
    *,
    label_told: bool = False,
) -> Iterator[NDArray[np.float64]]:
    """The shares of every leaf; `counts` are those of this subtree's leaves, `above` the shares of the node above it,
    and `label_told` whether these already lean towards the label of all leaves below.

    The counts of a node are sums over its leaves, and their noise grows with the root of the number of leaves.
    """
    if not label_told and len(labels := {leaf.label for leaf in tree.leaves()}) == 1:
        above, label_told = (1 - LABEL) * above + LABEL * np.eye(len(above))[labels.pop()], True
    weight = pull * math.sqrt(len(counts))
    totals = counts.sum(axis=0)
    here = (totals + weight * above) / (totals.sum() + weight)
    if isinstance(tree, Split):
        low = sum(1 for _ in tree.low.leaves())
        yield from _drawn_to_above(tree.low, counts[:low], here, pull, label_told=label_told)
        yield from _drawn_to_above(tree.high, counts[low:], here, pull, label_told=label_told)
    else:
        yield here


def _ratio(epsilon: Fraction) -> Fraction:
    ratio = ratio_for(epsilon / CHANGE)
    if ratio == 1:
        raise ParameterError(
            "learn", "leaf_epsilon", plain(epsilon), allowed="large enough for noise of finite size"
        )
    return ratio


def leaf_counts_privacy(*, epsilon: Fraction, unit: Unit = Unit.RECORD) -> Proof[Privacy]:
    """What releasing the counts of a public tree's leaves costs: at most `epsilon`."""
    mechanism = rules.geometric_noise(ratio=_ratio(epsilon), change=CHANGE, single=True, unit=unit)
    return rules.declared(mechanism, epsilon=epsilon)


def release_leaf_counts(sample: Sample, tree: Tree, *, epsilon: Fraction, coins: Coins) -> LeafCounts:
    """Counts with noise on every cell, clamped to 0..n, which is public."""
    true = sample.reduce(LeafTable(tree, len(sample.schema.classes)))
    n = sample.size.labelled
    noisy = add_noise(true.ravel().tolist(), ratio=_ratio(epsilon), low=0, high=n, coins=coins)
    classes = true.shape[1]
    rows = (tuple(noisy[i : i + classes]) for i in range(0, len(noisy), classes))
    return LeafCounts(tuple(rows), n, epsilon)
