"""What follows once points have drawn labels: a private base learns from them, and rates go over to the distribution.

The second half of both `boost` (LabelBoost) and `relabel` (SSL-Relabel).
Proof: docs/proofs/label-boost.md, docs/proofs/vc.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from privpac.concepts.base import AnyClass
from privpac.concepts.labellings.base import members_from
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import Learner
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import levels
from privpac.constructions.draw.occam import Occam
from privpac.constructions.wrappers.transform import empirical_accuracy
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof, Value, need, parameters
from privpac.numbers.exact import about_log, ln_up, plain, sqrt_up, written
from privpac.numbers.parameters import Number, at_least, chance, positive, rational
from privpac.numbers.rough import Floats, rough_ln_growth
from privpac.numbers.search import PLENTY, first_proved
from privpac.theory.register import formula
from privpac.theory.vc import growth

__all__ = [
    "Budget",
    "Carried",
    "Drawn",
    "Family",
    "Spreading",
    "base_for",
    "mistakes_of_draw",
    "near",
    "rough_mistakes",
    "rough_transfer",
    "spare_delta",
    "transfer_error",
    "transfer_excess",
]


@dataclass(frozen=True)
class Family:
    """What is public about a class: its number of concepts, its VC dimension if known, and the odds of its prior."""

    size: int
    vc: int | None
    odds: Fraction
    members_from: int | None = None
    """From this many points on members are drawn in place of labellings, by their prior; None: never."""
    levels: int | None = None
    """How often the column can be halved, for cuts in one direction; None for every other class."""

    def __post_init__(self) -> None:
        if self.size < 1 or self.odds < 0 or (self.vc is not None and self.vc < 0):
            values = (self.size, self.vc, plain(self.odds))
            raise ParameterError("Family", "size, vc, odds", values, allowed="numbers of a class")

    @classmethod
    def of(cls, concepts: AnyClass, *, owner: str, voted: bool = False) -> Family:
        """The numbers of a class whose labellings are drawn, or `voted` on; its size must be known."""
        if concepts.size is None:
            raise ParameterError(owner, "concepts", concepts.word, allowed="a class whose size is known")
        cuts = isinstance(concepts, Thresholds) and concepts.direction != "either"
        depth = levels(concepts.schema.column(concepts.column).size) if cuts else None  # type: ignore[attr-defined]
        first = members_from(concepts, voted=voted)
        return cls(concepts.size, concepts.vc, Fraction(concepts.odds), first, depth)

    def labellings(self, points: int) -> int:
        """The most labellings it puts on this many points; of members, as many as their prior makes of them."""
        if self.members_from is not None and points >= self.members_from:
            return ceil(self.odds) + 1
        return self.size if self.vc is None else min(self.size, growth(points, vc=self.vc))

    def rough_labellings(self, points: Floats) -> Floats:
        """ln of `labellings`, in floats."""
        most = np.full(points.shape, math.log(self.size))
        return most if self.vc is None else np.minimum(most, rough_ln_growth(points, self.vc))


# --- from points to their distribution ---


@dataclass(frozen=True)
class Carried:
    """`error` holds of the distribution, but for `failure`, since a rate holds on `points` independent draws from it.

    Realizable: true <= rate + square/2 + sqrt(square·(rate + square/4)). Agnostic: excess + uniform + single.
    """

    error: Fraction
    points: int
    failure: Fraction
    basis: str
    """'growth' of a class of VC dimension `of`, or its 'size', which is `of`."""
    of: int
    square: Fraction = Fraction(0)
    uniform: Fraction = Fraction(0)
    single: Fraction = Fraction(0)

    def where(self, name: str) -> dict[str, Value]:
        """The parameters of a step, as a certificate stores them."""
        texts = {
            part: written(getattr(self, part)) for part in ("failure", "of", "square", "uniform", "single")
        }
        numbers: dict[str, Value] = {"points": self.points, "basis": self.basis, **texts}
        return {f"{name}_{part}": value for part, value in numbers.items()}


def _six_digits(value: Fraction) -> Fraction:
    return min(Fraction(1), Fraction(ceil(value * 10**6), 10**6))


def _better(family: Family, by_size: Fraction, by_growth: Fraction | None) -> tuple[Fraction, str, int]:
    if by_growth is None or family.vc is None or by_size <= by_growth:
        return by_size, "size", family.size
    return by_growth, "growth", family.vc


@formula("relative-deviation-by-size")
def transfer_error(
    rate: Number, *, points: int, family: Family, failure: Number, pairs: bool = False
) -> Carried:
    """The true error of every concept that differs from the target on at most a `rate` of the points.

    Statement: rate + t²/2 + t·sqrt(rate + t²/4), t² the smaller of 4(k·ln growth(2m) + ln(4/failure))/m and
    2(k·ln size + ln(1/failure))/m; k is 1 for a fixed target, 2 for pairs. Source: register
    `relative-deviation-by-size`, `relative-deviation`. Holds if: the points are independent draws.
    Proof: docs/proofs/vc.md.

    >>> float(transfer_error(0, points=1000, family=Family(2**8, 1, Fraction(255)), failure=0.05).error)
    0.017082
    """
    owner = "transfer_error"
    seen = rational(rate, owner=owner, name="rate")
    m, miss = at_least(1, points, owner=owner, name="points"), chance(failure, owner=owner, name="failure")
    k, vc = 2 if pairs else 1, family.vc
    by_size = 2 * (k * ln_up(Fraction(family.size)) + ln_up(1 / miss)) / m
    by_growth = None if vc is None else 4 * (k * ln_up(Fraction(growth(2 * m, vc=vc))) + ln_up(4 / miss)) / m
    square, basis, of = _better(family, by_size, by_growth)
    error = _six_digits(seen + square / 2 + sqrt_up(square * (seen + square / 4)))
    return Carried(error, m, miss, basis, of, square=square)


def rough_transfer(
    rate: Floats, points: Floats | int, *, family: Family, failure: float, times: int = 1
) -> Floats:
    """`transfer_error` in floats."""
    square = 2 * (times * math.log(family.size) - math.log(failure)) / np.asarray(points, dtype=np.float64)
    if family.vc is not None:
        growths = times * rough_ln_growth(2 * np.asarray(points), family.vc)
        square = np.minimum(square, 4 * (growths + math.log(4 / failure)) / points)
    bound: Floats = rate + square / 2 + np.sqrt(square * (rate + square / 4))
    return bound


@formula("uniform-convergence")
def transfer_excess(excess: Number, *, points: int, family: Family, failure: Number) -> Carried:
    """The true excess of every concept whose error on the points is within `excess` of the best concept's there.

    Statement: excess + uniform + single, single = sqrt(ln(2/failure)/(2m)), uniform the smaller of
    sqrt(2·ln growth(m)/m) + single and sqrt(ln(2·size/failure)/(2m)). Source: register `uniform-convergence`,
    `generalisation-class`. Holds if: the points are independent draws. Proof: docs/proofs/vc.md.
    """
    owner = "transfer_excess"
    seen = rational(excess, owner=owner, name="excess")
    m, miss = at_least(1, points, owner=owner, name="points"), chance(failure, owner=owner, name="failure")
    single = sqrt_up(ln_up(2 / miss) / (2 * m))
    by_size = sqrt_up(ln_up(2 * family.size / miss) / (2 * m))
    vc = family.vc
    # A class of dimension 0 has one member, of which a bound by size says as much: the other one would be a tie.
    by_growth = sqrt_up(2 * ln_up(Fraction(growth(m, vc=vc))) / m) + single if vc else None
    uniform, basis, of = _better(family, by_size, by_growth)
    return Carried(_six_digits(seen + uniform + single), m, miss, basis, of, uniform=uniform, single=single)


# --- the base ---


class Budget(NamedTuple):
    """What the base may lose: more than everybody is promised, for only the kept points are looked at."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)


