"""Learn from a random few of the records: the loss shrinks nearly in proportion.

Statement: with q = kept/n, e^eps' = 1 + q(e^eps - 1) and delta' = q·delta; accuracy is that of `kept` records.
Source: Beimel–Nissim–Stemmer 2015, Claim 4.3; Dagan–Feldman 2020, Lemma 5; tight constant.
Holds if: which records were kept stays secret, and they come in random order (`Coins.subset` gives it). Kept in the
order of the table, an inner learner that looks at places would lose more than certified.
Proof: docs/proofs/subsampling-without-replacement.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner, ReadsOnce
from privpac.constructions.wrappers.nested import labelled_only, parameters_of, places
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.numbers.parameters import whole_positive

__all__ = ["Subsampled"]


@dataclass(frozen=True)
class Subsampled(ReadsOnce, Around):
    """The learner inside gets `kept` of the records, picked and ordered by coins."""

    learner: Learner
    kept: int

    def __post_init__(self) -> None:
        whole_positive(self.kept, owner="Subsampled", name="kept")

    def require(self, size: Size) -> None:
        labelled_only("Subsampled", size, least=self.kept)
        self.learner.require(Size(self.kept))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        inner = self.learner.certify(Size(self.kept))
        return Certificate(
            privacy=rules.subsampling(inner.privacy, kept=self.kept, of=n),
            accuracy=tuple(rules.subsampling_accuracy(proof, of=n) for proof in inner.accuracy),
            learner=parameters_of("subsampled", inner, kept=self.kept),
            labelled=n,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, Size(self.kept))

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        return self.learner.learn(sample.take(places(coins.subset(sample.size.labelled, self.kept))), coins)
