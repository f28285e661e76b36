"""Few labels: learn from what a sanitised unlabelled sample tells apart (GenericLearner).

Statement: the unlabelled records are sanitised; of the class, one concept is kept for each way it labels the synthetic
points; one of these is drawn by the exponential mechanism on the labelled records. A labelled person is protected by
the draw, an unlabelled one by the sanitiser. If some concept makes no error, the drawn one errs by more than `error`
with probability at most `failure`; how many labels that takes does not depend on the size of the domain.
Source: Beimel–Nissim–Stemmer 2015, Algorithm 1 and Theorem 3.3, repaired; registers `generic-learner`,
`differences-vc`.
Holds if: both parts are different people and records are independent draws (for the accuracy; privacy needs only that
nobody is in both parts); representatives are chosen by the synthetic points alone.
Proof: docs/proofs/generic-learner.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import ctx

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.difference import SymmetricDifference
from privpac.concepts.derived.snapped import Snappable, Snapped
from privpac.concepts.finite import Finite
from privpac.concepts.grids import boxes_fit
from privpac.constructions.base import DrawsOnce
from privpac.constructions.draw.occam import FAILURE, draw_from
from privpac.constructions.release.blr import ListedBLR
from privpac.constructions.release.methods import Ordered, best_of_column
from privpac.constructions.release.sanitiser import Sanitiser, check_wishes, power_at_most
from privpac.constructions.release.tables import stride
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Against, Answers, Privacy, Queries
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import SEAL, Proof, need, parameters
from privpac.numbers.exact import ball, plain, written
from privpac.theory.occam import Occam, Rate, error_occam
from privpac.theory.register import formula
from privpac.theory.vc import growth, relative_error

__all__ = ["POINTS", "GenericLearner", "generic_learner", "plan_generic", "points_of_boxes"]

OWNER = "GenericLearner"

MOST_DIFFERENCES = 2**20
"""Pairs of listed concepts whose differences are asked about: more take minutes to list."""


POINTS = (8, 16, 32, 64, 128, 256)
"""Points per column that are tried: more of them come nearer to the target, fewer leave fewer hypotheses."""

BOX_POINTS = (*POINTS, 512, 1024, 2048)
"""Those of boxes, which have twice as many sides as columns: each may be off by what lies between two points."""

MOST_BOX_POINTS = {1: 2048, 2: 2048, 3: 64, 4: 16, 5: 8}
"""By the number of columns: with thousands of labels, sums over boxes then take seconds."""


def points_of_boxes(columns: int) -> tuple[int, ...]:
    """Points per column that are tried for boxes in this many columns.

    >>> points_of_boxes(3)
    (8, 16, 32, 64)
    """
    return tuple(points for points in BOX_POINTS if points <= MOST_BOX_POINTS[columns])


@dataclass(frozen=True)
class GenericPlan:
    """What is promised with this many points per column: `error`, and the numbers its proof needs."""

    points: int
    seen: Fraction
    tolerated: Fraction
    tilt: Fraction
    error: Fraction


@formula("generic-learner")
def plan_generic(
    points: int,
    *,
    hypotheses: int,
    seen: Fraction,
    labelled: int,
    unlabelled: int,
    vc: int,
    ratio: Fraction,
    failure: Fraction,
) -> GenericPlan | None:
    """The smallest provable error of this many records, half of `failure` for each of the two last steps; None if none.

    Statement: a hypothesis that errs on a share `seen` of the N unlabelled records errs in truth at most by `tolerated`
    = seen + 2·sqrt(seen·A) + 4A, A = (ln growth(2N) + ln(8/failure))/N; after m labelled records the drawn one errs by
    more than `error` with probability at most (hypotheses - 1)·(1 - error·(1 - x) + tolerated·(1/x - 1))^m at the best
    x from ratio to 1. Source: registers `generic-learner`, `relative-deviation`, `occam-realizable`.
    Holds if: records are independent, the target is fixed, hypotheses do not depend on the labelled records.
    Proof: docs/proofs/generic-learner.md.
    """
    if seen >= 1 or unlabelled < 1:
        return None
    tolerated = relative_error(seen, n=unlabelled, failure=failure / 2, vc=vc)
    if tolerated >= 1:
        return None
    error = error_occam(
        labelled,
        size=Fraction(hypotheses),
        failure=failure / 2,
        ratio=ratio,
        tolerated=tolerated,
    )
    if error >= 1:
        return None
    bound = Occam.uniform(
        Fraction(hypotheses), owner=OWNER, error=error, rate=Rate(Fraction(0), ratio), tolerated=tolerated
    )
    tilt = max(ratio, bound.tilt or ratio)
    return GenericPlan(points, seen, tolerated, tilt, error)


def generic_learner(
    *answers: Proof[Answers],
    gap: Fraction,
    slabs: int,
    vc: int,
    hypotheses: int,
    labelled: int,
    ratio: Fraction,
    tilt: Fraction,
    tolerated: Fraction,
    deviation: Fraction,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A hypothesis drawn from those that a sanitised sample tells apart errs by more than `error` rarely.

    One of the `hypotheses` differs from the target on at most `slabs` ranges (or listed queries) that hold at most a
    share `gap` of the synthetic records each: on at most slabs·(gap + error of the answers) of the unlabelled records,
    and on at most `tolerated` of the distribution except with probability `deviation`. The exponential mechanism over
    the hypotheses does the rest.
    Register `generic-learner`. Holds for independent records, if a concept of the class makes no error and the
    hypotheses depend on the synthetic records alone (assumed of the caller).
    """
    rule = "generic-learner"
    need(rule, len(answers) >= 1, "there are no answers")
    facts = [proof.fact for proof in answers]
    kinds, records = {fact.queries for fact in facts}, facts[0].records
    need(rule, kinds <= {Queries.RANGES, Queries.LISTED}, "the answers must be those of differences")
    need(rule, all(fact.records == records for fact in facts), "the answers speak of different records")
    need(rule, slabs >= 1 and vc >= 1 and hypotheses >= 1 and labelled >= 0 <= gap, "a number is too small")
    need(rule, 0 < ratio <= tilt <= 1, "the tilt must lie between the ratio and 1")
    tolerance = slabs * (gap + max(fact.error for fact in facts))
    need(rule, tolerance < tolerated < error <= 1, "the errors must grow from seen to tolerated to final")
    rest = failure - sum(fact.failure for fact in facts) - deviation
    need(rule, deviation > 0 and rest > 0 and failure < 1, "the failures do not add up")
    exponent = records * (tolerated - tolerance) ** 2 / (4 * tolerated)
    base = 1 - error * (1 - tilt) + tolerated * (1 / tilt - 1)
    with ctx.workprec(192):
        events = ball(4 * growth(2 * records, vc=vc)).log() - ball(exponent)
        need(rule, bool(events <= ball(deviation).log()), "there are too few unlabelled records for this")
    need(
        rule,
        power_at_most(hypotheses - 1, base, labelled, rest),
        "there are too few labelled records for this",
    )
    where = parameters(
        gap=gap,
        slabs=slabs,
        vc=vc,
        hypotheses=written(hypotheses),
        ratio=ratio,
        tilt=tilt,
        tolerated=tolerated,
        deviation=deviation,
    )
    return Proof(Accuracy(error, failure, Against.REALIZABLE, labelled), rule, answers, where, seal=SEAL)


