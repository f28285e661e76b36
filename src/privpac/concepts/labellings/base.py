"""The labellings a class of concepts puts on a set of points: what relabelling and stable learners choose from.

A learner that sees k points need not tell apart concepts that label them alike. `Dichotomies` are the different
labellings, each once and with one representative. Some classes list them, others draw one by sums over the points: how
a labelling is named (`Z`) is theirs to say. They depend on the *set* of distinct points alone, and their
representatives on the public number of records besides: never on labels, on the order of records or on how often a
point occurs. Everything that is proved about them rests on that
(Dagan–Feldman 2020, the classes H_T; Li–Wang–Ye 2025, Algorithm 1; Beimel–Nissim–Stemmer 2015, Algorithm 2).

Everything here is private: nothing has a repr that shows what it holds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells, Hypothesis
from privpac.data.sample import Sample, Statistic
from privpac.errors import DataError, ParameterError
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.theory.listing import drawn_dimension

__all__ = [
    "AnyPoints",
    "BySums",
    "Dichotomies",
    "Dichotomous",
    "ListedPrices",
    "Prices",
    "VotedDichotomies",
    "dimension",
    "foreign_points",
    "members_from",
    "multiplicities",
    "reduce_all",
    "with_dichotomies",
]

S = TypeVar("S")
Z = TypeVar("Z")
Z_co = TypeVar("Z_co", covariant=True)


class Prices(Protocol[Z_co]):
    """Labellings with a whole number each, which one record moves by little."""

    def draw(self, ratio: Fraction, coins: Coins) -> Z_co:
        """One labelling, with probability exactly proportional to ratio^price, every labelling once."""

    def cheapest(self) -> Z_co:
        """One of those with the lowest price: always the same one for the same prices."""


class Dichotomies(Protocol[Z]):
    """All labellings of a set of points by a class, each of them once."""

    def member(self, labelling: Z) -> Hypothesis:
        """A concept that labels the points like this: always the same one for the same set of points."""

    def labels(self, labelling: Z, cells: Cells) -> NDArray[np.uint8]:
        """The labels of records whose points lie in the set, in their order."""
        return self.member(labelling).predict(cells)

    def mistakes(self, sample: Sample) -> Prices[Z]:
        """How many of these records each representative gets wrong; the records may lie anywhere."""


class VotedDichotomies(Dichotomies[Z], Protocol[Z]):
    """Labellings that other records can vote on."""

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> Prices[Z]:
        """score(z) = min over concepts f of change·#{sample: z ≠ f} + mistake·#{rest: f is wrong}.

        `sample` are records whose points make the set (their labels are not looked at). A step between two labellings
        costs `change` for every record it relabels, so points that occur twice count twice.
        """


class ListedPrices(Listed):
    """One price a labelling, in a list; the labelling is its number."""

    def draw(self, ratio: Fraction, coins: Coins) -> int:
        """One number, with probability proportional to ratio^price."""
        return gibbs.draw(self, ratio, coins)

    def cheapest(self) -> int:
        """The first of those with the lowest price."""
        return self.locate(self.histogram(0).best, 0)


class Dichotomous(AnyClass, Protocol):
    """A class whose dichotomies can be drawn from.

    How many there are depends on the points, which are private. So what is too much is decided beforehand, for the
    worst points there could be; `dichotomies` itself refuses nothing.
    """

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        """Refuse, from public numbers alone, this many points whose labellings could not be drawn by their mistakes.

        Mistakes are counted on records at these points, and on `elsewhere` further records that may lie anywhere.
        """

    def require_relabelled(self, records: int, *, voters: int) -> None:
        """Refuse, from public numbers alone, what `relabelling` could not do for this many kept records and others."""

    def dichotomies(self, *points: Sample) -> Dichotomies[Any]:
        """Its labellings of the distinct points of all these records."""


def members_from(concepts: AnyClass, *, voted: bool = False) -> int | None:
    """The fewest points for which members are drawn, or `voted` on, in place of labellings; None: never."""
    if voted:
        return 0 if getattr(concepts, "voted_as_members", False) else None
    first: int | None = getattr(concepts, "members_from", None)
    return first


class BySums:
    """A class whose labellings are drawn by sums over the points: any number of them will do."""

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        """Nothing is refused."""


class AnyPoints(BySums):
    """A class with as many labellings as points, about: records can vote on any number of them."""

    def require_relabelled(self, records: int, *, voters: int) -> None:
        """Nothing is refused."""


def with_dichotomies(concepts: AnyClass, *, owner: str) -> Dichotomous:
    """The class itself if its labellings can be drawn from; otherwise a refusal that says which can."""
    # Asked of every block of every run: what `isinstance` does for a protocol, in a fiftieth of its time.
    if not hasattr(concepts, "dichotomies") or len(concepts.schema.classes) != 2:
        raise ParameterError(
            owner,
            "concepts",
            concepts.word,
            allowed="a class of two labels whose labellings of given points can be drawn from",
            remedy="Use thresholds, intervals, unions, rectangles, points, stumps, half-spaces, trees, lists or a "
            "finite class.",
        )
    return cast(Dichotomous, concepts)


def dimension(
    concepts: AnyClass, *, counted: int, drawn: int | None = None, voted: bool = False
) -> int | None:
    """A VC dimension that counts for this class; None if there is none so small, or it is unknown.

    The class has no more labellings of `counted` or more points than one of this dimension may have, and where labels
    of `drawn` points are drawn (or `voted` on), no more candidates either (docs/proofs/members-as-labellings.md).
    """
    first = members_from(concepts, voted=voted)
    return drawn_dimension(concepts, counted=counted, drawn=drawn, members_from=first)


def reduce_all(statistic: Statistic[S], samples: tuple[Sample, ...]) -> S:
    """The statistic of all these records together."""
    state = statistic.zero()
    for sample in samples:
        state = statistic.merge(state, sample.reduce(statistic))
    return state


def multiplicities(points: NDArray[Any], values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """How often each of the sorted `points` occurs among counted `values`, which must lie in the set."""
    if len(values) == len(points):
        if not np.array_equal(values, points):
            raise foreign_points()
        return np.asarray(counts, dtype=np.int64)
    places = np.searchsorted(points, values)
    if len(values) and (int(places[-1]) >= len(points) or not np.array_equal(points[places], values)):
        raise foreign_points()
    spread = np.zeros(len(points), dtype=np.int64)
    spread[places] = counts
    return spread


def foreign_points() -> DataError:
    """The refusal of records that lie elsewhere."""
    return DataError("There are kept records whose points are not among those the dichotomies were made for.")