LARGEST_SHARE = Fraction(1, 4)
"""Of its epsilon a base spends at most so much as delta: more would leave nothing to draw with."""


def base_for(concepts: AnyClass, budget: Budget, *, failure: Fraction) -> Learner:
    """A draw from the class; with a delta a draw of a cut among occupied blocks, whose column may have any size."""
    if budget.delta == 0:
        return Occam(concepts, budget.epsilon)
    if not isinstance(concepts, Thresholds) or concepts.direction == "either":
        raise ParameterError(
            "few labels",
            "delta",
            plain(budget.delta),
            allowed=f"0 for {concepts.word}: a base that spends a delta is known for cuts in one direction only",
            remedy="Leave delta out, or use thresholds:COLUMN.",
        )
    return BlockCuts(concepts, *budget, failure)


def spare_delta(delta: Fraction, *, epsilon: Fraction, shares: tuple[Fraction, ...]) -> Fraction:
    """The delta of a base of which random shares of the records lose no more than `delta`, to three digits.

    >>> spare_delta(Fraction(1, 10**6), epsilon=Fraction(1, 10), shares=(Fraction(1, 30), Fraction(1, 12)))
    Fraction(3, 250000)
    """
    if delta == 0:
        return delta
    most = min(delta / max(shares), epsilon * LARGEST_SHARE, LARGEST_SHARE)
    step = Fraction(1, 1000)
    while most < 100 * step:
        step /= 10
    return math.floor(most / step) * step


