"""LabelBoost: a labelling of all points is drawn by the few that have labels, and a private learner follows it.

One round keeps a random part of the labelled and of the unlabelled records, draws one labelling of all kept points by
the mistakes it makes on the labelled ones, and hands the points with these labels to `base`. Rounds are nested: the
base may be a LabelBoost itself, or draw its records anew (`Resampled`).
Statement: in front of an (E, D)-private base a labelled record loses (ln(1 + q(e^E·(1 + e^(draw/2))² - 1)), q·D), an
unlabelled one (ln(1 + q(4·e^E - 1)), q·D), q the share kept of its part; everybody is promised the worst.
Source: Beimel–Nissim–Stemmer 2015, Algorithms 2 and 3, Lemmas 4.1, 4.6 and 4.12; constants ours.
Holds if: who has a label and all sizes are public, each unlabelled record is used once, every dichotomy is drawn from
by the exponential mechanism itself.
Proof: docs/proofs/label-boost.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, with_dichotomies
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
    transfer_excess,
)
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import InMemory, Size
from privpac.data.semi import SemiSample, joined
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import ALL, Accuracy, Against, Loss, Privacy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import (
    DECIDING,
    SEAL,
    Proof,
    Value,
    need,
    need_ratio,
    need_record,
    need_two_classes,
    parameters,
)
from privpac.guarantee.theorem import Derived, ErrorBound
from privpac.numbers.exact import exp_down, exp_up, ln_up, ratio_for, shortened, written
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats
from privpac.numbers.search import minimum, stepped
from privpac.theory.occam import GRID, error_occam, excess_agnostic, tilt_agnostic
from privpac.theory.register import formula

__all__ = [
    "BASE",
    "BOOSTING",
    "LabelBoost",
    "LabelBoostAccuracy",
    "LabelBoostRealizable",
    "Round",
    "best_round",
    "error_label_boost",
    "keep_labelled",
    "keep_unlabelled",
    "label_boost_labelled",
    "label_boost_loss",
    "label_boost_unlabelled",
    "labels_as_printed",
    "later_round",
    "random_part",
    "relabel",
]

OWNER = "LabelBoost"
DIGITS = 30
DRAW, BASE, DEVIATION = Fraction(8, 10), Fraction(1, 10), Fraction(1, 10)
"""How the failure probability is shared out: most to the draw of the labels, since labels are scarce."""


# --- privacy ---


def label_boost_labelled(premise: Proof[Privacy], *, classes: int, ratio: Fraction) -> Proof[Privacy]:
    """A labelled record, when all points are relabelled before an (epsilon, delta)-private run.

    The labels are one dichotomy of all points, drawn with weight ratio^(mistakes on labelled records):
    e^eps' = e^eps·(1 + 1/ratio)², delta' = delta. Source: Beimel–Nissim–Stemmer Lemma 4.1, tight constant; register
    `label-boost-labelled`. Refused unless there are two `classes`. Holds if every dichotomy is drawn from, scores are
    not clamped, and sizes are public.
    """
    rule = "label-boost-labelled"
    need_ratio(rule, ratio, 1)
    return _relabelling(rule, premise, classes, (1 + 1 / ratio) ** 2, LABELLED, {"ratio": written(ratio)})


def label_boost_unlabelled(
    premise: Proof[Privacy], *, classes: int, part: str = UNLABELLED
) -> Proof[Privacy]:
    """A record without label, relabelled together with the labelled ones: e^eps' = 4·e^eps, delta' = delta.

    Source: Beimel–Nissim–Stemmer Lemma 4.1, tight constant; register `label-boost-unlabelled`. Holds as
    `label_boost_labelled`.
    """
    rule = "label-boost-unlabelled"
    bare = part not in ("", ALL) and part not in DECIDING
    need(rule, bare, "it is a part without labels whose loss this is")
    return _relabelling(rule, premise, classes, Fraction(4), part, {"part": part})


def _relabelling(
    rule: str, premise: Proof[Privacy], classes: int, cost: Fraction, part: str, where: dict[str, Value]
) -> Proof[Privacy]:
    """Of the two roles of a last round, or of one more than the later rounds have: theirs are the labelled records."""
    old = premise.fact
    need_two_classes(rule, classes)
    need_record(rule, old)
    later = old.part == LABELLED and old.roles >= 2
    need(rule, old.part == ALL or later, "the premise must speak of the records whose labels were drawn")
    loss = Loss(old.epsilon.log, shortened(cost * old.epsilon.factor))
    fact = replace(old, epsilon=loss, part=part, roles=max(1, old.roles) + 1)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def later_round(premise: Proof[Privacy]) -> Proof[Privacy]:
    """A role of the later rounds that the round before them does not look at: the same loss, and one role more.

    Given what the round before did, the rest is the premise's run on fixed people. Register `later-round`. Not of the
    labelled records, which every round looks at.
    """
    rule = "later-round"
    old = premise.fact
    need(rule, old.roles >= 2, "the premise must speak of one role of the rounds that come later")
    need(rule, old.part not in DECIDING, "labelled records are looked at in every round")
    return Proof(replace(old, roles=old.roles + 1), rule, (premise,), seal=SEAL)


@formula("label-boost-labelled")
def label_boost_loss(base: Number, *, draw: Number) -> Fraction:
    """What relabelling costs a labelled record in front of a `base`-private learner; rounded up.

    Statement: base + 2·ln(1 + e^(draw/2)); a record without label loses base + ln 4. Source: register
    `label-boost-labelled`. Holds if: the draw is the exponential mechanism itself, without a clamp on scores.
    Proof: docs/proofs/label-boost.md.

    >>> float(label_boost_loss(1, draw=1))
    2.948153968362
    """
    owner = "label_boost_loss"
    half = positive(draw, owner=owner, name="draw") / 2
    return positive(base, owner=owner, name="base") + 2 * ln_up(1 + exp_up(half, DIGITS))


def _most_kept(records: int, epsilon: Fraction, inner: Fraction) -> int:
    """The largest k with 1 + (k/records)(inner - 1) <= e^epsilon."""
    return min(records, math.floor(records * (exp_down(epsilon, DIGITS) - 1) / (inner - 1)))


@formula("subsampling-without-replacement")
def keep_labelled(records: int, *, epsilon: Fraction, later: Fraction, draw: Fraction) -> int:
    """Labelled records that may be kept so that each is promised `epsilon`, if all that follows is `later`-private.

    Statement: k/records <= (e^epsilon - 1)/(e^later·(1 + e^(draw/2))² - 1). Source: register
    `subsampling-without-replacement`, `label-boost-labelled`. Holds if: the kept are a uniform subset, shuffled.
    Proof: docs/proofs/label-boost.md.

    >>> keep_labelled(10_000, epsilon=Fraction(1), later=Fraction(1), draw=Fraction(1))
    950
    """
    return _most_kept(records, epsilon, exp_up(later, DIGITS) * (1 + 1 / ratio_for(draw / 2)) ** 2)


@formula("subsampling-without-replacement")
def keep_unlabelled(records: int, *, epsilon: Fraction, later: Fraction) -> int:
    """The same for records without labels.

    Statement: k/records <= (e^epsilon - 1)/(4·e^later - 1). Source: register `subsampling-without-replacement`,
    `label-boost-unlabelled`. Holds if: as `keep_labelled`. Proof: docs/proofs/label-boost.md.

    >>> keep_unlabelled(10_000, epsilon=Fraction(1), later=Fraction(1))
    1740
    """
    return _most_kept(records, epsilon, 4 * exp_up(later, DIGITS))


# --- accuracy ---


@dataclass(frozen=True)
class LabelBoostAccuracy(ErrorBound):
    """One round, then a base, then from the points to their distribution.

    The labelled records are a random part of all kept points, so a labelling that is wrong on many points is wrong on
    many labelled records: among odds + 1 labellings one that is wrong at a rate above a = `drawn` on the points (above
    the best) is drawn with probability at most odds·base^kept <= 8/10 failure, base = 1 - a(1 - ratio), or with noise
    ((1 - a)/x + (1 + a)·x)/2 at the best x = `tilt`. The base's rule leaves these labels at most at the rate of `near`,
    and `transfer_error` or `transfer_excess` carries the sum over to the distribution.
    Source: Beimel–Nissim–Stemmer Claim 4.2, Lemma 4.12, Theorem 4.16. Holds if labelled and unlabelled records are
    independent draws from one distribution.
    """

    kept: int
    points: int
    ratio: Fraction
    family: Family
    near: Near
    proper = True

    @property
    def premises(self) -> tuple[Proof[Accuracy], ...]:
        """What is proved of the base."""
        return self.near.premises

    def check(self) -> None:
        """Refuse what is no ratio, and more labelled points than points."""
        need_ratio(self.key, self.ratio, 1)
        need(self.key, 1 <= self.kept <= self.points, "sizes are out of range")

    def derived(self, n: int, failure: Fraction) -> Derived:
        """The error, with n labelled records."""
        need(self.key, self.kept <= n, "more are kept than there are")
        total = failure * (DRAW + DEVIATION) + self.near.failure
        need(self.key, 0 < total < 1, "the failure probabilities add up to one")
        noisy = self.against is Against.AGNOSTIC
        size, ask = self.family.labellings(self.points), excess_agnostic if noisy else error_occam
        drawn = Fraction(1)
        for grid in (GRID, GRID / 100):  # a hundredth of the error at most is lost by rounding up
            drawn = ask(self.kept, size=size, failure=failure * DRAW, ratio=self.ratio, grid=grid)
            if drawn >= 100 * grid:
                break
        rate = drawn + self.near.rate(self.points)
        need(self.key, rate < 1, "these records prove nothing")
        tilt = tilt_agnostic(drawn, ratio=self.ratio) if noisy else self.ratio
        carry = transfer_excess if noisy else transfer_error
        carried = carry(rate, points=self.points, family=self.family, failure=failure * DEVIATION)
        draw = parameters(kept=self.kept, odds=written(size - 1), ratio=self.ratio, tilt=tilt, drawn=drawn)
        draw |= {"draw_failure": written(failure * DRAW)}
        return Derived(carried.error, total, {**draw, **self.near.where(), **carried.where("carried")})


class LabelBoostRealizable(LabelBoostAccuracy, key="label-boost-realizable"):
    """Where some concept makes no error."""


class LabelBoostAgnostic(LabelBoostAccuracy, key="label-boost-agnostic"):
    """Above the best concept, whatever the labels are."""

    against = Against.AGNOSTIC


# --- the learner ---


@dataclass(frozen=True)
class Round:
    """Draw labels at `draw_epsilon`, from `kept_labelled` of the labelled and `kept_unlabelled` of `taken` others."""

    draw_epsilon: Fraction
    """One mistake weighs e^(-draw_epsilon/2)."""
    kept_labelled: int
    taken: int
    kept_unlabelled: int

    def __post_init__(self) -> None:
        if not (
            self.draw_epsilon > 0 and self.kept_labelled >= 1 and 1 <= self.kept_unlabelled <= self.taken
        ):
            raise ParameterError(
                "Round",
                "kept_labelled, kept_unlabelled, taken",
                (self.kept_labelled, self.kept_unlabelled, self.taken),
                allowed="at least one labelled and one other record, and no more others kept than taken",
            )

    @property
    def points(self) -> int:
        """All points that are kept, and get labels."""
        return self.kept_labelled + self.kept_unlabelled

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each mistake."""
        return ratio_for(self.draw_epsilon / 2)


