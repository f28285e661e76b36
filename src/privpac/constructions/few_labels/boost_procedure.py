"""LabelBoostProcedure: one labelling of all points, drawn by the few records that have labels.

Statement: in front of an (E, D)-private algorithm, a labelled record loses (E + 2·ln(1 + e^(epsilon/2)), D), a record
without label (E + ln 4, D). Source: Beimel–Nissim–Stemmer 2015, Algorithm 2 and Lemma 4.1, constants ours.
Holds if: every dichotomy is drawn from by the exponential mechanism itself; who has a label is public.
Proof: docs/proofs/label-boost.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.labellings.base import Dichotomous
from privpac.constructions.base import DrawsOnce
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Indices, InMemory
from privpac.data.semi import joined
from privpac.guarantee.facts import Privacy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import Proof
from privpac.numbers.parameters import positive

__all__ = ["LabelBoostProcedure", "random_part"]


def random_part(count: int, part: int, coins: Coins, *, start: int = 0) -> Indices:
    """`part` of the positions start … start + count - 1, every ordered choice equally likely.

    The random order is part of the guarantee: kept in their own order, records of a learner that looks at places would
    lose more than subsampling promises (docs/proofs/subsampling-without-replacement.md).
    """
    return start + np.asarray(coins.subset(count, part), dtype=np.int64)


@dataclass(frozen=True)
class LabelBoostProcedure(DrawsOnce):
    """Draw a labelling with weight e^(-epsilon·mistakes/2), and give all records its labels."""

    concepts: Dichotomous
    epsilon: Fraction

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="LabelBoostProcedure", name="epsilon")

    def relabel(self, labelled: InMemory, unlabelled: InMemory, coins: Coins) -> MemorySample:
        """All these records, the labelled ones first, under the drawn labels."""
        dichotomies = self.concepts.dichotomies(labelled, unlabelled)
        labelling = dichotomies.mistakes(labelled).draw(self.ratio, coins)
        parts = (labelled, unlabelled)
        return joined(*(part.relabelled(dichotomies.labels(labelling, part.block().cells)) for part in parts))

    def labelled(self, later: Proof[Privacy]) -> Proof[Privacy]:
        """What a labelled record is promised if everything that follows is `later`."""
        return few_labels_rules.label_boost_labelled(
            later, classes=len(self.concepts.schema.classes), ratio=self.ratio, part=LABELLED
        )

    def unlabelled(self, later: Proof[Privacy], *, part: str = UNLABELLED) -> Proof[Privacy]:
        """What a record without label is promised."""
        return few_labels_rules.label_boost_unlabelled(
            later, classes=len(self.concepts.schema.classes), part=part
        )
