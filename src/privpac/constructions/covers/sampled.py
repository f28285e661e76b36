"""Any class by a random cover: draw candidates from its public prior, then one of them privately.

Statement: the drawn hypothesis is epsilon-DP when one record is replaced, for any records whatever: candidates are
drawn without them. If every concept's ball of radius `level`, measured by the reference, has prior probability at least
`mass`, the candidates miss the ball of the best concept with probability (1 - mass)^candidates; otherwise it errs by
more than `error` with probability at most candidates·base^n, under every density of at most kappa.
Source: Chaudhuri–Hsu 2011, Theorems 8 and 9; random covers ours. Holds if: the reference and the prior are public.
Proof: docs/proofs/reference-cover.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.derived.reference import Reference
from privpac.constructions.base import DrawsMembers, ReadsOnce
from privpac.constructions.covers import rules as covers_rules
from privpac.constructions.covers.candidates import root_up
from privpac.constructions.covers.formulas import density
from privpac.constructions.covers.reference import CHOSEN_FREELY
from privpac.data.sample import Block, Sample, Size
from privpac.errors import DataError, ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.numbers.exact import decimal_text, plain, power_up, ratio_for
from privpac.numbers.parameters import chance, positive

__all__ = ["SampledCover"]

MOST_CANDIDATES = 20_000
"""Rules that are drawn and evaluated one by one."""


@dataclass(frozen=True)
class _Mistakes:
    """How many records each of some rules gets wrong."""

    hypotheses: tuple[Hypothesis, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for h in self.hypotheses for name in h.columns))

    def zero(self) -> NDArray[np.int64]:
        return np.zeros(len(self.hypotheses), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise DataError(
                "These records have no labels, and counting mistakes needs them.", remedy="Give labels."
            )
        for index, hypothesis in enumerate(self.hypotheses):
            # A constant looks at no column, so it cannot tell how many records there are.
            predictions = hypothesis.predict(block.cells) if block.cells else np.zeros(block.n, np.uint8)
            state[index] += int((predictions != block.labels).sum())
        return state

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


@dataclass(frozen=True)
class SampledCover(DrawsMembers, ReadsOnce):
    """A class of concepts, a reference, and what is declared about both."""

    concepts: AnyClass
    reference: Reference
    epsilon: Fraction
    kappa: Fraction
    level: Fraction
    mass: Fraction
    error: Fraction = Fraction(1, 10)
    failure: Fraction = Fraction(1, 20)

    def __post_init__(self) -> None:
        for name in ("epsilon", "level", "mass", "error", "failure"):
            read = positive if name == "epsilon" else chance
            object.__setattr__(self, name, read(getattr(self, name), owner="SampledCover", name=name))
        object.__setattr__(self, "kappa", density(self.kappa, owner="SampledCover"))
        if self.kappa * self.level >= self.error:
            raise ParameterError(
                "SampledCover",
                "level",
                plain(self.level),
                allowed=f"below error/kappa, which is {plain(self.error / self.kappa)}",
            )
        if self.candidates > MOST_CANDIDATES:
            raise SizeError(
                f"SampledCover: {self.candidates} candidates are more than the {MOST_CANDIDATES} that are evaluated.",
                remedy="Declare a larger mass or level.",
            )

    @property
    def candidates(self) -> int:
        """Draws after which the ball is missed with half of the failure probability at most."""
        return math.ceil(math.log(2 / float(self.failure)) / float(self.mass)) + 1

    @property
    def miss(self) -> Fraction:
        """An upper bound on the probability that no candidate is close to the target."""
        return power_up(1 - self.mass, self.candidates)

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return max(ratio_for(self.epsilon / 2), root_up(self.kappa * self.level / self.error))

    def require(self, size: Size) -> None:
        size.require_labelled("SampledCover")
        self.concepts.require(size.labelled)
        self._accuracy(size.labelled)  # refuses so few records that nothing is proved

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        privacy = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        return Certificate(
            privacy=rules.assuming(privacy, CHOSEN_FREELY),
            accuracy=(self._accuracy(size.labelled),),
            learner={
                "name": "sampled-cover",
                "concepts": self.concepts.word,
                "reference": self.reference.name,
                **public_parameters(self, "epsilon", "error", "failure", "kappa"),
                "candidates": str(self.candidates),
                "miss": decimal_text(self.miss),
            },
            labelled=size.labelled,
        )

    def _accuracy(self, n: int) -> Proof[Accuracy]:
        try:
            proof = covers_rules.reference_cover(
                odds=self.candidates,
                records=n,
                ratio=self.ratio,
                tilt=self.ratio,
                kappa=self.kappa,
                level=self.level,
                miss=self.miss,
                reference=self.reference.name,
                error=self.error,
                failure=self.failure,
                against=Against.REALIZABLE,
            )
        except RuleRefused:
            raise SizeError(
                f"SampledCover: {n} records do not prove an error of {decimal_text(self.error)}.",
                remedy="Collect more records, or allow a larger error or epsilon.",
            ) from None
        ball = f"every concept's ball of radius {plain(self.level)}"
        text = f"the prior of {self.concepts.word} gives {ball} a probability of at least {plain(self.mass)}"
        return rules.assuming(proof, text)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        prior = self.concepts.gibbs(self.concepts.statistic.zero(), ratio=self.ratio, costs=(1, 1))
        members = tuple(prior.draw(coins) for _ in range(self.candidates))
        mistakes = sample.reduce(_Mistakes(members))
        return members[gibbs.draw(Listed(mistakes), self.ratio, coins)]
