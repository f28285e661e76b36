"""What released counts by class say about the order and the risks that a rule gives: free, from numbers that are out.

A tree's leaves and a card's sums of points are groups of records with one risk each, and their noisy counts of two
classes are released. From them follow the area under the curve, sensitivity and specificity, what a constant answer
would reach, and whether risks are kept. The records are those that the rule was learnt from, and it follows them as far
as epsilon lets it: the figures flatter, are marked as such, and have no interval.
Source: Hanley and McNeil 1982 for the variance of the area, in the form for tied ranks; the noise by the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.card import Card
from privpac.concepts.cards.risks import SCALE, SURE, share_down, spread_of
from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.figures import BALANCE, SELDOM, seldom_text
from privpac.constructions.estimates.leaf_counts import LeafCounts

__all__ = [
    "FLATTERING",
    "LEVEL",
    "SPLIT",
    "Area",
    "Group",
    "RankFigures",
    "Share",
    "ranks_of_card",
    "ranks_of_tree",
]

LEVEL = 0.9
"""How often an interval holds, by what is printed beside it (benchmarks/coverage.py)."""
FLATTERING = (
    "These are figures on the records it was learnt from, flattering: noisy counts that are released anyway tell how"
    " well the rule fits those, so they cost no further privacy, have no interval, and say little of other records. A"
    " private estimate does (--estimate-epsilon, in Python estimate_epsilon)."
)
"""A rule follows its records as far as noise lets it, and no count of the same records tells how far that was: on coin
tosses intervals of two standard deviations held 0 of 40 times for cards of 3,000 records at epsilon 10, and 30 of 40 at
epsilon 3."""
AUC_FROM = 200
"""Records times epsilon of leaf counts from where on the area under the curve of a tree is told: below, it is mostly
the order that noise gave the leaves."""
SPLIT = (
    "The cut-off lies among sums that were counted together, so the counts do not tell how many of those records are"
    " above it: sensitivity, specificity and how often the rule is right take them to be spread evenly over the sums."
)
TOO_NOISY = "The counts are too noisy to say how good the rule is or how it ranks: more records or epsilon would tell."
NO_AUC = (
    f"How well the rule ranks cannot be said: records times epsilon of the leaf counts are below {AUC_FROM}, and the"
    " order of the leaves is mostly noise."
)
MOST_PLACES = 10
"""Points of a calibration picture that can be told apart."""
MOST_DIGITS = 6
"""Of a share in JSON."""


@dataclass(frozen=True)
class Group:
    """Records with one risk: what it is said to be, what they are called, and their noisy counts of either class."""

    risk: float
    part: float
    """How much of it is called the second class: none or all, or a part where a cut-off lies within it."""
    zeros: int
    ones: int

    @property
    def is_split(self) -> bool:
        """Whether the counts do not tell how many records are on which side of the cut-off."""
        return 0 < self.part < 1


@dataclass(frozen=True)
class Share:
    """A number between 0 and 1, and between what it lies; without ends where nobody can say."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def to_json(self) -> dict[str, float]:
        """The number, and its interval if it has one."""
        return {name: round(value, MOST_DIGITS) for name, value in vars(self).items() if value is not None}


class Area(NamedTuple):
    """An area under a curve, and its standard deviations by chance and by noise, if the rule had been fixed
    beforehand."""

    value: float
    chance: float
    noise: float


