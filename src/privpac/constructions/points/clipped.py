"""Find one value of a column by its clipped margin: the proper learner for long keys.

Statement: a value is drawn with weight ratio^-s, s = max(0, margin + its class-1 records - max(threshold, all class-1
records)), and the certificate's loss is (1/r)·(T - 1 + W)/(T - 1 + W·r). At 64 bits it needs 678 records where the
exponential mechanism needs 1,180.
Source: ours, register `clipped-points` and `clipped-points-accuracy`.
Holds if: parameters are public; class-0 records are not looked at. Accuracy is proved if one value carries class 1;
with noisy labels take the exponential mechanism (`points:COLUMN`).
Proof: docs/proofs/clipped-points.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.points import Point
from privpac.constructions.base import DrawsMembers, ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points import rules as points_rules
from privpac.constructions.points.base import OfColumn, require_summable
from privpac.constructions.points.formulas import Clip, clip_for, error_clipped
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee.certificate import Certificate
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.mechanisms.sparse_noise import nth_absent

__all__ = ["ClippedPoints"]


@dataclass(frozen=True)
class ClippedPoints(DrawsMembers, OfColumn, ReadsOnce):
    """Draw a value of a column with weight ratio^-(clipped margin)."""

    schema: Schema
    column: str
    epsilon: Fraction
    clip: Clip
    failure: Fraction = FAILURE

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> ClippedPoints:
        """The parameters that prove most with this many records; found from public numbers alone."""
        domain = schema.column(column).size
        if domain < 4:
            raise SizeError(
                f"Column '{column}' has {domain} values, too few for clipped margins.",
                remedy=f"Use points:{column}.",
            )
        require_summable(size, owner="ClippedPoints")
        clip = clip_for(size.labelled, domain=domain, failure=failure, epsilon=epsilon)
        return cls(schema, column, epsilon, clip, failure)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        domain, n = self.concepts.size, size.labelled
        error = error_clipped(n, domain=domain, failure=self.failure, clip=self.clip)
        return self.certificate(
            points_rules.clipped_points(domain=domain, clip=self.clip),
            error,
            partial(points_rules.clipped_points_accuracy, domain=domain, clip=self.clip),
            records=n,
            name="clipped points",
            word=f"points:{self.column}:clipped",
            threshold=self.clip.threshold,
            margin=self.clip.margin,
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        evidence: ColumnCounts = sample.reduce(self.concepts.statistic)
        return gibbs.draw(self._scores(evidence), self.clip.ratio, coins)

    def _scores(self, evidence: ColumnCounts) -> NamedScores[Hypothesis]:
        """Units below the largest possible margin: 0 to `margin`."""
        counts = np.asarray(evidence.counts, dtype=np.int64)
        bar = max(self.clip.threshold, int(counts[:, 1].sum()))
        scores = self.clip.margin - np.maximum(0, self.clip.margin + counts[:, 1] - bar)
        count, size = len(evidence.values), self.concepts.size
        rows = []
        if count:
            rows.append(Row.of(0, np.arange(count - 1, dtype=np.uint64), scores, count - 1))
        if size > count:
            empty = np.array([], dtype=np.uint64)
            rows.append(Row.of(0, empty, np.array([self.clip.margin], dtype=np.int64), size - count - 1))

        def name(place: Place) -> Hypothesis:
            row, index = place
            if count and row == 0:
                return Point(self.column, int(evidence.values[index]))
            return Point(self.column, nth_absent(evidence.values, index))

        return NamedScores(Runs(rows), name)