@dataclass(frozen=True)
class GenericLearner(DrawsOnce):
    """A class, what a labelled record may lose and what an unlabelled one may (the same, if not said)."""

    concepts: Snappable | Finite
    epsilon: Fraction
    unlabelled_epsilon: Fraction | None = None
    failure: Fraction = FAILURE
    delta: Fraction = Fraction(0)
    """What the sanitisers of ordered columns may spend besides, where it pays (Corollary 3.4 of the same paper)."""

    def __post_init__(self) -> None:
        if not isinstance(self.concepts, Snappable | Finite):
            raise ParameterError(
                OWNER,
                "concepts",
                type(self.concepts).__name__,
                allowed="thresholds, intervals, unions, stumps, rectangles or a finite class",
            )
        if self.delta and isinstance(self.concepts, Finite):
            raise ParameterError(OWNER, "delta", plain(self.delta), allowed="0 for a finite class")
        for epsilon in (self.epsilon, self._sanitising):
            check_wishes(OWNER, epsilon=epsilon, failure=self.failure, error=None)

    @property
    def outcomes(self) -> int | None:
        return self.concepts.size

    @property
    def _sanitising(self) -> Fraction:
        return self.epsilon if self.unlabelled_epsilon is None else self.unlabelled_epsilon

    @property
    def _way(self) -> _OfList | _OfCuts:
        """What a finite class and one made of cuts do differently."""
        budget, third = self._sanitising, self.failure / 3
        if isinstance(self.concepts, Finite):
            return _OfList(self.concepts, budget, third)
        return _OfCuts(self.concepts, budget, third, self.delta)

    def sanitisers(self, records: int) -> tuple[Sanitiser, ...]:
        """What is released of the unlabelled records: a table for each ordered column, or one for a finite class."""
        return self._way.sanitisers(records)

    def plan(self, size: Size) -> GenericPlan | None:
        """The number of points with the smallest provable error, from public numbers; None if nothing is provable."""
        answers = self._answers(size.unlabelled)
        if not answers:
            return None
        plans = (self._plan(points, size, answers) for points in self._way.choices)
        possible = [plan for plan in plans if plan is not None]
        return min(possible, key=lambda plan: plan.error) if possible else None

    def _answers(self, records: int) -> tuple[Proof[Answers], ...]:
        """What the released tables promise about ranges (or differences); empty if one of them promises nothing."""
        if records < 1:
            return ()
        certificates = [each.certify(Size(0, records)) for each in self.sanitisers(records)]
        last = [certificate.answers[-1] for certificate in certificates if certificate.answers]
        return tuple(last) if len(last) == len(certificates) else ()

    def _plan(self, points: int, size: Size, answers: tuple[Proof[Answers], ...]) -> GenericPlan | None:
        vc = self.concepts.vc
        tolerance = self._way.slabs * (
            self._way.gap(points, size.unlabelled) + max(a.fact.error for a in answers)
        )
        if vc is None or self.ratio == 1:
            return None
        return plan_generic(
            points,
            hypotheses=self.hypotheses(points),
            seen=tolerance,
            labelled=size.labelled,
            unlabelled=size.unlabelled,
            vc=max(1, vc),
            ratio=self.ratio,
            failure=self.failure * Fraction(2, 3),
        )

    def hypotheses(self, points: int) -> int:
        """At most this many remain, whatever the points are (with a prior: one over the smallest share)."""
        return self._way.hypotheses(points)

    def require(self, size: Size) -> None:
        """The class itself is drawn from at a few points of released tables only, so its own limits do not matter."""
        if size.labelled < 1 or size.unlabelled < 1:
            raise SizeError(f"{OWNER} needs labelled and unlabelled records, at least one of each.")
        for each in self.sanitisers(size.unlabelled):
            each.require(Size(0, size.unlabelled))
        self._way.require(size, self._points)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self.plan(size)
        return Certificate(
            privacy=self._privacy(size.unlabelled),
            accuracy=() if plan is None else (self._accuracy(plan, size),),
            learner={
                "name": "generic",
                "concepts": self.concepts.word,
                "epsilon": plain(self.epsilon),
                "unlabelled_epsilon": plain(self._sanitising),
                "failure": plain(self.failure),
                **({"delta": plain(self.delta)} if self.delta else {}),
                "points": self._points(size),
                "released": [type(each).__name__ for each in self.sanitisers(size.unlabelled)],
            },
            labelled=size.labelled,
            unlabelled=size.unlabelled,
        )

    def _points(self, size: Size) -> int:
        plan = self.plan(size)
        choices = self._way.choices
        return choices[len(choices) // 2] if plan is None else plan.points

    def _privacy(self, records: int) -> Proof[Privacy]:
        draw = rules.declared(rules.exponential_mechanism(ratio=self.ratio), epsilon=self.epsilon)
        tables = rules.sequential(
            *(each.certify(Size(0, records)).privacy for each in self.sanitisers(records))
        )
        return rules.disjoint_parts(
            rules.on_part(draw, part=LABELLED), rules.on_part(tables, part=UNLABELLED)
        )

    def _accuracy(self, plan: GenericPlan, size: Size) -> Proof[Accuracy]:
        answers = self._answers(size.unlabelled)
        return generic_learner(
            *answers,
            gap=self._way.gap(plan.points, size.unlabelled),
            slabs=self._way.slabs,
            vc=max(1, self.concepts.vc or 1),
            hypotheses=self.hypotheses(plan.points),
            labelled=size.labelled,
            ratio=self.ratio,
            tilt=plan.tilt,
            tolerated=plan.tolerated,
            deviation=self.failure / 3,
            error=plan.error,
            failure=self.failure,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self._way.contains(hypothesis)

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        return self._way.learn(sample, coins, points=self._points, ratio=self.ratio)


@dataclass(frozen=True)
class _OfList:
    """A finite class: one table answers where any two of its concepts differ, and all of them remain."""

    concepts: Finite
    epsilon: Fraction
    failure: Fraction
    choices: ClassVar[tuple[int, ...]] = (0,)
    slabs: ClassVar[int] = 1

    def sanitisers(self, records: int) -> tuple[ListedBLR]:
        columns = self.concepts.statistic.columns or self.concepts.schema.names[:1]
        if math.comb(self.concepts.size, 2) > MOST_DIFFERENCES:
            raise SizeError(
                f"{OWNER}: {self.concepts.size} concepts have too many differences to be asked about one by one.",
                remedy="Use method='boost' or method='relabel', which list none, or a class of fewer concepts.",
            )
        differences = tuple(SymmetricDifference(self.concepts).members())
        if not differences:
            raise ParameterError(OWNER, "concepts", self.concepts.word, allowed="at least two concepts")
        return (ListedBLR(self.concepts.schema, columns, differences, self.epsilon, failure=self.failure),)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return self.concepts.contains(hypothesis)

    def hypotheses(self, points: int) -> int:
        return self.concepts.size

    def gap(self, points: int, records: int) -> Fraction:
        return Fraction(0)

    def require(self, size: Size, points: Callable[[Size], int]) -> None:
        (table,) = self.sanitisers(size.unlabelled)
        self.concepts.require_listed(table.plan(size.unlabelled).points, elsewhere=size.labelled)

    def learn(
        self, sample: SemiSample, coins: Coins, *, points: Callable[[Size], int], ratio: Fraction
    ) -> Hypothesis:
        (table,) = self.sanitisers(sample.unlabelled.size.total)
        labellings = self.concepts.dichotomies(table.release(sample.unlabelled, coins).records(sample.schema))
        return labellings.member(labellings.mistakes(sample.labelled).draw(ratio, coins))


@dataclass(frozen=True)
class _OfCuts:
    """A class made of cuts: a table for each of its columns, and the concepts whose cuts lie at points of them."""

    concepts: Snappable
    epsilon: Fraction
    failure: Fraction
    delta: Fraction

    @property
    def choices(self) -> tuple[int, ...]:
        """Numbers of points that are tried."""
        boxes = isinstance(self.concepts, Rectangles)
        return points_of_boxes(len(self.concepts.cut_columns)) if boxes else POINTS

    @property
    def slabs(self) -> int:
        """How many ranges a concept and its snapped neighbour may differ on."""
        return self.concepts.ends

    def sanitisers(self, records: int) -> tuple[Ordered, ...]:
        names = self.concepts.cut_columns
        if not names:
            raise ParameterError(
                OWNER, "concepts", self.concepts.word, allowed="a class with an ordered column to sanitise"
            )
        share, each, slip = (part / len(names) for part in (self.epsilon, self.failure, self.delta))
        return tuple(
            best_of_column(
                self.concepts.schema, name, epsilon=share, failure=each, records=records, delta=slip
            )
            for name in names
        )

    def contains(self, hypothesis: Hypothesis) -> bool:
        return self.concepts.contains_moved(hypothesis)

    def hypotheses(self, points: int) -> int:
        sizes = {name: self.concepts.schema.column(name).size for name in self.concepts.cut_columns}
        marks = {name: list(range(1, min(points, size - 1) + 1)) for name, size in sizes.items()}
        return math.ceil(Snapped.at(self.concepts, marks).odds) + 1

    def gap(self, points: int, records: int) -> Fraction:
        """The largest share of synthetic records between two neighbouring points that are kept."""
        totals = [each.synthetic(records) for each in self.sanitisers(records)]
        return max(Fraction(stride(total, points) - 1, total) for total in totals)

    def require(self, size: Size, points: Callable[[Size], int]) -> None:
        if not isinstance(self.concepts, Rectangles):
            return
        cells = [points(size) + 1] * len(self.concepts.columns)
        if not boxes_fit(cells, size.labelled):
            raise SizeError(
                f"{OWNER}: sums over boxes of {cells[0]} cells a side take too long for {size.labelled} labels.",
                remedy="So many labels need no others: leave the unlabelled records out, or take fewer labels.",
            )

    def learn(
        self, sample: SemiSample, coins: Coins, *, points: Callable[[Size], int], ratio: Fraction
    ) -> Hypothesis:
        tables = self.sanitisers(sample.unlabelled.size.total)
        releases = [each.release(sample.unlabelled, coins) for each in tables]
        goal = points(sample.size)
        marks = {
            name: table.thinned(goal) for name, table in zip(self.concepts.cut_columns, releases, strict=True)
        }
        return draw_from(Snapped.at(self.concepts, marks), sample.labelled, coins, ratio=ratio)