def relabel(
    concepts: Dichotomous, labelled: InMemory, unlabelled: InMemory, *, ratio: Fraction, coins: Coins
) -> MemorySample:
    """LabelBoostProcedure (Algorithm 2): all these records, the labelled ones first, under one drawn labelling."""
    dichotomies = concepts.dichotomies(labelled, unlabelled)
    labelling = dichotomies.mistakes(labelled).draw(ratio, coins)
    parts = (labelled, unlabelled)
    return joined(*(part.relabelled(dichotomies.labels(labelling, part.block().cells)) for part in parts))


def random_part(count: int, part: int, coins: Coins) -> NDArray[np.int64]:
    """`part` of the positions below `count`, every ordered choice equally likely.

    The random order is part of the guarantee: kept in their own order, records of a learner that looks at places would
    lose more than subsampling promises (docs/proofs/subsampling-without-replacement.md).
    """
    return np.asarray(coins.subset(count, part), dtype=np.int64)


@dataclass(frozen=True)
class LabelBoost:
    """One round, and a `base` on the points with their new labels; a base that is a LabelBoost is a further round."""

    concepts: Dichotomous
    base: Learner | LabelBoost
    round: Round
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    failure: Fraction = FAILURE

    @property
    def outcomes(self) -> int | None:
        return self.base.outcomes

    def _inner(self, size: Size) -> Size:
        """What the base gets: labelled points and, if it is a further round, the others that are left."""
        more = size.unlabelled - self.round.taken if isinstance(self.base, LabelBoost) else 0
        return Size(self.round.points, max(0, more))

    def require(self, size: Size) -> None:
        kept, taken = self.round.kept_labelled, self.round.taken
        if size.labelled < kept or size.unlabelled < taken:
            raise SizeError(
                f"{OWNER} was set up for at least {kept} labelled and {taken} unlabelled records,"
                f" but there are {size.labelled} and {size.unlabelled}.",
                remedy=f"Use {OWNER}.calibrate with the records at hand.",
            )
        self.concepts.require_listed(self.round.points)
        self.base.require(self._inner(size))

    def by_part(self, size: Size, block: int = 1) -> tuple[Proof[Privacy], ...]:
        """Of the labelled records, then of the blocks of unlabelled ones in the order of the rounds."""
        classes, step, inner = len(self.concepts.schema.classes), self.round, self._inner(size)
        later, *blocks = (
            self.base.by_part(inner, block + 1)
            if isinstance(self.base, LabelBoost)
            else (self.base.certify(inner).privacy,)
        )
        known = label_boost_labelled(later, classes=classes, ratio=step.ratio)
        labelled = rules.subsampling(known, kept=step.kept_labelled, of=size.labelled)
        part = f"{UNLABELLED}, block {block}" if blocks or block > 1 else UNLABELLED
        bare = label_boost_unlabelled(later, classes=classes, part=part)
        return (
            labelled,
            rules.subsampling(bare, kept=step.kept_unlabelled, of=step.taken),
            *map(later_round, blocks),
        )

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        proof = rules.disjoint_parts(*self.by_part(size))
        return Certificate(
            privacy=rules.declared(proof, epsilon=self.epsilon, delta=self.delta),
            accuracy=tuple(
                proof for bound in self.bounds() for proof in bound.promise(size.labelled, self.failure)
            ),
            learner={
                "name": "label-boost",
                "concepts": self.concepts.word,
                **public_parameters(self, "epsilon", "delta", "failure"),
                **public_parameters(self.round, *vars(self.round)),
                "base": dict(self.base.certify(self._inner(size)).learner),
            },
            labelled=size.labelled,
            unlabelled=size.unlabelled,
        )

    def bounds(self) -> Iterator[ErrorBound]:
        """Of one round, in front of a base that releases a concept of the class."""
        if isinstance(self.base, LabelBoost) or self.base.concepts != self.concepts:
            return
        step, family = self.round, Family.of(self.concepts, owner=OWNER)
        follows = near(self.base, points=step.points, failure=self.failure * BASE)
        if follows is not None:
            for kind in (LabelBoostRealizable, LabelBoostAgnostic):
                yield kind(step.kept_labelled, step.points, step.ratio, family, follows)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.base.releases(hypothesis, self._inner(size))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        step, size = self.round, sample.size
        some = sample.labelled.take(random_part(size.labelled, step.kept_labelled, coins))
        others = sample.unlabelled.take(random_part(step.taken, step.kept_unlabelled, coins))
        labelled = relabel(self.concepts, some, others, ratio=step.ratio, coins=coins)
        if not isinstance(self.base, LabelBoost):
            return self.base.learn(labelled, coins)  # in random order within each part, as `random_part` is
        left = sample.unlabelled.take(np.arange(step.taken, size.unlabelled))
        return self.base.learn(SemiSample(labelled, left), coins)

    @classmethod
    def calibrate(
        cls,
        concepts: AnyClass,
        size: Size,
        *,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        failure: Fraction = FAILURE,
    ) -> LabelBoost:
        """One round that meets (epsilon, delta) for everybody with the records one has, found by search.

        More rounds need more labels up to ten million points (docs/proofs/label-boost.md), so none are searched.
        """
        cut = with_dichotomies(concepts, owner=OWNER)
        base_for(cut, Budget(epsilon, delta / 4), failure=failure)  # refuses a delta that nothing would spend
        family = Family.of(cut, owner=OWNER)
        step, budget = best_round(family, size, epsilon=epsilon, failure=failure, delta=delta)
        return cls(cut, base_for(cut, budget, failure=failure * BASE), step, epsilon, delta, failure)