class _Span(NamedTuple):
    """A number, and between what it lies if the rule had been fixed beforehand."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RankFigures:
    """Figures of a rule for two classes, from groups of records in order of their risk.

    >>> figures = RankFigures((Group(0.1, 0, 900, 100), Group(0.6, 1, 400, 600)), 5, ("no", "yes"), flattering=False)
    >>> print(figures.auc)
    0.775 (0.755 to 0.794)
    >>> print(figures.sensitivity)
    0.857 (0.813 to 0.895)
    """

    groups: tuple[Group, ...]
    """In ascending order of risk."""
    spread: int
    """About the standard deviation of the noise in every count."""
    classes: tuple[str, str]
    ordered_by_counts: bool = False
    """Whether the order of the groups follows from these counts (a tree), and not from an earlier draw (a card)."""
    flattering: bool = True
    """Whether the rule may follow the counted records so closely that no interval holds; without it, the intervals of a
    rule that was fixed beforehand, which a control needs (benchmarks/coverage.py)."""
    tells_order: bool = True
    """Whether there are records enough for the area under the curve."""
    weighed: bool = False
    """Whether mistakes of the two classes were said to cost differently."""
    names: tuple[str, ...] = ()
    """What people call the classes; empty where they are called as they are."""

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as sentences and pictures call them."""
        return self.names or self.classes

    @cached_property
    def _counts(self) -> NDArray[np.float64]:
        """Zeros and ones of every group, of groups with equal risk together.

        Where groups were put in order by these very counts, noise would seem to rank: there the records of a group are
        shared out by its risk, which is drawn towards its neighbours', and not by its own counts.
        """
        risks = sorted({group.risk for group in self.groups})
        table = np.zeros((len(risks), 2))
        for group in self.groups:
            total = group.zeros + group.ones
            counts = (
                (total * (1 - group.risk), total * group.risk)
                if self.ordered_by_counts
                else (group.zeros, group.ones)
            )
            table[risks.index(group.risk)] += counts
        return table

    @cached_property
    def _totals(self) -> tuple[float, float]:
        zeros, ones = self._counts.sum(axis=0).tolist()
        return zeros, ones

    @property
    def known(self) -> bool:
        """Whether both classes are at least twice what noise may be, so that a share of them tells something.

        Where they are just above it, a share of 50 coin tosses in two leaves at epsilon 1/2 is off by more than a
        quarter in one of nine runs, and in eight leaves in three of ten.
        """
        noise = SURE * self.spread * math.sqrt(len(self.groups))
        return min(self._totals) > 2 * noise

    @property
    def auc(self) -> Share | None:
        """How often a record of the second class has the larger risk than one of the first, ties counted as half."""
        if self.area is None:
            return None
        area, half = self.area.value, SURE * math.hypot(self.area.chance, self.area.noise)
        return self._told(_Span(area, max(0.0, area - half), min(1.0, area + half)))

    @cached_property
    def area(self) -> Area | None:
        """The same with its standard deviations; None where the counts do not tell."""
        if not (self.known and self.tells_order):
            return None
        zeros, ones = self._counts.T
        (all_zeros, all_ones) = self._totals
        below = (np.cumsum(zeros) - zeros / 2) / all_zeros  # for a record of class 1 in each group
        above = (all_ones - np.cumsum(ones) + ones / 2) / all_ones  # for one of class 0
        area = float((ones * below).sum() / all_ones)
        sampling = float(
            (ones * (below - area) ** 2).sum() / all_ones**2
            + (zeros * (above - area) ** 2).sum() / all_zeros**2
        )
        squares = ((below - area) ** 2).sum() / all_ones**2 + ((above - area) ** 2).sum() / all_zeros**2
        noise = self.spread * math.sqrt(float(squares) * self._cells_per_risk)
        return Area(area, math.sqrt(sampling), noise)

    def _told(self, span: _Span) -> Share:
        """What is printed: with its ends where they hold."""
        return Share(span.value) if self.flattering else Share(*span)

    @property
    def _cells_per_risk(self) -> float:
        """Groups of equal risk are counted apart, and each brings its own noise."""
        return len(self.groups) / len(self._counts)

    @cached_property
    def sensitivity(self) -> Share | None:
        """The share of the second class that the rule finds."""
        return self._told(self._found(1)) if self.known else None

    @cached_property
    def specificity(self) -> Share | None:
        """The share of the first class that the rule leaves alone."""
        return self._told(self._found(0)) if self.known else None

    @property
    def balanced(self) -> Share | None:
        """The mean of both: one half for a constant answer, whichever class is rare."""
        if not self.known:
            return None
        one, zero = self._found(1), self._found(0)
        middle = (one.value + zero.value) / 2
        low = math.hypot(one.value - one.low, zero.value - zero.low) / 2
        high = math.hypot(one.high - one.value, zero.high - zero.value) / 2
        return self._told(_Span(middle, max(0.0, middle - low), min(1.0, middle + high)))

    @property
    def accuracy(self) -> Share | None:
        """How often the rule is right."""
        return self._told(self._either_way(self._accuracy)) if self.known else None

    def _accuracy(self, groups: Sequence[Group]) -> _Span:
        right = sum(group.ones if group.part else group.zeros for group in groups)
        wrong = sum(group.zeros if group.part else group.ones for group in groups)
        return self._between(right, wrong, len(groups), len(groups))

    @property
    def majority(self) -> tuple[str, Share] | None:
        """The commonest class, and how often always saying it would be right."""
        if not self.known:
            return None
        zeros, ones = (int(total) for total in self._totals)
        more, fewer, name = (
            (zeros, ones, self.classes[0]) if zeros >= ones else (ones, zeros, self.classes[1])
        )
        cells = len(self.groups)
        return name, self._told(self._between(more, fewer, cells, cells))

    def _found(self, label: int) -> _Span:
        """The share of a class that the rule calls by its name."""

        def share(groups: Sequence[Group]) -> _Span:
            counts = [(group.zeros, group.ones)[label] for group in groups]
            hits = [count for count, group in zip(counts, groups, strict=True) if group.part == label]
            rest = [count for count, group in zip(counts, groups, strict=True) if group.part != label]
            return self._between(sum(hits), sum(rest), len(hits), len(rest))

        return self._either_way(share)

    def _either_way(self, share: Callable[[Sequence[Group]], _Span]) -> _Span:
        """A share if the group that the cut-off splits is below it, and if it is above it: the value is in between, by
        its part, and the interval holds for both. Where no group is split, both are the same."""
        below, above = (
            share([replace(group, part=side) if group.is_split else group for group in self.groups])
            for side in (0, 1)
        )
        part = next((group.part for group in self.groups if group.is_split), 0.0)
        value = (1 - part) * below.value + part * above.value
        return _Span(value, min(below.low, above.low), max(below.high, above.high))

    def _between(self, hits: int, rest: int, hit_cells: int, rest_cells: int) -> _Span:
        """A share of noisy counts: sums of this many cells each."""
        here, there = (math.ceil(SURE * self.spread * math.sqrt(cells)) for cells in (hit_cells, rest_cells))
        low = share_down(max(0, hits - here), rest + there) / SCALE
        high = 1 - share_down(max(0, rest - there), hits + here) / SCALE
        value = hits / max(1, hits + rest)
        return _Span(value, min(low, value), max(high, value))

    def calibration(self) -> Iterator[tuple[float, Share, int]]:
        """For risks that are told: the share of the second class that was counted there, and of how many.

        Neighbouring groups are taken together where there are more than ten, and left out where they may be noise.
        """
        together = -(-len(self.groups) // MOST_PLACES)
        for first in range(0, len(self.groups), together):
            near = self.groups[first : first + together]
            zeros, ones = sum(group.zeros for group in near), sum(group.ones for group in near)
            if zeros + ones > SURE * self.spread * math.sqrt(2 * len(near)):
                risk = sum(group.risk * (group.zeros + group.ones) for group in near) / (zeros + ones)
                yield risk, self._told(self._between(ones, zeros, len(near), len(near))), zeros + ones

    def curve(self) -> Iterator[tuple[float, float]]:
        """Shares of the first and of the second class above each risk, from nobody to everybody (the ROC curve)."""
        if self.auc is None:
            return
        zeros, ones = np.cumsum(self._counts[::-1], axis=0).T
        yield 0.0, 0.0
        yield from zip((zeros / self._totals[0]).tolist(), (ones / self._totals[1]).tolist(), strict=True)

    @property
    def note(self) -> str:
        """Where the figures come from, and how far they hold."""
        return FLATTERING

    def lines(self) -> list[str]:
        """In sentences, with where they come from."""
        return [*self._figures(), *self._seldom(), self.note] if self.known else [TOO_NOISY]

    def _seldom(self) -> Iterator[str]:
        """Which class is hardly ever named, and what to try."""
        for name, share in zip(self.class_names, (self.specificity, self.sensitivity), strict=True):
            if share is not None and share.value < SELDOM:
                yield seldom_text(name, max(0.0, share.value))
                if not self.weighed:
                    yield BALANCE

    def _figures(self) -> Iterator[str]:
        zero, one = self.class_names
        if self.auc is None:
            yield NO_AUC
        else:
            yield f"Area under the curve (AUC) about {self.auc}: how often a record of {one} has the larger risk."
        yield (
            f"Sensitivity ({one}) about {self.sensitivity}, specificity ({zero}) about"
            f" {self.specificity}; balanced accuracy about {self.balanced}."
        )
        if self.majority is not None:
            commonest, right = self.majority
            name = self.class_names[self.classes.index(commonest)]
            yield f"Right about {self.accuracy} of the time; always saying {name} about {right}."
        if any(group.is_split for group in self.groups):
            yield SPLIT

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        figures = {
            "auc": self.auc,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "balanced_accuracy": self.balanced,
            "accuracy": self.accuracy,
            "majority": None if self.majority is None else self.majority[1],
        }
        return {
            **{name: None if share is None else share.to_json() for name, share in figures.items()},
            "flattering": self.flattering,
            "majority_class": None if self.majority is None else self.majority[0],
            "calibration": [
                {"risk": round(risk, MOST_DIGITS), "records": records, **share.to_json()}
                for risk, share, records in self.calibration()
            ],
            "roc": [[round(x, MOST_DIGITS), round(y, MOST_DIGITS)] for x, y in self.curve()],
        }


def ranks_of_tree(
    tree: Tree,
    counts: LeafCounts,
    classes: Sequence[str],
    costs: Sequence[int] | None = None,
    *,
    names: Sequence[str] = (),
) -> RankFigures | None:
    """The figures of a tree with leaf counts; None for more than two classes."""
    if len(classes) != 2:
        return None
    risks = counts.shares(tree)[:, 1].tolist()
    groups = [
        Group(risk, leaf.label, zeros, ones)
        for risk, leaf, (zeros, ones) in zip(risks, tree.leaves(), counts.counts, strict=True)
    ]
    ranking = tuple(sorted(groups, key=lambda group: group.risk))
    return RankFigures(
        ranking,
        spread_of(counts.epsilon, 2),
        (classes[0], classes[1]),
        ordered_by_counts=True,
        tells_order=counts.records * counts.epsilon >= AUC_FROM,
        weighed=len(set(costs or ())) > 1,
        names=tuple(names),
    )


def ranks_of_card(card: Card, classes: Sequence[str], *, names: Sequence[str] = ()) -> RankFigures:
    """The figures of a card; where several sums are counted together, the risk of their middle stands for all."""
    groups = []
    for bucket, (zeros, ones) in enumerate(card.counts):
        first, last = card.table.bounds(bucket)
        above = max(0, last + 1 - max(first, card.cutoff))  # sums from the cut-off on
        risk = card.risks[(first + last) // 2] / SCALE
        groups.append(Group(risk, above / (last + 1 - first), zeros, ones))
    has_costs = len(set(card.costs)) > 1
    both = (classes[0], classes[1])
    return RankFigures(tuple(groups), card.table.spread, both, weighed=has_costs, names=tuple(names))
