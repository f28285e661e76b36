"""Learn several times from different records and pick the best answer on further ones: failures multiply.

Statement: the records of every block lose what the learner inside loses, those of the held-out part the epsilon of the
pick; nobody loses both. One of the answers is good except with probability failure^runs, and the pick finds one
nearly as good. Source: Haussler–Kearns–Littlestone–Warmuth 1991 (boosting of confidence), with a private pick;
register `confidence`.
Holds if: who belongs to which block is fixed beforehand (by position).
Proof: docs/proofs/carried-accuracy.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, DrawsOnce, Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.estimates.confusion import ConfusionCounts
from privpac.constructions.wrappers.transform import labelled_only, places, positive_number
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.numbers.parameters import chance, whole_positive
from privpac.theory.occam import excess_agnostic, tilt_agnostic

__all__ = ["Confidence"]


@dataclass(frozen=True)
class Confidence(DrawsOnce, Around):
    """`runs` answers from blocks of equal size; the last `held` records (and what does not divide) pick one."""

    learner: Learner
    runs: int
    held: int
    epsilon: Fraction
    """Of the pick."""
    failure: Fraction = FAILURE
    """How often the pick may miss, besides all runs failing."""

    def __post_init__(self) -> None:
        whole_positive(self.runs, owner="Confidence", name="runs")
        whole_positive(self.held, owner="Confidence", name="held")
        positive_number("Confidence", "epsilon", self.epsilon)
        chance(self.failure, owner="Confidence", name="failure")

    def _block(self, size: Size) -> int:
        return (labelled_only("Confidence", size, least=self.runs + self.held) - self.held) // self.runs

    @property
    def passes(self) -> int:
        """One for the records of each run, and one for the mistakes of its answer on the others."""
        return 2 * self.runs

    def require(self, size: Size) -> None:
        self.learner.require(Size(self._block(size)))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        inner = self.learner.certify(Size(self._block(size)))
        blocks = [rules.on_part(inner.privacy, part=f"block {i + 1}") for i in range(self.runs)]
        pick = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        proofs = (self._transfer(proof, size) for proof in inner.accuracy)
        return Certificate(
            privacy=rules.disjoint_parts(*blocks, rules.on_part(pick, part="held-out records")),
            accuracy=tuple(proof for proof in proofs if proof is not None),
            learner={
                "name": "confidence",
                **public_parameters(self, "runs", "held", "epsilon"),
                "inner": dict(inner.learner),
            },
            labelled=size.labelled,
        )

    def _transfer(self, proof: Proof[Accuracy], size: Size) -> Proof[Accuracy] | None:
        """With the gap that the held-out records can tell apart; None if that says nothing."""
        rest = size.labelled - self.runs * self._block(size)
        noise = proof.fact.error if proof.fact.against is Against.REALIZABLE else None
        gap = excess_agnostic(
            rest, size=max(2, self.runs), failure=self.failure, ratio=self.ratio, noise=noise
        )
        if proof.fact.error + gap >= 1:
            return None
        tilt = tilt_agnostic(gap, ratio=self.ratio, noise=noise)
        return rules.confidence(
            proof, runs=self.runs, held=rest, of=size.labelled, ratio=self.ratio, tilt=tilt, gap=gap
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, Size(self._block(size)))

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        block = self._block(sample.size)
        parts = [sample.take(places(range(i * block, (i + 1) * block))) for i in range(self.runs)]
        answers = coins.each([lambda inner, part=part: self.learner.learn(part, inner) for part in parts])  # type: ignore[misc]
        rest = sample.rest(places(range(self.runs * block)))
        mistakes = np.array([_mistakes(rest, answer) for answer in answers], dtype=np.int64)
        best: Hypothesis = answers[gibbs.draw(Listed(mistakes), self.ratio, coins)]
        return best


def _mistakes(sample: Sample, answer: Hypothesis) -> int:
    columns = answer.columns or (sample.schema.names[0],)
    counts = sample.reduce(ConfusionCounts(answer, len(sample.schema.classes), tuple(columns)))
    return int(counts.sum() - np.trace(counts))
