"""LabelBoost: few labels become many, and a private learner is run on them.

Each round keeps a random part of the labelled and of a block of unlabelled records and relabels both together
(`LabelBoostProcedure`); at the end the base learner gets what was relabelled, or independent draws from it.
Statement: backwards from the base (E, D), the unlabelled block of a round loses ln(1 + q(4·e^E - 1)), the labelled
records E <- ln(1 + q(e^E·(1 + e^(epsilon/2))² - 1)), delta <- q·delta; everybody is promised the worst of these.
Source: Beimel–Nissim–Stemmer 2015, Algorithm 3 and Lemma 4.6, constants ours.
Holds if: who has a label, blocks and sizes are public, each unlabelled record is used once.
Proof: docs/proofs/label-boost.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, with_dichotomies
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.few_labels.boost_accuracy import base_for, family_of, one_round_accuracy
from privpac.constructions.few_labels.boost_procedure import LabelBoostProcedure, random_part
from privpac.constructions.few_labels.boost_settings import Round, fitting, scheduled
from privpac.constructions.few_labels.formulas import BASE
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.parts import UNLABELLED
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain

__all__ = ["LabelBoost", "Round"]


@dataclass(frozen=True)
class LabelBoost:
    """`base` on labels drawn in `rounds`; `LabelBoost.calibrate` chooses the settings.

    `draws`: the base gets this many independent draws from the relabelled records; None: all of them, in random order.
    """

    concepts: Dichotomous
    base: Learner
    rounds: tuple[Round, ...]
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    draws: int | None = None
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        if not self.rounds:
            raise ParameterError("LabelBoost", "rounds", (), allowed="at least one round")
        if self.draws is not None and self.draws < 1:
            raise ParameterError("LabelBoost", "draws", self.draws, allowed="a positive integer or None")
        for before, after in zip(self.rounds, self.rounds[1:], strict=False):
            if after.kept_labelled > before.points:
                raise ParameterError(
                    "LabelBoost",
                    "kept_labelled",
                    after.kept_labelled,
                    allowed=f"at most the {before.points} records relabelled in the round before",
                )

    @property
    def outcomes(self) -> int | None:
        return self.base.outcomes

    @property
    def points(self) -> int:
        """How many records are relabelled in the last round."""
        return self.rounds[-1].points

    @property
    def taken(self) -> int:
        """How many unlabelled records are looked at."""
        return sum(step.taken for step in self.rounds)

    def require(self, size: Size) -> None:
        first = self.rounds[0].kept_labelled
        if size.labelled < first or size.unlabelled < self.taken:
            raise SizeError(
                f"LabelBoost was set up for at least {first} labelled and {self.taken} unlabelled records,"
                f" but there are {size.labelled} and {size.unlabelled}.",
                remedy="Use LabelBoost.calibrate with the records at hand.",
            )
        for step in self.rounds:
            self.concepts.require_listed(step.points)
        self.base.require(Size(self.draws or self.points))

    def _steps(self) -> Iterator[tuple[LabelBoostProcedure, Round]]:
        for step in self.rounds:
            yield LabelBoostProcedure(self.concepts, step.epsilon), step

    def _end(self) -> Proof[Privacy]:
        """What the last relabelled records are promised."""
        if self.draws is None:
            return self.base.certify(Size(self.points)).privacy
        inner = self.base.certify(Size(self.draws)).privacy
        return rules.sampling_with_replacement(inner, draws=self.draws, of=self.points)

    def by_part(self, size: Size) -> tuple[Proof[Privacy], ...]:
        """The recursion: labelled records, then the blocks of unlabelled ones in the order of the rounds."""
        later, blocks = self._end(), []
        before = [size.labelled, *(step.points for step in self.rounds)]
        for i, (procedure, step) in reversed(list(enumerate(self._steps()))):
            if step.kept_unlabelled:
                part = UNLABELLED if len(self.rounds) == 1 else f"{UNLABELLED}, block {i + 1}"
                relabelling = procedure.unlabelled(later, part=part)
                blocks.append(rules.subsampling(relabelling, kept=step.kept_unlabelled, of=step.taken))
            later = rules.subsampling(procedure.labelled(later), kept=step.kept_labelled, of=before[i])
        return later, *reversed(blocks)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        proof = rules.disjoint_parts(*self.by_part(size))
        return Certificate(
            privacy=rules.declared(proof, epsilon=self.epsilon, delta=self.delta),
            accuracy=tuple(self._accuracy(size)),
            learner={
                "name": "label-boost",
                "concepts": self.concepts.word,
                **public_parameters(self, "epsilon", "delta", "failure", "draws"),
                "rounds": [
                    [plain(step.epsilon), step.kept_labelled, step.taken, step.kept_unlabelled]
                    for step in self.rounds
                ],
                "base": dict(self.base.certify(Size(self.draws or self.points)).learner),
            },
            labelled=size.labelled,
            unlabelled=size.unlabelled,
        )

    def _accuracy(self, size: Size) -> Iterator[Proof[Accuracy]]:
        """Proved for one round, and a base that releases a concept of the class."""
        step, base = self.rounds[0], self.base
        if len(self.rounds) > 1 or base.concepts != self.concepts:
            return
        for against in (Against.REALIZABLE, Against.AGNOSTIC):
            accuracy = one_round_accuracy(
                self.concepts,
                base,
                draw=LabelBoostProcedure(self.concepts, step.epsilon).ratio,
                labelled=size.labelled,
                kept=step.kept_labelled,
                points=step.points,
                draws=self.draws,
                failure=self.failure,
                against=against,
            )
            if accuracy is not None:
                yield accuracy

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.base.releases(hypothesis, Size(self.draws or self.points))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        labelled, start = sample.labelled, 0
        for procedure, step in self._steps():
            count = labelled.size.labelled
            some = labelled.take(random_part(count, step.kept_labelled, coins))
            others = random_part(step.taken, step.kept_unlabelled, coins, start=start)
            labelled = procedure.relabel(some, sample.unlabelled.take(others), coins)
            start += step.taken
        if self.draws is None:
            return self.base.learn(
                labelled, coins
            )  # in random order within each part, since `random_part` is
        places = [coins.below(self.points) for _ in range(self.draws)]
        return self.base.learn(labelled.take(np.asarray(places, dtype=np.int64)), coins)

    @classmethod
    def calibrate(
        cls,
        concepts: AnyClass,
        size: Size,
        *,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        failure: Fraction = FAILURE,
        error: Fraction | None = None,
        base: Learner | None = None,
        draws: int | None = None,
        rounds: int = 1,
    ) -> LabelBoost:
        """Settings that meet (epsilon, delta) for everybody with the records one has, found by search.

        Without a `base` it draws from the class itself; with a delta it draws a cut among occupied blocks. With `error`
        the request is refused, before anything is spent, if less is promised: the refusal names the size that would do
        and the best error within reach. More than one round is possible, but one needs fewer labels up to ten million
        points (docs/proofs/label-boost.md).
        """
        cut = with_dichotomies(concepts, owner="LabelBoost")
        if base is not None or rounds > 1:
            learner, steps = scheduled(cut, size, epsilon=epsilon, base=base, draws=draws, rounds=rounds)
            return cls(cut, learner, steps, epsilon, delta, draws, failure)
        family = family_of(cut, owner="LabelBoost")
        # Refuses a delta that nothing would spend.
        base_for(cut, epsilon=epsilon, delta=delta / 4, failure=failure)
        boost = fitting(family, size, epsilon=epsilon, delta=delta, failure=failure, error=error)
        inner = base_for(cut, epsilon=boost.base_epsilon, delta=boost.base_delta, failure=failure * BASE)
        step = Round(boost.draw_epsilon, boost.kept_labelled, boost.unlabelled, boost.kept_unlabelled)
        return cls(cut, inner, (step,), epsilon, delta, None, failure)
