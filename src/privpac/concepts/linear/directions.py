"""Sets of directions with their cut-offs: the candidates of linear scores, counted by score and found again.

See `halfspaces` for the statement and its proof.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs, Hypothesis, MixtureGibbs
from privpac.concepts.labellings.members import Members
from privpac.concepts.linear.direction_kernels import (
    BINS,
    WIDEST,
    count_scores,
    cutoff,
    find_score,
    list_scores,
)
from privpac.concepts.linear.levels import MOST_LEVELS, Feature, Levels, LevelTable, features_of
from privpac.concepts.linear.scorecard import Item, Scorecard
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.mechanisms.scores import Histogram

__all__ = ["DirectionScores", "Directions", "Linear", "named_columns"]

_CHUNK = 2**14
"""Combinations of features listed at a time."""

_DENSE = 2**24
"""Different scores up to which each has a place in a table."""

_LONGEST = 120.0
"""Seconds of counting that are refused, by the estimate below."""

_NS_RECORD, _NS_DIRECTION = 0.35, 900.0
"""Nanoseconds per record, feature and direction, and per direction besides (cut-offs): measured, generous."""


@dataclass(frozen=True)
class Directions:
    """Every choice of `chosen` of `features` features, with every pattern of points for them."""

    features: int
    chosen: int
    patterns: tuple[tuple[int, ...], ...]

    @classmethod
    def sparse(cls, features: int, chosen: int, points: int) -> Directions:
        """All coprime points of absolute value 1..`points`, the first positive: opposite sides are both drawn from."""
        sizes = [w for w in product(range(1, points + 1), repeat=chosen) if math.gcd(*w) == 1]
        signs = list(product((1, -1), repeat=chosen - 1))
        patterns = [
            (w[0], *(a * s for a, s in zip(w[1:], sign, strict=True))) for w in sizes for sign in signs
        ]
        return cls(features, chosen, tuple(patterns))

    @property
    def count(self) -> int:
        """The number of directions."""
        return math.comb(self.features, self.chosen) * len(self.patterns)

    def size(self, top: int) -> int:
        """Candidates: directions, cut-offs and sides."""
        return math.comb(self.features, self.chosen) * _cuts(self.patterns, top)

    @cached_property
    def matrix(self) -> NDArray[np.int64]:
        """One row per pattern of points."""
        return np.array(self.patterns, dtype=np.int64).reshape(len(self.patterns), self.chosen)

    def chunks(self) -> Iterator[NDArray[np.int64]]:
        """All choices of features, some thousands at a time."""
        walk = combinations(range(self.features), self.chosen)
        while chunk := list(islice(walk, _CHUNK)):
            yield np.array(chunk, dtype=np.int64)

    def seconds(self, n: int) -> float:
        """About how long scoring n records takes."""
        return self.count * (n * (self.chosen + 2) * _NS_RECORD + _NS_DIRECTION) * 1e-9


@lru_cache(maxsize=64)
def _cuts(patterns: tuple[tuple[int, ...], ...], top: int) -> int:
    """Cut-offs and sides of all patterns of points; a certificate asks for them again and again."""
    return sum(2 * min(BINS, sum(map(abs, pattern)) * top + 1) for pattern in patterns)


@dataclass(frozen=True, eq=False, repr=False)
class DirectionScores:
    """Candidates of some sets of directions, counted by score and found again; nothing of their number is kept."""

    levels: Levels
    directions: tuple[Directions, ...]
    top: int
    costs: tuple[int, int]
    name: Callable[[Sequence[int], Sequence[int], int, bool], Hypothesis]

    def _chunks(self) -> Iterator[tuple[Directions, NDArray[np.int64], tuple[Any, ...]]]:
        """Combinations of features with their directions, and what the kernels are given for them."""
        zeros, ones = self.levels.by_class
        for part in self.directions:
            for chunk in part.chunks():
                yield part, chunk, (zeros, ones, chunk, part.matrix, self.top, self.costs)

    @property
    def _price(self) -> int:
        """Of misjudging everybody: no score is larger."""
        return sum(n * cost for n, cost in zip(self.levels.records, self.costs, strict=True))

    def histogram(self, span: int | None) -> Histogram:
        if self._price >= _DENSE:  # for large costs: only the scores that occur
            return Histogram.of_parts((list_scores(*arguments) for _, _, arguments in self._chunks()), span)
        counts = np.zeros(self._price + 2, dtype=np.int64)
        for _, _, arguments in self._chunks():
            count_scores(0, counts, *arguments)
        present = np.flatnonzero(counts)
        return Histogram.within(int(present[0]), present - present[0], counts[present], span)

    def locate(self, score: int, index: int) -> Hypothesis:
        for part, chunk, arguments in self._chunks():
            c, p, cut, above, index = find_score(score, index, *arguments)
            if c >= 0:
                return self.name(chunk[c].tolist(), part.patterns[p], cut, above)
        raise IndexError("no candidate with this score and index")


class Linear(Members, ABC):
    """What the classes share: features of a schema, sets of directions, one prior share each.

    A subclass is a frozen dataclass with these fields, and `columns` of None are all of them.
    """

    schema: Schema
    columns: tuple[str, ...] | None
    levels: int

    @property
    def word(self) -> str:
        return f"halfspaces:{','.join(self.columns or ())}"

    @property
    def top(self) -> int:
        """The highest level of a feature."""
        return self.levels - 1

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features that a rule may look at."""
        return features_of(self.schema, top=self.top, columns=self.columns)

    @property
    @abstractmethod
    def parts(self) -> tuple[Directions, ...]: ...

    @property
    def size(self) -> int:
        """Candidates; some are the same function, whose prior is then the sum of theirs."""
        return sum(part.size(self.top) for part in self.parts)

    @property
    def odds(self) -> int:
        return len(self.parts) * max(part.size(self.top) for part in self.parts) - 1

    @property
    def vc(self) -> int:
        """Half-spaces of d features shatter d + 1 points at most, and a class of size m at most log2(m)."""
        return min(len(self.features) + 1, self.size.bit_length() - 1)

    @property
    def statistic(self) -> LevelTable:
        return LevelTable(self.features, classes=len(self.schema.classes))

    def gibbs(self, evidence: Levels, *, ratio: Fraction, costs: Costs) -> MixtureGibbs:
        parts = tuple(self._scores(evidence, (part,), costs) for part in self.parts)
        sizes = tuple(part.size(self.top) for part in self.parts)
        return MixtureGibbs(parts, (1,) * len(parts), sizes, ratio)

    def scores(self, evidence: Levels, *, costs: Costs) -> DirectionScores:
        """Of all candidates, whatever their prior."""
        return self._scores(evidence, self.parts, costs)

    def _scores(self, evidence: Levels, parts: tuple[Directions, ...], costs: Costs) -> DirectionScores:
        return DirectionScores(evidence, parts, self.top, (costs[0], costs[1]), self.candidate)

    def candidate(self, features: Sequence[int], points: Sequence[int], cut: int, above: bool) -> Scorecard:
        """The rule a place stands for; 'below' is 'at least' with opposite points."""
        low = sum(min(0, p) for p in points) * self.top
        width = sum(abs(p) for p in points) * self.top
        edge = low + cutoff(cut, width)
        sign, edge = (1, edge) if above else (-1, 1 - edge)
        names = (self.features[index] for index in features)
        items = tuple(Item(feature, sign * p) for feature, p in zip(names, points, strict=True))
        return Scorecard.of(items, edge, self.top)

    def contains(self, hypothesis: Hypothesis) -> bool:
        """Whether some direction, cut-off and side make this rule; a rule 'below' has the opposite points."""
        if not isinstance(hypothesis, Scorecard) or hypothesis.top != self.top:
            return False
        places = {feature: place for place, feature in enumerate(self.features)}
        if any(item.feature not in places for item in hypothesis.items):
            return False
        points_by_place = {places[item.feature]: item.points for item in hypothesis.items}
        if list(points_by_place) != sorted(points_by_place) or not points_by_place:
            return False
        return any(
            hypothesis.cutoff
            in self._edges([sign * points for points in points_by_place.values()], above=sign > 0)
            for sign in (1, -1)
            if self._has_direction({place: sign * points for place, points in points_by_place.items()})
        )

    def _edges(self, points: Sequence[int], *, above: bool) -> Iterator[int]:
        """The cut-offs of a direction, as `candidate` makes them."""
        low = sum(min(0, p) for p in points) * self.top
        width = sum(abs(p) for p in points) * self.top
        edges = (low + cutoff(cut, width) for cut in range(min(BINS, width + 1)))
        return edges if above else (1 - edge for edge in edges)

    @abstractmethod
    def _has_direction(self, points: Mapping[int, int]) -> bool:
        """Whether these points, by the number of their feature, are a direction; features of no points left out."""

    def seconds(self, n: int) -> float:
        """About how long scoring n records takes."""
        return sum(part.seconds(n) for part in self.parts)

    def require(self, n: int | None) -> None:
        """Refuse what takes too long, from public numbers."""
        seconds = self.seconds(n or 1)
        if seconds > _LONGEST:
            raise SizeError(
                f"{type(self).__name__}: counting {sum(part.count for part in self.parts)} directions would take "
                f"about {seconds / 60:.0f} minutes.",
                remedy="Allow fewer features or points, or name fewer columns.",
            )

    def _check(self, levels: int) -> None:
        owner = type(self).__name__
        if isinstance(levels, bool) or not isinstance(levels, int) or not 2 <= levels <= MOST_LEVELS:
            raise ParameterError(
                owner, "levels", levels, allowed=f"a whole number between 2 and {MOST_LEVELS}"
            )
        if not self.features:
            raise ParameterError(
                owner,
                "columns",
                list(self.schema.names),
                allowed="columns of which one has at least two cells",
                remedy="A constant column tells nobody apart.",
            )
        widest = max(sum(map(abs, pattern)) for part in self.parts for pattern in part.patterns) * self.top
        if widest > WIDEST:
            raise SizeError(
                f"{owner}: scores of up to {widest} points are beyond the {WIDEST} that are counted exactly.",
                remedy="Use fewer levels or points.",
            )
        self.require(None)


def named_columns(one_or_more: object, owner: str) -> tuple[str, ...]:
    """One column or several, each once."""
    names = (one_or_more,) if isinstance(one_or_more, str) else tuple(one_or_more)  # type: ignore[arg-type]
    if not names or len(set(names)) != len(names):
        raise ParameterError(owner, "columns", names, allowed="different columns of the schema")
    return names