# --- the search: floats propose a round, and what it promises is certified ---


@lru_cache(maxsize=1024)
def rough_round(
    family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> tuple[float, list[float]]:
    """The smallest error that floats find for one round, and (draw, base, share of the unlabelled) for it."""
    room, miss, slip = math.expm1(float(epsilon)), float(failure), float(delta)

    def error(draw: Floats, base: Floats, share: Floats) -> Floats:
        loss = np.exp(base)
        kept = np.floor(size.labelled * np.minimum(1.0, room / (loss * (1 + np.exp(draw / 2)) ** 2 - 1)))
        bare = np.minimum(1.0, room / (4 * loss - 1))
        points = kept + np.floor(np.maximum(1.0, size.unlabelled * share) * bare)
        mistakes = rough_mistakes(family, base, np.minimum(slip / bare, base / 4), miss / 10)
        odds = family.rough_labellings(points) - math.log(DRAW * failure)
        rate = -np.expm1(-odds / np.maximum(kept, 1)) / -np.expm1(-draw / 2) + mistakes / points
        bound = rough_transfer(rate, np.maximum(points, 1), family=family, failure=miss / 10)
        return np.where(kept < 1, math.inf, bound)

    return minimum(error, [(0.05, 20.0), (0.002, 10.0), (min(1.0, 10 / size.unlabelled), 1.0)])


def best_round(
    family: Family, size: Size, *, epsilon: Fraction, failure: Fraction, delta: Fraction = Fraction(0)
) -> tuple[Round, Budget]:
    """A round that meets (epsilon, delta) for everybody and promises a small error, and the budget of its base."""
    if size.labelled < 1 or size.unlabelled < 1:
        raise SizeError(
            f"{OWNER} needs labelled and unlabelled records.",
            remedy="Leave labels empty, or write -1, for records without one.",
        )
    _, (draw, base, share) = rough_round(family, size, epsilon=epsilon, failure=failure, delta=delta)
    first, second, taken = stepped(draw), stepped(base), max(1, math.floor(size.unlabelled * share))
    kept = keep_labelled(size.labelled, epsilon=epsilon, later=second, draw=first)
    if kept < 1:
        raise SizeError(
            f"{OWNER}: {size.labelled} labelled records are too few to keep a random part of them.",
            remedy="Collect more labels, or allow a larger epsilon.",
        )
    others = keep_unlabelled(taken, epsilon=epsilon, later=second)
    if others < 1:
        raise SizeError(
            f"{OWNER}: {size.unlabelled} records without label are too few to keep a random part of them.",
            remedy="Collect more records, or use the labelled ones alone.",
        )
    shares = Fraction(kept, size.labelled), Fraction(others, taken)
    return Round(first, kept, taken, others), Budget(
        second, spare_delta(delta, epsilon=second, shares=shares)
    )


@formula("label-boost-realizable")
def error_label_boost(
    step: Round, base: Budget, *, labelled: int, family: Family, failure: Number, noisy: bool = False
) -> Fraction:
    """The error one round promises where some concept makes none, or if `noisy` above the best; 1 if nothing.

    Statement: as `LabelBoostAccuracy`, for a base that draws from the class. Source: registers
    `label-boost-realizable`, `label-boost-agnostic`. Holds if: labelled and unlabelled records are independent draws
    from one distribution. Proof: docs/proofs/label-boost.md.
    """
    miss = chance(failure, owner="error_label_boost", name="failure")
    follows = Drawn(family.odds, ratio_for(base.epsilon / 2), miss * BASE)
    kind = LabelBoostAgnostic if noisy else LabelBoostRealizable
    return kind(step.kept_labelled, step.points, step.ratio, family, follows).error(labelled, miss)


BOOSTING = Spreading(rough_round, best_round, error_label_boost)


@formula("label-boost")
def labels_as_printed(vc: int, *, error: Number, failure: Number) -> int:
    """Labels that LabelBoost asks for with the constants in print, for the same error and failure.

    Statement: (96,000/a)·vc·ln(2240/(a·b)), a = error/11, b = failure/2; it also asks for 90,000 times the records of
    its base without labels. Source: register `label-boost` (Beimel–Nissim–Stemmer 2015, Claim 4.9 and Lemma 4.12).
    Holds if: as there, at epsilon 1. Proof: docs/proofs/label-boost.md.

    >>> labels_as_printed(1, error=0.1, failure=0.05)
    170053921
    """
    owner = "labels_as_printed"
    wrong = chance(error, owner=owner, name="error") / 11
    miss = chance(failure, owner=owner, name="failure") / 2
    dimension = at_least(1, vc, owner=owner, name="vc")
    return math.ceil(96_000 * dimension * ln_up(2240 / (wrong * miss)) / wrong)
