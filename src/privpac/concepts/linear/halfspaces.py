"""Half-spaces with integer weights: scorecards over public directions, each with up to 256 public cut-offs.

Statement: a candidate is a direction (integer points for some features), a cut-off and a side; it is drawn with
probability proportional to prior · ratio^price, where the price of a candidate is the summed cost of the records it
gets wrong. Levels and points are whole numbers, so a price is exact and one record moves it by at most max(costs).
Source: McSherry–Talwar 2007; Chaudhuri–Hsu 2011 for half-spaces; directions × cut-offs ours.
Holds if: features, directions and cut-offs are public: they follow from the schema alone or are declared.
Proof: docs/proofs/halfspaces.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd

import numpy as np

from privpac.concepts.base import Stored
from privpac.concepts.grids import LEVELS, POINTS, linear_grid
from privpac.concepts.linear.direction_kernels import WIDEST
from privpac.concepts.linear.directions import Directions, Linear, named_columns
from privpac.concepts.linear.levels import Feature, features_of
from privpac.data.sample import InMemory
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError

__all__ = ["Halfspaces", "Scorecards"]


@dataclass(frozen=True)
class Scorecards(Linear, Stored):
    """Points for up to `count` features of the table (or of some `columns`), each at most `points` in size.

    The prior shares its weight evenly among the numbers of features, and evenly among the candidates of each.
    """

    schema: Schema
    count: int = 2
    points: int = POINTS
    levels: int = LEVELS
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.columns is not None:
            object.__setattr__(self, "columns", named_columns(self.columns, "Scorecards"))
        for name in ("count", "points"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 99:
                raise ParameterError("Scorecards", name, value, allowed="a whole number between 1 and 99")
        self._refuse_patterns()
        self._check(self.levels)

    def _refuse_patterns(self) -> None:
        """Before they are listed."""
        features = min(self.count, len(self.features)) if self.features else 1
        if (2 * self.points) ** features > 2**22:
            raise SizeError(
                f"Scorecards: {features} features of up to {self.points} points have too many patterns.",
                remedy="Allow fewer features or points.",
            )

    @property
    def grid(self) -> str:
        """Which half-spaces are listed, and how far others may be from them."""
        return linear_grid(min(self.count, len(self.features)), self.points, self.levels)

    @property
    def word(self) -> str:
        return f"scorecards:{self.count}" if self.columns is None else super().word

    @cached_property
    def parts(self) -> tuple[Directions, ...]:
        """The directions, by the number of features they look at."""
        most = min(self.count, len(self.features))
        return tuple(Directions.sparse(len(self.features), k, self.points) for k in range(1, most + 1))

    def _has_direction(self, points: Mapping[int, int]) -> bool:
        values = tuple(points.values())
        return len(values) <= len(self.parts) and values in self.parts[len(values) - 1].patterns


@dataclass(frozen=True)
class Halfspaces(Linear, Stored):
    """Declared directions over all features of some columns: integer weights, one per feature, whoever chose them.

    They must not come from the records they are used on; the certificate cannot see where they came from.
    """

    schema: Schema
    columns: tuple[str, ...]
    directions: tuple[tuple[int, ...], ...]
    levels: int = LEVELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", named_columns(self.columns, "Halfspaces"))
        object.__setattr__(self, "directions", tuple(self._read(row) for row in self.directions))
        if not self.directions:
            raise ParameterError("Halfspaces", "directions", [], allowed="at least one direction")
        self._check(self.levels)

    def _read(self, row: Sequence[int]) -> tuple[int, ...]:
        weights = tuple(row)
        whole = all(isinstance(w, int | np.integer) and not isinstance(w, bool) for w in weights)
        if not whole or len(weights) != len(self.features):
            raise ParameterError(
                "Halfspaces",
                "directions",
                weights,
                allowed=f"{len(self.features)} whole numbers each, one per feature: {_names(self.features)}",
            )
        if not any(weights):
            raise ParameterError(
                "Halfspaces",
                "directions",
                weights,
                allowed="a direction in which some feature counts",
                remedy="Leave a direction of zeros out: it separates nothing.",
            )
        return tuple(int(w) for w in weights)

    @classmethod
    def between(
        cls, schema: Schema, columns: Sequence[str], public: InMemory, *, most: int = 256
    ) -> Halfspaces:
        """Directions from a public table: from one of its records to another, of another label if it has labels.

        The table must be public: no record of it may be among those that are learnt from. `most` directions are taken,
        from the first records on.
        """
        features = features_of(schema, top=LEVELS - 1, columns=tuple(columns))
        block = public.block()
        places = np.array([feature.levels(block.cells) for feature in features], dtype=np.int64).T.tolist()
        labels = [0] * len(places) if block.labels is None else block.labels.tolist()
        rows: dict[tuple[int, ...], None] = {}
        for (a, first), (b, second) in combinations(zip(places, labels, strict=True), 2):
            step = [y - x for x, y in zip(a, b, strict=True)]
            size = sum(map(abs, step))
            if not size or (block.labels is not None and first == second):
                continue
            factor = gcd(*step) * (1 if next(filter(None, step)) > 0 else -1)
            if size // abs(factor) * (LEVELS - 1) <= WIDEST:
                rows[tuple(points // factor for points in step)] = None
            if len(rows) == most:
                break
        if not rows:
            raise ParameterError(
                "Halfspaces", "public", len(places), allowed="a public table with two records that differ"
            )
        return cls(schema, tuple(columns), tuple(rows))

    @property
    def grid(self) -> str:
        """Which half-spaces are listed."""
        return linear_grid(len(self.features), None, self.levels)

    @cached_property
    def parts(self) -> tuple[Directions, ...]:
        """The directions, by the number of features they look at."""
        return (Directions(len(self.features), len(self.features), self.directions),)

    def _has_direction(self, points: Mapping[int, int]) -> bool:
        return tuple(points.get(place, 0) for place in range(len(self.features))) in self.directions


def _names(features: Sequence[Feature]) -> str:
    """The first few features by name."""
    names = [f.column if f.category is None else f"{f.column} #{f.category}" for f in features[:6]]
    return ", ".join(names) + (", …" if len(features) > 6 else "")
