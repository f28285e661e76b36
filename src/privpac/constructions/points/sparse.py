"""Find a value of a column with a set drawn cell by cell: improper, fewest records, up to 2^24 values.

Statement: the exponential mechanism over all sets of cells with a product prior; it learns any sparse set.
Source: register `sparse-sets-accuracy` (ours).
Holds if: prior and ratio are public. Accuracy is proved if one value carries class 1.
Proof: docs/proofs/sparse-sets.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.sparse import SparseSets, require_listable
from privpac.constructions.base import ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import OfColumn, require_summable
from privpac.constructions.points.sparse_formulas import Sparsity, error_sparse, sparsity_for
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.numbers.exact import plain

__all__ = ["SparsePoints"]


@dataclass(frozen=True)
class SparsePoints(OfColumn, ReadsOnce):
    """Draw a set of values, each by itself."""

    schema: Schema
    column: str
    epsilon: Fraction
    sparsity: Sparsity
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        super().__post_init__()
        require_listable(self.schema, self.column, owner="SparsePoints")

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> SparsePoints:
        """The prior that proves most with this many records."""
        require_summable(size, owner="SparsePoints")
        sparsity = sparsity_for(size.labelled, failure=failure, epsilon=epsilon)
        return cls(schema, column, epsilon, sparsity, failure)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        return self.certificate(
            rules.exponential_mechanism(ratio=self.sparsity.ratio),
            error_sparse(n, failure=self.failure, sparsity=self.sparsity),
            partial(points_rules.sparse_sets_accuracy, sparsity=self.sparsity),
            records=n,
            name="sparse points",
            word=f"points:{self.column}:gibbs",
            flip=plain(self.sparsity.flip),
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return SparseSets(self.schema, self.column, self.sparsity.flip).contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        sets = SparseSets(self.schema, self.column, self.sparsity.flip)
        evidence = sample.reduce(sets.statistic)
        return sets.gibbs(evidence, ratio=self.sparsity.ratio, costs=(1, 1)).draw(coins)
