"""Label privacy for one draw from a class: candidates are built from the features, which are public.

Statement: epsilon-DP when one record's label is replaced, for any features whatever: a neighbour has the same features,
hence the same candidates, and every number of mistakes moves by at most one.
Source: Chaudhuri–Hsu 2011, algorithm A_2 and Theorem 27. Proof: docs/proofs/label-cover.md.
Tested by tests/unit/constructions/labels/test_classes.py, tests/exact/ (rows `thresholds-labels` and its like).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Costs, CountedByScore, Hypothesis
from privpac.concepts.derived.regrid import Regrid, coarse_schema, covering_edges, most_groups
from privpac.concepts.derived.snapped import Snappable
from privpac.concepts.labellings.base import Dichotomous, dimension, members_from, with_dichotomies
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.base import DrawsMembers, DrawsOnce
from privpac.constructions.covers import rules as covers_rules
from privpac.constructions.draw.occam import FAILURE, check_price, read_costs
from privpac.constructions.labels.trees import PUBLIC_FEATURES
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import first_whole, plain, power_up, ratio_for
from privpac.numbers.parameters import positive
from privpac.theory.vc import growth

__all__ = ["LabelPrivateDichotomies", "LabelPrivateGrid", "label_private"]

MOST_FEW = 2**16
"""Mistakes up to which the tail of a binomial is summed; more are never needed for a promise worth having."""

LARGEST_GROUPS = {1: 4096, 2: 256, 3: 32, 4: 12, 5: 6}
"""Groups a column by the number of columns a member restricts: what the sums of rectangles take."""

LAST = 1000
STEP = Fraction(1, LAST)
"""Errors are answered as multiples of this."""

Prover = Callable[[Fraction], Proof[Accuracy] | None]
"""Proves an error, or answers None, or raises RuleRefused."""


def _proof_at(prove: Prover, step: int) -> Proof[Accuracy] | None:
    """A proof of this many steps of the grid of errors, if there is one."""
    try:
        return prove(step * STEP) if 0 < step < LAST else None
    except RuleRefused:
        return None


def _smallest(prove: Prover) -> tuple[Proof[Accuracy], ...]:
    """The proof of the smallest error on the grid, if any below 1 can be proved."""
    step = first_whole(lambda k: k >= LAST or _proof_at(prove, k) is not None, start=LAST // 8, smallest=1)
    proof = _proof_at(prove, step)
    return () if proof is None else (proof,)


def _over_cover(
    n: int, vc: int, candidates: int, ratio: Fraction, level: Fraction, failure: Fraction
) -> Prover:
    """What proves an error of a draw from so many candidates that cover the labellings at this level."""
    rule = partial(covers_rules.label_cover, records=n, vc=vc, candidates=candidates)
    return lambda error: rule(ratio=ratio, level=level, error=error, failure=failure)


def _privacy(ratio: Fraction, sensitivity: int, epsilon: Fraction) -> Proof[Privacy]:
    draw = rules.exponential_mechanism(ratio=ratio, sensitivity=sensitivity, unit=Unit.LABEL)
    return rules.assuming(rules.declared(draw, epsilon=epsilon), PUBLIC_FEATURES)


@dataclass(frozen=True)
class LabelPrivateGrid:
    """Thresholds, intervals, unions, rectangles or stumps whose edges lie where the features do."""

    concepts: Snappable
    epsilon: Fraction
    costs: Costs | None = None
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        if not isinstance(self.concepts, Snappable):
            raise ParameterError(
                "LabelPrivateGrid",
                "concepts",
                self.concepts.word,
                allowed="a class of cuts in ordered columns",
            )
        positive(self.epsilon, owner="LabelPrivateGrid", name="epsilon")

    @property
    def prices(self) -> Costs:
        """The price of misjudging a record of each class: 1 unless `costs` say otherwise."""
        return read_costs(self.costs, len(self.concepts.schema.classes), "LabelPrivateGrid")

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.epsilon / (2 * max(self.prices)))

    @property
    def outcomes(self) -> int | None:
        """Edges may lie at any cell, since the features choose them."""
        return self.concepts.size

    @property
    def _columns(self) -> tuple[str, ...]:
        schema = self.concepts.schema
        return tuple(name for name in self.concepts.cut_columns if schema.column(name).size > 1)

    def spacing(self, n: int) -> int:
        """Records an edge may be off by: as few as the number of groups allows, and for thresholds one."""
        most = LARGEST_GROUPS[self.concepts.dimensions]
        least = 1 if isinstance(self.concepts, Thresholds) and n > 100 else 0
        return max(least, -(-(n + 1) // (most - 1)) - 1)

    def _coarse_class(self, n: int) -> AnyClass:
        """The class on as many groups as there can be: what accuracy pays for."""
        groups = {
            name: max(2, min(most_groups(n, self.spacing(n)), self.concepts.schema.column(name).size))
            for name in self._columns
        }
        return self.concepts.over(coarse_schema(self.concepts.schema, groups))

    @property
    def passes(self) -> int:
        """One look per column decides the edges."""
        return len(self._columns) + 1

    def require(self, size: Size) -> None:
        size.require_labelled("LabelPrivateGrid")
        check_price(size, self.prices, ratio=self.ratio, owner=self.concepts.word, counted=self._is_counted)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        n = size.labelled
        sensitivity = max(self.prices)
        return Certificate(
            privacy=_privacy(self.ratio, sensitivity, self.epsilon),
            accuracy=self._accuracy(n) if len(set(self.prices)) == 1 else (),
            learner={
                "name": "label-private-class",
                "concepts": self.concepts.word,
                "epsilon": plain(self.epsilon),
                "costs": list(self.prices),
                "failure": plain(self.failure),
                "spacing": self.spacing(n),
            },
            labelled=n,
        )

    @property
    def _is_counted(self) -> bool:
        return isinstance(self.concepts, CountedByScore)

    def _accuracy(self, n: int) -> tuple[Proof[Accuracy], ...]:
        prove = self._prover(n)
        return () if prove is None else _smallest(prove)

    def reaches(self, n: int, error: Fraction) -> bool:
        """Whether a certificate of `n` records promises such an error or a smaller one: what a plan asks."""
        prove = self._prover(n)
        return prove is not None and _proof_at(prove, error // STEP) is not None

    def _prover(self, n: int) -> Prover | None:
        """What proves an error with this many records; None if nothing does."""
        ratio, spacing = power_up(self.ratio, max(self.prices)), self.spacing(n)
        if ratio == 1:
            return None
        concepts = self._coarse_class(n)
        if isinstance(self.concepts, Thresholds) and self.concepts.direction != "either":
            return partial(self._threshold, n, concepts.size or 1, spacing, ratio)
        level = Fraction(self.concepts.ends * spacing, n)
        if level >= 1 or concepts.vc is None:
            return None
        vc = self.concepts.vc or 1
        candidates = int(Fraction(concepts.odds)) + 2
        return _over_cover(n, vc, candidates, ratio, level, self.failure)

    def _threshold(
        self, n: int, cuts: int, spacing: int, ratio: Fraction, error: Fraction
    ) -> Proof[Accuracy] | None:
        mean = int(n * error)
        for few in _nearest(max(spacing, min(mean // 4, MOST_FEW)), max(mean, spacing + 1), 0.6 * mean):
            try:
                return covers_rules.label_thresholds(
                    records=n,
                    cuts=cuts,
                    spacing=spacing,
                    few=few,
                    ratio=ratio,
                    error=error,
                    failure=self.failure,
                )
            except RuleRefused:
                continue
        return None

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.concepts.contains_moved(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        schema, spacing = self.concepts.schema, self.spacing(sample.size.labelled)
        self.require(sample.size)
        edges = []
        for name in self._columns:
            column = schema.column(name)
            # A column on which all records agree keeps one edge, so that it stays a column.
            edges.append((name, covering_edges(column, sample, spacing=spacing) or (column.size - 1,)))
        grid = Regrid(schema, tuple(edges))
        concepts: AnyClass = self.concepts.over(grid.coarse)
        evidence = grid.sample(sample).reduce(concepts.statistic)
        return grid.fine(concepts.gibbs(evidence, ratio=self.ratio, costs=self.prices).draw(coins))


def _nearest(first: int, end: int, goal: float, *, count: int = 40) -> list[int]:
    """The whole numbers from `first` up to `end` next to a goal, nearest first; none where their sums are too long."""
    middle = min(max(first, int(min(goal, MOST_FEW))), end - 1)
    around = range(max(first, middle - count - 1), min(end, middle + count + 2))
    return sorted(around, key=lambda k: abs(k - goal))[:count] if first <= MOST_FEW else []


@dataclass(frozen=True)
class LabelPrivateDichotomies(DrawsMembers, DrawsOnce):
    """Any class whose labellings of the features can be drawn from: each labelling is a candidate once."""

    concepts: AnyClass
    epsilon: Fraction
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        with_dichotomies(self.concepts, owner="LabelPrivateDichotomies")
        positive(self.epsilon, owner="LabelPrivateDichotomies", name="epsilon")

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
            privacy=_privacy(self.ratio, 1, self.epsilon),
            accuracy=self._accuracy(n),
            learner={
                "name": "label-private-dichotomies",
                "concepts": self.concepts.word,
                "epsilon": plain(self.epsilon),
                "failure": plain(self.failure),
            },
            labelled=n,
        )

    def _accuracy(self, n: int) -> tuple[Proof[Accuracy], ...]:
        vc = dimension(self.concepts, counted=n)
        if vc is None or self.ratio == 1:
            return ()
        bounds = [growth(n, vc=vc)] + ([] if self.concepts.size is None else [self.concepts.size])
        first = members_from(self.concepts)
        if first is not None and n >= first:
            bounds = [ceil(self.concepts.odds) + 1]
        return _smallest(_over_cover(n, vc, min(bounds), self.ratio, Fraction(0), self.failure))

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        labellings = self._dichotomous.dichotomies(sample)
        return labellings.member(labellings.mistakes(sample).draw(self.ratio, coins))


def label_private(
    concepts: AnyClass, *, epsilon: Fraction, costs: Costs | None = None
) -> LabelPrivateGrid | LabelPrivateDichotomies:
    """The learner that protects labels for a class: edges from the features, or all labellings of them."""
    if isinstance(concepts, Snappable):
        return LabelPrivateGrid(concepts, epsilon, costs)
    if costs is not None and len(set(costs)) > 1:
        raise ParameterError(
            "concepts",
            "costs",
            costs,
            allowed="equal costs where labellings are listed and only labels protected",
        )
    return LabelPrivateDichotomies(concepts, epsilon)
