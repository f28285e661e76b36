"""Label privacy for one draw from a class: the labellings of the features, which are public, are drawn from.

Statement: epsilon-DP when one record's label is replaced, for any features whatever: a neighbour has the same features,
hence the same candidates, and every number of mistakes moves by at most one. What is promised of errors is never less
than what a draw from the whole class promises.
Source: Chaudhuri–Hsu 2011, algorithm A_2 and Theorem 27; the promise of the class is ours.
Proof: docs/proofs/label-cover.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis, MadeOfCuts
from privpac.concepts.labellings.base import Dichotomous, dimension, members_from, with_dichotomies
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import DrawsMembers, DrawsOnce
from privpac.constructions.draw.occam import FAILURE, PUBLIC_FEATURES
from privpac.constructions.labels.promises import Labellings
from privpac.data.sample import Sample, Size
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain
from privpac.numbers.parameters import chance, positive
from privpac.theory.vc import growth

__all__ = ["LabelPrivateDichotomies", "are_fewer"]


def are_fewer(concepts: AnyClass, n: int) -> bool:
    """Whether `n` records have fewer labellings by a class than it has members, and these can be drawn: then they are.

    Decided by public numbers: the size of the class, and how many labellings its VC dimension allows at most.
    """
    first = members_from(concepts)
    drawn = hasattr(concepts, "dichotomies") and (first is None or n < first)
    if not drawn or len(concepts.schema.classes) != 2 or concepts.vc is None or concepts.size is None:
        return False
    if growth(n, vc=concepts.vc) >= concepts.size:
        return False
    try:
        with_dichotomies(concepts, owner="LabelPrivateDichotomies").require_listed(n)
    except SizeError:
        return False
    return True


@dataclass(frozen=True)
class LabelPrivateDichotomies(DrawsMembers, DrawsOnce):
    """Any class whose labellings of the features can be drawn from: each labelling is a candidate once."""

    concepts: AnyClass
    epsilon: Fraction
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        with_dichotomies(self.concepts, owner="LabelPrivateDichotomies")
        positive(self.epsilon, owner="LabelPrivateDichotomies", name="epsilon")
        chance(self.failure, owner="LabelPrivateDichotomies", name="failure")

    @property
    def _dichotomous(self) -> Dichotomous:
        return with_dichotomies(self.concepts, owner="LabelPrivateDichotomies")

    @property
    def passes(self) -> int:
        """One look lists the labellings, one counts their mistakes."""
        return 2

    def require(self, size: Size) -> None:
        size.require_labelled("LabelPrivateDichotomies")
        self._dichotomous.require_listed(size.labelled)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        return Certificate(
            privacy=self._privacy(),
            accuracy=self._labellings(n).promises(),
            learner={
                "name": "label-private-dichotomies",
                "concepts": self.concepts.word,
                "epsilon": plain(self.epsilon),
                "failure": plain(self.failure),
            },
            labelled=n,
        )

    def _privacy(self) -> Proof[Privacy]:
        draw = rules.exponential_mechanism(ratio=self.ratio, sensitivity=1, unit=Unit.LABEL)
        return rules.assuming(rules.declared(draw, epsilon=self.epsilon), PUBLIC_FEATURES)

    def _labellings(self, n: int) -> Labellings:
        concepts = self.concepts
        first = members_from(concepts)
        return Labellings(
            records=n,
            odds=Fraction(concepts.odds),
            size=None if first is not None and n >= first else concepts.size,
            vc=dimension(concepts, counted=n),
            is_chain=isinstance(concepts, Thresholds) and concepts.direction != "either",
            ratio=self.ratio,
            failure=self.failure,
            chains=concepts.chains if isinstance(concepts, MadeOfCuts) else None,
        )

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        labellings = self._dichotomous.dichotomies(sample)
        return labellings.member(labellings.mistakes(sample).draw(self.ratio, coins))
