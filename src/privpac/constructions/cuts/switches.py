"""A proper learner of thresholds made of any learner whose rules change their answer seldom.

One part of the records goes to the inner learner; the other decides, by the exponential mechanism, at which of the
switches of its rule to cut. One of them is as good as the rule itself, and there are few.
Statement: pure epsilon, the larger of the two; error and failure as in register `switch-reconstruction`.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Theorem 5.4 (the reconstruction in its proof; constants ours).
Holds if: the inner class contains every cut of this direction, and which records are in which part is decided by coins.
Proof: docs/proofs/switch-reconstruction.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.switches import switches
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.base import DrawsMembers, DrawsOnce, Learner
from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.cuts.formulas import SWITCH_SHARE, error_switch, tilt_switch
from privpac.constructions.draw.occam import FAILURE
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.numbers.parameters import chance, positive, whole_positive

__all__ = ["SwitchCuts"]

OWNER = "SwitchCuts"
LEARNING, SELECTION = "learning part", "selection part"


@dataclass(frozen=True)
class SwitchCuts(DrawsMembers, DrawsOnce):
    """`concepts` says which cuts are released, `inner` learns the rule whose switches are looked at.

    `most` bounds how often the inner rules change their answer (None: unknown, and nothing is proved of errors).
    """

    concepts: Thresholds
    inner: Learner
    epsilon: Fraction
    most: int | None
    share: Fraction = SWITCH_SHARE
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        positive(self.epsilon, owner=OWNER, name="epsilon")
        chance(self.share, owner=OWNER, name="share")
        chance(self.failure, owner=OWNER, name="failure")
        if self.most is not None:
            whole_positive(self.most, owner=OWNER, name="most")
        if self.concepts.direction == "either":
            raise ParameterError(OWNER, "direction", "either", allowed="'up' or 'down'")

    def _selection(self, size: Size) -> int:
        """How many records select; the others learn."""
        selection = int(size.labelled * self.share)
        if not 1 <= selection < size.labelled:
            raise SizeError(
                f"{OWNER}: {size.labelled} records leave no record on one side.", remedy="Give more."
            )
        return selection

    @property
    def passes(self) -> int:
        return self.inner.passes + 1

    def require(self, size: Size) -> None:
        self.inner.require(Size(size.labelled - self._selection(size)))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        selection = self._selection(size)
        inner = self.inner.certify(Size(size.labelled - selection))
        choice = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        parts = rules.on_part(inner.privacy, part=LEARNING), rules.on_part(choice, part=SELECTION)
        return Certificate(
            privacy=rules.disjoint_parts(*parts),
            accuracy=self._accuracy(inner, selection),
            learner={
                "name": "switches",
                "concepts": self.concepts.word,
                "inner": dict(inner.learner),
                **public_parameters(self, "epsilon", "share", "failure"),
            },
            labelled=size.labelled,
        )

    def _accuracy(self, inner: Certificate, selection: int) -> tuple[Proof[Accuracy], ...]:
        if self.most is None:
            return ()
        proofs = []
        for proof in inner.accuracy:
            fact = proof.fact
            if fact.against is not Against.REALIZABLE or fact.failure >= self.failure:
                continue
            numbers = {"candidates": self.most + 2, "tolerated": fact.error, "ratio": self.ratio}
            left = self.failure - fact.failure
            error = error_switch(selection, failure=left, **numbers)  # type: ignore[arg-type]
            if error < 1:
                tilt = tilt_switch(error, tolerated=fact.error, ratio=self.ratio)
                proofs.append(
                    cuts_rules.switch_reconstruction(
                        proof,
                        candidates=self.most + 2,
                        selection=selection,
                        ratio=self.ratio,
                        tilt=tilt,
                        error=error,
                        failure=self.failure,
                    )
                )
        return tuple(proofs)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        selection = self._selection(sample.size)
        positions = np.asarray(coins.subset(sample.size.labelled, selection), dtype=np.int64)
        rule = self.inner.learn(sample.rest(positions), coins)
        column = self.concepts.schema.column(self.concepts.column)
        cuts = switches(rule, column)
        up = self.concepts.direction == "up"
        regions = CutRegions(sample.take(positions).reduce(self.concepts.statistic), column.size, up)
        mistakes = [sum(regions.mistakes(cut)) for cut in cuts]
        return Threshold(column.name, cuts[gibbs.draw_index(mistakes, self.ratio, coins)], up)
