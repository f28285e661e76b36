"""Learn from independent draws of the records: the empirical learner.

Statement: e^eps' = (1 + (e^eps - 1)/n)^draws, delta' = delta·(e^eps' - 1)/(e^eps - 1). The draws are independent
records of the table's own distribution, so an accuracy bound for any distribution is one for the mistakes on the table.
Source: Li–Wang–Ye 2025, Lemmas 14 and 21; Beimel–Nissim–Stemmer 2015, Claim 4.5; tight constants, no condition on
sizes.
Proof: docs/proofs/sampling-with-replacement.md, docs/proofs/carried-accuracy.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner, ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers.nested import labelled_only, parameters_of, places
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.numbers.parameters import chance, whole_positive

__all__ = ["Resampled"]


@dataclass(frozen=True)
class Resampled(ReadsOnce, Around):
    """The learner inside gets `draws` records, each drawn from all of them."""

    learner: Learner
    draws: int
    miss: Fraction = FAILURE
    """How often the step from the table to its distribution may fail, besides the learner inside."""

    def __post_init__(self) -> None:
        whole_positive(self.draws, owner="Resampled", name="draws")
        chance(self.miss, owner="Resampled", name="miss")

    def require(self, size: Size) -> None:
        labelled_only("Resampled", size, least=1)
        self.learner.require(Size(self.draws))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        inner = self.learner.certify(Size(self.draws))
        return Certificate(
            privacy=rules.sampling_with_replacement(inner.privacy, draws=self.draws, of=n),
            accuracy=tuple(proof for proof in self._transfers(inner, n) if proof.fact.error < 1),
            learner=parameters_of("resampled", inner, draws=self.draws),
            labelled=n,
        )

    def _transfers(self, inner: Certificate, n: int) -> Iterator[Proof[Accuracy]]:
        """What is proved inside for every distribution; a bound that assumes something is none for the table's own."""
        vc = self.concepts.vc
        for proof in inner.accuracy:
            if vc is not None and not proof.assumptions:
                yield rules.resampling_accuracy(proof, of=n, vc=vc, miss=self.miss)

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """On records that some member labels without mistakes, the draws are realizable: that bound is carried over."""
        n = labelled_only("Resampled", size, least=1)
        for proof in self.learner.certify(Size(self.draws)).accuracy:
            if proof.fact.against is Against.REALIZABLE and not proof.assumptions:
                return rules.resampling_empirical(proof, of=n)
        return None

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, Size(self.draws))

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        positions = [coins.below(sample.size.labelled) for _ in range(self.draws)]
        return self.learner.learn(sample.take(places(positions)), coins)
