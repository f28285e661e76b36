"""SSL-Relabel: labelled records vote on the labels of other points, and keep their whole budget.

The score of a labelling z of the `kept` points is the least over concepts f of change·#{points: z ≠ f} +
mistake·#{labelled: f is wrong}; one is drawn with weight ratio^score, ratio = e^(-draw_epsilon/(2·mistake)).
Statement: a labelled record loses `draw_epsilon` (delta 0); an unlabelled one, of N of which k are kept,
(ln(1 + (k/N)(4·e^E·ratio^(-2·change) - 1)), (k/N)·D), (E, D) the base.
Source: a hybrid of Beimel–Nissim–Stemmer 2015 (Algorithm 2) and Li–Wang–Ye 2025 (Algorithm 1), constants ours.
Holds if: who has a label and all sizes are public.
Proof: docs/proofs/ssl-relabel.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, with_dichotomies
from privpac.concepts.labellings.members import voted_on
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.few_labels.after_labels import (
    Budget,
    Drawn,
    Family,
    Near,
    Spreading,
    base_for,
    near,
    rough_mistakes,
    rough_transfer,
    spare_delta,
    transfer_error,
)
from privpac.constructions.few_labels.boost import random_part
from privpac.constructions.wrappers.relabelling import relabelling_part, relabelling_votes
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import Proof, need, parameters
from privpac.guarantee.theorem import Derived, ErrorBound
from privpac.numbers.exact import exp_down, exp_up, ratio_for
from privpac.numbers.parameters import Number, chance
from privpac.numbers.rough import Floats
from privpac.numbers.search import minimum, stepped
from privpac.theory.register import formula

__all__ = ["RELABELLING", "SSLRelabel", "Votes", "best_votes", "error_ssl_relabel"]

OWNER = "SSLRelabel"
DIGITS = 30
MISTAKE = 16
"""One mistake costs this much; changes cost a whole number, so that their ratio can be chosen in sixteenths."""


@dataclass(frozen=True)
class Votes:
    """Labels for `kept` of `taken` unlabelled points: a `change` of one costs as much as change/mistake mistakes."""

    draw_epsilon: Fraction
    kept: int
    taken: int
    change: int
    mistake: int = MISTAKE

    def __post_init__(self) -> None:
        counts = (self.kept, self.taken, self.change, self.mistake)
        if not (self.draw_epsilon > 0 and min(counts) >= 1 and self.kept <= self.taken):
            raise ParameterError(
                OWNER,
                "kept, taken, change, mistake",
                counts,
                allowed="positive integers, no more kept than taken",
            )

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.draw_epsilon / (2 * self.mistake))


# --- accuracy ---


@dataclass(frozen=True)
class RelabelAccuracy(ErrorBound, key="ssl-relabel-accuracy"):
    """Where some concept makes no error: near the concept behind the drawn labels, and it near the truth.

    No score above j is drawn, labellings·ratio^(j + 1) <= failure/4; then some concept errs on at most j/mistake
    labelled records and differs from the drawn labels at j/change points. `transfer_error` carries the first rate over
    to the distribution, and the second together with the base's own, for pairs of concepts; the error is their sum.
    Source: Li–Wang–Ye 2025, Claim 16. Holds if labelled and unlabelled records are independent draws from one
    distribution.
    """

    votes: Votes
    family: Family
    near: Near
    proper = True

    @property
    def premises(self) -> tuple[Proof[Accuracy], ...]:
        """What is proved of the base."""
        return self.near.premises

    def derived(self, n: int, failure: Fraction) -> Derived:
        """The error, with n labelled records."""
        votes, quarter = self.votes, failure / 4
        total = 3 * quarter + self.near.failure
        need(self.key, n >= 1, "there must be a labelled record")
        need(self.key, 0 < total < 1, "the failure probabilities add up to one")
        labellings = Fraction(self.family.labellings(votes.kept))
        draw = Drawn(labellings - 1, votes.ratio, quarter)
        score = draw.most
        wrong = Fraction(score // votes.mistake, n)
        distance = Fraction(score // votes.change, votes.kept) + self.near.rate(votes.kept)
        need(self.key, wrong < 1 and distance < 1, "these records prove nothing")
        first = transfer_error(wrong, points=n, family=self.family, failure=quarter)
        second = transfer_error(distance, points=votes.kept, family=self.family, failure=quarter, pairs=True)
        prices = parameters(change=votes.change, mistake=votes.mistake, near=first.error, apart=second.error)
        where = {**prices, **draw.where("draw"), **self.near.where()}
        where |= {**first.where("near"), **second.where("apart")}
        return Derived(first.error + second.error, total, where)


# --- the learner ---


@dataclass(frozen=True)
class SSLRelabel:
    """`base` on `kept` unlabelled records, under labels drawn by the vote of all labelled ones."""

    concepts: Dichotomous
    base: Learner
    votes: Votes
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    failure: Fraction = FAILURE

    @property
    def outcomes(self) -> int | None:
        return self.base.outcomes

    def require(self, size: Size) -> None:
        if size.labelled < 1 or size.unlabelled < self.votes.taken:
            raise SizeError(
                f"{OWNER} was set up for labelled and at least {self.votes.taken} unlabelled records, but there are"
                f" {size.labelled} and {size.unlabelled}.",
                remedy=f"Use {OWNER}.calibrate with the records at hand.",
            )
        self.concepts.require_relabelled(self.votes.kept, voters=size.labelled)
        self.base.require(Size(self.votes.kept))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        votes, inner = self.votes, self.base.certify(Size(self.votes.kept))
        classes = len(self.concepts.schema.classes)
        labelled = relabelling_votes(classes=classes, ratio=votes.ratio, mistake=votes.mistake, part=LABELLED)
        relabelling = relabelling_part(
            inner.privacy, classes=classes, ratio=votes.ratio, change=votes.change, part=UNLABELLED
        )
        points = rules.subsampling(relabelling, kept=votes.kept, of=votes.taken)
        proof = rules.disjoint_parts(labelled, points)
        return Certificate(
            privacy=rules.declared(proof, epsilon=self.epsilon, delta=self.delta),
            accuracy=tuple(
                proof for bound in self.bounds() for proof in bound.promise(size.labelled, self.failure)
            ),
            learner={
                "name": "ssl-relabel",
                "concepts": self.concepts.word,
                **public_parameters(self, "epsilon", "delta", "failure"),
                **public_parameters(votes, *vars(votes)),
                "base": dict(inner.learner),
            },
            labelled=size.labelled,
            unlabelled=size.unlabelled,
        )

    def bounds(self) -> tuple[ErrorBound, ...]:
        """Of a base that releases a concept of the class, near to the labels of the very points."""
        follows = near(self.base, points=self.votes.kept, failure=self.failure / 4)
        if follows is None or self.base.concepts != self.concepts:
            return ()
        return (RelabelAccuracy(self.votes, Family.of(self.concepts, owner=OWNER, voted=True), follows),)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.base.releases(hypothesis, Size(self.votes.kept))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        votes = self.votes
        points = sample.unlabelled.take(random_part(votes.taken, votes.kept, coins))
        labellings = voted_on(self.concepts, points)
        scores = labellings.relabelling(points, sample.labelled, change=votes.change, mistake=votes.mistake)
        labels = labellings.labels(scores.draw(votes.ratio, coins), points.block().cells)
        return self.base.learn(points.relabelled(labels), coins)

    @classmethod
    def calibrate(
        cls,
        concepts: AnyClass,
        size: Size,
        *,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        failure: Fraction = FAILURE,
    ) -> SSLRelabel:
        """Settings that meet (epsilon, delta) for everybody with the records one has, found by search."""
        cut = with_dichotomies(concepts, owner=OWNER)
        base_for(cut, Budget(epsilon, delta / 4), failure=failure)  # refuses a delta that nothing would spend
        family = Family.of(cut, owner=OWNER, voted=True)
        votes, budget = best_votes(family, size, epsilon=epsilon, failure=failure, delta=delta)
        return cls(cut, base_for(cut, budget, failure=failure / 4), votes, epsilon, delta, failure)


# --- the search: floats propose settings, and what they promise is certified ---


@lru_cache(maxsize=1024)
def rough_votes(
    family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> tuple[float, list[float]]:
    """The smallest error that floats find, and (base, weight) for it; `weight` is change/mistake."""
    room, slip, price = math.expm1(float(epsilon)), float(delta), float(epsilon)
    m, miss, quarter = size.labelled, float(failure), float(failure) / 4

    def error(base: Floats, weight: Floats) -> Floats:
        share = np.minimum(1.0, room / (4 * np.exp(base + weight * price) - 1))
        kept = np.floor(size.unlabelled * share)
        k = np.maximum(kept, 2)
        mistakes = rough_mistakes(family, base, np.minimum(slip / share, base / 4), miss / 4)
        score = 2 * (family.rough_labellings(k) - math.log(quarter)) / price  # in units of one mistake
        near = rough_transfer(score / m, m, family=family, failure=quarter)
        apart = rough_transfer((score / weight + mistakes) / k, k, family=family, failure=quarter, times=2)
        return np.where(kept < 2, math.inf, near + apart)

    return minimum(error, [(0.002, 5.0), (1 / MISTAKE, 4.0)])


def best_votes(
    family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> tuple[Votes, Budget]:
    """Settings that meet (epsilon, delta) for everybody and promise a small error, and the budget of the base."""
    if size.labelled < 1 or size.unlabelled < 1:
        raise SizeError(f"{OWNER} needs labelled and unlabelled records.")
    _, (base, weight) = rough_votes(family, size, epsilon=epsilon, failure=failure, delta=delta)
    inner, change = stepped(base), max(1, round(weight * MISTAKE))
    moved = 4 * exp_up(inner, DIGITS) / ratio_for(epsilon / (2 * MISTAKE)) ** (2 * change)
    room = exp_down(epsilon, DIGITS) - 1
    kept = max(1, min(size.unlabelled, math.floor(size.unlabelled * room / (moved - 1))))
    spared = spare_delta(delta, epsilon=inner, shares=(Fraction(kept, size.unlabelled),))
    return Votes(epsilon, kept, size.unlabelled, change), Budget(inner, spared)


@formula("ssl-relabel-accuracy")
def error_ssl_relabel(
    votes: Votes, base: Budget, *, labelled: int, family: Family, failure: Number
) -> Fraction:
    """The error SSL-Relabel promises where some concept makes none; 1 if nothing.

    Statement: as `RelabelAccuracy`, for a base that draws from the class. Source: register
    `ssl-relabel-accuracy`. Holds if: labelled and unlabelled records are independent draws from one distribution.
    Proof: docs/proofs/ssl-relabel.md.
    """
    miss = chance(failure, owner="error_ssl_relabel", name="failure")
    ratio = ratio_for(base.epsilon / 2)
    return RelabelAccuracy(votes, family, Drawn(family.odds, ratio, miss / 4)).error(labelled, miss)


RELABELLING = Spreading(rough_votes, best_votes, error_ssl_relabel)
