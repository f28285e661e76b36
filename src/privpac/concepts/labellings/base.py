"""The labellings a class of concepts puts on a set of points: what relabelling and stable learners choose from.

A learner that sees k points need not tell apart concepts that label them alike. `Dichotomies` are the different
labellings, in a fixed order, each with one representative. They depend on the *set* of distinct points alone: never on
labels, on the order of records or on how often a point occurs. Everything that is proved about them rests on that
(Dagan–Feldman 2020, the classes H_T; Li–Wang–Ye 2025, Algorithm 1; Beimel–Nissim–Stemmer 2015, Algorithm 2).

Everything here is private: nothing has a repr that shows what it holds.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, ConceptClass, Hypothesis
from privpac.data.sample import Sample, Statistic
from privpac.errors import DataError, ParameterError
from privpac.mechanisms.scores import Scores

__all__ = [
    "AnyPoints",
    "Dichotomies",
    "Dichotomous",
    "multiplicities",
    "reduced",
    "with_dichotomies",
]

S = TypeVar("S")


class Dichotomies(Protocol):
    """All labellings of a set of points by a class, numbered 0 … count - 1."""

    @property
    def count(self) -> int:
        """The number of different labellings."""

    def member(self, index: int) -> Hypothesis:
        """A concept that labels the points like this: always the same one for the same set of points."""

    def labels(self, index: int, cells: Cells) -> NDArray[np.uint8]:
        """The labels of records whose points lie in the set, in their order."""

    def mistakes(self, sample: Sample) -> Scores[int]:
        """How many of these records each representative gets wrong; the records may lie anywhere."""

    def relabelling(self, kept: Sample, rest: Sample, *, change: int, mistake: int) -> Scores[int]:
        """score(z) = min over concepts f of change·#{kept: z ≠ f} + mistake·#{rest: f is wrong}.

        `kept` are records whose points make the set (their labels are not looked at). A step between two labellings
        costs `change` for every record it relabels, so points that occur twice count twice.
        """


class Dichotomous(ConceptClass, Protocol):
    """A class whose dichotomies can be listed.

    How many there are depends on the points, which are private. So what is too much to list is decided beforehand, for
    the worst points there could be; `dichotomies` itself refuses nothing.
    """

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        """Refuse, from public numbers alone, so many points whose labellings could not be listed with their mistakes.

        Mistakes are counted on records at these points, and on `elsewhere` further records that may lie anywhere.
        """

    def require_relabelled(self, kept: int, *, voters: int) -> None:
        """Refuse, from public numbers alone, what `relabelling` could not do for so many kept records and others."""

    def dichotomies(self, *points: Sample) -> Dichotomies:
        """Its labellings of the distinct points of all these records."""


@runtime_checkable
class Listable(Protocol):
    """What can list labellings."""

    def dichotomies(self, *points: Sample) -> Dichotomies:
        """The labellings that members of the class put on these records."""


class AnyPoints:
    """A class with as many labellings as points, about: any number of them can be listed."""

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        """Nothing is refused."""

    def require_relabelled(self, kept: int, *, voters: int) -> None:
        """Nothing is refused."""


def with_dichotomies(concepts: ConceptClass, *, owner: str) -> Dichotomous:
    """The class itself if its dichotomies can be listed; otherwise a refusal that says which can."""
    if not isinstance(concepts, Listable) or len(concepts.schema.classes) != 2:
        raise ParameterError(
            owner,
            "concepts",
            concepts.word,
            allowed="a class of two labels whose dichotomies can be listed",
            remedy="Use thresholds, intervals, points, stumps or a finite class.",
        )
    return cast(Dichotomous, concepts)


def reduced(statistic: Statistic[S], samples: tuple[Sample, ...]) -> S:
    """The statistic of all these records together."""
    state = statistic.zero()
    for sample in samples:
        state = statistic.merge(state, sample.reduce(statistic))
    return state


def multiplicities(points: NDArray[Any], values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """How often each of the sorted `points` occurs among counted `values`, which must lie in the set."""
    if len(values) == len(points):
        if not np.array_equal(values, points):
            raise _foreign()
        return np.asarray(counts, dtype=np.int64)
    places = np.searchsorted(points, values)
    if len(values) and (int(places[-1]) >= len(points) or not np.array_equal(points[places], values)):
        raise _foreign()
    spread = np.zeros(len(points), dtype=np.int64)
    spread[places] = counts
    return spread


def _foreign() -> DataError:
    return DataError("There are kept records whose points are not among those the dichotomies were made for.")
