"""Learn from a random few of the records, or from independent draws of them.

Statement: `kept` of n records, q = kept/n: e^eps' = 1 + q(e^eps - 1), delta' = q·delta; accuracy is that of `kept`
records. Independent draws: e^eps' = (1 + (e^eps - 1)/n)^draws, delta' = delta·(e^eps' - 1)/(e^eps - 1); they are
records of the table's own distribution, so an accuracy bound for any distribution is one for mistakes on the table.
Source: Beimel–Nissim–Stemmer 2015, Claims 4.3 and 4.5; Dagan–Feldman 2020, Lemma 5; Li–Wang–Ye 2025, Lemmas 14 and 21;
tight constants, no condition on sizes. The rules are `subsampling` and `sampling_with_replacement`.
Holds if: which records were kept stays secret, and they come in random order (`Coins.subset` gives it). Kept in the
order of the table, an inner learner that looks at places would lose more than certified.
Proof: docs/proofs/subsampling-without-replacement.md, docs/proofs/sampling-with-replacement.md,
docs/proofs/carried-accuracy.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.constructions.base import Learner, ReadsOnce
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers.transform import Transform, places
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import Proof

__all__ = ["Resampled", "Subsampled"]


@dataclass(frozen=True)
class Subsampled(ReadsOnce, Transform):
    """The learner inside gets `kept` of the records, picked and ordered by coins."""

    learner: Learner
    kept: int
    name, stored = "subsampled", ("kept",)

    @property
    def inside(self) -> int:
        """Those that are kept."""
        return self.kept

    def given(self, sample: Sample, coins: Coins) -> Sample:
        """A uniform subset in uniform order."""
        return sample.take(places(coins.subset(sample.size.labelled, self.kept)))

    def privacy(self, inner: Proof[Privacy], n: int) -> Proof[Privacy]:
        """A share of what the learner inside loses."""
        return rules.subsampling(inner, kept=self.kept, of=n)

    def accuracy(self, inner: Certificate, n: int) -> tuple[Proof[Accuracy], ...]:
        """A random part of independent records is independent."""
        return tuple(rules.subsampling_accuracy(proof, of=n) for proof in inner.accuracy)


@dataclass(frozen=True)
class Resampled(ReadsOnce, Transform):
    """The learner inside gets `draws` records, each drawn from all of them."""

    learner: Learner
    draws: int
    miss: Fraction = FAILURE
    """How often the step from the table to its distribution may fail, besides the learner inside."""
    name, stored = "resampled", ("draws",)

    @property
    def inside(self) -> int:
        """All draws."""
        return self.draws

    @property
    def least(self) -> int:
        """One record can be drawn any number of times."""
        return 1

    def given(self, sample: Sample, coins: Coins) -> Sample:
        """Independent draws."""
        return sample.take(places([coins.below(sample.size.labelled) for _ in range(self.draws)]))

    def privacy(self, inner: Proof[Privacy], n: int) -> Proof[Privacy]:
        """Each draw may be any record."""
        return rules.sampling_with_replacement(inner, draws=self.draws, of=n)

    def accuracy(self, inner: Certificate, n: int) -> tuple[Proof[Accuracy], ...]:
        """What is proved inside for every distribution; a bound that assumes something is none for the table's own."""
        vc, every = self.concepts.vc, [proof for proof in inner.accuracy if not proof.assumptions]
        if vc is None:
            return ()
        return tuple(rules.resampling_accuracy(proof, of=n, vc=vc, miss=self.miss) for proof in every)

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """On records that some member labels without mistakes, the draws are realizable: that bound is carried over."""
        n = self.records(size)
        for proof in self.learner.certify(Size(self.draws)).accuracy:
            if proof.fact.against is Against.REALIZABLE and not proof.assumptions:
                return rules.resampling_empirical(proof, of=n)
        return None
