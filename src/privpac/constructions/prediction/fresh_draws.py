"""Private answers from fresh draws: Corollary 1, repaired. The default for a class of concepts.

Statement: for every question, one concept is drawn by its mistakes on all records, at epsilon itself, from the
labellings of a fresh random subset; the answer is turned round with a small probability. Each answer is epsilon-DP,
and errs above
the best concept by at most the certified amount, except with the certified probability over independent records.
Source: Dagan–Feldman 2020, Theorem 1 and Corollary 1; register `flipped-answers`, `listed-from-some`, `delta-removal`.
Holds if: nothing drawn from the records is used twice; representatives depend on the set of points alone.
Proof: docs/proofs/flipped-answers.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells, Hypothesis
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction.predictor import Redrawn, draw_concept, least_dimensional
from privpac.constructions.prediction.vote import Settings, promised
from privpac.constructions.stable.stable import listed_from_some
from privpac.data.sample import Sample
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Against, Loss, Privacy, Release
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    need,
    need_ratio,
    need_two_classes,
)
from privpac.numbers.exact import first_whole, ln_down, ln_up, ratio_for, shortened, written
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_growth_of, rough_ln_growth
from privpac.numbers.search import first_by_value
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, ln_growth

__all__ = [
    "FreshDraws",
    "delta_removal",
    "excess_flipped",
    "flip_for",
    "flipped_answers",
    "plan_flipped",
    "plan_flipped_printed",
    "records_flipped",
    "records_flipped_printed",
]


# --- privacy ---


def delta_removal(premise: Proof[Privacy], *, classes: int, flip: Fraction) -> Proof[Privacy]:
    """An answer turned round with probability `flip` is pure: e^eps' = max(e^eps, 1 + delta·(1 - 2·flip)/flip).

    Source: Dagan–Feldman 2020, Corollary 1, generalised; register `delta-removal`. Refused unless there are two
    `classes`. Holds if the flip has coins of its own (assumed of the caller).
    """
    rule = "delta-removal"
    need_two_classes(rule, classes)
    old = premise.fact
    need(rule, old.release is Release.ANSWER, "only an answer can be turned round")
    need(rule, 0 < flip <= Fraction(1, 2), "the flip must lie in (0, 1/2]")
    floor = Loss(factor=shortened(1 + old.delta * (1 - 2 * flip) / flip))
    epsilon = old.epsilon if floor <= old.epsilon else floor
    fact = replace(old, epsilon=epsilon, delta=Fraction(0))
    return Proof(fact, rule, (premise,), {"flip": written(flip)}, seal=SEAL)


GRID = 10**12
"""Flips are rounded up to twelve decimals."""


@formula("delta-removal")
def flip_for(factor: Fraction, *, delta: Fraction) -> Fraction:
    """How often an (epsilon, delta) answer must be turned round to be epsilon-DP; factor = e^epsilon.

    Statement: delta/(factor - 1 + 2·delta), rounded up to twelve decimals. Source: register `delta-removal`.
    Holds if: there are two answers. Proof: docs/proofs/delta-removal.md.
    """
    exact = delta / (factor - 1 + 2 * delta) if delta else Fraction(0)
    return min(Fraction(1, 2), Fraction(math.ceil(exact * GRID), GRID))


# --- accuracy ---


@formula("flipped-answers")
def excess_flipped(
    n: int, *, kept: int, ratio: Fraction, flip: Fraction, slip: Fraction, failure: Number, vc: int
) -> Fraction:
    """How far a flipped answer of the stable learner errs above the best of the class.

    Statement: erm_excess(n) + (ln growth(n) + ln(1/slip))/kept + slip + ln growth(kept)/(n·ln(1/ratio)) + flip, for any
    slip in (0, 1); 1 if that is larger. Source: register `flipped-answers`.
    Holds if: records are independent. Proof: docs/proofs/flipped-answers.md.
    """
    near = (ln_growth(n, vc=vc) + ln_up(1 / slip)) / kept
    draw = ln_growth(kept, vc=vc) / (n * ln_down(1 / ratio))
    return min(ONE, erm_excess(n, failure=failure, vc=vc) + near + slip + draw + flip)


@dataclass(frozen=True)
class FlippedPlan:
    """Public parameters of a stable predictor: the size of the subset, the ratio of the draw, how often to flip."""

    kept: int
    ratio: Fraction
    flip: Fraction
    slip: Fraction
    excess: Fraction


@formula("flipped-answers")
def plan_flipped(n: int, *, epsilon: Number, failure: Number, vc: int) -> FlippedPlan:
    """The subset, the draw and the flips of `n` records at `epsilon` with the smallest proved excess.

    Statement: the draw runs at epsilon itself, `flip_for`(e^epsilon, kept/n) makes the answer pure, and kept and slip
    minimise `excess_flipped`. Source: register `flipped-answers` (Dagan–Feldman 2020, Corollary 1).
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "plan_flipped"
    have, miss = at_least(1, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    ratio = ratio_for(positive(epsilon, owner=owner, name="epsilon") / 2)
    kept, slip = _best_flipped(have, float(epsilon), float(miss), vc)[1:]
    flip = flip_for(1 / ratio**2, delta=Fraction(kept, have))
    rest = Fraction(slip).limit_denominator(10**9)
    excess = excess_flipped(have, kept=kept, ratio=ratio, flip=flip, slip=rest, failure=miss, vc=vc)
    return FlippedPlan(kept, ratio, flip, rest, excess)


@formula("flipped-answers")
def records_flipped(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which a stable predictor with flips errs by at most `error` above the best of the class.

    Statement: the smallest n with `plan_flipped`(n).excess <= error. Source: register `flipped-answers`.
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.

    >>> records_flipped(0.1, failure=0.05, epsilon=1, vc=1)
    18128
    """
    owner = "records_flipped"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")

    def hope(n: int) -> float:
        return _best_flipped(n, float(price), float(miss), vc)[0]

    rough = first_by_value(hope, float(wrong), start=int(200 * vc / wrong**2), owner=owner)
    return first_whole(
        lambda n: plan_flipped(n, epsilon=price, failure=miss, vc=vc).excess <= wrong,
        start=rough,
        smallest=rough,
        step=max(1, rough // 10**4),
    )


@formula("flipped-answers")
def records_flipped_printed(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """The same with the printed parameters: stability epsilon·flip/2, a third of it for subset and draw each.

    Statement: as `records_flipped`, with kept = floor(s·n), ratio = e^(-s/2), s = epsilon·flip/6.
    Source: Dagan–Feldman 2020, Corollary 1 and Lemma 7; register `flipped-answers`.
    Holds if: as `excess_flipped`. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "records_flipped_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = float(positive(epsilon, owner=owner, name="epsilon"))

    def rough(n: int) -> float:
        return _best_printed(n, float(wrong), price, float(miss), vc)[0]

    return first_whole(lambda n: rough(n) <= float(wrong) * (1 - 1e-9), start=10_000, smallest=2)


@formula("flipped-answers")
def plan_flipped_printed(
    n: int, *, error: Number, epsilon: Number, failure: Number, vc: int
) -> tuple[Fraction, int, Fraction]:
    """The printed parameters for an error: flip, kept records, epsilon of the draw.

    Statement: as `records_flipped_printed`. Source: Dagan–Feldman 2020, Corollary 1 and Lemma 7; register
    `flipped-answers`. Holds if: as there. Proof: docs/proofs/flipped-answers.md.
    """
    owner = "plan_flipped_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")
    place = _best_printed(n, float(wrong), float(price), float(miss), vc)[1]
    flip = place * wrong / 60
    share = price * flip / 6
    return flip, math.floor(share * n), share


def _best_printed(n: int, error: float, epsilon: float, failure: float, vc: int) -> tuple[float, int]:
    """The excess, and the flip in sixtieths of the error."""
    places = np.arange(6, 54)
    flips = places * error / 60
    share = epsilon * flips / 6
    kept = np.floor(share * n)
    excess = _rough_flipped(n, np.maximum(kept, 1), share, failure, vc) + flips
    best = int(np.argmin(np.where(kept < 1, math.inf, excess)))
    return (float(excess[best]) if kept[best] >= 1 else math.inf), int(places[best])


def _best_flipped(n: int, epsilon: float, failure: float, vc: int) -> tuple[float, int, float]:
    """(excess, kept, slip) in floats: a search over the size of the subset on a scale of ratios, then refined."""

    def excess(kept: Floats) -> Floats:
        share = kept / n
        return _rough_flipped(n, kept, epsilon, failure, vc) + share / (math.expm1(epsilon) + 2 * share)

    low, high = 0.0, math.log(n)
    for _ in range(4):
        step = (high - low) / 24
        kept = np.clip(np.round(np.exp(low + np.arange(25) * step)), 1, n)
        values = excess(kept)
        best = int(np.argmin(values))
        centre = math.log(kept[best])
        low, high = max(0.0, centre - 2 * step), min(math.log(n), centre + 2 * step)
    best_kept = int(kept[best])
    return float(values[best]), best_kept, min(0.5, 1 / best_kept)


def _rough_flipped(n: int, kept: Floats, rate: Floats | float, failure: float, vc: int) -> Floats:
    """`excess_flipped` without the flip, in floats; rate is the epsilon of the draw."""
    whole = rough_growth_of(n, vc)
    gap = math.sqrt(2 * whole / n) + 2 * math.sqrt(math.log(2 / failure) / (2 * n))
    slip = np.minimum(0.5, 1 / kept)  # minimises ln(1/slip)/kept + slip
    near = (whole - np.log(slip)) / kept
    bound: Floats = gap + near + slip + 2 * rough_ln_growth(kept, vc) / (rate * n)
    return bound


def flipped_answers(
    *,
    kept: int,
    ratio: Fraction,
    flip: Fraction,
    slip: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far flipped answers of a draw from the labellings of a random subset err above the best of the class.

    Source: Dagan–Feldman 2020, Theorem 1 and Corollary 1, constants ours; register `flipped-answers`. Holds for
    independent records.
    """
    rule = "flipped-answers"
    need_ratio(rule, ratio, 1)
    need(rule, ratio < 1, "a ratio of 1 draws blindly")
    need(rule, 1 <= kept <= records, "the number kept must lie between 1 and the number of records")
    need(rule, 0 <= flip <= Fraction(1, 2) and 0 < slip < 1, "flip or slip is out of range")
    settings: Settings = {"kept": kept, "ratio": ratio, "flip": flip, "slip": slip}
    fact, where = promised(rule, excess_flipped, Against.AGNOSTIC, records, vc, failure, **settings)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the predictor ---


@dataclass(frozen=True)
class FreshDraws(Redrawn):
    """For every answer: `kept` of `records` records list the concepts, all of them draw one, `flip` turns it round."""

    owner: ClassVar[str] = "FreshDraws"
    name: ClassVar[str] = "fresh draws"

    flip: Fraction
    slip: Fraction
    failure: Fraction = FAILURE
    drawing: Fraction | None = None
    """The epsilon of the draw, if it is not that of the answer."""

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> FreshDraws:
        """With the subset and the flips that prove the smallest excess for this many records."""

        def build(vc: int) -> FreshDraws:
            plan = plan_flipped(records, epsilon=epsilon, failure=failure, vc=vc)
            return cls(concepts, epsilon, plan.kept, records, plan.flip, plan.slip, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    @classmethod
    def with_subset(cls, concepts: AnyClass, epsilon: Fraction, *, kept: int, records: int) -> FreshDraws:
        """With a subset of this size and the flips that make it pure."""
        flip = flip_for(1 / ratio_for(epsilon / 2) ** 2, delta=Fraction(kept, records))
        return cls(concepts, epsilon, kept, records, flip, Fraction(1, kept + 1))

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.epsilon, owner=self.owner, name="epsilon")
        if not 1 <= self.kept <= self.records:
            raise ParameterError(self.owner, "kept", self.kept, allowed=f"between 1 and {self.records}")

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for((self.drawing or self.epsilon) / 2)

    def require_draw(self) -> None:
        self.listed.require_listed(self.kept, elsewhere=self.records - self.kept)

    def privacy(self) -> Proof[Privacy]:
        listing = listed_from_some(rules.bounded_range(ratio=self.ratio), kept=self.kept, of=self.records)
        answer = rules.post_processing(listing, what="the answer to one question", release=Release.ANSWER)
        return delta_removal(answer, classes=len(self.schema.classes), flip=self.flip)

    def proved(self, vc: int) -> Proof[Accuracy]:
        return flipped_answers(
            kept=self.kept,
            ratio=self.ratio,
            flip=self.flip,
            slip=self.slip,
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def hypothesis(self, sample: Sample, coins: Coins) -> Hypothesis:
        """What answers before it is turned round. Private, and good for one answer only."""
        return draw_concept(self.listed, sample, kept=self.kept, ratio=self.ratio, coins=coins)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        return int(self.hypothesis(sample, coins).predict(cells)[0]) ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        return self.document(
            "fresh-draws", "epsilon", "kept", "records", "flip", "slip", "failure", "drawing"
        )
