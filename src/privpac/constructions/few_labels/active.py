"""Active learning: ask for the labels of a random few among a random part of the records, then learn.

Statement: everybody is promised (ln(1 + (n/t)(e^E - 1)), (n/t)·D) by whoever sees the rule only, for an (E, D)-private
learner on n of t records. Whoever knows the list of those asked: these are promised what the learner promises labelled
records, the others ln(1 + ((n - m)/(t - m))(e^E - 1)). Whoever knows all who were kept: what the learner promises.
Source: Beimel–Nissim–Stemmer 2015, Algorithm 4, Claim 5.7 and Theorem 5.5; constants ours, and a random list instead of
the smallest positions. Holds if: positions are drawn without looking at records.
Proof: docs/proofs/active.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.constructions.base import SemiLearner
from privpac.data.sample import Sample, Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import ALL, Privacy, Release
from privpac.guarantee.parts import LABELLED, QUERIED, UNLABELLED, UNQUERIED, proofs_by_part
from privpac.guarantee.proof import SEAL, Proof, need
from privpac.numbers.exact import exp_down, exp_up, ln_down
from privpac.numbers.parameters import Number, at_least, positive
from privpac.numbers.search import STEP
from privpac.theory.register import formula

__all__ = ["Active", "Questions", "inner_epsilon", "positions_known", "records_active"]

_ROLES = {QUERIED: LABELLED, UNQUERIED: UNLABELLED}
"""Who is who in the inner run."""


def positions_known(
    premise: Proof[Privacy], *, part: str, release: Release, alone: bool = False
) -> Proof[Privacy]:
    """What a part of the records is promised by those who also know positions that coins alone have chosen.

    Given the positions, the run is the premise's on fixed people, and positions do not depend on any record: the loss
    stays. A run of which only this is known speaks of both roles, unless it looks at this one `alone`. Source:
    Beimel–Nissim–Stemmer Theorem 5.5; register `positions-known`. Holds if the positions are drawn without looking at
    records, and the premise speaks of the people who have this role given the positions.
    """
    rule, old = "positions-known", premise.fact
    wider = release in (Release.WITH_LIST, Release.WITH_COINS)
    need(rule, wider, "it must be said what is known besides the hypothesis")
    need(rule, old.release is Release.HYPOTHESIS, "the premise must speak of a released hypothesis")
    need(rule, part in _ROLES, "there is no such role")
    need(rule, old.part in (ALL, _ROLES[part]), "the premise must speak of the people in this role")
    need(
        rule,
        old.roles in (0, 2) and not (alone and old.roles),
        "the roles are those asked and those not asked",
    )
    fact = replace(old, part=part, release=release, roles=2 if old.part == ALL and not alone else old.roles)
    return Proof(fact, rule, (premise,), {"part": part, "release": release.value}, seal=SEAL)


@formula("subsampling-without-replacement")
def records_active(kept: int, *, inner: Number, epsilon: Number) -> int:
    """Records of which `kept` may be used by an `inner`-private learner so that everybody is promised `epsilon`.

    Statement: t >= kept·(e^inner - 1)/(e^epsilon - 1). Source: register `subsampling-without-replacement`
    (Beimel–Nissim–Stemmer 2015, Claim 5.7, which asks for (kept/epsilon)(3 + e^(2·inner))).
    Holds if: the kept are a uniform subset, and those whose label is asked a uniform part of it.
    Proof: docs/proofs/active.md.

    >>> records_active(1000, inner=1, epsilon=0.1)
    16338
    """
    owner = "records_active"
    count = at_least(1, kept, owner=owner, name="kept")
    within, goal = positive(inner, owner=owner, name="inner"), positive(epsilon, owner=owner, name="epsilon")
    return max(count, math.ceil(count * (exp_up(within, 30) - 1) / (exp_down(goal, 30) - 1)))


LARGEST = Fraction(40)
"""An inner epsilon beyond which mistakes weigh nothing: more changes nothing."""


def inner_epsilon(kept: int, records: int, *, epsilon: Fraction) -> Fraction:
    """The largest epsilon, in thousandths, a learner on `kept` of `records` may have: e^E <= 1 + (e^eps - 1)·t/n."""
    room = 1 + (exp_down(epsilon, 30) - 1) * Fraction(records, kept)
    return max(epsilon, min(LARGEST, math.floor(ln_down(room) / STEP) * STEP))


@dataclass(frozen=True)
class Questions:
    """Whom to ask, in the order the learner gets them; and, secretly, who else was kept."""

    asked: tuple[int, ...]
    kept: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True)
class Active:
    """`learner` on `kept` of `records`, `asked` of them with labels: `ask`, then `learn` with the answers."""

    learner: SemiLearner
    records: int
    kept: int
    asked: int
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 1 <= self.asked <= self.kept <= self.records:
            raise ParameterError(
                "Active",
                "asked, kept, records",
                (self.asked, self.kept, self.records),
                allowed="at least one asked, and no more asked than kept, or kept than there are",
            )

    @property
    def concepts(self) -> AnyClass:
        return self.learner.concepts

    @property
    def outcomes(self) -> int | None:
        return self.learner.outcomes

    @property
    def inner_size(self) -> Size:
        """The labelled and unlabelled records that the inner learner gets."""
        return Size(self.asked, self.kept - self.asked)

    def ask(self, coins: Coins) -> Questions:
        """A uniform ordered choice of `kept` positions; the first `asked` of it are asked.

        So those asked are a random part of those kept. The smallest positions would not do: replacing one record could
        then turn another from asked to kept, and two records would change.
        """
        order = coins.subset(self.records, self.kept)
        return Questions(order[: self.asked], order[self.asked :])

    def certify(self) -> Certificate:
        """For those who see the rule only; `also` holds the numbers for those who know more."""
        inner = self.learner.certify(self.inner_size)
        secret = rules.subsampling(inner.privacy, kept=self.kept, of=self.records)
        return replace(
            inner,
            privacy=rules.declared(secret, epsilon=self.epsilon, delta=self.delta),
            also=tuple(
                self._knowing(knowledge, inner.privacy)
                for knowledge in (Release.WITH_LIST, Release.WITH_COINS)
            ),
            learner={
                "name": "active",
                **public_parameters(self, "epsilon", "delta", "records", "kept", "asked"),
                "base": dict(inner.learner),
            },
            labelled=self.asked,
            unlabelled=self.records - self.asked,
        )

    def _roles(self, inner: Proof[Privacy]) -> tuple[Proof[Privacy], Proof[Privacy]]:
        """What the learner promises labelled and unlabelled records; the worst of both if it does not tell."""
        parts = proofs_by_part(inner)
        return (
            (parts[LABELLED], parts[UNLABELLED]) if parts.keys() == {LABELLED, UNLABELLED} else (inner, inner)
        )

    def _knowing(self, knowledge: Release, inner: Proof[Privacy]) -> Proof[Privacy]:
        """What holds for those who know the list of those asked, or all who were kept."""
        labelled, unlabelled = self._roles(inner)
        others = self.kept > self.asked
        alone = not others and not labelled.fact.roles
        parts = [positions_known(labelled, part=QUERIED, release=knowledge, alone=alone)]
        if others:  # they are looked at
            if knowledge is Release.WITH_LIST:
                left, of = self.kept - self.asked, self.records - self.asked
                unlabelled = rules.subsampling(unlabelled, kept=left, of=of)
            parts.append(positions_known(unlabelled, part=UNQUERIED, release=knowledge))
        return rules.disjoint_parts(*parts)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, self.inner_size)

    def learn(
        self, sample: Sample, questions: Questions, answers: NDArray[np.uint8], coins: Coins
    ) -> Hypothesis:
        """The rule, from all records without labels and the labels of those asked, in their order."""
        self.require(sample.size, questions, len(answers))
        labelled = sample.take(np.asarray(questions.asked, dtype=np.int64)).relabelled(answers)
        others = sample.take(np.asarray(questions.kept, dtype=np.int64))
        return self.learner.learn(SemiSample(labelled, others), coins)

    def require(self, size: Size, questions: Questions, answers: int) -> None:
        """Refuse another table, list or number of answers than those the questions were drawn for."""
        if size != Size(0, unlabelled=self.records):
            raise SizeError(
                f"The questions were drawn for {self.records} records, but there are {size.total}.",
                remedy="Use the same table, in the same order, without labels.",
            )
        if (len(questions.asked), answers) != (self.asked, self.asked):
            raise SizeError(
                f"{self.asked} labels are needed, and {answers} are there.",
                remedy="Wait until everybody who was asked has a label.",
            )
        positions = (*questions.asked, *questions.kept)
        inside = all(0 <= position < self.records for position in positions)
        if not (inside and len(positions) == len(set(positions)) == self.kept):
            raise SizeError(
                f"The list does not hold {self.kept} of {self.records} records, each once.",
                remedy="Ask anew: the session was edited.",
            )
