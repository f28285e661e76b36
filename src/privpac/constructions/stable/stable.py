"""The stable learner (A_sta): no single record moves any prediction by much.

A random `kept` of the records say which concepts are distinguished: one for each labelling of their points. All records
then draw one of them by the exponential mechanism, by their mistakes.
Statement: replacing one record moves the probability of every event by at most q + (1 - q)·tanh(epsilon/4), q = kept/n;
as privacy it is (epsilon, q), and q is far too large a delta to protect anybody. It is robustness, not privacy.
Source: Dagan–Feldman 2020, Theorem 1 and Lemma 7 (printed: q + 2·epsilon).
Holds if: the representative of a labelling is chosen by the set of the kept points alone (`Dichotomies.member`).
Proof: docs/proofs/stable.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, dimension, with_dichotomies
from privpac.constructions.base import DrawsMembers, DrawsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers import rules as wrappers_rules
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Stability
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import ln_down, plain
from privpac.numbers.parameters import chance, positive, whole_positive

__all__ = ["Stable"]


@dataclass(frozen=True)
class Stable(DrawsMembers, DrawsOnce):
    """A draw at `epsilon` from one concept a labelling of `kept` random points."""

    concepts: AnyClass
    kept: int
    epsilon: Fraction
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        with_dichotomies(self.concepts, owner="Stable")
        whole_positive(self.kept, owner="Stable", name="kept")
        positive(self.epsilon, owner="Stable", name="epsilon")
        chance(self.failure, owner="Stable", name="failure")

    @property
    def _dichotomous(self) -> Dichotomous:
        return with_dichotomies(self.concepts, owner="Stable")

    @property
    def passes(self) -> int:
        """One takes the records that list the labellings, one counts their mistakes."""
        return 2

    def require(self, size: Size) -> None:
        size.require_labelled("Stable", least=self.kept)
        self._dichotomous.require_listed(self.kept, elsewhere=size.labelled - self.kept)

    def stability(self, size: Size) -> Proof[Stability]:
        """How far one record moves the probability of any event."""
        draw = rules.total_variation(rules.bounded_range(ratio=self.ratio))
        size.require_labelled("Stable", least=self.kept)
        return wrappers_rules.stable_from_some(draw, kept=self.kept, of=size.labelled)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        return Certificate(
            privacy=wrappers_rules.listed_from_some(
                rules.bounded_range(ratio=self.ratio), kept=self.kept, of=n
            ),
            accuracy=self._accuracy(n),
            learner={
                "name": "stable",
                "concepts": self.concepts.word,
                "kept": self.kept,
                "epsilon": plain(self.epsilon),
                "stability": plain(self.stability(size).fact.gamma),
            },
            labelled=n,
        )

    def _accuracy(self, n: int) -> tuple[Proof[Accuracy], ...]:
        vc = dimension(self.concepts, counted=self.kept, drawn=self.kept)
        if (
            vc is None or ln_down(1 / self.ratio) == 0
        ):  # a draw that is uniform for all that twelve digits say
            return ()
        proof = rules.stable_accuracy(kept=self.kept, of=n, ratio=self.ratio, vc=vc, miss=self.failure / 4)
        return (proof,) if proof.fact.error < 1 else ()

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        positions = np.array(coins.subset(sample.size.labelled, self.kept), dtype=np.int64)
        labellings = self._dichotomous.dichotomies(sample.take(positions))
        return labellings.member(labellings.mistakes(sample).draw(self.ratio, coins))