@formula("empirical-draw")
def mistakes_of_draw(odds: Number, *, ratio: Fraction, failure: Number) -> int:
    """How many more mistakes than the best a drawn member makes on the very records it was drawn with, at most.

    Statement: the smallest j with odds·ratio^(j + 1) <= failure. Source: register `empirical-draw`
    (McSherry–Talwar 2007; Beimel–Nissim–Stemmer 2015, Proposition A.1).
    Holds if: the draw is the exponential mechanism on a public class. Proof: docs/proofs/label-boost.md.

    >>> mistakes_of_draw(2**32 - 1, ratio=Fraction(1, 2), failure=Fraction(1, 100))
    38
    """
    owner = "mistakes_of_draw"
    others, miss = rational(odds, owner=owner, name="odds"), chance(failure, owner=owner, name="failure")
    if others < 0:
        raise ParameterError(owner, "odds", plain(others), allowed="at least 0")
    if others <= miss:
        return 0
    return max(0, math.ceil(ln_up(others / miss) / -ln_up(ratio)) - 1)


@dataclass(frozen=True)
class Drawn:
    """One among `odds` + 1 by the exponential mechanism: at most `most` mistakes above the best, but for `failure`."""

    odds: Fraction
    ratio: Fraction
    failure: Fraction

    def __post_init__(self) -> None:
        if not (self.odds >= 0 and 0 < self.ratio < 1 and 0 < self.failure < 1):
            values = (plain(self.odds), plain(self.ratio), plain(self.failure))
            raise ParameterError("Drawn", "odds, ratio, failure", values, allowed="numbers of a draw")

    @property
    def most(self) -> int:
        """Mistakes on the very records that it was drawn with."""
        return mistakes_of_draw(self.odds, ratio=self.ratio, failure=self.failure)

    @property
    def premises(self) -> tuple[Proof[Accuracy], ...]:
        """Nothing else is built on."""
        return ()

    def rate(self, points: int) -> Fraction:
        """The share of so many points."""
        return Fraction(self.most, max(1, points))

    def where(self, name: str = "base") -> dict[str, Value]:
        """The parameters of a step, as a certificate stores them."""
        numbers = parameters(odds=written(self.odds), ratio=self.ratio, most=self.most, failure=self.failure)
        return {f"{name}_{part}": value for part, value in numbers.items()}


@dataclass(frozen=True)
class Followed:
    """What is proved of a base on these very points, whatever their labels are by a concept of the class."""

    proof: Proof[Accuracy]

    @property
    def failure(self) -> Fraction:
        """Its own."""
        return self.proof.fact.failure

    @property
    def premises(self) -> tuple[Proof[Accuracy], ...]:
        """The proof itself."""
        return (self.proof,)

    def rate(self, points: int) -> Fraction:
        """The share of the points that it leaves; refused for others than it was proved for."""
        fact, rule = self.proof.fact, self.proof.rule
        need(rule, fact.against is Against.EMPIRICAL, "the base must be accurate on these very points")
        need(rule, fact.records == points, "the base must be accurate on these very points")
        need(rule, fact.proper, "the base must release a concept of the class")
        return fact.error

    def where(self) -> dict[str, Value]:
        """Nothing: it is a premise."""
        return {}


Near = Drawn | Followed
"""How near a base is to the labels of its points. It must release concepts of its class: a rule of another kind is not
covered by the transfer to the distribution."""


def near(base: Learner, *, points: int, failure: Fraction) -> Near | None:
    """What is known of a base; None if nothing is. `failure` is for a draw, others have their own."""
    if isinstance(base, Occam):
        odds = Fraction(base.concepts.odds)
        return Drawn(odds, base.ratio, failure) if base.costs is None and base.ratio < 1 else None
    proof = empirical_accuracy(base, Size(points))
    return Followed(proof) if proof is not None and proof.fact.proper else None


def rough_mistakes(family: Family, epsilon: Floats, delta: Floats | float, failure: float) -> Floats:
    """How many labels `base_for` leaves, in floats; a delta of 0 stands for a draw from the class."""
    if np.all(np.asarray(delta) == 0):
        return np.asarray(2 * (about_log(family.odds) - math.log(failure)) / epsilon)
    depth, pull = family.levels or 1, epsilon / 2 - delta
    stake = np.maximum(1.0, (depth - 1) * (1 - delta) * np.exp(pull) / delta)
    reach = np.maximum(1.0, np.log(3 * stake / failure) / (2 * pull))
    rivals = 2 * (2 * depth / -np.expm1(-pull) + 1)
    return np.maximum(0.0, reach - 2 + np.log(1.5 * rivals / failure) / pull)


# --- how many labels are enough ---


@dataclass(frozen=True)
class Spreading:
    """A way to spread labels over unlabelled points: what floats find, the numbers they propose, and their promise."""

    rough: Callable[..., tuple[float, Any]]
    best: Callable[..., tuple[Any, Budget]]
    promise: Callable[..., Fraction]

    def enough(
        self, family: Family, size: Size, *, error: Fraction, failure: Fraction, epsilon: Fraction
    ) -> Any | None:
        """The numbers with which records of this size promise an error; None if there are none."""
        goal = {"epsilon": epsilon, "failure": failure}
        if self.rough(family, size, **goal)[0] > error:
            return None
        try:
            numbers, base = self.best(family, size, **goal)
        except SizeError:
            return None
        promise = self.promise(numbers, base, labelled=size.labelled, family=family, failure=failure)
        return numbers if promise <= error else None

    def fewest(
        self, family: Family, *, error: Number, failure: Number, epsilon: Number, unlabelled: int = PLENTY
    ) -> Size:
        """The fewest labelled records that promise an error, beside this many others, and how many of these are used.

        Floats say about how many; what is returned is proved for the very numbers that would be run.
        """
        owner = "fewest labels"
        want, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
        price = positive(epsilon, owner=owner, name="epsilon")

        def at(n: int) -> Any | None:
            return self.enough(family, Size(n, unlabelled), error=want, failure=miss, epsilon=price)

        labels = first_proved(
            lambda n: self.rough(family, Size(n, unlabelled), epsilon=price, failure=miss)[0],
            lambda n: at(n) is not None,
            want=float(want),
            start=int(2 * (about_log(family.odds) + 4) / (want * min(Fraction(1), price))) + 16,
            owner=owner,
            others=unlabelled,
        )
        numbers = at(labels)
        assert numbers is not None
        return Size(labels, numbers.taken)
